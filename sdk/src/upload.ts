// Uploads files: small files and SVG inline, larger files with a presigned URL.
import { putBytes } from './put.ts';
import { type CallOptions, type Connection, isTemporary, request } from './send.ts';
import type { Media, MintedUpload } from './types.ts';
import { backoffMs, sleep } from './waiting.ts';

/** The limit of inline uploads. */
const INLINE_BYTES = 4_194_304;

export interface UploadHints {
  /** The service uses the size only if it cannot read the size from the file. */
  readonly width?: number;
  readonly height?: number;
  /** The duration in seconds. */
  readonly duration?: number;
}

export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface UploadOptions extends CallOptions, UploadHints {
  /** The file name with its extension. Default: the name of the File. */
  readonly name?: string;
  /** For example `image/png`. Default: the type of the Blob. */
  readonly contentType?: string;
  /** Called while bytes are sent. After an interruption, the upload and the count start again. */
  readonly onProgress?: (progress: UploadProgress) => void;
}

/** Uploads a file and retries after interruptions. If a response is lost, the retry may store a second copy. */
export async function uploadFile(
  connection: Connection,
  file: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer,
  options: UploadOptions,
): Promise<Media> {
  const bytes = file instanceof Blob ? file : new Blob([file]);
  const contentType = options.contentType ?? bytes.type;
  const blob = bytes.slice(0, bytes.size, contentType);
  const name = options.name ?? (file instanceof File ? file.name : 'upload');
  const isInline = blob.size <= INLINE_BYTES || contentType === 'image/svg+xml';
  return isInline
    ? uploadInline(connection, blob, name, options)
    : uploadPresigned(connection, blob, name, options);
}

/** Lets the service download a file from a URL. */
export async function uploadFrom(
  connection: Connection,
  url: string,
  { signal, ...hints }: UploadHints & CallOptions,
): Promise<Media> {
  const body = { url, ...toHintFields(hints) };
  return request(connection, { method: 'POST', path: '/media/upload', body, signal, repeatable: true });
}

async function uploadInline(
  connection: Connection,
  blob: Blob,
  name: string,
  options: UploadOptions,
): Promise<Media> {
  const form = new FormData();
  // The hints come first, because the service reads the parts as they arrive.
  for (const [hint, value] of Object.entries(toHintFields(options))) form.set(hint, String(value));
  form.set('file', blob, name);
  options.onProgress?.({ sentBytes: 0, totalBytes: blob.size });
  const media = await request<Media>(connection, {
    method: 'POST',
    path: '/media/upload',
    body: form,
    repeatable: true,
    signal: options.signal,
  });
  options.onProgress?.({ sentBytes: blob.size, totalBytes: blob.size });
  return media;
}

async function uploadPresigned(
  connection: Connection,
  blob: Blob,
  name: string,
  options: UploadOptions,
): Promise<Media> {
  const { signal } = options;
  const mediaId = await putWithRetries(connection, blob, name, options);
  return request(connection, {
    method: 'POST',
    path: '/media/upload-url/complete',
    body: { mediaId, ...toHintFields(options) },
    repeatable: true,
    signal,
  });
}

/** Creates an upload URL and sends the bytes. Each attempt uses a new URL, because the old one may have expired. */
async function putWithRetries(
  connection: Connection,
  blob: Blob,
  name: string,
  { signal, onProgress }: UploadOptions,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const minted = await request<MintedUpload>(connection, {
      method: 'POST',
      path: '/media/upload-url',
      body: { contentType: blob.type, bytes: blob.size, filename: name },
      repeatable: true,
      signal,
    });
    try {
      await putBytes({
        url: minted.uploadUrl,
        headers: minted.headers,
        blob,
        fetch: connection.fetch,
        silenceMs: connection.timing.silenceMs,
        onSent: sentBytes => onProgress?.({ sentBytes, totalBytes: blob.size }),
        signal,
      });
      return minted.mediaId;
    } catch (thrown) {
      if (!isTemporary(thrown) || attempt > connection.retries) throw thrown;
      await sleep(backoffMs(attempt, connection.timing), signal);
    }
  }
}

function toHintFields({ width, height, duration }: UploadHints): Record<string, number> {
  return Object.fromEntries(
    Object.entries({ width, height, duration }).filter(
      (entry): entry is [string, number] => entry[1] !== undefined,
    ),
  );
}
