// Starts processes of a pool that may only read named files, for programs of users and for models.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { PoolWorker } from './pool.ts';

/** Node reads this file to learn that the sources are ES modules. */
const PACKAGE_FILE = join(import.meta.dirname, '../../../package.json');

export interface ProcessOptions {
  /** The module that the process runs. */
  readonly program: string;
  readonly programArguments?: readonly string[];
  readonly nodeOptions: readonly string[];
  /** The files and folders that the process may read. */
  readonly readablePaths: readonly string[];
  /** Returns the error of a process that ended before it accepted messages. */
  readonly createStartError: (exitCode: number | null) => Error;
}

/** Starts a process with an empty environment and Node's permissions. It sends a message once it accepts messages. */
export function startRestrictedProcess({
  program,
  programArguments = [],
  nodeOptions,
  readablePaths,
  createStartError,
}: ProcessOptions): { readonly child: ChildProcess; readonly worker: PoolWorker } {
  const child = spawn(
    process.execPath,
    [
      '--permission',
      ...[PACKAGE_FILE, ...readablePaths].map(path => `--allow-fs-read=${path}`),
      '--disable-warning=ExperimentalWarning',
      ...nodeOptions,
      program,
      ...programArguments,
    ],
    { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' },
  );
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('error', reject);
    child.once('exit', code => reject(createStartError(code)));
  });
  // The task that waits for the process reports the error.
  ready.catch(() => undefined);
  const worker: PoolWorker = {
    events: child,
    ready,
    post: message => child.send(message as object, () => undefined),
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    terminate: () => void child.kill('SIGKILL'),
  };
  return { child, worker };
}
