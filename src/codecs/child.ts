// Runs a codec in a child process, with backpressure on its pipes, a limit for stalls, and readable errors.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../lib/errors.ts';
import { describeUnsupportedCodec, EXIT_UNSUPPORTED, type SpawnSpec } from './command.ts';

/** A child that makes no I/O progress for this long is killed. On a busy machine, starting one may take almost as long. */
const STALL_MS = 60_000;
const MAX_STDERR_BYTES = 4096;

export interface ChildOptions {
  readonly signal: AbortSignal;
  /** The error code if the child fails, because the input is invalid or because writing failed. */
  readonly failure: 'unreadable_media' | 'codec_failed';
  readonly stallMs?: number;
}

/** Thrown when the child ended before its work was done. */
export class CodecEndedEarlyError extends Error {}

export class CodecChild {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly audio: Writable;
  readonly #process;
  readonly #options: ChildOptions;
  readonly #closed: Promise<number | null>;
  readonly #onAbort = (): void => this.kill();
  #stderr = '';
  #isStalled = false;
  #isKilled = false;

  constructor({ file, args, env }: SpawnSpec, options: ChildOptions) {
    options.signal.throwIfAborted();
    this.#options = options;
    this.#process = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
    const [stdin, stdout, stderr, audio] = this.#process.stdio as unknown as [
      Writable,
      Readable,
      Readable,
      Writable,
    ];
    [this.stdin, this.stdout, this.audio] = [stdin, stdout, audio];
    // The exit code and the write callbacks report broken pipes.
    for (const stream of [stdin, stdout, stderr, audio]) stream.on('error', () => undefined);
    stderr.setEncoding('latin1').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_BYTES);
    });
    this.#closed = new Promise(resolve => {
      this.#process.once('close', resolve);
      this.#process.once('error', () => resolve(null));
    });
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Writes a block. Resolves when at most a pipe buffer of the block is unread. */
  write(stream: Writable, block: Uint8Array): Promise<void> {
    return this.#watch(
      new Promise((resolve, reject) => stream.write(block, err => (err ? reject(err) : resolve()))),
    );
  }

  /** Yields the blocks of stdout, of any size. */
  async *read(): AsyncGenerator<Buffer> {
    const blocks = this.stdout[Symbol.asyncIterator]();
    while (true) {
      const { value, done } = await this.#watch(blocks.next());
      if (done === true) return;
      yield value as Buffer;
    }
  }

  /** Resolves when the child has exited successfully. */
  async finish(): Promise<void> {
    const code = await this.#watch(this.#closed);
    if (code !== 0) throw new CodecEndedEarlyError(`The codec exited with code ${code}.`);
  }

  /** Ends the child and returns the error to throw for `err`. */
  async endWithReason(err: unknown): Promise<unknown> {
    // A child that closes its pipe early is about to exit with a more specific error.
    const code = err instanceof Error && 'code' in err ? String(err.code) : '';
    const isFromProducer =
      !(err instanceof CodecEndedEarlyError) && !/^(EPIPE|ECONNRESET|ERR_STREAM_\w+)$/.test(code);
    if (!isFromProducer && !this.#isStalled)
      await Promise.race([this.#closed, once(AbortSignal.timeout(1000), 'abort')]);
    await this.end();
    const { signal, failure } = this.#options;
    if (signal.aborted) return signal.reason;
    if (isFromProducer && !this.#isStalled) return err;
    const cause = new Error(toPrintable(this.#stderr), { cause: err });
    if (this.#isStalled) {
      return new AppError(failure, 'The codec stopped responding and was stopped.', { cause });
    }
    return new AppError(failure, this.#describeFailure(), { cause });
  }

  /** Kills the child if it is running, and waits until it has exited. */
  async end(): Promise<void> {
    this.kill();
    await this.#closed;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
  }

  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.#process.kill('SIGKILL');
    for (const stream of [this.stdin, this.stdout, this.audio]) stream.destroy();
  }

  #describeFailure(): string {
    if (this.#process.exitCode === EXIT_UNSUPPORTED)
      return describeUnsupportedCodec(this.#stderr, ', or install ffmpeg on the server');
    return this.#options.failure === 'unreadable_media'
      ? "The file can't be decoded: it is damaged or of an unknown type."
      : 'The codec failed while writing the file.';
  }

  /** Waits for the child, and kills it if it stalls. The time that a producer takes does not count. */
  async #watch<T>(step: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#isStalled = true;
      this.kill();
    }, this.#options.stallMs ?? STALL_MS);
    try {
      return await step;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Keeps only printable ASCII, because codec output may contain arbitrary bytes, even of freed memory. */
export function toPrintable(text: string): string {
  return text.replace(/[^\x20-\x7e\n]+/g, ' ').trim() || 'no message';
}
