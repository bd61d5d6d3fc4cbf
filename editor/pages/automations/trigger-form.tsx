// Renders the form of a trigger, and a dialog that shows the URL of a new webhook once.
import { useState } from 'react';
import type { Trigger } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../kit/field.tsx';
import formStyles from '../../kit/form.module.css';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { type FormValues, useForm } from '../../kit/use-form.ts';
import { api } from '../../lib/api.ts';
import { toLimit } from '../../lib/to-limit.ts';
import { createExamplePayload } from './example-payload.ts';
import styles from './forms.module.css';
import { PointerFields, useWorkflowInputs, WorkflowField } from './input-fields.tsx';
import { toPointers, toPointerTexts } from './input-values.ts';
import { messages } from './messages.ts';
import { MaxCreditsField } from './schedule-form.tsx';
import { showWarnings, useReloadAutomations } from './use-automations.ts';

const triggerMessages = messages.trigger;

type TriggerKind = Trigger['kind'];
/** The parts of `config` that the form edits, as text. */
type ConfigFields = Readonly<Record<'secret' | 'workflowId' | 'url' | 'everyMinutes' | 'prefix', string>> & {
  readonly statuses: readonly string[];
};

interface TriggerDialogProps {
  /** If it is undefined, the form has a field for the workflow. */
  readonly workflowId?: string;
  /** The trigger to edit. If it is undefined, the form creates one. */
  readonly trigger?: Trigger;
  readonly onClose: () => void;
}

export function TriggerDialog({ workflowId: givenId, trigger, onClose }: TriggerDialogProps) {
  const [workflowId, setWorkflowId] = useState(givenId);
  const nodes = useWorkflowInputs(workflowId);
  const [kind, setKind] = useState<TriggerKind>(trigger?.kind ?? 'hook');
  const [name, setName] = useState(trigger?.name ?? '');
  const form = useForm(() => toConfigFields(trigger));
  const [pointers, setPointers] = useState(() => toPointerTexts(trigger?.inputs));
  const [maxCredits, setMaxCredits] = useState(trigger?.maxCredits?.toString() ?? '');
  const [url, setUrl] = useState<string>();
  const reload = useReloadAutomations();
  const save = async (): Promise<void> => {
    const body = {
      ...(name === '' ? {} : { name }),
      config: TO_CONFIG[kind](form.values),
      inputs: toPointers(nodes, pointers),
      maxCredits: toLimit(maxCredits),
    };
    if (trigger !== undefined) await api.patch(`/triggers/${trigger.id}`, body);
    else {
      const created = await api.post(`/workflows/${workflowId}/triggers`, { kind, ...body });
      setUrl(created.url);
      showWarnings(created);
    }
    await reload();
  };
  if (url !== undefined)
    return (
      <HookUrlDialog
        url={url}
        isSigned={form.values.secret !== ''}
        pointers={toPointers(nodes, pointers)}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={trigger === undefined ? messages.form.trigger : messages.form.editTrigger}
      submitText={trigger === undefined ? messages.form.create : undefined}
      onSubmit={save}
      // After a new webhook is saved, this component stays open to show the webhook URL.
      onClose={isSaved => {
        if (!isSaved || trigger !== undefined || kind !== 'hook') onClose();
      }}
    >
      {givenId === undefined && <WorkflowField value={workflowId ?? ''} onChange={setWorkflowId} />}
      {trigger === undefined && (
        <SelectField
          label={triggerMessages.kind}
          value={kind}
          onChange={({ target }) => setKind(target.value as TriggerKind)}
          options={triggerMessages.kinds}
        />
      )}
      <ConfigForm kind={kind} form={form} hasSecret={trigger?.config.hasSecret === true} />
      <TextField
        label={messages.form.name}
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <PointerFields nodes={nodes} values={pointers} onChange={setPointers} />
      <MaxCreditsField value={maxCredits} onChange={setMaxCredits} />
    </FormDialog>
  );
}

function toConfigFields(trigger: Trigger | undefined): ConfigFields {
  const config = trigger?.config ?? {};
  const text = (key: string, fallback = ''): string => String(config[key] ?? fallback);
  return {
    secret: '',
    workflowId: text('workflowId'),
    statuses: Array.isArray(config.statuses) ? (config.statuses as readonly string[]) : ['COMPLETED'],
    url: text('url'),
    everyMinutes: text('everyMinutes', '15'),
    prefix: text('prefix'),
  };
}

const TO_CONFIG: Readonly<Record<TriggerKind, (fields: ConfigFields) => object>> = {
  hook: ({ secret }) => (secret === '' ? {} : { secret }),
  after: ({ workflowId, statuses }) => ({ workflowId, statuses }),
  feed: ({ url, everyMinutes }) => ({ url, everyMinutes: Number(everyMinutes) }),
  bucket: ({ prefix }) => (prefix === '' ? {} : { prefix }),
};

interface ConfigFormProps {
  readonly kind: TriggerKind;
  readonly form: FormValues<ConfigFields>;
  readonly hasSecret: boolean;
}

function ConfigForm({ kind, form, hasSecret }: ConfigFormProps) {
  const forms: Readonly<Record<TriggerKind, () => React.ReactNode>> = {
    hook: () => (
      <TextField
        label={triggerMessages.secret}
        hint={hasSecret ? triggerMessages.keepSecret : triggerMessages.secretHint}
        minLength={16}
        maxLength={256}
        autoComplete="off"
        {...form.field('secret')}
      />
    ),
    after: () => <AfterFields {...form} />,
    feed: () => (
      <>
        <TextField
          label={triggerMessages.url}
          hint={triggerMessages.urlHint}
          type="url"
          required
          maxLength={2048}
          {...form.field('url')}
        />
        <TextField
          label={triggerMessages.everyMinutes}
          type="number"
          min={5}
          max={10_080}
          required
          {...form.field('everyMinutes')}
        />
      </>
    ),
    bucket: () => (
      <TextField
        label={triggerMessages.prefix}
        hint={triggerMessages.prefixHint}
        pattern="inbox/.*"
        maxLength={500}
        {...form.field('prefix')}
      />
    ),
  };
  return forms[kind]();
}

function AfterFields({ values, update }: FormValues<ConfigFields>) {
  const { workflowId, statuses } = values;
  return (
    <>
      <WorkflowField
        label={triggerMessages.workflow}
        value={workflowId}
        onChange={id => update({ workflowId: id })}
      />
      <fieldset className={formStyles.group}>
        <legend>{triggerMessages.statuses}</legend>
        {Object.entries(triggerMessages.statusNames).map(([status, text]) => (
          <CheckField
            key={status}
            label={text}
            checked={statuses.includes(status)}
            onChange={({ target }) =>
              update({
                statuses: target.checked ? [...statuses, status] : statuses.filter(other => other !== status),
              })
            }
          />
        ))}
      </fieldset>
    </>
  );
}

interface HookUrlDialogProps {
  readonly url: string;
  readonly isSigned: boolean;
  /** The JSON pointers of the inputs, which the payload of the example has. */
  readonly pointers: Readonly<Record<string, unknown>>;
  readonly onClose: () => void;
}

/** Shows the webhook URL with its token, and an example request. */
export function HookUrlDialog({ url, isSigned, pointers, onClose }: HookUrlDialogProps) {
  const payload = JSON.stringify(createExamplePayload(Object.values(pointers).map(String)));
  const example = `curl -X POST '${url}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${payload.replaceAll("'", "'\\''")}'`;
  return (
    <Dialog
      title={triggerMessages.addressTitle}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {triggerMessages.done}
        </Button>
      }
    >
      <p>{triggerMessages.addressOnce}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre className={formStyles.code} tabIndex={0}>
        {url}
      </pre>
      <h3>{triggerMessages.example}</h3>
      {isSigned && <p className={formStyles.muted}>{triggerMessages.signatureHint}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre className={formStyles.code} tabIndex={0}>
        {example}
      </pre>
      <div className={styles.copy}>
        <CopyButton text={url} label={triggerMessages.copyAddress} isLabeled />
        <CopyButton text={example} label={triggerMessages.copyExample} isLabeled />
      </div>
    </Dialog>
  );
}
