// Renders a row of a batch as a line of a table: its name, status, inputs, result, rating and pick.

import type { BatchRow } from '../../../sdk/src/types.ts';
import { Badge } from '../../kit/badge.tsx';
import { classNames } from '../../kit/class-names.ts';
import { messages } from './messages.ts';
import { Rating, Result, ROW_TONES, type RowCardProps, useInputsText } from './row-card.tsx';
import styles from './row-line.module.css';
import { isLoaded } from './use-batch.ts';

const hasResult = ({ status }: BatchRow): boolean => status === 'completed' || status === 'failed';

export function RowLine({ row, isCurrent, isSelected, onFocus, onSelect, onOpen, onReview }: RowCardProps) {
  const name = messages.row(row.row, row.key);
  const inputsText = useInputsText(row);
  return (
    <article
      aria-label={name}
      className={classNames(styles.row, isCurrent && styles.current, isSelected && styles.selected)}
      data-row={row.row}
      onPointerDown={onFocus}
      onFocus={onFocus}
    >
      <span className={styles.name}>
        <input type="checkbox" checked={isSelected} aria-label={messages.choose} onChange={onSelect} />
        <button type="button" onClick={onOpen}>
          {name}
        </button>
      </span>
      <span>
        {isLoaded(row) && <Badge tone={ROW_TONES[row.status]}>{messages.rowStatuses[row.status]}</Badge>}
      </span>
      <span className={classNames(styles.text, styles.inputs)} title={inputsText}>
        {inputsText}
      </span>
      <span className={classNames(styles.text, styles.result)}>
        {hasResult(row) && <Result row={row} label="" isCard />}
      </span>
      <span>
        <Rating row={row} onReview={onReview} />
      </span>
    </article>
  );
}
