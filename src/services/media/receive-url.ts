// Fetches a file from a user-supplied URL through the guarded client.
import { AppError, requireFound } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { isId } from '../../lib/ids.ts';
import { type FetchSource, getMaxBytes, getMaxBytesOfSource } from '../../media/accepted-types.ts';
import { decodeName } from '../../media/file-name.ts';
import { findMedia } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { parseMediaUrl } from './media-record.ts';
import { type IncomingFile, type ReceivedFile, receiveFile } from './receive-file.ts';

const TIMEOUT_MS = 60_000;

/** Fetches and receives the file. Throws `fetch_failed`, `file_too_large`, and everything that `receiveFile` throws. */
export async function receiveUrl(
  deps: Deps,
  url: string,
  signal: AbortSignal,
  source: FetchSource = 'url',
): Promise<ReceivedFile> {
  const maxBytes = getMaxBytesOfSource(source);
  try {
    const opened =
      (await openOwnMedia(deps, url)) ?? (await openExternalFile(deps, url, { signal, maxBytes }));
    return await receiveFile(deps, { ...opened, maxBytes: type => getMaxBytes(source, type) }, signal);
  } catch (err) {
    if (!(err instanceof FetchError) || signal.aborted) throw err;
    if (err.code === 'too_large')
      throw new AppError('file_too_large', `The file is larger than the limit of ${maxBytes} bytes.`, {
        cause: err,
      });
    throw new AppError('fetch_failed', err.message, { cause: err });
  }
}

type OpenedFile = Omit<IncomingFile, 'maxBytes'>;

async function openExternalFile(
  deps: Deps,
  url: string,
  bounds: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<OpenedFile> {
  const response = await deps.fetch.stream(url, { ...bounds, timeoutMs: TIMEOUT_MS });
  if (response.status !== 200) {
    response.close();
    throw new AppError('fetch_failed', `${new URL(url).hostname} responded with status ${response.status}.`);
  }
  return {
    source: response.body,
    declaredContentType: response.headers['content-type'],
    name: getFileName(response.url),
  };
}

/** Opens media of this service in storage, because the guarded client may not be able to reach the public URL. */
async function openOwnMedia(deps: Deps, url: string): Promise<OpenedFile | undefined> {
  const id = parseMediaUrl(deps, url)?.id;
  if (id === undefined) return undefined;
  const row = requireFound(isId('media', id) ? await findMedia(deps.db, id) : undefined, 'Media not found.');
  const { stream } = await deps.storage.read(id);
  return { source: stream, declaredContentType: row.content_type, name: row.name };
}

const getFileName = (url: string): string => decodeName(new URL(url).pathname.split('/').at(-1) ?? '');
