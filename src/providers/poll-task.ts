// Polls work in progress at a provider, or asks for its cancellation, without fetching the result. Each request is sent
// once; the caller polls again later.
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
  /** Whether the result is no longer wanted. */
  readonly isCancelled: boolean;
}

export type PollResult =
  | { readonly kind: 'running'; readonly fraction?: number }
  /** It ended, successfully or not; the result says which. */
  | { readonly kind: 'ended' }
  | Exclude<Cancellation, { readonly kind: 'running' }>
  /** The provider's state could not be read. Poll again after `afterMs`. */
  | { readonly kind: 'unknown'; readonly afterMs: number | undefined; readonly isRateLimited: boolean };

/**
 * Polls the state of the work, or asks for its cancellation. When polling, the protocol stops before it would fetch the
 * result.
 */
export async function pollTask(
  provider: TaskProvider,
  { isCancelled, ...handle }: PolledTask,
  send: Send,
  signal: AbortSignal,
): Promise<PollResult> {
  const { poll, cancel } = provider.tasks;
  // `expects` only controls how a result is read, and none is read here.
  const protocol = isCancelled ? cancel(handle) : poll(handle, { expects: 'files' } as never);
  try {
    let step = protocol.next();
    while (step.done !== true) {
      const fetches = step.value.role === 'fetches';
      if (fetches && !isCancelled) return { kind: 'ended' };
      const { answer, failure } = await sendOnce(provider, step.value, send, signal);
      // An error in place of the result is the failure of the work itself.
      const isFinal = failure === undefined || (fetches && failure.kind !== 'rate_limited');
      if (answer === undefined || !isFinal)
        return {
          kind: 'unknown',
          afterMs: failure?.retryAfterMs,
          isRateLimited: failure?.kind === 'rate_limited',
        };
      step = protocol.next(answer);
    }
    return isCancelled ? (step.value as Cancellation) : toPollResult(step.value);
  } catch (err) {
    if (!(err instanceof ProviderError)) throw err;
    // The work was lost, failed or was refused: fetching the result will tell. Whether a cancelled call is billed stays
    // unknown.
    return isCancelled ? { kind: 'unknown', afterMs: undefined, isRateLimited: false } : { kind: 'ended' };
  }
}

function toPollResult(state: unknown): PollResult {
  if (typeof state !== 'object' || state === null || !('isRunning' in state)) return { kind: 'ended' };
  const { fraction } = state as { readonly fraction?: number };
  return { kind: 'running', ...(fraction === undefined ? {} : { fraction }) };
}
