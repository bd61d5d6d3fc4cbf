// Renders a field on the face of a node: a real control that edits the setting in place, like the inspector.
import { type KeyboardEvent, memo } from 'react';
import type { InputDef } from '../../src/graph/catalog.ts';
import { isLongText } from '../../src/graph/dims.ts';
import type { Json } from '../../src/graph/types.ts';
import { findNode } from '../board/board.ts';
import { getControlKind } from '../board/control-kind.ts';
import { setConfig } from '../board/edits.ts';
import { messages } from '../flow-messages.ts';
import { useBoard, useEditor } from '../runs/editor-context.tsx';
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
  return (
    <div className={styles.field} style={{ height }}>
      {!field.isPort && (
        <span className={styles.label} aria-hidden>
          {field.label}
        </span>
      )}
      <Control
        field={field}
        value={value ?? undefined}
        name={messages.flow.fieldOf(field.label, nodeLabel)}
        onChange={handleChange}
      />
    </div>
  );
});

interface ControlProps {
  readonly field: InputDef;
  readonly value: Json | undefined;
  readonly name: string;
  readonly onChange: (value: Json | undefined) => void;
}

function Control({ field, value, name, onChange }: ControlProps) {
  const fallback = toText(field.default);
  const common = {
    'aria-label': name,
    'data-card-field': field.id,
    tabIndex: -1,
    className: `${styles.control} nodrag nopan`,
    onKeyDown: focusNodeOnEscape,
  };
  const kind = getControlKind(field);
  if (kind === 'choice')
    return (
      <select
        {...common}
        value={toText(value ?? field.default)}
        onChange={({ target }) => onChange(target.value)}
      >
        {!field.enum?.includes(toText(value ?? field.default)) && (
          <option value="">{messages.flow.none}</option>
        )}
        {field.enum?.map(option => (
          <option key={option}>{option}</option>
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
        value={toText(value)}
        placeholder={fallback}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
      />
    );
  const placeholder = fallback || (field.isPort ? field.label : messages.flow.fieldPlaceholder);
  return isLongText(field) ? (
    <textarea
      {...common}
      className={`${common.className} nowheel`}
      value={toText(value)}
      placeholder={placeholder}
      onChange={({ target }) => onChange(target.value)}
    />
  ) : (
    <input
      {...common}
      value={toText(value)}
      placeholder={placeholder}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

const toText = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Moves the focus from a field to its node. */
function focusNodeOnEscape(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  event.currentTarget.closest<HTMLElement>('[data-node-id]')?.focus({ preventScroll: true });
}
