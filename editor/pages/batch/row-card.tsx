// Renders a row of a batch as a card: its result, inputs, status, rating and pick.

import Check from 'icon:check';
import FileAudio from 'icon:file-audio';
import Flag from 'icon:flag';
import Star from 'icon:star';
import { useId } from 'react';
import type { BatchRow } from '../../../sdk/src/types.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { IconButton } from '../../kit/button.tsx';
import { classNames } from '../../kit/class-names.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import { MediaView } from '../../kit/media-view.tsx';
import { toResultText } from '../../session/runs/results.ts';
import { findRowResult } from '../../session/runs/row-result.ts';
import { MODEL_FIELD } from './axes.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { isLoaded } from './use-batch.ts';
import { useModelNames } from './use-model-names.ts';

export interface Review {
  readonly rating?: number | null;
  readonly isPicked?: boolean;
}

export const ROW_TONES: Readonly<Record<BatchRow['status'], Tone>> = {
  waiting: 'neutral',
  running: 'accent',
  completed: 'success',
  failed: 'danger',
  cancelled: 'neutral',
  skipped: 'neutral',
};

/** The maximum number of characters of text on a card. */
const MAX_CARD_TEXT = 1000;

export interface RowCardProps {
  readonly row: BatchRow;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onFocus: () => void;
  readonly onSelect: () => void;
  readonly onOpen: () => void;
  readonly onReview: (review: Review) => void;
}

export function RowCard({ row, isCurrent, isSelected, onFocus, onSelect, onOpen, onReview }: RowCardProps) {
  const name = messages.row(row.row, row.key);
  const id = useId();
  const inputsText = useInputsText(row);
  return (
    <article
      className={classNames(styles.card, isCurrent && styles.current, isSelected && styles.selected)}
      aria-label={name}
      data-row={row.row}
      onPointerDown={onFocus}
      onFocus={onFocus}
    >
      <button
        type="button"
        className={styles.result}
        aria-labelledby={`${id}-name ${id}-result`}
        onClick={onOpen}
      >
        <span id={`${id}-result`} className={styles.content}>
          <Result row={row} label="" isCard />
        </span>
      </button>
      <label className={styles.choose}>
        <input type="checkbox" checked={isSelected} aria-label={messages.choose} onChange={onSelect} />
        <Check aria-hidden />
      </label>
      <footer className={styles.about}>
        <p className={styles.name}>
          <span id={`${id}-name`}>{name}</span>
          {isLoaded(row) && row.status !== 'completed' && (
            <Badge tone={ROW_TONES[row.status]}>{messages.rowStatuses[row.status]}</Badge>
          )}
        </p>
        <p className={styles.inputs} title={inputsText}>
          {inputsText}
        </p>
        <Rating row={row} onReview={onReview} />
      </footer>
    </article>
  );
}

export function Rating({ row, onReview }: Pick<RowCardProps, 'row' | 'onReview'>) {
  const { rating, isPicked } = row;
  return (
    <div className={styles.rating}>
      {[1, 2, 3, 4, 5].map(stars => (
        <button
          key={stars}
          type="button"
          className={classNames(styles.star, (rating ?? 0) >= stars && styles.filled)}
          aria-label={messages.rate(stars)}
          aria-pressed={rating === stars}
          onClick={() => onReview({ rating: rating === stars ? null : stars })}
        >
          <Star />
        </button>
      ))}
      <span className={classNames(styles.pick, isPicked && styles.picked)}>
        <IconButton
          icon={Flag}
          size="s"
          label={isPicked ? messages.unpick : messages.pick}
          aria-pressed={isPicked}
          onClick={() => onReview({ isPicked: !isPicked })}
        />
      </span>
    </div>
  );
}

interface ResultProps {
  readonly row: BatchRow;
  /** Text alternative of media. */
  readonly label: string;
  readonly isCard?: boolean;
}

/** Renders the result of the row, or its error or progress. */
export function Result({ row, label, isCard = false }: ResultProps) {
  const result = findRowResult(row);
  if (result?.kind === 'media') {
    const { url } = result;
    const kind = getMediaKind(result);
    // A card is a button, which cannot contain a player or a link.
    if (isCard && kind === 'audio') return <FileAudio className={styles.sound} aria-hidden />;
    if (isCard && kind === undefined) return <span className={styles.text}>{url.split('/').at(-1)}</span>;
    return <MediaView url={url} label={label} variant="small" />;
  }
  if (row.status === 'failed') return <span className={styles.error}>{row.error?.message}</span>;
  if (result !== undefined)
    return (
      <span className={styles.text}>{toResultText(result).slice(0, isCard ? MAX_CARD_TEXT : undefined)}</span>
    );
  if (row.status === 'completed') return <span className={styles.noOutput}>{messages.noOutput}</span>;
  return <span className={classNames(styles.pending, row.status === 'running' && styles.running)} />;
}

/** Returns the values of all inputs and config fields that the row sets, separated by dots. */
export function useInputsText({ inputs, config }: BatchRow): string {
  const fields = Object.values(config ?? {}).flatMap(config => Object.entries(config as object));
  const names = useModelNames(fields.map(([field]) => field));
  const values = fields.map(([field, value]) => (field === MODEL_FIELD && names.get(value)) || value);
  return [...Object.values(inputs), ...values]
    .map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' · ');
}
