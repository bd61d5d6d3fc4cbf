// A look at work that goes on at a provider: whether it has ended, without its result, and its end asked for. A request is
// sent once; whoever looks comes back.
import type { Handle, Protocol, Provider } from './provider.ts';
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
  /** The provider did not say; it may be asked again after that long. */
  | { readonly kind: 'unknown'; readonly afterMs: number | undefined; readonly isLimited: boolean };

/**
 * Asks for the state of the work, or for its end: `ended` then says that the provider was asked to stop, or knows nothing
 * of it. The protocol is left where it would fetch the result.
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
      if (step.value.role === 'fetches') return { kind: 'ended' };
      const { answer, failure } = await sendOnce(provider, step.value, send, signal);
      if (failure !== undefined || answer === undefined)
        return {
          kind: 'unknown',
          afterMs: failure?.retryAfterMs,
          isLimited: failure?.kind === 'rate_limited',
        };
      step = protocol.next(answer);
    }
    return lookOf(step.value);
  } catch (err) {
    // The work is lost, has failed, or was refused: whoever asks for the result finds out.
    if (err instanceof ProviderError) return { kind: 'ended' };
    throw err;
  }
}

function lookOf(state: unknown): Look {
  if (typeof state !== 'object' || state === null || !('isRunning' in state)) return { kind: 'ended' };
  const { fraction } = state as { readonly fraction?: number };
  return { kind: 'running', ...(fraction === undefined ? {} : { fraction }) };
}
