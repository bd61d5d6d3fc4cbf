// A pool of worker threads for work that would hold the event loop: bounded in threads, queue, time and memory, and
// fair between the accounts that ask.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { isAccepted } from '../gate.ts';
import type { TaskResult } from './serve.ts';

export interface ThreadPoolOptions {
  /** The thread's module, without its extension: sources run as .ts, the published package has .js. */
  readonly module: URL;
  readonly threads: number;
  /** A task that takes longer ends its thread, and rejects with TaskTooCostly. */
  readonly timeoutMs: number;
  /** Past it the thread ends, and its task rejects with TaskTooCostly. */
  readonly maxHeapMb: number;
  /** Waiting tasks of one account, beyond which the next one is refused; accepted work is never refused. */
  readonly maxWaiting: number;
}

export interface TaskOptions {
  /** Whose work it is: an account has one thread at a time, and accounts take turns. */
  readonly account: string;
  readonly signal: AbortSignal;
  /** What many tasks have in common: a thread is sent it only when it is another object than before. */
  readonly context?: object | undefined;
}

export interface ThreadPool<Input, Output> {
  /** Rejects with what the task threw, TaskTooCostly, the signal's reason, or AppError `unavailable`. */
  run(input: Input, options: TaskOptions): Promise<Output>;
}

/** A task ran into the limit on its time or memory. */
export class TaskTooCostly extends Error {}

/** A thread that has nothing to do gives its memory back. */
const IDLE_MS = 20_000;

interface Task<Input, Output> extends TaskOptions {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (reason: unknown) => void;
}

export function createThreadPool<Input, Output>(options: ThreadPoolOptions): ThreadPool<Input, Output> {
  /** By account, in the order of their turns. */
  const waiting = new Map<string, Set<Task<Input, Output>>>();
  const busy = new Set<string>();
  const idle = new Map<Worker, NodeJS.Timeout>();
  const contexts = new WeakMap<Worker, object>();
  let active = 0;

  /** The first task of the first account that has no thread. */
  const takeNext = (): Task<Input, Output> | undefined => {
    for (const [account, tasks] of waiting) {
      if (busy.has(account)) continue;
      const [task] = tasks;
      if (task === undefined) continue;
      remove(task);
      return task;
    }
    return undefined;
  };

  const remove = (task: Task<Input, Output>): void => {
    const tasks = waiting.get(task.account);
    if (tasks?.delete(task) !== true) return;
    // The account goes to the end of the line.
    waiting.delete(task.account);
    if (tasks.size > 0) waiting.set(task.account, tasks);
  };

  const startWaiting = (): void => {
    while (active < options.threads) {
      const task = takeNext();
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
      worker = takeWorker();
      const { input, context, signal } = task;
      const isNew = context !== undefined && contexts.get(worker) !== context;
      if (isNew) contexts.set(worker, context);
      const message = { input, ...(isNew ? { context } : {}) };
      const answer = await ask<Output>(worker, message, { signal, timeoutMs: options.timeoutMs });
      release(worker);
      if ('output' in answer) task.resolve(answer.output);
      else task.reject(restoreError(answer));
    } catch (err) {
      // Given up, too slow or out of memory: whatever the thread still does is of no use.
      void worker?.terminate();
      task.reject(task.signal.aborted ? task.signal.reason : err);
    }
  };

  const takeWorker = (): Worker => {
    const last = [...idle].at(-1);
    if (last === undefined) return startWorker();
    const [worker, timer] = last;
    clearTimeout(timer);
    idle.delete(worker);
    worker.ref();
    return worker;
  };

  const startWorker = (): Worker => {
    const file = new URL(`${options.module.href}${extname(import.meta.filename)}`);
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb } });
    // Both events may also befall a thread that nobody waits for.
    const forget = (): void => {
      clearTimeout(idle.get(worker));
      idle.delete(worker);
    };
    return worker.on('error', forget).on('exit', forget);
  };

  const release = (worker: Worker): void => {
    worker.unref();
    idle.set(worker, setTimeout(() => void worker.terminate(), IDLE_MS).unref());
  };

  return {
    run: (input, { account, signal, context }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const tasks = waiting.get(account) ?? new Set();
        if (tasks.size >= options.maxWaiting && !isAccepted()) {
          const message = 'Too much work of this account is waiting already; try again in a moment.';
          return reject(new AppError('unavailable', message, { headers: { 'retry-after': '2' } }));
        }
        const leave = (): void => {
          remove(task);
          reject(signal.reason);
        };
        const task: Task<Input, Output> = {
          input,
          account,
          signal,
          context,
          resolve: output => {
            signal.removeEventListener('abort', leave);
            resolve(output);
          },
          reject: reason => {
            signal.removeEventListener('abort', leave);
            reject(reason);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.set(account, tasks.add(task));
        startWaiting();
      }),
  };
}

/** Resolves with the thread's answer; rejects where it dies, takes too long, or the signal fires. */
function ask<Output>(
  worker: Worker,
  message: unknown,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<TaskResult<Output>> {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult<Output>>();
  const fail = (cause?: unknown): void =>
    reject(new TaskTooCostly('The task takes too long or too much memory.', { cause }));
  const timer = setTimeout(fail, timeoutMs);
  const abort = (): void => reject(signal.reason);
  const died = (err?: unknown): void => fail(err);
  worker.once('message', resolve).once('error', died).once('exit', died);
  signal.addEventListener('abort', abort, { once: true });
  worker.postMessage(message);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', died).off('exit', died);
    signal.removeEventListener('abort', abort);
  });
}

function restoreError({ refusal, failure }: Exclude<TaskResult<unknown>, { output: unknown }>): Error {
  if (refusal === undefined) return new Error(`A task in a thread failed: ${failure}`);
  const { code, message, issues, details } = refusal;
  return new AppError(code, message, {
    ...(issues === undefined ? {} : { issues }),
    ...(details === undefined ? {} : { details }),
  });
}
