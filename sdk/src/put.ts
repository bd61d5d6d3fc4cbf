// Sends a file to a presigned URL with PUT and reports its progress.
import { type ApiError, ConnectionError, createApiError, GraphwrightError } from './errors.ts';
import type { CallOptions } from './send.ts';
import { limitTime, type TimeLimit } from './waiting.ts';

export interface PutRequest extends CallOptions {
  readonly url: string;
  /** Headers that must be sent exactly. */
  readonly headers: Readonly<Record<string, string>>;
  readonly blob: Blob;
  readonly fetch: typeof fetch;
  /** The connection is aborted if no bytes are sent for this long. */
  readonly silenceMs: number;
  readonly onSent: (bytes: number) => void;
}

/** The part of XMLHttpRequest that is used in browsers, where fetch does not report progress. */
interface Xhr {
  upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  readonly status: number;
  readonly responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}

interface StorageResponse {
  readonly status: number;
  readonly text: string;
}

/** Resolves when the storage has received the bytes. Throws a ConnectionError or an ApiError. */
export async function putBytes(request: PutRequest): Promise<void> {
  const limit = limitTime(request.silenceMs, request.signal);
  const { XMLHttpRequest: BrowserXhr } = globalThis as { XMLHttpRequest?: new () => Xhr };
  try {
    const { status, text } = await (BrowserXhr === undefined
      ? putByFetch(request, limit)
      : putByXhr(request, limit, new BrowserXhr()));
    if (status < 200 || status > 299) throw createStorageError(status, text);
  } catch (thrown) {
    if (thrown instanceof GraphwrightError) throw thrown;
    request.signal?.throwIfAborted();
    throw new ConnectionError('The connection was lost during the upload.', { cause: thrown });
  } finally {
    limit.end();
  }
}

/** Creates an error from the XML body of a storage error. */
function createStorageError(status: number, text: string): ApiError {
  const field = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(text)?.[1];
  const code = field('Code');
  return createApiError({
    status,
    headers: new Headers(),
    body: {
      error: field('Message') ?? `The storage responded to the upload with status ${status}.`,
      ...(code === undefined ? {} : { code }),
    },
  });
}

async function putByFetch(
  { url, headers, blob, fetch, onSent }: PutRequest,
  limit: TimeLimit,
): Promise<StorageResponse> {
  const init = {
    method: 'PUT',
    headers,
    body: streamSlices(blob, sentBytes => {
      limit.restart();
      onSent(sentBytes);
    }),
    signal: limit.signal,
    redirect: 'error' as const,
    // Node requires `duplex` for a stream. TypeScript's DOM types lack it.
    duplex: 'half' as const,
  };
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
}

const SLICE_BYTES = 262_144;

/** Streams the blob in slices. Each slice is read when the previous one has been sent. */
function streamSlices(blob: Blob, onSent: (bytes: number) => void): ReadableStream<Uint8Array> {
  let sentBytes = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (sentBytes === blob.size) {
          controller.close();
          return;
        }
        const slice = await blob.slice(sentBytes, sentBytes + SLICE_BYTES).arrayBuffer();
        sentBytes += slice.byteLength;
        controller.enqueue(new Uint8Array(slice));
        onSent(sentBytes);
      },
    },
    { highWaterMark: 0 },
  );
}

function putByXhr(
  { url, headers, blob, onSent }: PutRequest,
  limit: TimeLimit,
  xhr: Xhr,
): Promise<StorageResponse> {
  return new Promise((resolve, reject) => {
    xhr.open('PUT', url);
    // Browsers set Content-Length themselves and forbid setting it.
    for (const [name, value] of Object.entries(headers))
      if (name.toLowerCase() !== 'content-length') xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => {
      limit.restart();
      onSent(loaded);
    };
    xhr.onload = () => resolve({ status: xhr.status, text: xhr.responseText });
    xhr.onerror = () => reject(new Error('The request failed.'));
    xhr.onabort = () => reject(new Error('The request was aborted.'));
    limit.signal.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(blob);
  });
}
