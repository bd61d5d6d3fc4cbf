// Reads and writes for the models commands: a provider's listing, and installed models of a service, database or file.
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
import type { InstalledModels } from '../services/models/models.ts';
import { type Client, connect } from './client.ts';
import { type CommandInput, type OptionValue, UsageError } from './command.ts';
import { asOperator } from './operator.ts';

/** The three ways to access the installed models. */
export interface ModelsAccess {
  read(): Promise<InstalledModels>;
  /** Applies all changes or none; rejects if the models have changed since `revision` was read. */
  write(revision: string, models: readonly Model[]): Promise<InstalledModels>;
}

export async function withModels<T>(
  { signal }: Pick<CommandInput, 'signal'>,
  work: (access: ModelsAccess) => Promise<T>,
): Promise<T> {
  const settings = readSettings();
  const isRemote = settings.MODELS_FILE === undefined && settings.GRAPHWRIGHT_API_KEY !== undefined;
  return isRemote ? work(createHttpAccess(settings, signal)) : withDatabaseAccess(settings, work);
}

function createHttpAccess(settings: Settings, signal: AbortSignal): ModelsAccess {
  const client = connect(settings, signal);
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
  return asOperator(settings, (deps, operator) => work(toAccess(deps, operator)));
}

export function getToday(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Reads a provider's listing with the key of the environment. */
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

/**
 * Returns a client of the running service, which reads the listing with its own credentials; undefined if the
 * environment has a key of the provider, or no API key of a service.
 */
export function findListingService(provider: ListingProvider, signal: AbortSignal): Client | undefined {
  const settings = readSettings();
  const isRemote = settings.MODELS_FILE === undefined && settings.GRAPHWRIGHT_API_KEY !== undefined;
  return isRemote && readProviders(settings)[provider] === undefined ? connect(settings, signal) : undefined;
}

export function parseProvider(option: OptionValue): ListingProvider {
  const found = LISTING_PROVIDERS.find(name => name === option);
  if (found !== undefined) return found;
  throw new UsageError(`The provider must be one of ${LISTING_PROVIDERS.join(', ')}.`);
}
