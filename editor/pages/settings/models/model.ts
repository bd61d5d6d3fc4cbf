// Defines the data types of the model settings.
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

/** A request to add the models of `endpoints` or, without endpoints, to compare the added models. */
export interface PlanRequest {
  readonly provider: ProviderName;
  readonly endpoints?: readonly string[];
}
