// What the part about models knows of a model, and what an administrator can wish for.
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

/** To add these models, or, where none is named, to compare those in use. */
export interface Wish {
  readonly provider: ProviderName;
  readonly endpoints?: readonly string[];
}
