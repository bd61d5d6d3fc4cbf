// Renders the form of a schedule, a description of the schedule, and its next five times.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schedule } from '../../../sdk/src/schemas.ts';
import { Failure } from '../../kit/failure.tsx';
import { SelectField, TextField } from '../../kit/field.tsx';
import formStyles from '../../kit/form.module.css';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { type FormValues, useForm } from '../../kit/use-form.ts';
import { api } from '../../lib/api.ts';
import { WORDS_LOCALE } from '../../lib/format.ts';
import { UserFacingError } from '../../lib/user-facing-error.ts';
import { describeTimeZone, describeTiming } from './describe.ts';
import styles from './forms.module.css';
import { useWorkflowInputs, ValueFields, WorkflowField } from './input-fields.tsx';
import { type FieldTexts, readInputErrors, toInputTexts, toInputValues } from './input-values.ts';
import { messages } from './messages.ts';
import { type Repeat, type TimingBody, type TimingFields, toTimingBody, toTimingFields } from './timing.ts';
import { showWarnings, useReloadAutomations } from './use-automations.ts';

const formMessages = messages.form;

interface ScheduleDialogProps {
  /** If it is undefined, the form has a field for the workflow. */
  readonly workflowId?: string;
  /** The schedule to edit. If it is undefined, the form creates one. */
  readonly schedule?: Schedule;
  readonly onClose: () => void;
}

export function ScheduleDialog({ workflowId: givenId, schedule, onClose }: ScheduleDialogProps) {
  const [workflowId, setWorkflowId] = useState(givenId);
  const nodes = useWorkflowInputs(workflowId);
  const [name, setName] = useState(schedule?.name ?? '');
  const timing = useForm(() => toTimingFields(schedule));
  const options = useForm(() => toOptions(schedule));
  const [inputs, setInputs] = useState(() => toInputTexts(schedule?.inputs));
  const [inputErrors, setInputErrors] = useState<FieldTexts>({});
  const reload = useReloadAutomations();
  const timingBody = toTimingBody(timing.values);
  const save = async (): Promise<void> => {
    if (timingBody === undefined) throw new UserFacingError(formMessages.incompleteTiming);
    const fields = {
      ...(name === '' ? {} : { name }),
      ...timingBody,
      ...toOptionsBody(options.values, schedule !== undefined),
      inputs: toInputValues(nodes, inputs, {
        stored: schedule?.inputs,
        // The published version may still have nodes that were deleted.
        keepsUnknown: options.values.version === 'published',
      }),
    };
    try {
      if (schedule === undefined) showWarnings(await api.post(`/workflows/${workflowId}/schedules`, fields));
      else await api.patch(`/schedules/${schedule.id}`, fields);
    } catch (thrown) {
      const { byNodeId, error } = readInputErrors(thrown, nodes);
      setInputErrors(byNodeId);
      throw error;
    }
    await reload();
  };
  return (
    <FormDialog
      title={schedule === undefined ? formMessages.schedule : formMessages.editSchedule}
      submitText={schedule === undefined ? formMessages.create : undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {givenId === undefined && <WorkflowField value={workflowId ?? ''} onChange={setWorkflowId} />}
      <TimingForm {...timing} />
      {timingBody !== undefined && <Preview timing={timingBody} />}
      <TextField
        label={formMessages.name}
        required={schedule !== undefined}
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <ValueFields nodes={nodes} values={inputs} errors={inputErrors} onChange={setInputs} />
      <Options {...options} />
    </FormDialog>
  );
}

const REPEATS_WITH_TIME: ReadonlySet<Repeat> = new Set(['day', 'weekdays', 'week', 'month']);

function TimingForm({ values, field }: FormValues<TimingFields>) {
  const { repeat, unitSeconds, timeZone } = values;
  return (
    <>
      <div className={styles.pair}>
        <SelectField label={formMessages.repeat} {...field('repeat')} options={formMessages.repeats} />
        {repeat === 'week' && (
          <SelectField
            label={formMessages.day}
            {...field('weekday')}
            options={WEEK.map(day => [day, formMessages.days[day]] as const)}
          />
        )}
        {repeat === 'month' && (
          <TextField
            label={formMessages.dayOfMonth}
            type="number"
            min={1}
            max={31}
            required
            {...field('dayOfMonth')}
          />
        )}
        {REPEATS_WITH_TIME.has(repeat) && (
          <TextField label={formMessages.time} type="time" required {...field('time')} />
        )}
        {repeat === 'hour' && (
          <TextField
            label={formMessages.minute}
            type="number"
            min={0}
            max={59}
            required
            {...field('minute')}
          />
        )}
        {repeat === 'interval' && (
          <>
            <TextField label={formMessages.every} type="number" min={1} required {...field('count')} />
            <SelectField label={formMessages.unit} {...field('unitSeconds')} options={formMessages.units}>
              {unitSeconds === '1' && <option value="1">{formMessages.seconds}</option>}
            </SelectField>
          </>
        )}
        {repeat === 'cron' && (
          <TextField
            label={formMessages.cron}
            hint={formMessages.cronHint}
            required
            maxLength={200}
            {...field('cron')}
          />
        )}
      </div>
      {repeat !== 'interval' && (
        <TextField
          label={formMessages.timeZone}
          list="time-zones"
          required
          error={isTimeZone(timeZone) ? undefined : formMessages.unknownZone}
          {...field('timeZone')}
        />
      )}
      <datalist id="time-zones">
        {TIME_ZONES.map(zone => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

const WEEK = ['1', '2', '3', '4', '5', '6', '0'] as const;
const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

function isTimeZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }) !== undefined;
  } catch {
    return false;
  }
}

/** Renders a description of the schedule, and its next five times in the time zone of the schedule. */
function Preview({ timing }: { readonly timing: TimingBody }) {
  const { cron = null, everySeconds = null, timeZone } = timing;
  const isValid = isTimeZone(timeZone);
  const { data, error } = useQuery({
    queryKey: ['/schedules/preview', timing],
    queryFn: ({ signal }) => api.post('/schedules/preview', timing, { signal }),
    placeholderData: keepPreviousData,
    enabled: isValid,
  });
  if (error !== null) return <Failure error={error} />;
  if (!isValid) return null;
  const format = new Intl.DateTimeFormat(WORDS_LOCALE, { dateStyle: 'full', timeStyle: 'short', timeZone });
  return (
    <div className={styles.summary} role="status">
      <strong>{formMessages.runs(describeTiming({ cron, everySeconds, timeZone }))}</strong>
      <div className={styles.times}>
        <span>
          {formMessages.nextTimes}, {describeTimeZone(timeZone)}
        </span>
        <ol aria-label={formMessages.nextTimes}>
          {data?.times.map(time => (
            <li key={time}>
              <time dateTime={time}>{format.format(Date.parse(time))}</time>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

interface OptionFields {
  readonly version: Schedule['version'];
  readonly overlap: Schedule['overlap'];
  readonly catchUp: Schedule['catchUp'];
  readonly maxCredits: string;
}

const toOptions = (schedule: Schedule | undefined): OptionFields => ({
  version: schedule?.version ?? 'current',
  overlap: schedule?.overlap ?? 'skip',
  catchUp: schedule?.catchUp ?? 'latest',
  maxCredits: schedule?.maxCredits?.toString() ?? '',
});

/** For a new schedule, `maxCredits` is left out if there is no limit. For a stored one, null removes the limit. */
const toOptionsBody = ({ maxCredits, ...fields }: OptionFields, isStored: boolean): object => ({
  ...fields,
  ...(maxCredits !== '' ? { maxCredits: Number(maxCredits) } : isStored ? { maxCredits: null } : {}),
});

function Options({ values, update, field }: FormValues<OptionFields>) {
  const selects = [
    ['version', formMessages.version, formMessages.versions],
    ['overlap', formMessages.overlap, formMessages.overlaps],
    ['catchUp', formMessages.catchUp, formMessages.catchUps],
  ] as const;
  return (
    <details className={styles.more}>
      <summary>{formMessages.options}</summary>
      <div className={formStyles.fields}>
        {selects.map(([key, label, choices]) => (
          <SelectField key={key} label={label} {...field(key)} options={choices} />
        ))}
        <MaxCreditsField value={values.maxCredits} onChange={maxCredits => update({ maxCredits })} />
      </div>
    </details>
  );
}

interface MaxCreditsFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function MaxCreditsField({ value, onChange }: MaxCreditsFieldProps) {
  return (
    <TextField
      label={formMessages.maxCredits}
      type="number"
      min={0}
      placeholder={formMessages.noLimit}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
