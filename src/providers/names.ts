// Lists the providers and their names for users.

export const PROVIDER_NAMES = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The names of the providers as users know them. */
export const DISPLAY_NAMES: Readonly<Record<ProviderName, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};

/** Returns the provider's name for users, or undefined if there is no provider with this name. */
export const findDisplayName = (name: string): string | undefined =>
  (DISPLAY_NAMES as Readonly<Record<string, string>>)[name];
