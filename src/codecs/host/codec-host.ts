// The back end that npm alone brings along: a Node process for each job, with node-webcodecs and mediabunny in it. It
// is a process, since the addon crashes in worker threads and its decoder is not safe with hostile files.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { compileCacheEnv } from '../../lib/compile-cache.ts';
import type { Backend, Command, Job } from '../job.ts';

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 20_000;
const STATIC_PACKAGE = `@node-webcodecs/static-${process.platform}-${process.arch}`;
// Sources run as .ts; the published package has .js.
const PROCESS = `${import.meta.dirname}/process${extname(import.meta.filename)}`;

/** Whether the addon's files for this platform are installed. */
export function isHostInstalled(): boolean {
  const { resolve } = createRequire(import.meta.url);
  try {
    return [resolve('node-webcodecs'), resolve(STATIC_PACKAGE)].length === 2;
  } catch {
    return false;
  }
}

/** The back end, or in a phrase why it cannot be; `reasons` say why nothing better was taken. */
export async function openCodecHost(
  reasons: readonly string[],
  signal: AbortSignal,
): Promise<Backend | string> {
  if (!isHostInstalled())
    return `the package node-webcodecs has no binary for ${process.platform}-${process.arch} here`;
  const { file, args, env } = commandFor({ kind: 'check' });
  try {
    await run(file, args, { env, signal, timeout: CHECK_TIMEOUT_MS, killSignal: 'SIGKILL' });
  } catch {
    signal.throwIfAborted();
    return 'the package node-webcodecs does not load';
  }
  return codecHost(['node-webcodecs with openh264', ...reasons].join('; '));
}

/** The back end, which was checked before. */
export function codecHost(detail: string): Backend {
  return { name: 'codec-host', detail, encoding: 'openh264', commandFor };
}

const ENV = {
  // Without it the addon prefers whatever ffmpeg libraries the machine has, GPL ones among them.
  NODE_WEBCODECS_FORCE: 'static',
  // 0.11 s of processor time for a start instead of 0.23 s.
  ...compileCacheEnv(),
};

function commandFor(job: Job | { readonly kind: 'check' }): Command {
  return {
    file: process.execPath,
    args: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning', PROCESS, JSON.stringify(job)],
    env: ENV,
  };
}
