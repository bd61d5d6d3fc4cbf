// Renders rows of the dialog: a value of the graph with the choice how an input sets it, and a node with its result.
import type { GraphResult, GraphValue } from '../../../../src/graph/comfyui/graph-values.ts';
import type { ComfyInput, ComfyOutput } from '../../../../src/graph/comfyui/ports.ts';
import type { Json } from '../../../../src/graph/types.ts';
import { renderOptions } from '../../../kit/field.tsx';
import styles from './comfyui.module.css';
import { messages } from './messages.ts';
import type { Exposure } from './port-edits.ts';

const { none, port, field } = messages.exposures;
const EXPOSURES = { none, port, field };
/** Media come from connections only. */
const MEDIA_EXPOSURES = { none, port };
const MAX_SHOWN_CHARS = 200;

interface ValueRowProps {
  readonly value: GraphValue;
  readonly exposed: ComfyInput | undefined;
  /** Whether the node can have no further input. */
  readonly isFull: boolean;
  readonly onExpose: (exposure: Exposure | undefined) => void;
  readonly onRename: (label: string) => void;
}

export function ValueRow({ value, exposed, isFull, onExpose, onRename }: ValueRowProps) {
  const { label, title, type } = value;
  const isMedia = type === 'IMAGE' || type === 'VIDEO' || type === 'AUDIO';
  const exposure = exposed === undefined ? 'none' : exposed.isField === true ? 'field' : 'port';
  return (
    <li className={styles.row} data-exposed={exposed !== undefined || undefined}>
      {exposed === undefined ? (
        <span className={styles.name}>{label}</span>
      ) : (
        <LabelField label={exposed.label} onRename={onRename} />
      )}
      <select
        aria-label={messages.exposure(label, title)}
        value={exposure}
        disabled={isFull && exposed === undefined}
        onChange={({ target }) => onExpose(target.value === 'none' ? undefined : (target.value as Exposure))}
      >
        {renderOptions(isMedia ? MEDIA_EXPOSURES : EXPOSURES)}
      </select>
      <span className={styles.about}>
        {title}: {toShownText(value.value)}
      </span>
    </li>
  );
}

interface ResultRowProps {
  readonly result: GraphResult & { readonly title: string };
  readonly output: ComfyOutput | undefined;
  readonly isFull: boolean;
  readonly onToggle: (isOutput: boolean) => void;
  readonly onChange: (change: Pick<ComfyOutput, 'label'> | { readonly isList: boolean }) => void;
}

export function ResultRow({ result, output, isFull, onToggle, onChange }: ResultRowProps) {
  return (
    <li className={styles.row} data-exposed={output !== undefined || undefined}>
      {output === undefined ? (
        <span className={styles.name}>{result.label}</span>
      ) : (
        <LabelField label={output.label} onRename={label => onChange({ label })} />
      )}
      <input
        type="checkbox"
        aria-label={messages.result(result.label, result.title)}
        checked={output !== undefined}
        disabled={isFull && output === undefined}
        onChange={({ target }) => onToggle(target.checked)}
      />
      <span className={styles.about}>{result.title}</span>
      {output !== undefined && (
        <label className={styles.list}>
          <input
            type="checkbox"
            checked={output.isList === true}
            onChange={({ target }) => onChange({ isList: target.checked })}
          />
          {messages.isList}
        </label>
      )}
    </li>
  );
}

interface LabelFieldProps {
  readonly label: string;
  readonly onRename: (label: string) => void;
}

function LabelField({ label, onRename }: LabelFieldProps) {
  return (
    <input
      type="text"
      className={styles.label}
      aria-label={messages.label(label)}
      maxLength={80}
      value={label}
      onChange={({ target }) => onRename(target.value)}
    />
  );
}

function toShownText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_SHOWN_CHARS);
}
