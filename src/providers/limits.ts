// Limits how many calls one process makes to each provider concurrently.
import { createLimiter, type FairLimiter, type Limiter } from '../lib/limiter.ts';
import { PROVIDER_NAMES, type ProviderName } from './names.ts';

/** The maximum number of concurrent calls for each key of `getProviderLimiter`. */
const MAX_CALLS_PER_KEY: Readonly<Record<ProviderName, number>> = {
  fal: 64,
  replicate: 64,
  openai: 16,
  elevenlabs: 4,
  comfyui: 4,
};

/** All keys together may have this many times as many concurrent calls as one key. */
const TOTAL_FACTOR = 8;
const MAX_SHARE_OF_FREE = 0.25;

/**
 * A call occupies a slot from before its files are read until its result is stored, so slots also bound the memory that
 * files use. A call leaves its slot while its task is in progress at the provider: the database counts such tasks.
 */
const PROVIDER_LIMITERS: Readonly<Partial<Record<string, FairLimiter>>> = Object.fromEntries(
  PROVIDER_NAMES.map(name => {
    const maxPerAccount = MAX_CALLS_PER_KEY[name];
    const concurrency = maxPerAccount * TOTAL_FACTOR;
    return [name, createLimiter({ concurrency, maxPerAccount, maxShareOfFree: MAX_SHARE_OF_FREE })];
  }),
);

/**
 * Returns the limiter for calls to the provider, or undefined if there is no provider with this name. Calls with the
 * same key share slots. The key identifies a workspace or a stored credential. Calls without a key, which use the
 * environment's credential, share the provider's remaining slots.
 */
export function getProviderLimiter(name: string, key: string | undefined): Limiter | undefined {
  const limit = PROVIDER_LIMITERS[name];
  return limit && ((work, signal) => limit(work, signal, key ?? name));
}
