// One PUT of a file's bytes to a presigned address, counting them as they go out.
import { type ApiError, ConnectionError, GraphwrightError, toApiError } from './errors.ts';
import type { CallOptions } from './send.ts';
import { limitTime, type TimeLimit } from './waiting.ts';

export interface Put extends CallOptions {
  readonly url: string;
  /** To be sent exactly. */
  readonly headers: Readonly<Record<string, string>>;
  readonly blob: Blob;
  readonly fetch: typeof fetch;
  /** The connection is given up where nothing has moved for this long. */
  readonly silenceMs: number;
  readonly onSent: (bytes: number) => void;
}

/** The part of a browser's XMLHttpRequest that is used here: fetch in a browser does not say what it has sent. */
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

interface Stored {
  readonly status: number;
  readonly text: string;
}

/** Resolves once the store has taken the bytes. Throws a ConnectionError after a cut, an ApiError where it refuses. */
export async function putBytes(put: Put): Promise<void> {
  const limit = limitTime(put.silenceMs, put.signal);
  const { XMLHttpRequest: Browser } = globalThis as { XMLHttpRequest?: new () => Xhr };
  try {
    const { status, text } = await (Browser === undefined
      ? putByFetch(put, limit)
      : putByXhr(put, limit, new Browser()));
    if (status < 200 || status > 299) throw toStorageError(status, text);
  } catch (thrown) {
    if (thrown instanceof GraphwrightError) throw thrown;
    put.signal?.throwIfAborted();
    throw new ConnectionError('The upload broke off.', { cause: thrown });
  } finally {
    limit.end();
  }
}

/** A store answers in XML. */
function toStorageError(status: number, text: string): ApiError {
  const field = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(text)?.[1];
  const code = field('Code');
  return toApiError({
    status,
    headers: new Headers(),
    body: {
      error: field('Message') ?? `The store answered ${status} to the upload.`,
      ...(code === undefined ? {} : { code }),
    },
  });
}

async function putByFetch({ url, headers, blob, fetch, onSent }: Put, limit: TimeLimit): Promise<Stored> {
  const init = {
    method: 'PUT',
    headers,
    body: countBytes(blob, sent => {
      limit.restart();
      onSent(sent);
    }),
    signal: limit.signal,
    redirect: 'error' as const,
    // Node asks for it with a stream; TypeScript's browser does not know it.
    duplex: 'half' as const,
  };
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
}

const SLICE_BYTES = 262_144;

/** The blob in slices, each read when the connection has taken the one before. */
function countBytes(blob: Blob, onSent: (bytes: number) => void): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (sent === blob.size) {
          controller.close();
          return;
        }
        const slice = await blob.slice(sent, sent + SLICE_BYTES).arrayBuffer();
        sent += slice.byteLength;
        controller.enqueue(new Uint8Array(slice));
        onSent(sent);
      },
    },
    { highWaterMark: 0 },
  );
}

function putByXhr({ url, headers, blob, onSent }: Put, limit: TimeLimit, xhr: Xhr): Promise<Stored> {
  return new Promise((resolve, reject) => {
    xhr.open('PUT', url);
    // A browser sets the length itself and lets nobody else.
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
