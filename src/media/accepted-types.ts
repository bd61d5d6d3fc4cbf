// Lists the media types that the service accepts, their alternative names, and their size limits per upload source.

export type MediaKind = 'image' | 'video' | 'audio';

export interface MediaType {
  /** The canonical name, under which files are stored and served. */
  readonly contentType: string;
  readonly kind: MediaKind;
  readonly extension: string;
  /** Other names that clients and the sniffer use for the same type. */
  readonly aliases: readonly string[];
}

const MB = 1_048_576;

const MEDIA_TYPES: readonly MediaType[] = [
  { contentType: 'image/jpeg', kind: 'image', extension: 'jpg', aliases: ['image/jpg', 'image/pjpeg'] },
  { contentType: 'image/png', kind: 'image', extension: 'png', aliases: ['image/x-png', 'image/apng'] },
  { contentType: 'image/gif', kind: 'image', extension: 'gif', aliases: [] },
  { contentType: 'image/webp', kind: 'image', extension: 'webp', aliases: [] },
  { contentType: 'image/avif', kind: 'image', extension: 'avif', aliases: [] },
  { contentType: 'image/svg+xml', kind: 'image', extension: 'svg', aliases: ['image/svg'] },
  { contentType: 'video/mp4', kind: 'video', extension: 'mp4', aliases: ['video/x-m4v'] },
  { contentType: 'video/webm', kind: 'video', extension: 'webm', aliases: [] },
  { contentType: 'video/quicktime', kind: 'video', extension: 'mov', aliases: ['video/mov'] },
  {
    contentType: 'audio/mpeg',
    kind: 'audio',
    extension: 'mp3',
    aliases: ['audio/mp3', 'audio/x-mp3', 'audio/mpeg3'],
  },
  {
    contentType: 'audio/wav',
    kind: 'audio',
    extension: 'wav',
    aliases: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav'],
  },
  { contentType: 'audio/mp4', kind: 'audio', extension: 'm4a', aliases: ['audio/x-m4a', 'audio/m4a'] },
];

const TYPE_BY_NAME: ReadonlyMap<string, MediaType> = new Map(
  MEDIA_TYPES.flatMap(type => [type.contentType, ...type.aliases].map(name => [name, type] as const)),
);

/** Returns the accepted type with this name, ignoring case and parameters, or undefined. */
export function findMediaType(contentType: string): MediaType | undefined {
  return TYPE_BY_NAME.get(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '');
}

export const SVG_TYPE = 'image/svg+xml';

/**
 * The ways in which a file arrives. `import` is for media of an imported workflow, which has the highest limits because any
 * other source may have accepted the file.
 */
export type UploadSource = 'multipart' | 'dataUrl' | 'url' | 'presigned' | 'import';
export type FetchSource = 'url' | 'import';

const MAX_BYTES_BY_SOURCE: Readonly<Record<Exclude<UploadSource, 'presigned' | 'import'>, number>> = {
  multipart: 4 * MB,
  dataUrl: 3 * MB,
  url: 25 * MB,
};
const MAX_BYTES_BY_KIND: Readonly<Record<MediaKind, number>> = {
  image: 25 * MB,
  audio: 25 * MB,
  video: 100 * MB,
};
const MAX_SVG_BYTES = MB;

/** Returns the maximum number of bytes for the type and upload source, or 0 if they are not accepted (presigned SVG). */
export function getMaxBytes(source: UploadSource, type: MediaType): number {
  const isSvg = type.contentType === SVG_TYPE;
  if (isSvg) return source === 'presigned' ? 0 : MAX_SVG_BYTES;
  return source === 'presigned' || source === 'import'
    ? MAX_BYTES_BY_KIND[type.kind]
    : MAX_BYTES_BY_SOURCE[source];
}

/** Returns the maximum number of bytes that the upload source accepts for any type. */
export function getMaxBytesOfSource(source: FetchSource | 'multipart' | 'dataUrl'): number {
  return source === 'import' ? Math.max(...Object.values(MAX_BYTES_BY_KIND)) : MAX_BYTES_BY_SOURCE[source];
}
