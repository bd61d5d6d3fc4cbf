// The providers by name.

const PROVIDER_NAMES = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** As people write them. */
export const DISPLAY_NAMES: Readonly<Record<ProviderName, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};
