// Uploads: small files and SVG go inline, larger ones by a presigned address; both end as the same result.
import { putBytes } from './put.ts';
import { type CallOptions, type Connection, isPassing, send } from './send.ts';
import type { Media, MintedUpload } from './types.ts';
import { backoffMs, sleep } from './waiting.ts';

/** The inline door takes no more. */
const INLINE_BYTES = 4_194_304;

export interface UploadHints {
  /** Used only where it cannot be read from the file. */
  readonly width?: number;
  readonly height?: number;
  /** Seconds. */
  readonly duration?: number;
}

export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface UploadOptions extends CallOptions, UploadHints {
  /** With its ending; by default the name of the File. */
  readonly name?: string;
  /** Like `image/png`; by default the type of the Blob. */
  readonly contentType?: string;
  /** Called as bytes go out. After a cut the file is sent from its beginning, and the count falls back. */
  readonly onProgress?: (progress: UploadProgress) => void;
}

/** Uploads a file. A cut is taken up again; at worst an upload whose answer was lost leaves a second copy. */
export async function uploadFile(
  connection: Connection,
  file: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer,
  options: UploadOptions,
): Promise<Media> {
  const given = file instanceof Blob ? file : new Blob([file]);
  const contentType = options.contentType ?? given.type;
  const blob = given.slice(0, given.size, contentType);
  const name = options.name ?? (file instanceof File ? file.name : 'upload');
  const isInline = blob.size <= INLINE_BYTES || contentType === 'image/svg+xml';
  return isInline
    ? uploadInline(connection, blob, name, options)
    : uploadPresigned(connection, blob, name, options);
}

/** Has the service fetch a file from a public address and keep it. */
export async function uploadFrom(
  connection: Connection,
  url: string,
  { signal, ...hints }: UploadHints & CallOptions,
): Promise<Media> {
  const body = { url, ...hintsOf(hints) };
  return (
    await send<Media>(connection, { method: 'POST', path: '/media/upload', body, signal, repeatable: true })
  ).body;
}

async function uploadInline(
  connection: Connection,
  blob: Blob,
  name: string,
  options: UploadOptions,
): Promise<Media> {
  const form = new FormData();
  // The hints come first: the parts are read as they arrive.
  for (const [hint, value] of Object.entries(hintsOf(options))) form.set(hint, String(value));
  form.set('file', blob, name);
  options.onProgress?.({ sentBytes: 0, totalBytes: blob.size });
  const { body } = await send<Media>(connection, {
    method: 'POST',
    path: '/media/upload',
    body: form,
    repeatable: true,
    signal: options.signal,
  });
  options.onProgress?.({ sentBytes: blob.size, totalBytes: blob.size });
  return body;
}

async function uploadPresigned(
  connection: Connection,
  blob: Blob,
  name: string,
  options: UploadOptions,
): Promise<Media> {
  const { signal } = options;
  const mediaId = await putWithRetries(connection, blob, name, options);
  const { body } = await send<Media>(connection, {
    method: 'POST',
    path: '/media/upload-url/complete',
    body: { mediaId, ...hintsOf(options) },
    repeatable: true,
    signal,
  });
  return body;
}

/** Mints an address and puts the bytes there, anew after each cut: an address may have expired meanwhile. */
async function putWithRetries(
  connection: Connection,
  blob: Blob,
  name: string,
  { signal, onProgress }: UploadOptions,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { body: minted } = await send<MintedUpload>(connection, {
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
      if (!isPassing(thrown) || attempt > connection.retries) throw thrown;
      await sleep(backoffMs(attempt, connection.timing), signal);
    }
  }
}

function hintsOf({ width, height, duration }: UploadHints): Record<string, number> {
  return Object.fromEntries(
    Object.entries({ width, height, duration }).filter(
      (entry): entry is [string, number] => entry[1] !== undefined,
    ),
  );
}
