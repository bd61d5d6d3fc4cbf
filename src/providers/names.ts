// Lists the providers and how many calls one process makes to each at once.
import { createLimiter, type Limiter } from '../lib/limiter.ts';

export const PROVIDER_NAMES = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

const MAX_CONCURRENT_CALLS: Readonly<Record<ProviderName, number>> = {
  fal: 64,
  replicate: 64,
  openai: 16,
  elevenlabs: 4,
  comfyui: 4,
};

/**
 * A call holds a slot from before its files are read until its result is stored, so it also bounds the memory of
 * complete files. Work in progress at the provider is counted elsewhere.
 */
export const PROVIDER_LIMITERS: Readonly<Partial<Record<string, Limiter>>> = Object.fromEntries(
  Object.entries(MAX_CONCURRENT_CALLS).map(([name, concurrency]) => [name, createLimiter({ concurrency })]),
);

/** The names of the providers, for users. */
export const DISPLAY_NAMES: Readonly<Record<ProviderName, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};
