// Accesses models for the models commands: a provider's list, and the installed models of a service, database or file.
import { createGuardedFetch } from '../lib/fetch.ts';
import { readSettings, type Settings } from '../lib/settings.ts';
import {
  LISTING_PROVIDERS,
  type ListedModel,
  type ListingProvider,
  type ListingQuery,
} from '../nodes/models/listing/listing.ts';
import { readListing } from '../nodes/models/listing/read-listing.ts';
import type { Model } from '../nodes/models/model.ts';
import { readProviders } from '../nodes/models/providers.ts';
import type { SyncPlan } from '../nodes/models/sync.ts';
import type { InstalledModels } from '../services/models/models.ts';
import { planFromListing } from '../services/models/plan-models.ts';
import { type Client, createServiceClient } from './client.ts';
import { type CommandInput, type OptionValue, UsageError } from './command.ts';
import { withOperator } from './operator.ts';

/** Access to the installed models of a service, database or file. */
export interface ModelsAccess {
  read(): Promise<InstalledModels>;
  /** Applies all changes or none. Rejects if the models have changed since `revision` was read. */
  write(revision: string, models: readonly Model[]): Promise<InstalledModels>;
}

export async function withModels<T>(
  { signal }: Pick<CommandInput, 'signal'>,
  work: (access: ModelsAccess) => Promise<T>,
): Promise<T> {
  const settings = readSettings();
  return isRemote(settings) ? work(createHttpAccess(settings, signal)) : withDatabaseAccess(settings, work);
}

const isRemote = ({ MODELS_FILE, GRAPHWRIGHT_API_KEY }: Settings): boolean =>
  MODELS_FILE === undefined && GRAPHWRIGHT_API_KEY !== undefined;

function createHttpAccess(settings: Settings, signal: AbortSignal): ModelsAccess {
  const client = createServiceClient(settings, signal);
  return {
    read: () => client.get<InstalledModels>('/admin/models'),
    write: (revision, models) => client.post<InstalledModels>('/admin/models', { revision, models }),
  };
}

async function withDatabaseAccess<T>(
  settings: Settings,
  work: (access: ModelsAccess) => Promise<T>,
): Promise<T> {
  const services = await import('../services/models/models.ts');
  const toAccess: (
    deps: Parameters<typeof services.readModels>[0],
    actor: Parameters<typeof services.readModels>[1],
  ) => ModelsAccess = (deps, actor) => ({
    read: () => services.readModels(deps, actor),
    write: (revision, models) => services.writeModels(deps, actor, { revision, models }),
  });
  return withOperator(settings, (deps, operator) => work(toAccess(deps, operator)));
}

export function getToday(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Reads a provider's list with the provider's key from the environment. */
export async function fetchListing(
  provider: ListingProvider,
  query: ListingQuery,
  signal: AbortSignal,
): Promise<readonly ListedModel[]> {
  const settings = readSettings();
  const endpoint = readProviders(settings)[provider];
  if (endpoint === undefined)
    throw new Error(
      `${provider} is not configured. Set its key or its URL, or set GRAPHWRIGHT_API_KEY to use the keys of a running service.`,
    );
  const client = createGuardedFetch({
    allowPrivate: settings.ALLOW_PRIVATE_NETWORK,
    trustedUrls: [endpoint.baseUrl],
  });
  try {
    return await readListing(provider, query, { endpoint, fetch: client.fetch, date: getToday(), signal });
  } finally {
    await client.close();
  }
}

/** Reads a provider's list to search it and to plan changes of models. */
export interface ModelSource {
  search(searchText: string): Promise<readonly ModelOffer[]>;
  /** Plans to add the endpoints. Without endpoints, compares the installed models of the provider with its list. */
  plan(installed: readonly Model[], endpoints?: readonly string[]): Promise<SyncPlan>;
}

export type ModelOffer = Pick<ListedModel, 'endpoint' | 'label'> & { readonly category?: string | null };

/**
 * Opens a provider's list with the provider's key from the environment. If there is no key, a running service reads the
 * list with the credentials of the service.
 */
export function openModelSource(provider: ListingProvider, signal: AbortSignal): ModelSource {
  const settings = readSettings();
  return isRemote(settings) && readProviders(settings)[provider] === undefined
    ? createServiceSource(createServiceClient(settings, signal), provider)
    : {
        search: searchText => fetchListing(provider, { searchText, isFull: false }, signal),
        plan: (installed, endpoints) =>
          planFromListing({ installed, provider, endpoints, date: getToday() }, query =>
            fetchListing(provider, query, signal),
          ),
      };
}

const createServiceSource = (service: Client, provider: ListingProvider): ModelSource => ({
  async search(query) {
    const path = `/admin/models/offers?${new URLSearchParams({ provider, query })}`;
    return (await service.get<{ readonly offers: readonly ModelOffer[] }>(path)).offers;
  },
  // The service knows which models it has.
  plan: (_installed, endpoints) =>
    service.post<SyncPlan>('/admin/models/plan', {
      provider,
      ...(endpoints === undefined ? {} : { endpoints }),
    }),
});

export function parseProvider(option: OptionValue): ListingProvider {
  const provider = LISTING_PROVIDERS.find(name => name === option);
  if (provider !== undefined) return provider;
  throw new UsageError(`The provider must be one of ${LISTING_PROVIDERS.join(', ')}.`);
}
