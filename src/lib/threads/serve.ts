// Runs the tasks of a pool inside its thread, one after another, and replies with the output or the error of each.
import { parentPort } from 'node:worker_threads';
import { AppError, type ErrorCode, type Issue, toError } from '../errors.ts';

/** The message that a thread sends for each task. */
export type TaskResult<Output> =
  | { readonly output: Output }
  | { readonly error?: SerializedAppError; readonly failure?: string };

/** The part of an AppError that is sent between threads. */
interface SerializedAppError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues: readonly Issue[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

/** Runs `perform`, which may throw an AppError, for each message of the pool, with the last context that was received. */
export function serveTasks<Input, Output, Context = undefined>(
  perform: (input: Input, context: Context) => Output,
): void {
  let context: Context;
  parentPort?.on('message', (message: { readonly input: Input; readonly context?: Context }) => {
    if (message.context !== undefined) context = message.context;
    parentPort?.postMessage(runTask(() => perform(message.input, context)));
  });
}

function runTask<Output>(perform: () => Output): TaskResult<Output> {
  try {
    return { output: perform() };
  } catch (err) {
    if (!(err instanceof AppError)) return { failure: String(toError(err).stack) };
    const { code, message, issues, details } = err;
    return { error: { code, message, issues, details } };
  }
}
