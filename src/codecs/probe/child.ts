// A process that probes one file after another: questions and bytes go to it over its channel, facts come back.
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { compileCacheEnv } from '../../lib/compile-cache.ts';
import type { MediaFacts } from '../facts.ts';

/** A file that lies elsewhere than on this disk. */
export interface RemoteFile {
  readonly size: number;
  /** `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
}

export type Probed = MediaFacts | string;
interface Wanted {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** A file that is not on this disk: its size, and the bytes that it begins with, which for most is all that is read. */
export interface SentFile {
  readonly size: number;
  readonly head: Uint8Array;
}

/** What the process is sent. */
export type ProbeMessage =
  | { readonly what: 'facts' | 'contentType'; readonly file: string | SentFile }
  | { readonly id: number; readonly bytes: Uint8Array };
/** What it sends. */
export type ProbeAnswer =
  | { readonly value: Probed }
  | { readonly failure: string }
  | { readonly wanted: Wanted };

/** What the process says of a file that it cannot read. */
export class Unreadable extends Error {}
/** The bytes could not be read, which says nothing of the file; `cause` is what its `read` threw. */
export class ReadFailure extends Error {}

const MAX_HEAP_MB = 256;
/** What the reader of containers asks for first. */
const HEAD_BYTES = 131_072;

export class ProbeChild {
  readonly #process: ChildProcess;

  constructor() {
    // Sources run as .ts; the published package has .js.
    const file = new URL(`./process${extname(import.meta.filename)}`, import.meta.url);
    this.#process = fork(file, {
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      env: compileCacheEnv(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    // The caller asks gets the error as well; without a listener a process that dies idle would end this one.
    this.#process.on('error', () => this.end());
  }

  get isAlive(): boolean {
    return this.#process.connected;
  }

  /** Throws Unreadable, after which it may be asked again; after anything else it is to be ended. */
  async ask(
    what: 'facts' | 'contentType',
    file: string | RemoteFile,
    deadline: AbortSignal,
  ): Promise<Probed> {
    const child = this.#process;
    const { promise, resolve, reject } = Promise.withResolvers<Probed>();
    const hand = async ({ id, start, end }: Wanted): Promise<void> => {
      const bytes = typeof file === 'string' ? new Uint8Array() : await file.read(start, end);
      if (child.connected) this.#send({ id, bytes });
    };
    const listen = (answer: ProbeAnswer): void => {
      if ('value' in answer) resolve(answer.value);
      else if ('failure' in answer) reject(new Unreadable(answer.failure));
      else
        hand(answer.wanted).catch(cause => reject(new ReadFailure('Its bytes cannot be read.', { cause })));
    };
    // The channel closes behind the last message, so that is how a process that died without an answer is noticed.
    const onEnd = (): void => reject(new Error('The probe ended without an answer.'));
    const onAbort = (): void => reject(deadline.reason);
    child.on('message', listen).on('disconnect', onEnd).on('error', reject);
    deadline.addEventListener('abort', onAbort, { once: true });
    this.#hold(true);
    try {
      deadline.throwIfAborted();
      sentFile(file).then(
        sent => this.#send({ what, file: sent }),
        cause => reject(new ReadFailure('Its bytes cannot be read.', { cause })),
      );
      return await promise;
    } finally {
      child.off('message', listen).off('disconnect', onEnd).off('error', reject);
      deadline.removeEventListener('abort', onAbort);
      this.#hold(false);
    }
  }

  end(): void {
    this.#process.kill('SIGKILL');
  }

  /** Where the channel has closed meanwhile, its end says so. */
  #send(message: ProbeMessage): void {
    this.#process.send(message, () => undefined);
  }

  /** At work it keeps this process alive, idle it does not. */
  #hold(isBeingEdited: boolean): void {
    const change = isBeingEdited ? 'ref' : 'unref';
    this.#process[change]();
    this.#process.channel?.[change]();
  }
}

async function sentFile(file: string | RemoteFile): Promise<string | SentFile> {
  if (typeof file === 'string') return file;
  const { size } = file;
  return { size, head: size === 0 ? new Uint8Array() : await file.read(0, Math.min(size, HEAD_BYTES)) };
}
