// A look at work that goes on at a provider: whether it has ended, without its result, and its end asked for. A request is
// sent once; whoever looks comes back.
import type { Cancellation, Handle, Protocol, Provider } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { type Send, sendOnce } from './send.ts';

/** A provider whose work goes on by itself. */
export type Watched = Pick<Provider<never>, 'name' | 'pace' | 'classify'> & {
  readonly jobs: {
    poll(handle: Handle, call: never): Protocol<unknown>;
    cancel(handle: Handle): Protocol<unknown>;
  };
};

export interface WatchedCall extends Handle {
  /** Whether nobody wants its result any more. */
  readonly isCancelled: boolean;
}

export type Look =
  | { readonly kind: 'running'; readonly fraction?: number }
  /** It has come to whatever end: the result says which. */
  | { readonly kind: 'ended' }
  | Exclude<Cancellation, { readonly kind: 'running' }>
  /** The provider did not say; it may be asked again after that long. */
  | { readonly kind: 'unknown'; readonly afterMs: number | undefined; readonly isLimited: boolean };

/**
 * Asks for the state of the work, or for its end. Where its state is asked for, the protocol is left where it would fetch
 * the result.
 */
export async function peek(
  provider: Watched,
  { isCancelled, ...handle }: WatchedCall,
  send: Send,
  signal: AbortSignal,
): Promise<Look> {
  const { poll, cancel } = provider.jobs;
  // What the call asked for only says how a result is read.
  const protocol = isCancelled ? cancel(handle) : poll(handle, { expects: 'files' } as never);
  try {
    let step = protocol.next();
    while (step.done !== true) {
      const fetches = step.value.role === 'fetches';
      if (fetches && !isCancelled) return { kind: 'ended' };
      const { answer, failure } = await sendOnce(provider, step.value, send, signal);
      // What is answered in place of a result is the work's own failure.
      const stands = failure === undefined || (fetches && failure.kind !== 'rate_limited');
      if (answer === undefined || !stands)
        return {
          kind: 'unknown',
          afterMs: failure?.retryAfterMs,
          isLimited: failure?.kind === 'rate_limited',
        };
      step = protocol.next(answer);
    }
    return isCancelled ? (step.value as Cancellation) : lookOf(step.value);
  } catch (err) {
    if (!(err instanceof ProviderError)) throw err;
    // The work is lost, has failed, or was refused: whoever asks for the result finds out. Whether it is billed, nobody said.
    return isCancelled ? { kind: 'unknown', afterMs: undefined, isLimited: false } : { kind: 'ended' };
  }
}

function lookOf(state: unknown): Look {
  if (typeof state !== 'object' || state === null || !('isRunning' in state)) return { kind: 'ended' };
  const { fraction } = state as { readonly fraction?: number };
  return { kind: 'running', ...(fraction === undefined ? {} : { fraction }) };
}
