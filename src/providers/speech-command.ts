// A local speech engine: the operator's command, with the text on its stdin and WAV on its stdout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { AppError } from '../lib/errors.ts';
import { createGate } from '../lib/gate.ts';

export interface SpeechOptions {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

// It runs on the processors of this machine.
const gate = createGate({ concurrency: 2, maxWaiting: 100 });
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 134_217_728;

/** The WAV. Throws AppError where the command fails, sends no WAV, or goes past its bounds. */
export function speakLocally(
  command: string,
  text: string,
  signal: AbortSignal,
  { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }: SpeechOptions = {},
): Promise<Buffer> {
  return gate(() => {
    const bounds = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    return speak(command, text, maxBytes, bounds).catch((err: unknown) => {
      signal.throwIfAborted();
      throw bounds.aborted ? failure('took too long', err) : err;
    });
  }, signal);
}

async function speak(command: string, text: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  // A group of its own, so that what the shell starts ends with it.
  const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
    }
  };
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  signal.addEventListener('abort', kill, { once: true });
  // A command that ends before it has read all of it shows in its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  try {
    const wav = await readBounded(child.stdout, maxBytes);
    const [code] = await closed;
    signal.throwIfAborted();
    if (code !== 0) throw failure(`ended with exit code ${code}`);
    if (!isWav(wav)) throw failure('sent something that is no WAV');
    return wav;
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

async function readBounded(stdout: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw failure(`sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isWav(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE';
}

function failure(what: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The speech command of this service ${what}.`, { cause });
}
