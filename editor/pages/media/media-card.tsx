// Renders a media file in the grid.

import FileIcon from 'icon:file';
import FileAudio from 'icon:file-audio';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { getMediaKind, MediaView } from '../../kit/media-view.tsx';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { formatBytes } from '../../lib/format.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

export function MediaCard({ item, onOpen }: { readonly item: MediaItem; readonly onOpen: () => void }) {
  const { name, url, contentType, bytes } = item;
  const kind = getMediaKind(item);
  return (
    <li className={styles.card}>
      <div className={styles.thumbnail}>
        {kind === 'image' || kind === 'video' ? (
          <MediaView url={url} contentType={contentType} label="" variant="square" />
        ) : kind === 'audio' ? (
          <FileAudio size={28} />
        ) : (
          <FileIcon size={28} />
        )}
      </div>
      <button type="button" className={styles.open} onClick={onOpen}>
        <span className={styles.name}>
          <VisuallyHidden>{messages.details}</VisuallyHidden> {name}
        </span>
        <span className={styles.soft}>{formatBytes(bytes)}</span>
      </button>
    </li>
  );
}
