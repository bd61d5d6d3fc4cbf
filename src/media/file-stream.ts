// Streams a part of a file. When piped, the stream reuses one buffer.
import type { FileHandle } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import type { ByteRange } from './storage.ts';

const CHUNK_BYTES = 131_072;

/**
 * When piped, reads each chunk into the same buffer after the previous chunk was written. Separate buffers made the garbage
 * collector run every 64 MB, which was half of the cost of serving a file. Any other reader gets a buffer per chunk.
 */
export class FileStream extends Readable {
  readonly #file: FileHandle;
  readonly #end: number;
  #offset: number;
  #isPiped = false;

  /** Closes the file when the stream ends or is destroyed. */
  constructor(file: FileHandle, { start, end }: ByteRange) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#file = file;
    this.#offset = start;
    this.#end = end + 1;
  }

  override pipe<T extends NodeJS.WritableStream>(target: T, { end = true }: { end?: boolean } = {}): T {
    this.#isPiped = true;
    this.#pump(target as unknown as Writable).then(
      () => {
        if (end) target.end();
        // Nobody reads the stream any further, so it must flow to end.
        this.push(null);
        this.resume();
      },
      (err: Error) => this.destroy(err),
    );
    return target;
  }

  override _read(): void {
    if (this.#isPiped) return;
    this.#readNext(Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.#end - this.#offset))).then(
      chunk => this.push(chunk.length === 0 ? null : chunk),
      (err: Error) => this.destroy(err),
    );
  }

  override _destroy(err: Error | null, callback: (err?: Error | null) => void): void {
    this.#file.close().then(
      () => callback(err),
      closeErr => callback(err ?? closeErr),
    );
  }

  async #pump(target: Writable): Promise<void> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.#end - this.#offset));
    for (;;) {
      const chunk = await this.#readNext(buffer);
      if (chunk.length === 0) return;
      await new Promise<void>((resolve, reject) =>
        target.write(chunk, err => (err == null ? resolve() : reject(err))),
      );
    }
  }

  /** Reads the next bytes into the buffer. Returns none at the end. Throws if the file is shorter than expected. */
  async #readNext(buffer: Buffer): Promise<Buffer> {
    const length = Math.min(buffer.length, this.#end - this.#offset);
    if (length === 0) return buffer.subarray(0, 0);
    const { bytesRead } = await this.#file.read(buffer, 0, length, this.#offset);
    if (bytesRead === 0) throw new Error('The file is shorter than expected.');
    this.#offset += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
}
