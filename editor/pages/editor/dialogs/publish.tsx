// Renders the publish form: URL, title, description, and inputs shown on the page.

import { type FormEvent, useId } from 'react';
import { isInputNode } from '../../../../src/graph/input-nodes.ts';
import type { WorkflowInfo } from '../../../board/remote.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { CheckField, TextArea, TextField } from '../../../kit/field.tsx';
import formStyles from '../../../kit/form.module.css';
import { type FormValues, useForm } from '../../../kit/use-form.ts';
import { api } from '../../../lib/api.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import styles from './dialogs.module.css';
import { dialogMessages } from './messages.ts';
import { useWorkflowMutation } from './restricted-dialog.tsx';
import type { ShareTabProps } from './share.tsx';

const shareMessages = dialogMessages.share;

interface Publication {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly exposedInputs: readonly string[];
  readonly isTemplate: boolean;
  readonly allowDuplicate: boolean;
  readonly showResults: boolean;
}

export function PublishTab({ workflow, path, renderActions }: ShareTabProps) {
  const formId = useId();
  const { session } = useEditor();
  const inputs = useInputNodes();
  const form = useForm(() => toPublication(workflow, inputs));
  const publish = useWorkflowMutation(path, async (isPublished: boolean) => {
    await session.saver.flushOrThrowOnConflict();
    await api.post(
      `${path}/publish`,
      isPublished ? { isPublished, ...toRequestBody(form.values) } : { isPublished },
    );
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    publish.mutate(true);
  };
  return (
    <form id={formId} className={styles.part} onSubmit={submit}>
      {workflow.isPublished && workflow.publishedSlug !== null && (
        <PublicationUrl slug={workflow.publishedSlug} />
      )}
      <p className={formStyles.muted}>{shareMessages.publishText}</p>
      <TextFields form={form} name={workflow.name} />
      <ExposedInputs
        inputs={inputs}
        selectedIds={form.values.exposedInputs}
        onChange={exposedInputs => form.update({ exposedInputs })}
      />
      {(['allowDuplicate', 'showResults', 'isTemplate'] as const).map(key => (
        <CheckField key={key} label={shareMessages.options[key]} {...form.check(key)} />
      ))}
      {renderActions(
        <>
          {workflow.isPublished && (
            <Button variant="quiet" onClick={() => publish.mutate(false)}>
              {shareMessages.unpublish}
            </Button>
          )}
          <Button type="submit" form={formId} variant="primary" isBusy={publish.isPending}>
            {workflow.isPublished ? shareMessages.publishAgain : shareMessages.publishNow}
          </Button>
        </>,
      )}
    </form>
  );
}

interface TextFieldsProps {
  readonly form: FormValues<Publication>;
  /** Name of the workflow. */
  readonly name: string;
}

function TextFields({ form, name }: TextFieldsProps) {
  return (
    <>
      <TextField
        label={shareMessages.slug}
        hint={shareMessages.slugHint(location.host)}
        pattern="[a-z0-9\-]{3,80}"
        {...form.field('slug')}
      />
      <TextField
        label={shareMessages.pageTitle}
        maxLength={200}
        placeholder={name}
        {...form.field('title')}
      />
      <TextArea label={shareMessages.description} rows={2} maxLength={2000} {...form.field('description')} />
    </>
  );
}

function PublicationUrl({ slug }: { readonly slug: string }) {
  const path = `/p/${slug}`;
  return (
    <p className={formStyles.address}>
      <Badge tone="success">{shareMessages.published}</Badge>
      <a href={path} target="_blank" rel="noreferrer" className={styles.grow}>
        {location.host + path}
      </a>
      <CopyButton text={location.origin + path} label={shareMessages.copyPage} />
    </p>
  );
}

interface InputNode {
  readonly id: string;
  readonly label: string;
}

interface ExposedInputsProps {
  readonly inputs: readonly InputNode[];
  readonly selectedIds: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

function ExposedInputs({ inputs, selectedIds, onChange }: ExposedInputsProps) {
  if (inputs.length === 0) return null;
  return (
    <fieldset className={formStyles.group}>
      <legend>{shareMessages.inputs}</legend>
      {inputs.map(({ id, label }) => (
        <CheckField
          key={id}
          label={label}
          checked={selectedIds.includes(id)}
          onChange={({ target }) =>
            onChange(target.checked ? [...selectedIds, id] : selectedIds.filter(other => other !== id))
          }
        />
      ))}
    </fieldset>
  );
}

function useInputNodes(): readonly InputNode[] {
  const nodes = useBoard(({ board }) => board.nodes);
  return nodes.filter(isInputNode).map(({ id, data }) => ({ id, label: data.label }));
}

function toPublication(
  { publishSettings, publishedSlug }: WorkflowInfo,
  inputs: readonly InputNode[],
): Publication {
  const settings = (publishSettings ?? {}) as Partial<Publication>;
  const inputIds = new Set(inputs.map(({ id }) => id));
  return {
    slug: publishedSlug ?? '',
    title: settings.title ?? '',
    description: settings.description ?? '',
    // By default, all inputs are shown.
    exposedInputs: (settings.exposedInputs ?? [...inputIds]).filter(id => inputIds.has(id)),
    isTemplate: settings.isTemplate === true,
    allowDuplicate: publishSettings === null || (settings.allowDuplicate ?? settings.isTemplate) === true,
    showResults: settings.showResults === true,
  };
}

/** Omits empty texts. The service generates a missing slug or title. */
function toRequestBody({ slug, title, description, ...settings }: Publication): object {
  return {
    ...(slug === '' ? {} : { slug }),
    settings: {
      ...settings,
      ...(title === '' ? {} : { title }),
      ...(description === '' ? {} : { description }),
    },
  };
}
