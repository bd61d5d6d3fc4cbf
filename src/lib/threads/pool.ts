// Runs tasks in worker threads that would otherwise block the event loop. Bounds threads, queue, time and memory, and
// shares the threads fairly between accounts.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { isAccepted } from '../limiter.ts';
import { limitProcessorTime, readThreadTime } from './processor-time.ts';
import type { TaskResult } from './serve.ts';

export interface ThreadPoolOptions {
  /** The thread's module, without its extension: sources run as .ts, the published package has .js. */
  readonly module: URL;
  readonly threads: number;
  /** The limit of processor time. A task that needs more is rejected with TaskTooCostly, and its thread ends. */
  readonly timeoutMs: number;
  /** A task that needs more memory is rejected with TaskTooCostly, and its thread ends. */
  readonly maxHeapMb: number;
  /** Maximum number of waiting tasks per account; further tasks are rejected, except accepted work. */
  readonly maxWaiting: number;
}

export interface TaskOptions {
  /** The account that the task belongs to. An account uses one thread at a time, and accounts take turns. */
  readonly account: string;
  readonly signal: AbortSignal;
  /** Data that many tasks share. A thread receives it only when it differs from the previous object. */
  readonly context?: object | undefined;
}

export interface ThreadPool<Input, Output> {
  /** Rejects with the task's own error, TaskTooCostly, the signal's reason, or an AppError `unavailable`. */
  run(input: Input, options: TaskOptions): Promise<Output>;
}

/** Thrown when a task exceeds its limit of time or memory. */
export class TaskTooCostly extends Error {}

/** An idle thread ends after this time to free its memory. */
const IDLE_MS = 20_000;

interface Task<Input, Output> extends TaskOptions {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (reason: unknown) => void;
}

export function createThreadPool<Input, Output>(options: ThreadPoolOptions): ThreadPool<Input, Output> {
  /** The waiting tasks by account, in the order of their turns. */
  const waitingTasks = new Map<string, Set<Task<Input, Output>>>();
  const busy = new Set<string>();
  const idle = new Map<Worker, NodeJS.Timeout>();
  const contexts = new WeakMap<Worker, object>();
  let active = 0;

  /** Removes and returns the first task of the first account that has no thread. */
  const dequeue = (): Task<Input, Output> | undefined => {
    for (const [account, tasks] of waitingTasks) {
      if (busy.has(account)) continue;
      const [task] = tasks;
      if (task === undefined) continue;
      remove(task);
      return task;
    }
    return undefined;
  };

  const remove = (task: Task<Input, Output>): void => {
    const tasks = waitingTasks.get(task.account);
    if (tasks?.delete(task) !== true) return;
    // The account moves to the end of the queue.
    waitingTasks.delete(task.account);
    if (tasks.size > 0) waitingTasks.set(task.account, tasks);
  };

  const startWaiting = (): void => {
    while (active < options.threads) {
      const task = dequeue();
      if (task === undefined) return;
      active++;
      busy.add(task.account);
      void perform(task).finally(() => {
        active--;
        busy.delete(task.account);
        startWaiting();
      });
    }
  };

  const perform = async (task: Task<Input, Output>): Promise<void> => {
    let worker: Worker | undefined;
    try {
      worker = getWorker();
      const { input, context, signal } = task;
      const isNew = context !== undefined && contexts.get(worker) !== context;
      if (isNew) contexts.set(worker, context);
      const message = { input, ...(isNew ? { context } : {}) };
      const result = await postTask<Output>(worker, message, { signal, timeoutMs: options.timeoutMs });
      release(worker);
      if ('output' in result) task.resolve(result.output);
      else task.reject(restoreError(result));
    } catch (err) {
      // The task was aborted, was too slow or ran out of memory, so its thread is stopped.
      void worker?.terminate();
      task.reject(task.signal.aborted ? task.signal.reason : err);
    }
  };

  const getWorker = (): Worker => {
    const newestIdle = [...idle].at(-1);
    if (newestIdle === undefined) return startWorker();
    const [worker, timer] = newestIdle;
    clearTimeout(timer);
    idle.delete(worker);
    worker.ref();
    return worker;
  };

  const startWorker = (): Worker => {
    const file = new URL(`${options.module.href}${extname(import.meta.filename)}`);
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb } });
    // Both events may also occur while the thread is idle.
    const removeWorker = (): void => {
      clearTimeout(idle.get(worker));
      idle.delete(worker);
    };
    return worker.on('error', removeWorker).on('exit', removeWorker);
  };

  const release = (worker: Worker): void => {
    worker.unref();
    idle.set(worker, setTimeout(() => void worker.terminate(), IDLE_MS).unref());
  };

  return {
    run: (input, { account, signal, context }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const tasks = waitingTasks.get(account) ?? new Set();
        if (tasks.size >= options.maxWaiting && !isAccepted()) {
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
        startWaiting();
      }),
  };
}

/** Resolves with the thread's result. Rejects if the thread dies or takes too long, or if the signal fires. */
async function postTask<Output>(
  worker: Worker,
  message: unknown,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<TaskResult<Output>> {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult<Output>>();
  const fail = (cause?: unknown): void =>
    reject(new TaskTooCostly('The task takes too much time or memory.', { cause }));
  using limit = limitProcessorTime(() => readThreadTime(worker), timeoutMs);
  limit.signal.addEventListener('abort', () => fail(limit.signal.reason));
  const abort = (): void => reject(signal.reason);
  const died = (err?: unknown): void => fail(err);
  worker.once('message', resolve).once('error', died).once('exit', died);
  signal.addEventListener('abort', abort, { once: true });
  worker.postMessage(message);
  try {
    return await promise;
  } finally {
    worker.off('message', resolve).off('error', died).off('exit', died);
    signal.removeEventListener('abort', abort);
  }
}

function restoreError({ error: refusal, failure }: Exclude<TaskResult<unknown>, { output: unknown }>): Error {
  if (refusal === undefined) return new Error(`A task in a thread failed: ${failure}`);
  const { code, message, issues, details } = refusal;
  return new AppError(code, message, {
    ...(issues === undefined ? {} : { issues }),
    ...(details === undefined ? {} : { details }),
  });
}
