// Runs the back end that npm installs: node-webcodecs and mediabunny in a Node process per command. Threads would not do,
// because the addon crashes in worker threads and its decoder is not safe with hostile files.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { compileCacheEnv } from '../../lib/compile-cache.ts';
import type { Backend, CodecCommand, SpawnSpec } from '../command.ts';

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 60_000;
const STATIC_PACKAGE = `@node-webcodecs/static-${process.platform}-${process.arch}`;
// Sources run as .ts; the published package has .js.
const HOST_PROGRAM = `${import.meta.dirname}/process${extname(import.meta.filename)}`;

/** Returns whether the addon's files for this platform are installed. */
export function isHostInstalled(): boolean {
  const { resolve } = createRequire(import.meta.url);
  try {
    return [resolve('node-webcodecs'), resolve(STATIC_PACKAGE)].length === 2;
  } catch {
    return false;
  }
}

/** Returns the back end, or a phrase that says why it cannot be used. `reasons` say why ffmpeg is not used. */
export async function openCodecHost(
  reasons: readonly string[],
  signal: AbortSignal,
): Promise<Backend | string> {
  if (!isHostInstalled())
    return `the package node-webcodecs has no binary for ${process.platform}-${process.arch} here`;
  const { file, args, env } = toSpawnSpec({ kind: 'check' });
  try {
    await run(file, args, { env, signal, timeout: CHECK_TIMEOUT_MS, killSignal: 'SIGKILL' });
  } catch {
    signal.throwIfAborted();
    return 'the package node-webcodecs does not load';
  }
  return createCodecHost(['node-webcodecs with openh264', ...reasons].join('; '));
}

/** Creates the back end without checking it. */
export function createCodecHost(detail: string): Backend {
  return { name: 'codec-host', detail, encoding: 'openh264', toSpawnSpec };
}

const ENV = {
  // Without this the addon prefers system ffmpeg libraries, which may be GPL.
  NODE_WEBCODECS_FORCE: 'static',
  // With the cache, the start takes 0.11 s of processor time instead of 0.23 s.
  ...compileCacheEnv(),
};

function toSpawnSpec(command: CodecCommand | { readonly kind: 'check' }): SpawnSpec {
  return {
    file: process.execPath,
    args: [
      '--max-old-space-size=512',
      '--disable-warning=ExperimentalWarning',
      HOST_PROGRAM,
      JSON.stringify(command),
    ],
    env: ENV,
  };
}
