// Renders the app settings of a workflow beside a preview of the app's page.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useState } from 'react';
import type { AppSettings } from '../../../../../sdk/src/schemas.ts';
import { isInputNode } from '../../../../../src/graph/input-nodes.ts';
import { messages } from '../../../../flow-messages.ts';
import { Button, ButtonAnchor } from '../../../../kit/button.tsx';
import { ConfirmDialog } from '../../../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../../../kit/copy-button.tsx';
import { Failure } from '../../../../kit/failure.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../../../kit/field.tsx';
import formStyles from '../../../../kit/form.module.css';
import { QueryResult } from '../../../../kit/query-result.tsx';
import { type FormValues, useForm } from '../../../../kit/use-form.ts';
import { api } from '../../../../lib/api.ts';
import { formatNumber } from '../../../../lib/format.ts';
import { useSession } from '../../../../lib/session.ts';
import { showToast } from '../../../../lib/toasts.ts';
import { useBoard, useEditor } from '../../../../session/editor-context.tsx';
import { useWorkflowMutation } from '../restricted-dialog.tsx';
import type { ShareTabProps } from '../share.tsx';
import styles from './app.module.css';
import {
  type AppForm,
  describeAccess,
  MB,
  setAudience,
  setOutputLabel,
  toForm,
  toInput,
  toRequest,
} from './app-form.ts';
import { Embed } from './embed.tsx';
import { ExamplePicker } from './example-picker.tsx';
import { InputList } from './input-list.tsx';
import { NodePicker } from './node-picker.tsx';
import { OutputList } from './output-list.tsx';
import { Preview } from './preview.tsx';

const appMessages = messages.flow.app;

export function AppTab(props: ShareTabProps) {
  const { workflow, path } = props;
  const { session } = useEditor();
  const appPath = `${path}/app` as const;
  const [createdId, setCreatedId] = useState<string>();
  const app = useQuery({
    queryKey: [appPath],
    queryFn: async ({ signal }) => {
      // Looks for the app in the list first, because the browser logs an error for the 404 response of a missing app.
      const query = { workflowId: session.id, limit: 1 };
      const { data } = await api.get('/apps', { query, signal });
      return data.length === 0 ? null : api.get(appPath, { signal });
    },
    staleTime: 0,
  });
  return (
    <QueryResult query={app}>
      {data => (
        <AppSettingsForm
          // The key resets the form when the app was deleted, or created elsewhere. When this form has created the app, the
          // user may have typed more since.
          key={data === null || data.id === createdId ? 'new' : data.id}
          {...props}
          path={appPath}
          app={data ?? undefined}
          name={workflow.name}
          onCreated={setCreatedId}
        />
      )}
    </QueryResult>
  );
}

interface AppSettingsFormProps extends Omit<ShareTabProps, 'path'> {
  readonly path: `/workflows/${string}/app`;
  readonly app: AppSettings | undefined;
  /** The name of the workflow. */
  readonly name: string;
  readonly onCreated: (id: string) => void;
}

function AppSettingsForm({ app, name, path, renderActions, onEdit, onCreated }: AppSettingsFormProps) {
  const formId = useId();
  const client = useQueryClient();
  const { session } = useEditor();
  const workspace = useSession().workspace.name;
  const nodes = useBoard(({ board }) => board.nodes);
  const types = new Map(nodes.map(({ id, data }) => [id, data.nodeType]));
  const formValues = useForm(() => toForm(app, nodes, name));
  const { values: form, update, field } = formValues;
  const [savedForm, setSavedForm] = useState(form);
  const hasChanges = JSON.stringify(form) !== JSON.stringify(savedForm);
  useEffect(() => {
    onEdit(hasChanges);
    return () => onEdit(false);
  }, [hasChanges, onEdit]);
  const save = useMutation({
    mutationFn: async (sentForm: AppForm) => {
      await session.saver.flushOrThrowOnConflict();
      const version = sentForm.isPinned ? await readVersion(session.id) : 'current';
      return api.put(path, toRequest(sentForm, version));
    },
    onSuccess: (saved, sentForm) => {
      if (app === undefined) onCreated(saved.id);
      client.setQueryData([path], saved);
      void client.invalidateQueries({ queryKey: ['/apps'] });
      setSavedForm(sentForm);
      showToast(appMessages.saved);
    },
  });
  const remove = useWorkflowMutation(path, () => api.delete(path));
  const [isRemoving, setRemoving] = useState(false);
  const removeApp = async (): Promise<void> => {
    await remove.mutateAsync(undefined);
    const newForm = toForm(undefined, nodes, name);
    update(newForm);
    setSavedForm(newForm);
  };
  const toggle = (nodeId: string): void => {
    const node = nodes.find(({ id }) => id === nodeId);
    if (node === undefined) return;
    const isPicked = form.inputs.some(input => input.nodeId === nodeId);
    if (isInputNode(node))
      update({
        inputs: isPicked
          ? form.inputs.filter(input => input.nodeId !== nodeId)
          : [...form.inputs, toInput(node)],
      });
    else
      update({
        ...setOutputLabel(form, nodeId, ''),
        outputs: form.outputs.includes(nodeId)
          ? form.outputs.filter(id => id !== nodeId)
          : [...form.outputs, nodeId],
      });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(form);
  };
  return (
    <div className={styles.columns}>
      <form id={formId} className={formStyles.fields} onSubmit={submit}>
        {app !== undefined && <AppStatus app={app} />}
        <TextField label={appMessages.title} required maxLength={200} {...field('title')} />
        <TextField
          label={appMessages.slug}
          hint={appMessages.slugHint(location.host)}
          required
          pattern="[a-z0-9\-]{3,80}"
          {...field('slug')}
        />
        <TextArea label={appMessages.description} rows={2} maxLength={10_000} {...field('description')} />
        <NodePicker
          inputIds={form.inputs.map(({ nodeId }) => nodeId)}
          outputIds={form.outputs}
          onToggle={toggle}
        />
        <h3>{appMessages.inputs}</h3>
        <InputList inputs={form.inputs} types={types} onChange={inputs => update({ inputs })} />
        <h3>{appMessages.outputs}</h3>
        <OutputList form={form} nodes={nodes} onChange={update} />
        <h3>{appMessages.examples}</h3>
        <ExamplePicker ids={form.examples} onChange={examples => update({ examples })} />
        <AccessFields {...formValues} />
        <DayFields app={app} field={field} />
        <p className={styles.sentence} role="status">
          {describeAccess(form, workspace)}
        </p>
        <Options {...formValues} />
        <Embed
          app={app}
          path={path}
          origins={form.embedOrigins}
          onChange={embedOrigins => update({ embedOrigins })}
        />
        {save.error && (
          <div ref={scrollTo}>
            <SaveError error={save.error} />
          </div>
        )}
      </form>
      <Preview form={form} types={types} />
      {isRemoving && (
        <ConfirmDialog
          title={appMessages.deleteTitle}
          action={appMessages.delete}
          onConfirm={removeApp}
          onClose={() => setRemoving(false)}
        >
          {appMessages.deleteText}
        </ConfirmDialog>
      )}
      {renderActions(
        <>
          {app !== undefined && (
            <>
              <Button variant="quiet" onClick={() => setRemoving(true)}>
                {appMessages.delete}
              </Button>
              <ButtonAnchor href={app.url} opensNewTab>
                {appMessages.open}
              </ButtonAnchor>
            </>
          )}
          <Button type="submit" form={formId} variant="primary" isBusy={save.isPending}>
            {app === undefined ? appMessages.create : appMessages.save}
          </Button>
        </>,
      )}
    </div>
  );
}

/** Returns the number of the current version. */
async function readVersion(workflowId: string): Promise<number | 'current'> {
  const { data } = await api.get(`/workflows/${workflowId}/versions`, { query: { limit: 1 } });
  return data[0]?.version ?? 'current';
}

/** Renders the URL of the app, the issues that prevent its runs, and what its runs cannot do. */
function AppStatus({ app: { url, issues, meta } }: { readonly app: AppSettings }) {
  return (
    <>
      <p className={formStyles.address}>
        <a href={url} target="_blank" rel="noreferrer" className={styles.grow}>
          {url.replace(/^https?:\/\//, '')}
        </a>
        <CopyButton text={url} label={appMessages.copy} />
      </p>
      {issues.length > 0 && (
        <div className={styles.issues} role="alert">
          <p>{appMessages.outOfOrder}</p>
          <ul>
            {issues.map(({ path, message }) => (
              <li key={path}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      {meta?.warnings.map(warning => (
        <p key={warning} className={styles.issues}>
          {warning}
        </p>
      ))}
    </>
  );
}

function AccessFields({ values, update, field }: FormValues<AppForm>) {
  const limits = [
    ['dailyCredits', appMessages.dailyCredits],
    ['maxCreditsPerRun', appMessages.maxCreditsPerRun],
    ['runsPerVisitor', appMessages.runsPerVisitor],
  ] as const;
  return (
    <>
      <div className={styles.pair}>
        <SelectField
          label={appMessages.audience}
          value={values.audience}
          onChange={({ target }) => update(setAudience(values, target.value as AppForm['audience']))}
          options={appMessages.audiences}
        />
        <SelectField label={appMessages.payer} {...field('payer')} options={appMessages.payers} />
      </div>
      <div className={styles.pair}>
        {limits.map(([key, label]) => (
          <TextField
            key={key}
            label={label}
            type="number"
            min={key === 'runsPerVisitor' ? 1 : 0}
            placeholder={appMessages.noLimit}
            {...field(key)}
          />
        ))}
      </div>
    </>
  );
}

interface DayFieldsProps extends Pick<FormValues<AppForm>, 'field'> {
  readonly app: AppSettings | undefined;
}

/** Renders the limits of a day for all visitors. An empty field shows the limit that the plan sets, if it is known. */
function DayFields({ app, field }: DayFieldsProps) {
  const { runsPerDay = null, uploadBytesPerDay = null, dayLimits } = app ?? {};
  const fields = [
    ['runsPerDay', appMessages.runsPerDay, runsPerDay === null ? dayLimits?.runs : undefined],
    [
      'uploadMbPerDay',
      appMessages.uploadMbPerDay,
      dayLimits && uploadBytesPerDay === null ? dayLimits.uploadBytes / MB : undefined,
    ],
  ] as const;
  return (
    <div className={styles.pair}>
      {fields.map(([key, label, limit]) => (
        <TextField
          key={key}
          label={label}
          type="number"
          min={1}
          placeholder={limit === undefined ? appMessages.byPlan : formatNumber(Math.floor(limit))}
          {...field(key)}
        />
      ))}
    </div>
  );
}

const OPTIONS = ['isEnabled', 'isPinned', 'showsGraph', 'allowsDuplicate', 'showsGallery'] as const;

function Options({ check }: FormValues<AppForm>) {
  return (
    <>
      {OPTIONS.map(key => (
        <CheckField key={key} label={appMessages.options[key]} {...check(key)} />
      ))}
    </>
  );
}

/** Scrolls to an error, because the button that caused it is always visible. */
const scrollTo = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

/** Renders the error with the issue of each field. */
function SaveError({ error }: { readonly error: unknown }) {
  const issues = (error as { readonly issues?: readonly { path?: string; message: string }[] }).issues ?? [];
  return (
    <Failure error={error}>
      {issues.length > 1 && (
        <ul>
          {issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
    </Failure>
  );
}
