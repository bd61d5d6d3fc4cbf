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
import { getMediaKind, MediaView } from '../../kit/media-view.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { isLoaded } from './use-batch.ts';

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
        <p className={styles.inputs} title={describeInputs(row)}>
          {describeInputs(row)}
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

type RowOutput = Readonly<Record<'url' | 'text' | 'value', unknown>>;

interface ResultProps {
  readonly row: BatchRow;
  /** Text alternative of media. */
  readonly label: string;
  readonly isCard?: boolean;
}

/** Renders the first picture, video, sound or text of the row, or its error or progress. */
export function Result({ row, label, isCard = false }: ResultProps) {
  const outputs = row.outputs as readonly RowOutput[];
  const media = outputs.find(
    ({ url }) => typeof url === 'string' && getMediaKind({ url }) !== undefined,
  )?.url;
  if (typeof media === 'string') {
    // A card is a button, which cannot contain a player.
    if (isCard && getMediaKind({ url: media }) === 'audio')
      return <FileAudio className={styles.sound} aria-hidden />;
    return <MediaView url={media} label={label} variant="small" />;
  }
  if (row.status === 'failed') return <span className={styles.error}>{row.error?.message}</span>;
  const text = outputs.find(output => output.text !== undefined || output.value !== undefined);
  if (text !== undefined)
    return (
      <span className={styles.text}>
        {String(text.text ?? JSON.stringify(text.value)).slice(0, isCard ? MAX_CARD_TEXT : undefined)}
      </span>
    );
  if (row.status === 'completed') return <span className={styles.noOutput}>{messages.noOutput}</span>;
  return <span className={classNames(styles.pending, row.status === 'running' && styles.running)} />;
}

/** Returns the values of all inputs and config fields that the row sets, separated by dots. */
export function describeInputs({ inputs, config }: BatchRow): string {
  const fields = Object.values(config ?? {}).flatMap(config => Object.values(config as object) as unknown[]);
  return [...Object.values(inputs), ...fields]
    .map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' · ');
}
