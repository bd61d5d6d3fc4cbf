// Lists the providers and how many calls one process sends to each at once.

const PROVIDER_NAMES = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/**
 * The maximum of calls that one process submits or collects at once. Work in progress at the provider is counted
 * elsewhere.
 */
export const MAX_CONCURRENT_CALLS: Readonly<Record<ProviderName, number>> = {
  fal: 64,
  replicate: 64,
  openai: 16,
  elevenlabs: 4,
  comfyui: 4,
};

/** Names as the providers write them. */
export const DISPLAY_NAMES: Readonly<Record<ProviderName, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};
