// A file fetched from an address that somebody named, through the guarded client.
import { AppError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { isId } from '../../lib/ids.ts';
import { type FetchDoor, maxBytesAt, maxBytesAtDoor } from '../../media/accepted-types.ts';
import { findMedia } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { mediaIdOf } from './media-record.ts';
import { type IncomingFile, type ReceivedFile, receiveFile } from './receive-file.ts';

const TIMEOUT_MS = 60_000;

/** Throws `fetch_failed`, `file_too_large` and whatever `receiveFile` does. */
export async function receiveUrl(
  deps: Deps,
  url: string,
  signal: AbortSignal,
  door: FetchDoor = 'url',
): Promise<ReceivedFile> {
  const maxBytes = maxBytesAtDoor(door);
  try {
    const found = (await openOwn(deps, url)) ?? (await openOther(deps, url, { signal, maxBytes }));
    return await receiveFile(deps, { ...found, maxBytes: type => maxBytesAt(door, type) }, signal);
  } catch (err) {
    if (!(err instanceof FetchError) || signal.aborted) throw err;
    if (err.code === 'too_large')
      throw new AppError('file_too_large', `The file is over the limit of ${maxBytes} bytes.`, {
        cause: err,
      });
    throw new AppError('fetch_failed', err.message, { cause: err });
  }
}

type OpenedFile = Omit<IncomingFile, 'maxBytes'>;

async function openOther(
  deps: Deps,
  url: string,
  bounds: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<OpenedFile> {
  const answer = await deps.fetch.stream(url, { ...bounds, timeoutMs: TIMEOUT_MS });
  if (answer.status !== 200) {
    await closeBody(answer.body);
    throw new AppError('fetch_failed', `${new URL(url).hostname} answered with status ${answer.status}.`);
  }
  return {
    source: answer.body,
    declared: answer.headers['content-type'],
    name: lastOf(answer.url),
  };
}

/** Media that are served here are copied from storage: the client cannot reach every address that callers can. */
async function openOwn(deps: Deps, url: string): Promise<OpenedFile | undefined> {
  const id = mediaIdOf(deps, url);
  if (id === undefined) return undefined;
  const row = isId('media', id) ? await findMedia(deps.db, id) : undefined;
  if (row === undefined) throw new AppError('not_found', 'There is no media at this address.');
  const { stream } = await deps.storage.read(id);
  return { source: stream, declared: row.content_type, name: row.name };
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
