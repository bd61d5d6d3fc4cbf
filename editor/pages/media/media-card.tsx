// Renders a media file as a card at the file's aspect ratio, with the prompt and workflow that created the file.

import FileIcon from 'icon:file';
import FileAudio from 'icon:file-audio';
import Play from 'icon:play';
import { useState } from 'react';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { getMediaKind, Thumbnail } from '../../kit/media-view.tsx';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

/** Limits of the aspect ratio of a card. A panorama is cropped, so that it does not fill a whole row. */
const ASPECT = { min: 0.5, max: 2.4, unknown: 1 };

export function MediaCard({ item, onOpen }: { readonly item: MediaItem; readonly onOpen: () => void }) {
  const { name, bytes, width, height, prompt, workflow, duration } = item;
  const kind = getMediaKind(item);
  const [size, setSize] = useState({ width, height });
  const ratio = size.width === null || size.height === null ? ASPECT.unknown : size.width / size.height;
  const aspect = Math.min(ASPECT.max, Math.max(ASPECT.min, ratio));
  return (
    <li className={styles.card} style={{ '--aspect': aspect } as React.CSSProperties}>
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
      <button type="button" className={styles.open} onClick={onOpen}>
        <span className={styles.name}>
          <VisuallyHidden>{messages.details}</VisuallyHidden> {prompt ?? name}
        </span>
        <span className={styles.origin}>{workflow?.name ?? formatBytes(bytes)}</span>
      </button>
    </li>
  );
}
