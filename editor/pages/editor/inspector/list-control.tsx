// Renders a list setting as rows. Pasting several lines adds several rows.

import Plus from 'icon:plus';
import Trash from 'icon:trash-2';
import type { ClipboardEvent } from 'react';
import type { Json } from '../../../../src/graph/types.ts';
import { parseItem, toItemText } from '../../../board/item-text.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { SortableList } from '../../../kit/sortable-list.tsx';
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
  return (
    <fieldset className={styles.list} aria-invalid={error !== undefined || undefined}>
      <legend className={styles.codeLabel}>{input.label}</legend>
      <SortableList
        items={items}
        maxShown={MAX_ROWS}
        getName={(_, index) => listMessages.name(index + 1)}
        onChange={set}
      >
        {({ item, index, moveButtons }) => (
          <>
            <input
              type="text"
              aria-label={listMessages.item(index + 1)}
              value={toItemText(item)}
              onPaste={event => paste(event, index)}
              onChange={({ target }) => set(items.with(index, parseItem(target.value)))}
            />
            {moveButtons}
            <IconButton
              size="s"
              icon={Trash}
              label={listMessages.remove(index + 1)}
              onClick={() => set(items.toSpliced(index, 1))}
            />
          </>
        )}
      </SortableList>
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

const toList = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
