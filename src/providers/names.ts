// The providers by name, and how many calls each is sent at once.

const PROVIDER_NAMES = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Calls of one process that are submitted or collected at once; how many go on at the provider is counted elsewhere. */
export const CALLS_AT_ONCE: Readonly<Record<ProviderName, number>> = {
  fal: 64,
  replicate: 64,
  openai: 16,
  elevenlabs: 4,
  comfyui: 4,
};

/** As people write them. */
export const DISPLAY_NAMES: Readonly<Record<ProviderName, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};
