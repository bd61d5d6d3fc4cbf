// Serves the catalog for GET /nodes and GET /models: filtered, with responses cached per query.

import { type CatalogEntry, isModel } from '../graph/catalog.ts';
import { shortHash } from '../lib/crypto.ts';
import { createLru, type Lru } from '../lib/lru.ts';
import { createSingleFlight } from '../lib/single-flight.ts';
import { PROVIDER_NAMES, type ProviderName } from '../providers/names.ts';
import { listDurations } from '../store/call-slots.ts';
import { listActiveKinds } from '../store/credentials.ts';
import type { Actor } from './accounts/actor.ts';
import type { CatalogQuery } from './catalog.schema.ts';
import { usesStoredCredentials } from './credentials/run-credentials.ts';
import type { CatalogResponse, Deps, ModelSeconds } from './deps.ts';

const VERSION = 1;

// The entries and the durations change rarely, so each response is built once. There are few distinct queries, because
// the filters and the providers have few values.
const MAX_RESPONSES = 100;

/** Creates a cache of responses by query, for one process. */
export const createCatalogResponses = (): Lru<CatalogResponse> => createLru(MAX_RESPONSES);

/**
 * Returns the response as JSON text. An entry is available if the service, or the caller's active workspace, has a
 * credential for its provider.
 */
export async function listCatalog(
  deps: Deps,
  actor: Actor,
  list: 'nodes' | 'models',
  query: CatalogQuery,
): Promise<CatalogResponse> {
  const suppliedProviders = await listSuppliedProviders(deps, actor);
  const includeHidden = query.includeHidden === '1' || query.includeHidden === 'true';
  const { secondsByModel, hash } = await deps.modelSeconds();
  const key = JSON.stringify([list, query.category, query.source, includeHidden, suppliedProviders, hash]);
  const cached = deps.catalogResponses.get(key);
  if (cached?.entries === deps.catalog.entries) return cached;
  const { entries: allEntries } = deps.catalog;
  const entries = withSupplied(deps, suppliedProviders)
    .filter(
      entry =>
        (list === 'nodes' || isModel(entry)) &&
        (includeHidden || (entry.hidden !== true && entry.deprecated !== true)) &&
        (query.category === undefined || entry.category === query.category) &&
        (query.source === undefined || entry.source === query.source),
    )
    .map(entry => withSeconds(deps, entry, secondsByModel));
  const head = { version: VERSION, generatedAt: new Date(deps.now()).toISOString(), count: entries.length };
  const response = {
    entries: allEntries,
    text: JSON.stringify({ ...head, [list]: entries }),
    // Computed from the entries without the time, so that every process sends the same ETag.
    etag: `"${shortHash(JSON.stringify(entries))}"`,
  };
  deps.catalogResponses.set(key, response, 1);
  return response;
}

/** Returns all entries, as the caller's active workspace can use them. */
export const listEntries = async (deps: Deps, actor: Actor): Promise<readonly CatalogEntry[]> =>
  withSupplied(deps, await listSuppliedProviders(deps, actor));

const withSupplied = (
  deps: Pick<Deps, 'catalog' | 'findNode'>,
  suppliedProviders: readonly string[],
): readonly CatalogEntry[] => deps.catalog.entries.map(entry => toAvailable(deps, entry, suppliedProviders));

/** Returns the providers for which the active workspace or the instance, but not the settings, has a credential. */
export async function listSuppliedProviders(deps: Deps, actor: Actor): Promise<readonly ProviderName[]> {
  if (actor.kind === 'anonymous' || !usesStoredCredentials(deps)) return [];
  const kinds = await listActiveKinds(deps.db, actor.userId);
  return PROVIDER_NAMES.filter(kind => kinds.includes(kind) && !deps.environmentCredentials.has(kind));
}

/** Marks the entry as available if stored credentials supply its provider. */
function toAvailable(
  { findNode }: Pick<Deps, 'findNode'>,
  entry: CatalogEntry,
  suppliedProviders: readonly string[],
): CatalogEntry {
  if (entry.isAvailable !== false || suppliedProviders.length === 0) return entry;
  const definition = findNode(entry.nodeType);
  // The speech node needs the provider of its engine.
  const engines = entry.inputs.find(({ id }) => id === 'engine')?.enum ?? [];
  const configs = [{}, ...engines.map(engine => ({ engine }))];
  const required = configs.map(config => definition?.requires(config));
  return required.some(provider => provider !== undefined && suppliedProviders.includes(provider))
    ? (definition?.entry ?? entry)
    : entry;
}

/** Returns a function that reads the seconds. They are cached in the process, since every request of the catalog has them. */
export function createModelSeconds({
  db,
  now,
  timing,
}: Pick<Deps, 'db' | 'now' | 'timing'>): () => Promise<ModelSeconds> {
  const readOnce = createSingleFlight<ModelSeconds>();
  let cached: (ModelSeconds & { readonly readAtMs: number }) | undefined;
  const read = async (): Promise<ModelSeconds> => {
    const readAtMs = now();
    const durations = await listDurations(db);
    const secondsByModel = new Map(
      durations.map(({ provider, model, usual_ms }) => [toModelKey(provider, model), roundSeconds(usual_ms)]),
    );
    const hash = shortHash(JSON.stringify([...secondsByModel].sort()));
    cached = { secondsByModel, hash, readAtMs };
    return cached;
  };
  return async () =>
    cached !== undefined && now() - cached.readAtMs < timing.modelSecondsMs ? cached : readOnce('', read);
}

const toModelKey = (provider: string, endpoint: string): string => `${provider} ${endpoint}`;

/** Rounds to two digits, so that a response changes only if a duration changes noticeably. */
const roundSeconds = (ms: number): number => Number((ms / 1000).toPrecision(2));

function withSeconds(
  { findNode }: Pick<Deps, 'findNode'>,
  entry: CatalogEntry,
  secondsByModel: ReadonlyMap<string, number>,
): CatalogEntry {
  if (!isModel(entry)) return entry;
  const model = findNode(entry.nodeType)?.model;
  const seconds = model && secondsByModel.get(toModelKey(model.provider, model.endpoint));
  return { ...entry, medianSeconds: seconds ?? null };
}
