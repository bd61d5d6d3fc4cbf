// Runs the codecs that npm installs, node-webcodecs and mediabunny. Each command has its own Node process: the addon
// crashes in worker threads, and a hostile file may crash its decoder.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { getCompileCacheEnv } from '../../lib/compile-cache.ts';
import type { Backend, CodecCommand, SpawnSpec } from '../command.ts';

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 60_000;
const STATIC_PACKAGE = `@node-webcodecs/static-${process.platform}-${process.arch}`;
// The file is .ts in the repository and .js in the published package.
const HOST_PROGRAM = `${import.meta.dirname}/process${extname(import.meta.filename)}`;

/** Returns whether the addon's files for this platform are installed. */
export function isHostInstalled(): boolean {
  const { resolve } = createRequire(import.meta.url);
  try {
    resolve('node-webcodecs');
    resolve(STATIC_PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/** Returns the codec host, or a phrase that says why it cannot be used. `reasons` say why ffmpeg is not used. */
export async function checkCodecHost(
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
  return restoreCodecHost(['node-webcodecs with openh264', ...reasons].join('; '));
}

/** Creates the codec host without checking whether it works. */
export function restoreCodecHost(detail: string): Backend {
  return { name: 'codec-host', detail, encoderId: 'openh264', toSpawnSpec };
}

const ENV = {
  // By default, the addon prefers the system's ffmpeg libraries, which may be under the GPL.
  NODE_WEBCODECS_FORCE: 'static',
  // With a compile cache, starting the process takes 0.11 s of processor time instead of 0.23 s.
  ...getCompileCacheEnv(),
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
