// Renders a media file as a card at the file's aspect ratio, with the prompt and workflow that created the file.

import FileIcon from 'icon:file';
import FileAudio from 'icon:file-audio';
import Play from 'icon:play';
import Star from 'icon:star';
import { useState } from 'react';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import { Thumbnail } from '../../kit/media-view.tsx';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { CARD_ATTRIBUTE, selectByClick } from './use-selection.ts';

/** Limits of the aspect ratio of a card. A panorama is cropped, so that it does not fill a whole row. */
const ASPECT = { min: 0.5, max: 2.4, unknown: 1 };

interface MediaCardProps {
  readonly item: MediaItem;
  readonly isSelected: boolean;
  readonly onOpen: () => void;
  readonly onSelect: (isRange: boolean) => void;
  readonly onMark: () => void;
}

export function MediaCard({ item, isSelected, onOpen, onSelect, onMark }: MediaCardProps) {
  const { mediaId, bytes, width, height, workflow, duration, isFavorite } = item;
  const title = getTitle(item);
  const kind = getMediaKind(item);
  const [size, setSize] = useState({ width, height });
  const ratio = size.width === null || size.height === null ? ASPECT.unknown : size.width / size.height;
  const aspect = Math.min(ASPECT.max, Math.max(ASPECT.min, ratio));
  return (
    <li
      className={styles.card}
      data-selected={isSelected || undefined}
      style={{ '--aspect': aspect } as React.CSSProperties}
    >
      <div className={styles.thumbnail}>
        {kind === 'image' || kind === 'video' ? (
          <Thumbnail {...item} onSize={(width, height) => setSize({ width, height })} />
        ) : kind === 'audio' ? (
          <FileAudio size={28} />
        ) : (
          <FileIcon size={28} />
        )}
        {kind === 'video' && (
          <span className={styles.duration}>
            <Play size={12} /> {duration !== null && formatDuration(duration * 1000)}
          </span>
        )}
      </div>
      <button
        type="button"
        className={styles.open}
        {...{ [CARD_ATTRIBUTE]: mediaId }}
        onClick={event => {
          if (!selectByClick(event, onSelect)) onOpen();
        }}
      >
        <span className={styles.name}>
          <VisuallyHidden>{messages.details}</VisuallyHidden> {title}
        </span>
        <span className={styles.origin}>{workflow?.name ?? formatBytes(bytes)}</span>
      </button>
      <input
        type="checkbox"
        className={styles.check}
        aria-label={messages.select(title)}
        checked={isSelected}
        // Tab goes from card to card, where Space selects.
        tabIndex={-1}
        onClick={event => onSelect(event.shiftKey)}
        onChange={() => undefined}
      />
      <button
        type="button"
        className={styles.star}
        aria-label={messages.favorite(title)}
        aria-pressed={isFavorite}
        tabIndex={-1}
        onClick={onMark}
      >
        <Star size={16} />
      </button>
    </li>
  );
}

/** Returns the prompt of a result, unless a user has named the file. */
const getTitle = ({ name, prompt, url }: MediaItem): string =>
  prompt === null || !url.endsWith(`/${encodeURIComponent(name)}`) ? name : prompt;
