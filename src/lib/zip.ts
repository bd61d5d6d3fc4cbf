// Streams ZIP archives.
import { Readable } from 'node:stream';
import { makeZip } from 'client-zip';

export interface ZipFile {
  readonly name: string;
  readonly lastModified: Date;
  readonly input: string | AsyncIterable<Uint8Array>;
}

/** Streams an archive. Each file is read when the receiver has taken the files before it. */
export const createZipStream = (files: AsyncIterable<ZipFile>): Readable =>
  // Unlike a stream of objects, which buffers 16 of them, this stream reads ahead by size.
  Readable.from(makeZip(files), { objectMode: false });
