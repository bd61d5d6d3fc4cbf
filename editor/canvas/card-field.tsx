// Renders a field on the face of a node: a real control that edits the setting in place, like the inspector.

import Images from 'icon:images';
import Upload from 'icon:upload';
import { type ClipboardEvent, type KeyboardEvent, memo, useState } from 'react';
import { formatChoice, isMultilineField } from '../../src/graph/card-fields.ts';
import type { InputDef } from '../../src/graph/catalog.ts';
import type { Json } from '../../src/graph/types.ts';
import { findNode } from '../board/board.ts';
import { getControlKind } from '../board/control-kind.ts';
import { setConfig, setMediaUrl } from '../board/edits.ts';
import { parseJson, parseLines, toFieldText, toItemText, toJsonText, toLines } from '../board/item-text.ts';
import { messages } from '../flow-messages.ts';
import { IconButton } from '../kit/button.tsx';
import { getPastedFiles } from '../lib/pasted-files.ts';
import { useBoard, useEditor } from '../session/editor-context.tsx';
import { FileButton, MediaPicker, useUpload } from '../session/media-files.tsx';
import styles from './card-field.module.css';

interface CardFieldProps {
  readonly nodeId: string;
  readonly nodeLabel: string;
  readonly field: InputDef;
  readonly height: number;
}

export const CardField = memo(function CardField({ nodeId, nodeLabel, field, height }: CardFieldProps) {
  const { store, catalog } = useEditor().session;
  // Reads the value from the store: as a property, it would arrive after React Flow's next render and move the caret.
  const value = useBoard(({ board }) => findNode(board, nodeId)?.data.config?.[field.id]);
  const handleChange = (next: Json | undefined): void =>
    store.actions.perform(
      messages.flow.edits.set(field.label),
      setConfig(store.getState().board, catalog, nodeId, { [field.id]: next }),
      `set ${nodeId} ${field.id}`,
    );
  /** The inspector shows the node whose field has the focus. */
  const selectNode = (): void => {
    const { selection } = store.getState();
    if (selection.size !== 1 || !selection.has(nodeId)) store.actions.select([nodeId]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the event comes from the control
    <div className={styles.field} style={{ height }} onFocus={selectNode}>
      {!field.isPort && (
        <span className={styles.label} aria-hidden>
          {field.label}
        </span>
      )}
      <Control
        nodeId={nodeId}
        nodeLabel={nodeLabel}
        field={field}
        value={value ?? undefined}
        name={messages.flow.fieldOf(field.label, nodeLabel)}
        onChange={handleChange}
      />
    </div>
  );
});

interface ControlProps {
  readonly nodeId: string;
  readonly nodeLabel: string;
  readonly field: InputDef;
  readonly value: Json | undefined;
  readonly name: string;
  readonly onChange: (value: Json | undefined) => void;
}

function Control(props: ControlProps) {
  const { field, value, name, onChange } = props;
  const fallback = toFieldText(field.default);
  const common = {
    'aria-label': name,
    'data-card-field': field.id,
    tabIndex: -1,
    className: `${styles.control} nodrag nopan`,
    onKeyDown: focusNodeOnEscape,
  };
  const kind = getControlKind(field);
  if (kind === 'json' || kind === 'list')
    return <ValueTextArea {...common} kind={kind} value={value} onValue={onChange} />;
  if (kind === 'media') return <MediaField {...props} attributes={common} />;
  if (kind === 'choice')
    return (
      <select
        {...common}
        value={toFieldText(value ?? field.default)}
        onChange={({ target }) => onChange(target.value)}
      >
        {!field.enum?.includes(toFieldText(value ?? field.default)) && (
          <option value="">{messages.flow.none}</option>
        )}
        {field.enum?.map(option => (
          <option key={option} value={option}>
            {formatChoice(option, field.enum ?? [])}
          </option>
        ))}
      </select>
    );
  if (kind === 'flag')
    return (
      <input
        {...common}
        type="checkbox"
        checked={(value ?? field.default) === true}
        onChange={({ target }) => onChange(target.checked)}
      />
    );
  if (kind === 'number')
    return (
      <input
        {...common}
        type="number"
        min={field.min}
        max={field.max}
        step={field.step ?? (field.integer ? 1 : 'any')}
        value={toFieldText(value)}
        placeholder={fallback}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
      />
    );
  const placeholder = fallback || (field.isPort ? field.label : messages.flow.fieldPlaceholder);
  return isMultilineField(field) ? (
    <textarea
      {...common}
      className={`${common.className} nowheel`}
      value={toFieldText(value)}
      placeholder={placeholder}
      onChange={({ target }) => onChange(target.value)}
    />
  ) : (
    <input
      {...common}
      value={toFieldText(value)}
      placeholder={placeholder}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

type Attributes = Readonly<Record<'aria-label' | 'data-card-field' | 'className', string>> & {
  readonly tabIndex: number;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
};

interface ValueFormat {
  readonly toText: (value: Json | undefined) => string | undefined;
  readonly parse: (text: string) => Json | undefined;
  readonly placeholder: string;
}

const FORMATS: Readonly<Record<'json' | 'list', ValueFormat>> = {
  json: { toText: toJsonText, parse: parseJson, placeholder: '{ }' },
  list: {
    toText: value => toLines(Array.isArray(value) ? value : []),
    parse: parseLines,
    placeholder: messages.flow.list.lines,
  },
};

/** Edits JSON or a list as text. Keeps text that is not valid yet, and applies it once it is. */
function ValueTextArea({
  kind,
  value,
  onValue,
  ...attributes
}: Attributes & {
  readonly kind: keyof typeof FORMATS;
  readonly value: Json | undefined;
  readonly onValue: ControlProps['onChange'];
}) {
  const { toText, parse, placeholder } = FORMATS[kind];
  const [draft, setDraft] = useState<string>();
  const text = toText(value);
  const isInvalid = draft !== undefined && draft.trim() !== '' && parse(draft) === undefined;
  return (
    <textarea
      {...attributes}
      className={`${attributes.className} ${kind === 'json' ? styles.code : ''} nowheel`}
      aria-invalid={isInvalid || undefined}
      // Items with line breaks are edited in the inspector.
      readOnly={text === undefined}
      placeholder={placeholder}
      value={draft ?? text ?? (Array.isArray(value) ? value.map(toItemText).join('\n') : '')}
      onChange={({ target }) => {
        setDraft(target.value);
        const next = target.value.trim() === '' ? undefined : parse(target.value);
        if (next !== undefined || target.value.trim() === '') onValue(next);
      }}
      // Shows the value as it is stored, unless that would lose what was typed.
      onBlur={() => !isInvalid && setDraft(undefined)}
    />
  );
}

/** Edits the file of a media input: its URL, an upload, a paste, or a choice from the library. */
function MediaField({
  nodeId,
  nodeLabel,
  value,
  attributes,
}: ControlProps & { readonly attributes: Attributes }) {
  const { store } = useEditor().session;
  const [isOpen, setOpen] = useState(false);
  const kind = useBoard(({ board }) => findNode(board, nodeId)?.data.nodeType.split(':')[1] ?? '');
  const setUrl = (url: string | undefined, key?: string): void =>
    store.actions.perform(messages.flow.media.edit, setMediaUrl(store.getState().board, nodeId, url), key);
  const { isBusy, upload } = useUpload(setUrl);
  const paste = (event: ClipboardEvent): void => {
    const [file] = getPastedFiles(event);
    if (file === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    void upload(file);
  };
  return (
    <div className={`${styles.media} nodrag nopan`} onPaste={paste}>
      <input
        {...attributes}
        type="url"
        placeholder="https://"
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => setUrl(target.value === '' ? undefined : target.value, `set ${nodeId} url`)}
      />
      <FileButton
        isCompact
        kind={kind}
        icon={Upload}
        label={messages.flow.media.uploadFor(nodeLabel)}
        isBusy={isBusy}
        onFile={upload}
      />
      <IconButton
        size="s"
        icon={Images}
        label={messages.flow.media.chooseFor(nodeLabel)}
        onClick={() => setOpen(true)}
      />
      {isOpen && <MediaPicker kind={kind} onClose={() => setOpen(false)} onChoose={setUrl} />}
    </div>
  );
}

/** Moves the focus from a field to its node. */
function focusNodeOnEscape(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  event.currentTarget.closest<HTMLElement>('[data-node-id]')?.focus({ preventScroll: true });
}
