// Lists the providers, and limits how many calls one process makes to each at once.
import type { Limiter } from '../lib/limiter.ts';
import { createSharedLimiter, type SharedLimiter } from './shared-limiter.ts';

export const PROVIDER_NAMES = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

const MAX_CONCURRENT_CALLS: Readonly<Record<ProviderName, number>> = {
  fal: 64,
  replicate: 64,
  openai: 16,
  elevenlabs: 4,
  comfyui: 4,
};

/** The limit of one process for all workspaces together, as a multiple of the limit of one workspace. */
const TOTAL_FACTOR = 8;

/**
 * A call occupies a slot from before its files are read until its result is stored, so slots also bound the memory of
 * complete files. Credentials of a workspace share its slots. Tasks in progress at the provider are counted elsewhere.
 */
const PROVIDER_LIMITERS: Readonly<Partial<Record<string, SharedLimiter>>> = Object.fromEntries(
  Object.entries(MAX_CONCURRENT_CALLS).map(([name, perKey]) => [
    name,
    createSharedLimiter({ perKey, total: perKey * TOTAL_FACTOR }),
  ]),
);

/** Returns the limiter of calls; undefined if the name is not a provider's. Without a key, it is the environment's. */
export function getProviderLimiter(name: string, key: string | undefined): Limiter | undefined {
  const limit = PROVIDER_LIMITERS[name];
  return limit && ((work, signal) => limit(key ?? name, work, signal));
}

/** The names of the providers as users know them. */
export const DISPLAY_NAMES: Readonly<Record<ProviderName, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};
