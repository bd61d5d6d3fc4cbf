// Writes temporary files for data to be stored: counted and hashed on the way, limited in size, swept when abandoned.
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../lib/errors.ts';
import { free } from '../lib/freeing.ts';
import type { PutOptions, Source, StoredFile } from './storage.ts';

const STALE_MS = 3_600_000;
const GATHERED_BYTES = 524_288;

/**
 * Creates the folder and removes incomplete files of an earlier process. Other processes may share it, so recent files
 * stay.
 */
export async function openSpool(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may remove the same file.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - STALE_MS) await rm(path, { force: true });
  }
}

/**
 * Writes and fsyncs a new file. Throws `file_too_large` and any error of the source; the caller then removes the file.
 */
export async function writeMeasured(
  path: string,
  source: Source,
  { maxBytes, signal }: PutOptions,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  await using file = await open(path, 'wx', 0o600);
  for await (const block of source instanceof Uint8Array ? [source] : gather(untilAborted(source, signal))) {
    signal?.throwIfAborted();
    bytes += block.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    // Hashed here while a thread writes it. The write is awaited in any case: the block is reused or freed.
    const written = file.writeFile(block);
    hash.update(block);
    await written;
  }
  await file.sync();
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * Collects chunks: writing 64 KB pieces as a socket delivers them is slower than copying them together, 175 versus 250
 * MB/s.
 */
async function* gather(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const gathered = Buffer.allocUnsafeSlow(GATHERED_BYTES);
  let used = 0;
  try {
    for await (const piece of pieces) {
      if (used + piece.length > GATHERED_BYTES && used > 0) {
        yield gathered.subarray(0, used);
        used = 0;
      }
      if (piece.length > GATHERED_BYTES) yield piece;
      else {
        gathered.set(piece, used);
        used += piece.length;
      }
    }
    if (used > 0) yield gathered.subarray(0, used);
  } finally {
    free(gathered);
  }
}

/** The chunks, abortable while waiting for one. */
async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = source[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const onAbort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    for (;;) {
      const { value, done } = await Promise.race([pieces.next(), aborted.promise]);
      if (done === true) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    const closed = pieces.return?.();
    // A source that is waiting itself does not end before its own wait does.
    if (signal?.aborted === true) closed?.catch(() => undefined);
    else await closed;
  }
}

/** The error for a file over its limit. */
export function tooLarge(maxBytes: number): AppError {
  return new AppError('file_too_large', `The file is larger than the limit of ${maxBytes} bytes.`);
}
