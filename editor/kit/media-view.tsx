// Renders a media file: an image, a video player, audio with its waveform, or a link.

import Download from 'icon:download';
import { useEffect, useRef } from 'react';
import { lazyComponent } from '../lib/lazy-component.ts';
import { messages } from '../messages.ts';
import { classNames } from './class-names.ts';
import { getMediaKind, type MediaSource } from './media-kind.ts';
import styles from './media-view.module.css';
import type { WaveformProps } from './waveform.tsx';

interface MediaViewProps extends MediaSource {
  /** Text alternative. */
  readonly label: string;
  /** Called with the size of an image or video once it is known. */
  readonly onSize?: ((width: number, height: number) => void) | undefined;
  /** `whole`: with controls; `small`: fills its container; `thumbnail`: an image or video that fills its container. */
  readonly variant?: 'whole' | 'small' | 'thumbnail';
}

export function MediaView({ url, contentType, posterUrl, label, variant = 'whole', onSize }: MediaViewProps) {
  const kind = getMediaKind({ url, contentType });
  const className = classNames(styles.media, variant !== 'whole' && styles.filling);
  if (kind === 'image')
    return (
      <img
        className={className}
        src={url}
        alt={label}
        loading="lazy"
        decoding="async"
        draggable={false}
        onLoad={({ currentTarget }) => onSize?.(currentTarget.naturalWidth, currentTarget.naturalHeight)}
      />
    );
  if (kind === 'video')
    return <VideoView {...{ url, label, className, variant, onSize }} posterUrl={posterUrl ?? undefined} />;
  if (variant === 'thumbnail') return null;
  if (kind === 'audio') return <AudioView url={url} label={label} />;
  return (
    <a href={url} className={styles.file} download>
      <Download /> {messages.common.download}
    </a>
  );
}

/** Renders a decorative thumbnail of an image or video, and nothing for other media. */
export const Thumbnail = (props: MediaSource & Pick<MediaViewProps, 'onSize'>) => (
  <MediaView {...props} label="" variant="thumbnail" />
);

const Waveform = lazyComponent<WaveformProps>(
  async () => (await import('./waveform.tsx')).Waveform,
  () => null,
);

function AudioView({ url, label }: Pick<MediaViewProps, 'url' | 'label'>) {
  const audio = useRef<HTMLAudioElement>(null);
  return (
    <div className={`${styles.sound} nodrag`}>
      <Waveform url={url} player={audio} />
      {/* biome-ignore lint/a11y/useMediaCaption: generated media has no captions */}
      <audio ref={audio} className={styles.audio} src={url} controls preload="none" aria-label={label} />
    </div>
  );
}

interface VideoViewProps extends Pick<MediaViewProps, 'url' | 'label' | 'onSize'> {
  readonly posterUrl: string | undefined;
  readonly className: string;
  readonly variant: NonNullable<MediaViewProps['variant']>;
}

/** A thumbnail without a poster shows the frame at this fraction of the video. The first frames are often blank. */
const STILL_FRACTION = 0.4;

/** Renders a video player. Thumbnails have no controls and play while the pointer is over them. */
function VideoView({ url, posterUrl, label, className, variant, onSize }: VideoViewProps) {
  useEffect(() => {
    if (posterUrl === undefined || onSize === undefined) return;
    // The video itself is not loaded before it plays.
    const poster = new Image();
    poster.onload = () => onSize(poster.naturalWidth, poster.naturalHeight);
    poster.src = posterUrl;
  }, [posterUrl, onSize]);
  const isWhole = variant === 'whole';
  const hoverHandlers = {
    onPointerEnter: (event: React.PointerEvent<HTMLVideoElement>) =>
      void event.currentTarget.play().catch(() => undefined),
    onPointerLeave: (event: React.PointerEvent<HTMLVideoElement>) => event.currentTarget.pause(),
  };
  return (
    <video
      className={className}
      src={url}
      poster={posterUrl}
      muted={!isWhole}
      loop={!isWhole}
      playsInline
      preload={posterUrl === undefined ? 'metadata' : 'none'}
      aria-label={label}
      onLoadedMetadata={({ currentTarget: video }) => {
        onSize?.(video.videoWidth, video.videoHeight);
        if (!isWhole && posterUrl === undefined && Number.isFinite(video.duration))
          video.currentTime = video.duration * STILL_FRACTION;
      }}
      {...(isWhole ? { controls: true } : hoverHandlers)}
    />
  );
}
