// All bytes of a stored medium.
import { buffer } from 'node:stream/consumers';
import type { MediaRef } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../deps.ts';

type StorageOnly = Pick<Deps, 'storage'>;

/** Throws `not_found`. The caller knows that the file is not too large for memory. */
export async function readAll({ storage }: StorageOnly, id: string): Promise<Buffer> {
  return await buffer((await storage.read(id)).stream);
}

/** Throws `not_found`, or `file_too_large` past `maxBytes`. */
export async function readMedia(deps: StorageOnly, ref: MediaRef, maxBytes: number): Promise<Buffer> {
  if (ref.bytes <= maxBytes) return await readAll(deps, ref.mediaId);
  throw new AppError(
    'file_too_large',
    `The file has ${ref.bytes} bytes; at most ${maxBytes} can be worked on here.`,
  );
}
