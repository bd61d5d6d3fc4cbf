// The providers whose work goes on by itself, for whoever watches over calls that no run in memory waits for.
import { comfyui } from '../../providers/comfyui.ts';
import { fal } from '../../providers/fal.ts';
import { openaiResponses } from '../../providers/openai.ts';
import { type Look, peek, type Watched, type WatchedCall } from '../../providers/peek.ts';
import { replicate } from '../../providers/replicate.ts';
import type { NodeContext } from '../define.ts';
import type { Providers } from './providers.ts';

const CONNECT = { fal, replicate, comfyui, openai: openaiResponses } as const;

export type WatchedName = keyof typeof CONNECT;

export function isWatched(name: keyof Providers): name is WatchedName {
  return Object.hasOwn(CONNECT, name);
}

/** Asks for the state of a call, or for its end. */
export type LookAt = (
  call: WatchedCall,
  send: NodeContext['providerFetch'],
  signal: AbortSignal,
) => Promise<Look>;

/** How to look at the provider's calls; undefined where the operator has not configured it. */
export function watchedProvider(providers: Providers, name: WatchedName): LookAt | undefined {
  const endpoint = providers[name];
  if (endpoint === undefined) return undefined;
  const provider = CONNECT[name](endpoint) as unknown as Watched;
  return (call, send, signal) => peek(provider, call, send, signal);
}
