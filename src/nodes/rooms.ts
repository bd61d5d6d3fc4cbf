// Limits how many calls of a kind hold complete files in memory at once in one process. Without it, all calls that wait
// for a decoder or a provider would hold theirs.
import { createGate, type Gate } from '../lib/gate.ts';
import { CALLS_AT_ONCE, type ProviderName } from '../providers/names.ts';

/** More than are decoded at once, so that reading and storing continue meanwhile. */
export const IMAGE_ROOM = createGate({ concurrency: 12 });

/**
 * As many as are sent to the provider at once: a call takes a slot before it reads a file, and releases it when the
 * result is stored.
 */
export const PROVIDER_ROOMS = Object.fromEntries(
  Object.entries(CALLS_AT_ONCE).map(([name, concurrency]) => [name, createGate({ concurrency })]),
) as Readonly<Record<ProviderName, Gate>>;
