// Manages a child process that probes one file after another. Requests, file contents and results are messages.
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { getCompileCacheEnv } from '../../lib/compile-cache.ts';
import type { MediaInfo } from '../media-info.ts';

/** A file that is not on this disk. */
export interface RemoteFile {
  readonly size: number;
  /** Reads the bytes [start, end). */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** The properties of a file, or only the content type. */
export type ProbeResult = MediaInfo | string;

interface RangeRequest {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** The size and first bytes of a remote file. They suffice to probe most files. */
export interface RemoteFileHead {
  readonly size: number;
  readonly head: Uint8Array;
}

/** A message to the child process. */
export type MessageToChild =
  | { readonly kind: 'info' | 'contentType'; readonly file: string | RemoteFileHead }
  | { readonly id: number; readonly bytes: Uint8Array };
/** A message from the child process. */
export type MessageFromChild =
  | { readonly value: ProbeResult }
  | { readonly failure: string }
  | { readonly requested: RangeRequest };

/** Thrown when the process could not parse the file. */
export class UnreadableFileError extends Error {}
/** Thrown when the bytes could not be read. `cause` is the error of the file's `read`. */
export class FileReadError extends Error {}

const MAX_HEAP_MB = 256;
/** Size of the first read by mediabunny. */
const HEAD_BYTES = 131_072;

export class ProbeChild {
  readonly #process: ChildProcess;

  constructor() {
    // Sources run as .ts; the published package has .js.
    const file = new URL(`./process${extname(import.meta.filename)}`, import.meta.url);
    this.#process = fork(file, {
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      env: getCompileCacheEnv(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    // `probe` reports the error. Without this listener, an error outside of a probe would crash this process.
    this.#process.on('error', () => this.end());
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isAlive(): boolean {
    return this.#process.connected;
  }

  /** Throws UnreadableFileError, after which the child can be reused. After any other error, end the child. */
  async probe(
    kind: 'info' | 'contentType',
    file: string | RemoteFile,
    deadline: AbortSignal,
  ): Promise<ProbeResult> {
    const child = this.#process;
    const { promise, resolve, reject } = Promise.withResolvers<ProbeResult>();
    const sendRange = async ({ id, start, end }: RangeRequest): Promise<void> => {
      const bytes = typeof file === 'string' ? new Uint8Array() : await file.read(start, end);
      if (child.connected) this.#send({ id, bytes });
    };
    const onMessage = (response: MessageFromChild): void => {
      if ('value' in response) resolve(response.value);
      else if ('failure' in response) reject(new UnreadableFileError(response.failure));
      else
        sendRange(response.requested).catch(cause =>
          reject(new FileReadError("The bytes can't be read.", { cause })),
        );
    };
    // The channel closes after the last message, so without a response the process has died.
    const onEnd = (): void => reject(new Error('The probe process exited without a response.'));
    const onAbort = (): void => reject(deadline.reason);
    child.on('message', onMessage).on('disconnect', onEnd).on('error', reject);
    deadline.addEventListener('abort', onAbort, { once: true });
    this.#setBusy(true);
    try {
      deadline.throwIfAborted();
      // The `disconnect` event has already fired.
      if (!child.connected) onEnd();
      readHead(file).then(
        input => this.#send({ kind, file: input }),
        cause => reject(new FileReadError("The bytes can't be read.", { cause })),
      );
      return await promise;
    } finally {
      child.off('message', onMessage).off('disconnect', onEnd).off('error', reject);
      deadline.removeEventListener('abort', onAbort);
      this.#setBusy(false);
    }
  }

  end(): void {
    this.#process.kill('SIGKILL');
  }

  /** Ignores errors. If the channel has closed, the `disconnect` event reports that. */
  #send(message: MessageToChild): void {
    this.#process.send(message, () => undefined);
  }

  /** Keeps this process alive while the child is busy, but not while the child is idle. */
  #setBusy(isBusy: boolean): void {
    const change = isBusy ? 'ref' : 'unref';
    this.#process[change]();
    this.#process.channel?.[change]();
  }
}

async function readHead(file: string | RemoteFile): Promise<string | RemoteFileHead> {
  if (typeof file === 'string') return file;
  const { size } = file;
  return { size, head: size === 0 ? new Uint8Array() : await file.read(0, Math.min(size, HEAD_BYTES)) };
}
