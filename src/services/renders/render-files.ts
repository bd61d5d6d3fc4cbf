// Reads the files of a scene when the service renders it.
import { AppError } from '../../lib/errors.ts';
import type { ReadSource, SourceBytes } from '../../render/render-io.ts';
import { findMedia, mayUseMedia } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { parseMediaUrl } from '../media/media-record.ts';

export interface RenderOwner {
  readonly userId: number;
  readonly workspace: string;
}

const TIMEOUT_MS = 120_000;

/**
 * Creates a function that reads media of this service, by id or URL, if the owner may use them, and any other URL
 * through the guarded client.
 */
export function createSourceReader(deps: Deps, owner: RenderOwner): ReadSource {
  return async (source, { maxBytes, signal }) => {
    const id = 'mediaId' in source ? source.mediaId : parseMediaUrl(deps, source.src)?.id;
    if (id !== undefined) return readOwnMedia(deps, owner, id, maxBytes);
    if (!('src' in source) || !/^https?:/.test(source.src))
      throw new AppError('invalid_request', 'file paths are supported only on the command line');
    const response = await deps.fetch.stream(source.src, { signal, timeoutMs: TIMEOUT_MS, maxBytes });
    if (response.status === 200)
      return { body: response.body, declaredContentType: response.headers['content-type'] };
    response.close();
    throw new AppError('fetch_failed', `its URL responded with status ${response.status}`);
  };
}

async function readOwnMedia(
  deps: Deps,
  owner: RenderOwner,
  id: string,
  maxBytes: number,
): Promise<SourceBytes> {
  const row = await findMedia(deps.db, id);
  const isUsable =
    row !== undefined &&
    (row.workspace === owner.workspace || (await mayUseMedia(deps.db, id, owner.userId)));
  if (!isUsable) throw new AppError('not_found', `media ${id.slice(0, 64)} was not found in your workspace`);
  if (row.bytes > maxBytes) throw new AppError('file_too_large', `it is larger than ${maxBytes} bytes`);
  return { body: (await deps.storage.read(row.id)).stream, declaredContentType: row.content_type };
}
