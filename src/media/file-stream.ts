// A part of a file as a stream that, piped, reads into one buffer over and over.
import type { FileHandle } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import type { ByteRange } from './storage.ts';

const CHUNK_BYTES = 131_072;

/**
 * Piped, each chunk has left for the system before the next is read into its place: a buffer for each would make the
 * garbage collector run every 64 MB, which was half of what serving a file cost. Read otherwise, every chunk is its own.
 */
export class FileStream extends Readable {
  readonly #file: FileHandle;
  readonly #end: number;
  #at: number;
  #isPiped = false;

  /** Closes the file when it is through or destroyed. */
  constructor(file: FileHandle, { start, end }: ByteRange) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#file = file;
    this.#at = start;
    this.#end = end + 1;
  }

  override pipe<T extends NodeJS.WritableStream>(target: T, { end = true }: { end?: boolean } = {}): T {
    this.#isPiped = true;
    this.#pump(target as unknown as Writable).then(
      () => {
        if (end) target.end();
        // What is read no further has to flow to come to its end.
        this.push(null);
        this.resume();
      },
      (err: Error) => this.destroy(err),
    );
    return target;
  }

  override _read(): void {
    if (this.#isPiped) return;
    this.#next(Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.#end - this.#at))).then(
      chunk => this.push(chunk.length === 0 ? null : chunk),
      (err: Error) => this.destroy(err),
    );
  }

  override _destroy(err: Error | null, done: (err?: Error | null) => void): void {
    this.#file.close().then(
      () => done(err),
      closeErr => done(err ?? closeErr),
    );
  }

  async #pump(target: Writable): Promise<void> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.#end - this.#at));
    for (;;) {
      const chunk = await this.#next(buffer);
      if (chunk.length === 0) return;
      await new Promise<void>((resolve, reject) =>
        target.write(chunk, err => (err == null ? resolve() : reject(err))),
      );
    }
  }

  /** The bytes that follow, at the beginning of the buffer; none at the end. Throws where the file ends before it should. */
  async #next(buffer: Buffer): Promise<Buffer> {
    const wanted = Math.min(buffer.length, this.#end - this.#at);
    if (wanted === 0) return buffer.subarray(0, 0);
    const { bytesRead } = await this.#file.read(buffer, 0, wanted, this.#at);
    if (bytesRead === 0) throw new Error('The file is shorter than it was.');
    this.#at += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
}
