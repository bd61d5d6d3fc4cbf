// The providers whose work goes on by itself, for whoever watches over calls that no run in memory waits for.
import { comfyui } from '../../providers/comfyui.ts';
import { fal } from '../../providers/fal.ts';
import { openaiResponses } from '../../providers/openai.ts';
import type { Look, Watched } from '../../providers/peek.ts';
import { askToCancel, peek } from '../../providers/peek.ts';
import type { Handle } from '../../providers/provider.ts';
import { replicate } from '../../providers/replicate.ts';
import type { NodeContext } from '../define.ts';
import type { Providers } from './providers.ts';

const CONNECT = { fal, replicate, comfyui, openai: openaiResponses } as const;

export type WatchedName = keyof typeof CONNECT;

export function isWatched(name: keyof Providers): name is WatchedName {
  return Object.hasOwn(CONNECT, name);
}

/** The provider where the operator has configured it. */
export function watchedProvider(providers: Providers, name: WatchedName): Watched | undefined {
  const endpoint = providers[name];
  return endpoint === undefined ? undefined : (CONNECT[name](endpoint) as unknown as Watched);
}

export interface WatchedCall extends Handle {
  /** Whether nobody wants its result any more. */
  readonly isCancelled: boolean;
}

/** Asks for the state of the call, or for its end. */
export function look(
  provider: Watched,
  { isCancelled, ...handle }: WatchedCall,
  send: NodeContext['providerFetch'],
  signal: AbortSignal,
): Promise<Look> {
  return (isCancelled ? askToCancel : peek)(provider, handle, send, signal);
}
