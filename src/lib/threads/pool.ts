// Runs tasks in workers (threads or processes) that would otherwise block the event loop. Bounds workers, queue, time
// and memory, and shares the workers fairly between accounts.
import type { EventEmitter } from 'node:events';
import { extname } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { IdlePool } from '../idle-pool.ts';
import { Rests } from '../rests.ts';
import { getWork } from '../work.ts';
import { limitProcessorTime, readThreadTime } from './processor-time.ts';
import type { TaskResult } from './serve.ts';

/** A thread or process that answers each message with one message. */
export interface PoolWorker {
  post(message: unknown): void;
  /** Emits `message`, and `error` or `exit` when it ends. */
  readonly events: Pick<EventEmitter, 'on' | 'once' | 'off'>;
  /**
   * Resolves when the worker accepts messages; the time until then does not count toward limits. Without it, messages
   * wait in the worker's queue during the start.
   */
  readonly ready?: Promise<void>;
  /** `ref` makes the worker keep the service's process running, and `unref` undoes `ref`. */
  ref(): void;
  unref(): void;
  terminate(): void;
  /** Returns the worker's processor time in ms. Without it, tasks are limited by elapsed time. */
  readonly readProcessorTime?: () => Promise<number>;
}

export interface PoolOptions {
  readonly start: () => PoolWorker;
  /** How many workers run at the same time. */
  readonly size: number;
  /** Workers that only run tasks with at most this limit, so that these never wait for longer ones. Default: none. */
  readonly reserved?: { readonly workers: number; readonly maxTimeoutMs: number };
  /** A task that needs more time is rejected with TaskTooCostlyError, and its worker ends. */
  readonly timeoutMs: number;
  /** Maximum number of waiting tasks per account; further tasks are rejected, except accepted work. */
  readonly maxWaiting: number;
  /** Whether accounts rest after their tasks while others are active. Default: false. */
  readonly isCostly?: boolean;
  /** A worker ends after this many tasks. Default: no limit. */
  readonly maxTasks?: number;
  /** An idle worker ends after this time to free its memory. Default: 20 s. */
  readonly idleMs?: number;
}

export interface ThreadPoolOptions extends Pick<PoolOptions, 'timeoutMs' | 'maxWaiting' | 'reserved'> {
  /** The thread's module, without its extension: sources run as .ts, the published package has .js. */
  readonly module: URL;
  readonly threads: number;
  /** A task that needs more memory is rejected with TaskTooCostlyError, and its thread ends. */
  readonly maxHeapMb: number;
}

export interface TaskOptions {
  readonly signal: AbortSignal;
  /** Data that many tasks share. A worker receives the object only if the worker's previous task had a different one. */
  readonly context?: object | undefined;
  /** Replaces the limit of the pool. */
  readonly timeoutMs?: number;
}

export interface WorkerPool<Input, Output> {
  /**
   * Runs the task for the account of the current work. Each account uses one worker at a time. The account that has used
   * workers for the shortest time in the last minutes is next. Rejects with the task's own error, TaskTooCostlyError, the
   * signal's reason, or an AppError `unavailable`.
   */
  run(input: Input, options: TaskOptions): Promise<Output>;
}

/** Thrown when a task exceeds its limit of time or memory. */
export class TaskTooCostlyError extends Error {}

const IDLE_MS = 20_000;

/** After this time, the time that an account has used workers counts half. */
const HALF_LIFE_MS = 60_000;

interface Task<Input, Output> extends TaskOptions {
  readonly account: string;
  readonly timeoutMs: number;
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (reason: unknown) => void;
}

/** Creates a pool of threads, which are limited by their processor time. */
export function createThreadPool<Input, Output>({
  module,
  threads,
  maxHeapMb,
  ...limits
}: ThreadPoolOptions): WorkerPool<Input, Output> {
  return createPool({
    ...limits,
    size: threads,
    isCostly: true,
    start: () => startThread(module, maxHeapMb),
  });
}

function startThread(module: URL, maxHeapMb: number): PoolWorker {
  const file = new URL(`${module.href}${extname(import.meta.filename)}`);
  const thread = new Thread(file, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  return {
    post: message => thread.postMessage(message),
    events: thread,
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    terminate: () => void thread.terminate(),
    readProcessorTime: () => readThreadTime(thread),
  };
}

export function createPool<Input, Output>(options: PoolOptions): WorkerPool<Input, Output> {
  /** The waiting tasks by account. The account that waits longest since its last task is first. */
  const waitingTasks = new Map<string, Set<Task<Input, Output>>>();
  const busyAccounts = new Set<string>();
  const rests = new Rests();
  const usage = createUsage();
  const idleWorkers = new IdlePool<PoolWorker>(options.idleMs ?? IDLE_MS, worker => worker.terminate());
  const sentContexts = new WeakMap<PoolWorker, object>();
  const taskCounts = new WeakMap<PoolWorker, number>();
  const { workers: reservedWorkers, maxTimeoutMs: maxReservedMs } = options.reserved ?? NOTHING_RESERVED;
  let activeTasks = 0;
  let activeLongTasks = 0;

  const isLong = ({ timeoutMs }: Task<Input, Output>): boolean => timeoutMs > maxReservedMs;
  const canStart = (task: Task<Input, Output>): boolean =>
    !isLong(task) || activeLongTasks < options.size - reservedWorkers;

  /** Removes and returns the next task of the account, of those that have no worker, that has used the least time. */
  const dequeue = (): Task<Input, Output> | undefined => {
    let next: Task<Input, Output> | undefined;
    for (const [account, tasks] of waitingTasks) {
      if (busyAccounts.has(account) || rests.has(account)) continue;
      if (next !== undefined && usage.get(account) >= usage.get(next.account)) continue;
      for (const task of tasks)
        if (canStart(task)) {
          next = task;
          break;
        }
    }
    if (next !== undefined) remove(next);
    return next;
  };

  const remove = (task: Task<Input, Output>): void => {
    const tasks = waitingTasks.get(task.account);
    if (tasks?.delete(task) !== true) return;
    // The account moves to the end of the queue.
    waitingTasks.delete(task.account);
    if (tasks.size > 0) waitingTasks.set(task.account, tasks);
  };

  const startNextTasks = (): void => {
    while (activeTasks < options.size) {
      const task = dequeue();
      if (task === undefined) return;
      activeTasks++;
      if (isLong(task)) activeLongTasks++;
      busyAccounts.add(task.account);
      void perform(task).then(tookMs => {
        activeTasks--;
        if (isLong(task)) activeLongTasks--;
        busyAccounts.delete(task.account);
        usage.add(task.account, tookMs);
        if (options.isCostly === true) rests.begin(task.account, tookMs, startNextTasks);
        startNextTasks();
      });
    }
  };

  /** Returns how long the worker was busy. Never rejects. */
  const perform = async (task: Task<Input, Output>): Promise<number> => {
    let worker: PoolWorker | undefined;
    let startedMs = performance.now();
    try {
      worker = getWorker();
      if (worker.ready !== undefined) await worker.ready;
      startedMs = performance.now();
      const { input, context, signal, timeoutMs } = task;
      // The task may have been aborted while the worker started.
      if (signal.aborted) {
        release(worker);
        return 0;
      }
      const isNew = context !== undefined && sentContexts.get(worker) !== context;
      if (isNew) sentContexts.set(worker, context);
      const message = { input, ...(isNew ? { context } : {}) };
      const result = await postTask<Output>(worker, message, { signal, timeoutMs });
      release(worker);
      if ('output' in result) task.resolve(result.output);
      else task.reject(restoreError(result));
    } catch (err) {
      // The task was aborted, was too slow or ran out of memory, so its worker is stopped.
      worker?.terminate();
      task.reject(task.signal.aborted ? task.signal.reason : err);
    }
    return performance.now() - startedMs;
  };

  const getWorker = (): PoolWorker => {
    const worker = idleWorkers.take();
    if (worker === undefined) return startWorker();
    worker.ref();
    return worker;
  };

  const startWorker = (): PoolWorker => {
    const worker = options.start();
    // Both events may also occur while the worker is idle.
    const removeWorker = (): void => idleWorkers.remove(worker);
    worker.events.on('error', removeWorker);
    worker.events.on('exit', removeWorker);
    return worker;
  };

  const release = (worker: PoolWorker): void => {
    const taskCount = (taskCounts.get(worker) ?? 0) + 1;
    if (taskCount >= (options.maxTasks ?? Number.POSITIVE_INFINITY)) {
      worker.terminate();
      return;
    }
    taskCounts.set(worker, taskCount);
    worker.unref();
    idleWorkers.add(worker);
  };

  return {
    run: (input, { signal, context, timeoutMs = options.timeoutMs }) =>
      new Promise((resolve, reject) => {
        const { account } = getWork();
        if (signal.aborted) return reject(signal.reason);
        const tasks = waitingTasks.get(account) ?? new Set();
        if (tasks.size >= options.maxWaiting && !getWork().isAccepted) {
          const message = 'Too much work of this account is already waiting. Try again in a few seconds.';
          return reject(new AppError('unavailable', message, { headers: { 'retry-after': '2' } }));
        }
        const onAbort = (): void => {
          remove(task);
          reject(signal.reason);
        };
        const task: Task<Input, Output> = {
          input,
          account,
          signal,
          context,
          timeoutMs,
          resolve: output => {
            signal.removeEventListener('abort', onAbort);
            resolve(output);
          },
          reject: reason => {
            signal.removeEventListener('abort', onAbort);
            reject(reason);
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waitingTasks.set(account, tasks.add(task));
        startNextTasks();
      }),
  };
}

const NOTHING_RESERVED = { workers: 0, maxTimeoutMs: Number.POSITIVE_INFINITY };

/** Below this, the time that an account has used is forgotten. */
const FORGOTTEN_MS = 1;

/** Counts the time that each account has used, which decays. */
function createUsage() {
  const used = new Map<string, { readonly ms: number; readonly atMs: number }>();
  const get = (account: string): number => {
    const entry = used.get(account);
    if (entry === undefined) return 0;
    const ms = entry.ms * 0.5 ** ((performance.now() - entry.atMs) / HALF_LIFE_MS);
    if (ms < FORGOTTEN_MS) used.delete(account);
    return ms;
  };
  const add = (account: string, ms: number): void => {
    used.set(account, { ms: get(account) + ms, atMs: performance.now() });
    for (const other of used.keys()) get(other);
  };
  return { get, add };
}

/** Resolves with the worker's result. Rejects if the worker dies or takes too long, or if the signal fires. */
async function postTask<Output>(
  worker: PoolWorker,
  message: unknown,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<TaskResult<Output>> {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult<Output>>();
  const fail = (cause?: unknown): void =>
    reject(new TaskTooCostlyError('The task takes too much time or memory.', { cause }));
  using limit = limitProcessorTime(async () => worker.readProcessorTime?.(), timeoutMs);
  limit.signal.addEventListener('abort', () => fail(limit.signal.reason));
  const abort = (): void => reject(signal.reason);
  const onDeath = (err?: unknown): void => fail(err);
  worker.events.once('message', resolve).once('error', onDeath).once('exit', onDeath);
  signal.addEventListener('abort', abort, { once: true });
  worker.post(message);
  try {
    return await promise;
  } finally {
    worker.events.off('message', resolve).off('error', onDeath).off('exit', onDeath);
    signal.removeEventListener('abort', abort);
  }
}

function restoreError({ error, failure }: Exclude<TaskResult<unknown>, { output: unknown }>): Error {
  if (error === undefined) return new Error(`A task in a worker failed: ${failure}`);
  const { code, message, issues, details } = error;
  return new AppError(code, message, {
    ...(issues === undefined ? {} : { issues }),
    ...(details === undefined ? {} : { details }),
  });
}
