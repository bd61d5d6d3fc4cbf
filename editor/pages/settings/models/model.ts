// Defines the data types of the model settings, and reads which providers are configured.
import { useQuery } from '@tanstack/react-query';
import type { Providers } from '../../../../sdk/src/schemas.ts';
import { api } from '../../../lib/api.ts';

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

/** Returns the configured providers that list their models; undefined while they are loaded. */
export function useConfiguredProviders(): readonly ProviderName[] | undefined {
  const { data } = useQuery({
    queryKey: ['/admin/providers'],
    queryFn: ({ signal }) => api.get<Providers>('/admin/providers', { signal }),
  });
  return data?.providers.flatMap(({ name, isConfigured }) =>
    isConfigured && name in PROVIDERS ? [name as ProviderName] : [],
  );
}
