// The thread's side of a pool: does one task after another, and answers each with its output or the reason it has none.
import { parentPort } from 'node:worker_threads';
import { AppError, type ErrorCode, type Issue, toError } from '../errors.ts';

/** What a thread answers. */
export type TaskResult<Output> =
  | { readonly output: Output }
  | { readonly refusal?: SerializedAppError; readonly failure?: string };

/** What of an AppError travels between threads. */
interface SerializedAppError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues: readonly Issue[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

/** Answers the pool's messages by `perform`, which may throw an AppError. `context` is the newest that was sent. */
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
    return { refusal: { code, message, issues, details } };
  }
}
