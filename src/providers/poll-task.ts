// Polls or cancels a task at a provider without fetching the result. Sends each request once; the caller polls again
// later.
import type { Cancellation, Handle, Protocol, Provider } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { type Send, sendOnce } from './send.ts';

/** A provider with tasks that can be polled. */
export type TaskProvider = Pick<Provider<never>, 'name' | 'pace' | 'classify'> & {
  readonly tasks: {
    poll(handle: Handle, call: never): Protocol<unknown>;
    cancel(handle: Handle): Protocol<unknown>;
  };
};

export interface PolledTask extends Handle {
  /** Whether the task should be cancelled. */
  readonly isCancelled: boolean;
}

export type TaskState =
  | { readonly kind: 'running'; readonly fraction?: number }
  /** The task succeeded or failed. Its result says which. */
  | { readonly kind: 'ended' }
  | Exclude<Cancellation, { readonly kind: 'running' }>
  /** The state could not be read. Poll again after `afterMs`. */
  | { readonly kind: 'unknown'; readonly afterMs: number | undefined; readonly isRateLimited: boolean };

/** Polls the task, or requests its cancellation. A poll stops before the request that fetches the result. */
export async function pollTask(
  provider: TaskProvider,
  { isCancelled, ...handle }: PolledTask,
  send: Send,
  signal: AbortSignal,
): Promise<TaskState> {
  const { poll, cancel } = provider.tasks;
  // `expects` has no effect, because the poll stops before the result is read.
  const protocol = isCancelled ? cancel(handle) : poll(handle, { expects: 'files' } as never);
  try {
    let step = protocol.next();
    while (step.done !== true) {
      const isFetch = step.value.role === 'fetches';
      if (isFetch && !isCancelled) return { kind: 'ended' };
      const { response, failure } = await sendOnce(provider, step.value, send, signal);
      // An error response in place of the result means that the task itself failed.
      const isFinal = failure === undefined || (isFetch && failure.kind !== 'rate_limited');
      if (response === undefined || !isFinal)
        return {
          kind: 'unknown',
          afterMs: failure?.retryAfterMs,
          isRateLimited: failure?.kind === 'rate_limited',
        };
      step = protocol.next(response);
    }
    return isCancelled ? (step.value as Cancellation) : toTaskState(step.value);
  } catch (err) {
    if (!(err instanceof ProviderError)) throw err;
    // The task was lost, failed or was rejected. The request for the result will report the reason. Whether a cancelled
    // task is billed stays unknown.
    return isCancelled ? { kind: 'unknown', afterMs: undefined, isRateLimited: false } : { kind: 'ended' };
  }
}

function toTaskState(state: unknown): TaskState {
  if (typeof state !== 'object' || state === null || !('isRunning' in state)) return { kind: 'ended' };
  const { fraction } = state as { readonly fraction?: number };
  return { kind: 'running', ...(fraction === undefined ? {} : { fraction }) };
}
