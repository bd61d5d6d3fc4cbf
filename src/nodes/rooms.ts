// How many calls of a kind keep complete files in memory at once in one process: what they read, what they send, what they store.
// Without it, as many would lie in memory as wait for a decoder or a provider.
import { createGate, type Gate } from '../lib/gate.ts';
import { CALLS_AT_ONCE, type ProviderName } from '../providers/names.ts';

/** More than are decoded at once, so that reading and storing go on meanwhile. */
export const IMAGE_ROOM = createGate({ concurrency: 12 });

/** As many as the provider is sent at once: a call takes its place before it reads a file, and gives it back with the result stored. */
export const PROVIDER_ROOMS = Object.fromEntries(
  Object.entries(CALLS_AT_ONCE).map(([name, concurrency]) => [name, createGate({ concurrency })]),
) as Readonly<Record<ProviderName, Gate>>;
