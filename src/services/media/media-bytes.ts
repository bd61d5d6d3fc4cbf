// Reads a stored file into memory.
import { buffer } from 'node:stream/consumers';
import type { MediaRef } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../deps.ts';

type StorageOnly = Pick<Deps, 'storage'>;

/** Throws `not_found`. The caller has checked that the file fits into memory. */
export async function readAll({ storage }: StorageOnly, id: string): Promise<Buffer> {
  return await buffer((await storage.read(id)).stream);
}

/** Throws `not_found`, or `file_too_large` if it has more than `maxBytes`. */
export async function readMedia(deps: StorageOnly, ref: MediaRef, maxBytes: number): Promise<Buffer> {
  if (ref.bytes <= maxBytes) return await readAll(deps, ref.mediaId);
  throw new AppError(
    'file_too_large',
    `The file has ${ref.bytes} bytes. The maximum for this operation is ${maxBytes}.`,
  );
}
