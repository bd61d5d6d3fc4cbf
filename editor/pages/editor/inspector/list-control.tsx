// Renders a list setting as rows. Pasting several lines adds several rows.

import ArrowDown from 'icon:arrow-down';
import ArrowUp from 'icon:arrow-up';
import Plus from 'icon:plus';
import Trash from 'icon:trash-2';
import type { ClipboardEvent } from 'react';
import type { Json } from '../../../../src/graph/types.ts';
import { parseItem, toItemText } from '../../../board/item-text.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

const listMessages = messages.flow.list;
/** Maximum number of rows. Further items are kept but not shown. */
const MAX_ROWS = 200;

export function ListControl({ input, value, error, hint, onChange }: ControlProps) {
  const defaults = toList(input.default);
  const items = value === undefined ? defaults : toList(value);
  const set = (newItems: readonly Json[]): void =>
    onChange(newItems.length === 0 && defaults.length === 0 ? undefined : newItems);
  const paste = (event: ClipboardEvent, index: number): void => {
    const lines = event.clipboardData.getData('text/plain').split(/\r?\n/);
    if (lines.length < 2) return;
    event.preventDefault();
    set(items.toSpliced(index, 1, ...lines.filter(line => line.trim() !== '').map(parseItem)));
  };
  const move = (index: number, offset: number): void => {
    const item = items[index] ?? null;
    set(items.toSpliced(index, 1).toSpliced(index + offset, 0, item));
  };
  return (
    <fieldset className={styles.list} aria-invalid={error !== undefined || undefined}>
      <legend className={styles.codeLabel}>{input.label}</legend>
      <ol>
        {items.slice(0, MAX_ROWS).map((item, index) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no id
            key={index}
            item={item}
            index={index}
            isLast={index === items.length - 1}
            onPaste={event => paste(event, index)}
            onChange={text => set(items.with(index, parseItem(text)))}
            onMove={offset => move(index, offset)}
            onRemove={() => set(items.toSpliced(index, 1))}
          />
        ))}
      </ol>
      {items.length > MAX_ROWS && <p className={styles.note}>{listMessages.more(items.length - MAX_ROWS)}</p>}
      <Button size="s" icon={Plus} onClick={() => set([...items, ''])}>
        {listMessages.add}
      </Button>
      {(error ?? hint) !== undefined && (
        <p className={styles.note} data-error={error !== undefined || undefined}>
          {error ?? hint}
        </p>
      )}
    </fieldset>
  );
}

interface RowProps {
  readonly item: Json;
  readonly index: number;
  readonly isLast: boolean;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly onChange: (text: string) => void;
  readonly onMove: (offset: number) => void;
  readonly onRemove: () => void;
}

function Row({ item, index, isLast, onPaste, onChange, onMove, onRemove }: RowProps) {
  const position = index + 1;
  return (
    <li>
      <input
        type="text"
        aria-label={listMessages.item(position)}
        value={toItemText(item)}
        onPaste={onPaste}
        onChange={({ target }) => onChange(target.value)}
      />
      <IconButton
        size="s"
        icon={ArrowUp}
        label={listMessages.up(position)}
        disabled={index === 0}
        onClick={() => onMove(-1)}
      />
      <IconButton
        size="s"
        icon={ArrowDown}
        label={listMessages.down(position)}
        disabled={isLast}
        onClick={() => onMove(1)}
      />
      <IconButton size="s" icon={Trash} label={listMessages.remove(position)} onClick={onRemove} />
    </li>
  );
}

const toList = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
