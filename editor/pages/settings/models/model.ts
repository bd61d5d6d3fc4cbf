// Defines the data types of the model settings, and finds the providers whose models can be added.
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';

/** The providers whose models the service can list. */
const LISTING_PROVIDERS = ['fal', 'replicate', 'openai', 'comfyui'] as const;
export type ModelProvider = (typeof LISTING_PROVIDERS)[number];

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

/** A request to add the models with these endpoints. Without endpoints, the added models are compared. */
export interface PlanRequest {
  readonly provider: ModelProvider;
  readonly endpoints?: readonly string[];
}

/**
 * Returns the listing providers for which the instance or the active workspace has a credential. Returns undefined until
 * the credentials are loaded.
 */
export function useConfiguredProviders(): readonly ModelProvider[] | undefined {
  const { workspace } = useSession();
  const instanceProviders = useQuery(apiQuery(['/admin/providers']));
  const workspaceCredentials = useQuery({
    queryKey: ['/credentials', 'workspace', workspace.teamId, 'defaults'],
    queryFn: ({ signal }) =>
      api.get('/credentials', { query: { owner: 'workspace', limit: MAX_KEYS }, signal }),
  });
  if (instanceProviders.data === undefined || workspaceCredentials.data === undefined) return undefined;
  const kinds = new Set<string>([
    ...instanceProviders.data.providers.flatMap(({ name, isConfigured }) => (isConfigured ? [name] : [])),
    ...workspaceCredentials.data.data.flatMap(({ kind, isDefault }) => (isDefault ? [kind] : [])),
  ]);
  return LISTING_PROVIDERS.filter(name => kinds.has(name));
}

const MAX_KEYS = 200;
