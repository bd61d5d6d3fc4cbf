// Counts and hashes bytes on their way to storage, and ends the way once there are too many.
import { createHash } from 'node:crypto';
import { AppError } from '../lib/errors.ts';
import type { StoredFile } from './storage.ts';

export interface Meter {
  /** Passes the chunks on. Throws `file_too_large`. */
  pass(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
  /** What has passed; asked for once, at the end. */
  total(): StoredFile;
}

export function createMeter(maxBytes: number): Meter {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *pass(source) {
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > maxBytes)
          throw new AppError('file_too_large', `The file is over the limit of ${maxBytes} bytes.`);
        hash.update(chunk);
        yield chunk;
      }
    },
    total: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}
