// A file fetched from an address that somebody named, through the guarded client.
import { AppError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch-error.ts';
import { isId } from '../../lib/ids.ts';
import { maxBytesAt, maxBytesAtDoor } from '../../media/accepted-types.ts';
import { findMedia } from '../../store/media.ts';
import type { Deps } from '../deps.ts';
import { mediaIdOf } from './media-record.ts';
import type { IncomingFile, ReceivedFile } from './receive-file.ts';
import { receiveFile } from './receive-file.ts';

const TIMEOUT_MS = 60_000;
const MAX_BYTES = maxBytesAtDoor('url');

/** Throws `fetch_failed`, `file_too_large` and whatever `receiveFile` does. */
export async function receiveUrl(deps: Deps, url: string, signal: AbortSignal): Promise<ReceivedFile> {
  try {
    return await receiveFile(
      deps,
      (await openOwn(deps, url)) ?? (await openOther(deps, url, signal)),
      signal,
    );
  } catch (err) {
    if (!(err instanceof FetchError) || signal.aborted) throw err;
    if (err.code === 'too_large')
      throw new AppError('file_too_large', `The file is over the limit of ${MAX_BYTES} bytes.`, {
        cause: err,
      });
    throw new AppError('fetch_failed', err.message, { cause: err });
  }
}

async function openOther(deps: Deps, url: string, signal: AbortSignal): Promise<IncomingFile> {
  const request = { signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const answer = await deps.fetch.stream(url, request);
  if (answer.status !== 200) {
    await closeBody(answer.body);
    throw new AppError('fetch_failed', `${new URL(url).hostname} answered with status ${answer.status}.`);
  }
  return {
    source: answer.body,
    maxBytes: type => maxBytesAt('url', type),
    declared: answer.headers['content-type'],
    name: lastOf(answer.url),
  };
}

/** Media that are served here are copied from storage: the client cannot reach every address that callers can. */
async function openOwn(deps: Deps, url: string): Promise<IncomingFile | undefined> {
  const id = mediaIdOf(deps, url);
  if (id === undefined) return undefined;
  const row = isId('media', id) ? await findMedia(deps.db, id) : undefined;
  if (row === undefined) throw new AppError('not_found', 'There is no media at this address.');
  const { stream } = await deps.storage.read(id);
  return {
    source: stream,
    maxBytes: type => maxBytesAt('url', type),
    declared: row.content_type,
    name: row.name,
  };
}

/** To leave an iteration at its first step ends the connection. */
async function closeBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body) break;
}

function lastOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    // Not every % of an address stands for something.
    return last;
  }
}
