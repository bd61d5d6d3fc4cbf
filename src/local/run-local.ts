// Runs tasks of local nodes in child processes: one task at a time in each, shared fairly between accounts. A process that takes
// too long or too much memory is killed, as is one whose task was cancelled.
import { type ChildProcess, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism, setPriority } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { getOrCreate } from '../lib/get-or-create.ts';
import type { Settings } from '../lib/settings.ts';
import { createPool, type PoolWorker, TaskTooCostlyError, type WorkerPool } from '../lib/threads/pool.ts';
import { startRestrictedProcess } from '../lib/threads/restricted-process.ts';
import { getModelFolder } from './models.ts';
import { listPackageFolders } from './packages.ts';
import type { LocalAnswer, LocalTask, LocalTaskKind, LocalTasks } from './tasks.ts';

export type LocalSettings = Pick<
  Settings,
  'DATA_DIR' | 'LOCAL_MEMORY_MB' | 'LOCAL_MODELS_DIR' | 'LOCAL_PROCESSES' | 'LOCAL_TIMEOUT_MS'
>;

export type LocalErrorCode =
  | 'local_timed_out'
  | 'local_out_of_memory'
  | 'local_process_ended'
  | 'local_model_invalid';

/** A task that failed. The message is shown to users. */
export class LocalError extends Error {
  readonly code: LocalErrorCode;
  constructor(code: LocalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Models unload after this time without a task. */
const IDLE_MS = 300_000;
/** A node that is mapped over a list starts the tasks of all items at the same time. */
const MAX_WAITING = 1000;
/** From 0 to 19, the lowest. */
const PRIORITY = 10;
/** How often the memory of a process is read. Only Linux has a file with it, elsewhere a program is started. */
const MEMORY_CHECK_MS = process.platform === 'linux' ? 50 : 1000;

/** The pools, by their settings. */
const pools = new Map<string, WorkerPool<LocalTask, LocalAnswer>>();

function getPool(settings: LocalSettings): WorkerPool<LocalTask, LocalAnswer> {
  const { DATA_DIR, LOCAL_MEMORY_MB, LOCAL_MODELS_DIR, LOCAL_TIMEOUT_MS } = settings;
  const size = getProcessCount(settings);
  const key = JSON.stringify([size, DATA_DIR, LOCAL_MEMORY_MB, LOCAL_MODELS_DIR, LOCAL_TIMEOUT_MS]);
  return getOrCreate(pools, key, () =>
    createPool<LocalTask, LocalAnswer>({
      start: () => startProcess(settings),
      size,
      timeoutMs: LOCAL_TIMEOUT_MS,
      maxWaiting: MAX_WAITING,
      idleMs: IDLE_MS,
    }),
  );
}

const getProcessCount = ({ LOCAL_PROCESSES }: LocalSettings): number =>
  LOCAL_PROCESSES ?? Math.max(1, Math.floor(availableParallelism() / 2));

/** The processes together use as many threads as the machine has cores. */
const getThreadCount = (settings: LocalSettings): number =>
  Math.max(1, Math.floor(availableParallelism() / getProcessCount(settings)));

export interface LocalContext {
  readonly settings: LocalSettings;
  readonly signal: AbortSignal;
}

/** Runs a task. Rejects with a LocalError, the signal's reason, or an AppError `unavailable`. */
export async function runLocal<K extends LocalTaskKind>(
  kind: K,
  input: LocalTasks[K]['input'],
  { settings, signal }: LocalContext,
): Promise<LocalTasks[K]['output']> {
  const run = (): Promise<LocalAnswer> =>
    getPool(settings)
      .run({ kind, input }, { signal })
      .catch((err: unknown) => {
        throw toLocalError(err, settings);
      });
  // The system may have killed the process, for example because other programs needed its memory.
  const answer = await run().catch((err: unknown) => {
    if (err instanceof LocalError && err.code === 'local_process_ended') return run();
    throw err;
  });
  if ('invalid' in answer) throw new LocalError('local_model_invalid', answer.invalid);
  return answer.value as LocalTasks[K]['output'];
}

/** The reason for which the service kills a process. */
class MemoryLimitError extends Error {}
/** A process that ended before it was ready. */
class StartError extends Error {}

/** Says why a process was killed or ended. Returns other errors unchanged. */
function toLocalError(err: unknown, { LOCAL_MEMORY_MB, LOCAL_TIMEOUT_MS }: LocalSettings): unknown {
  if (!(err instanceof TaskTooCostlyError || err instanceof StartError)) return err;
  const { cause } = err;
  if (cause instanceof MemoryLimitError) {
    const message = `The model needs more than ${LOCAL_MEMORY_MB} MB of memory. Use a smaller input, or ask the operator to raise LOCAL_MEMORY_MB.`;
    return new LocalError('local_out_of_memory', message, { cause });
  }
  if (cause instanceof DOMException && cause.name === 'TimeoutError') {
    const message = `A part of the work took more than ${LOCAL_TIMEOUT_MS / 1000} s. Use a smaller input, or ask the operator to raise LOCAL_TIMEOUT_MS.`;
    return new LocalError('local_timed_out', message, { cause });
  }
  return new LocalError('local_process_ended', 'The process that runs the model ended unexpectedly.', {
    cause: err,
  });
}

function startProcess(settings: LocalSettings): PoolWorker {
  const folder = import.meta.dirname;
  const { child, worker } = startRestrictedProcess({
    program: join(folder, `process/process${extname(import.meta.filename)}`),
    programArguments: [String(getThreadCount(settings))],
    // Models run in native code.
    nodeOptions: ['--allow-addons', '--disable-warning=SecurityWarning'],
    readablePaths: [
      folder,
      getModelFolder(settings.DATA_DIR),
      ...(settings.LOCAL_MODELS_DIR === undefined ? [] : [settings.LOCAL_MODELS_DIR]),
      ...listPackageFolders(),
    ],
    createStartError: code => new StartError(`A process for models ended at its start (${code}).`),
  });
  lowerPriority(child);
  const stopWatching = watchMemory(child, settings.LOCAL_MEMORY_MB);
  return {
    ...worker,
    terminate: () => {
      stopWatching();
      worker.terminate();
    },
  };
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, PRIORITY);
  } catch {
    // The process has ended already, which the task that waits for it reports.
  }
}

/** Makes the process emit an error when it uses more memory. Returns a function that stops watching. */
function watchMemory(child: ChildProcess, maxMb: number): () => void {
  let isChecking = false;
  const check = async (): Promise<void> => {
    if (isChecking || child.pid === undefined) return;
    isChecking = true;
    const usedMb = await readMemoryMb(child.pid);
    isChecking = false;
    if (usedMb > maxMb) child.emit('error', new MemoryLimitError(`It used ${Math.round(usedMb)} MB.`));
  };
  const timer = setInterval(() => void check(), MEMORY_CHECK_MS).unref();
  const stop = (): void => clearInterval(timer);
  child.once('exit', stop);
  return stop;
}

/** Returns the memory that a process uses, or 0 if it has ended. */
async function readMemoryMb(pid: number): Promise<number> {
  if (process.platform !== 'linux') {
    const ps = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => undefined);
    return Number(ps?.stdout ?? 0) / 1024;
  }
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
