// Tells images, videos and sounds apart by their content type or the extension of their address.

export interface MediaSource {
  readonly url: string;
  /** Such as `image/png`. If unknown, derived from the file extension. */
  readonly contentType?: string | undefined;
  readonly posterUrl?: string | null | undefined;
}

type MediaKind = 'image' | 'video' | 'audio';

const KIND_BY_EXTENSION: Readonly<Record<string, MediaKind>> = {
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

/** Returns the kind of media, or undefined for other files. */
export function getMediaKind({
  url,
  contentType,
}: Pick<MediaSource, 'url' | 'contentType'>): MediaKind | undefined {
  const type = contentType?.split('/', 1)[0];
  if (type === 'image' || type === 'video' || type === 'audio') return type;
  const extension = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : KIND_BY_EXTENSION[extension];
}
