// A media file as people look at it: a picture, a video that plays, a sound with its controls, or a link.
import { classNames } from './class-names.ts';
import styles from './media-view.module.css';

export interface ShownMedia {
  readonly url: string;
  /** Like `image/png`; what it is read from where it is not known is the address's ending. */
  readonly contentType?: string | undefined;
  readonly posterUrl?: string | undefined;
}

interface MediaViewProps extends ShownMedia {
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  /** A square in a grid, without controls. */
  readonly isThumbnail?: boolean;
}

const KINDS: Readonly<Record<string, 'image' | 'video' | 'audio'>> = {
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  webp: 'image',
  gif: 'image',
  avif: 'image',
  svg: 'image',
  mp4: 'video',
  webm: 'video',
  mov: 'video',
  mp3: 'audio',
  wav: 'audio',
  m4a: 'audio',
  ogg: 'audio',
  flac: 'audio',
};

/** Of which of the three kinds it is; undefined: none of them. */
export function kindOfMedia({ url, contentType }: ShownMedia): 'image' | 'video' | 'audio' | undefined {
  const type = contentType?.split('/', 1)[0];
  if (type === 'image' || type === 'video' || type === 'audio') return type;
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase();
  return ending === undefined ? undefined : KINDS[ending];
}

export function MediaView({ url, contentType, posterUrl, label, isThumbnail = false }: MediaViewProps) {
  const kind = kindOfMedia({ url, contentType });
  const look = classNames(styles.media, isThumbnail && styles.thumbnail);
  if (kind === 'image') return <img className={look} src={url} alt={label} loading="lazy" decoding="async" />;
  if (kind === 'video') return <VideoView {...{ url, posterUrl, label, isThumbnail, look }} />;
  if (kind === 'audio' && !isThumbnail)
    // biome-ignore lint/a11y/useMediaCaption: what a model made has no captions
    return <audio className={styles.audio} src={url} controls preload="none" aria-label={label} />;
  return null;
}

/** In a grid it plays as long as the pointer is on it. */
function VideoView({
  url,
  posterUrl,
  label,
  isThumbnail,
  look,
}: Pick<MediaViewProps, 'url' | 'posterUrl' | 'label'> & {
  readonly isThumbnail: boolean;
  readonly look: string;
}) {
  const hover = isThumbnail
    ? {
        onPointerEnter: (event: React.PointerEvent<HTMLVideoElement>) =>
          void event.currentTarget.play().catch(() => undefined),
        onPointerLeave: (event: React.PointerEvent<HTMLVideoElement>) => event.currentTarget.pause(),
      }
    : { controls: true };
  return (
    <video
      className={look}
      src={url}
      poster={posterUrl}
      muted={isThumbnail}
      loop={isThumbnail}
      playsInline
      preload={posterUrl === undefined ? 'metadata' : 'none'}
      aria-label={label}
      {...hover}
    />
  );
}
