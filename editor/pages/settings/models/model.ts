// Defines the data of the model settings.
export const PROVIDERS = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  comfyui: 'ComfyUI',
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export interface Model {
  readonly nodeType: string;
  readonly label: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly isHidden?: boolean;
}

export interface AddedModels {
  readonly revision: string;
  readonly models: readonly Model[];
  readonly problems: readonly string[];
}

/** Adds these models, or compares the added ones if none are given. */
export interface PlanRequest {
  readonly provider: ProviderName;
  readonly endpoints?: readonly string[];
}
