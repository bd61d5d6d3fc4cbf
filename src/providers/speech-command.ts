// Runs the operator's speech command, which reads text from stdin and writes WAV to stdout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { AppError } from '../lib/errors.ts';
import { createLimiter } from '../lib/limiter.ts';

export interface SpeechOptions {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

// The command uses the CPUs of this machine.
const limit = createLimiter({ concurrency: 2, maxWaiting: 100 });
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 134_217_728;

/** Returns the WAV. Throws AppError if the command fails, writes something else, or exceeds its limits. */
export function synthesizeWithCommand(
  command: string,
  text: string,
  signal: AbortSignal,
  { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }: SpeechOptions = {},
): Promise<Buffer> {
  return limit(() => {
    const bounds = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    return runCommand(command, text, maxBytes, bounds).catch((err: unknown) => {
      signal.throwIfAborted();
      throw bounds.aborted ? createError('took too long', err) : err;
    });
  }, signal);
}

async function runCommand(
  command: string,
  text: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  // Runs in its own process group, so that killing it also kills the shell's children.
  const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
    }
  };
  const exit = once(child, 'close') as Promise<[code: number | null]>;
  signal.addEventListener('abort', kill, { once: true });
  // The write fails if the command ends before it has read everything. Its exit code then reports the error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  try {
    const wav = await readBounded(child.stdout, maxBytes);
    const [code] = await exit;
    signal.throwIfAborted();
    if (code !== 0) throw createError(`failed with exit code ${code}`);
    if (!isWav(wav)) throw createError('did not write WAV audio');
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
    if (bytes > maxBytes) throw createError(`wrote more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isWav(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE';
}

function createError(problem: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The local speech command ${problem}.`, { cause });
}
