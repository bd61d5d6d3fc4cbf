// Limits how many calls of a kind hold complete files in memory at once in one process. Without it, all calls that wait
// for a decoder or a provider would hold theirs.
import { createGate, type Gate } from '../lib/gate.ts';
import { MAX_CONCURRENT_CALLS, type ProviderName } from '../providers/names.ts';

/** Higher than the number of concurrent decodes, so that reading and storing continue meanwhile. */
export const IMAGE_LIMITER = createGate({ concurrency: 12 });

/**
 * The same concurrency as requests to the provider: a call takes a slot before it reads a file, and releases it when
 * the result is stored.
 */
export const PROVIDER_LIMITERS = Object.fromEntries(
  Object.entries(MAX_CONCURRENT_CALLS).map(([name, concurrency]) => [name, createGate({ concurrency })]),
) as Readonly<Record<ProviderName, Gate>>;
