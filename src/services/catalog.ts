// Serves the catalog for GET /nodes and GET /models: filtered, with responses cached per query.

import { type CatalogEntry, isModel } from '../graph/catalog.ts';
import { explainDisallowed, type Policy } from '../graph/policy.ts';
import { shortHash } from '../lib/crypto.ts';
import { createLru, type Lru } from '../lib/lru.ts';
import { createSingleFlight } from '../lib/single-flight.ts';
import type { NodeDefinition } from '../nodes/define.ts';
import { FREE, isFreeCall, makeMaxCreditsOptional } from '../nodes/models/pricing.ts';
import { PROVIDER_NAMES, type ProviderName } from '../providers/names.ts';
import { listDurations } from '../store/call-slots.ts';
import { listActiveKinds } from '../store/credentials.ts';
import { getWorkspaceId } from './accounts/access.ts';
import type { Actor } from './accounts/actor.ts';
import { loadPolicy } from './accounts/team-policy.ts';
import { findActiveWorkspace } from './accounts/teams.ts';
import type { CatalogQuery } from './catalog.schema.ts';
import type { RunCredential } from './credentials/credential.ts';
import { listUsableServers, usesStoredCredentials } from './credentials/run-credentials.ts';
import type { CatalogResponse, Deps, ModelSeconds } from './deps.ts';

const VERSION = 1;

// The entries and the durations change rarely, so each response is built once. There are few distinct queries, because
// the filters and the providers have few values.
const MAX_RESPONSES = 100;

/** Creates a cache of responses by query, for one process. */
export const createCatalogResponses = (): Lru<CatalogResponse> => createLru(MAX_RESPONSES);

/**
 * Returns the response as JSON text. An entry is available if the service, or the caller's active workspace, has a
 * credential for its provider, or a named server that serves it.
 */
export async function listCatalog(
  deps: Deps,
  actor: Actor,
  list: 'nodes' | 'models',
  query: CatalogQuery,
): Promise<CatalogResponse> {
  const supply = await readSupply(deps, actor);
  const includeHidden = query.includeHidden === '1' || query.includeHidden === 'true';
  const { secondsByModel, hash } = await deps.modelSeconds();
  const key = JSON.stringify([list, query.category, query.source, includeHidden, supply, hash]);
  const cached = deps.catalogResponses.get(key);
  if (cached?.entries === deps.catalog.entries) return cached;
  const { entries: allEntries } = deps.catalog;
  const entries = withSupplied(deps, supply)
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
  withSupplied(deps, await readSupply(deps, actor));

const withSupplied = (deps: SupplyDeps, supply: Supply): readonly CatalogEntry[] =>
  deps.catalog.entries.map(entry =>
    toAllowed(deps, withServers(deps, toAvailable(deps, entry, supply), supply), supply.policy),
  );

type SupplyDeps = Pick<Deps, 'catalog' | 'findNode' | 'environmentCredentials'>;

/** What credentials supply to the caller's active workspace besides the settings. */
interface Supply {
  readonly providers: readonly ProviderName[];
  readonly servers: readonly SuppliedServer[];
  readonly policy: Policy | undefined;
}

type SuppliedServer = Pick<RunCredential, 'serves' | 'isFree'> & { readonly name: string };

async function readSupply(deps: Deps, actor: Actor): Promise<Supply> {
  const [providers, servers, policy] = await Promise.all([
    listSuppliedProviders(deps, actor),
    listSuppliedServers(deps, actor),
    findActivePolicy(deps, actor),
  ]);
  return { providers, servers, policy };
}

/** Returns the policy of the caller's active team. */
async function findActivePolicy(deps: Deps, actor: Actor): Promise<Policy | undefined> {
  if (actor.kind === 'anonymous') return undefined;
  return loadPolicy(deps.db, getWorkspaceId(await findActiveWorkspace(deps.db, actor)));
}

/** Marks the entry as unavailable if the policy does not allow it with any of its providers. */
function toAllowed(deps: SupplyDeps, entry: CatalogEntry, policy: Policy | undefined): CatalogEntry {
  if (policy === undefined) return entry;
  const reasons = listRequired(deps, entry)
    .filter(isProvider)
    .map(provider => explainDisallowed(policy, { ...entry, provider }));
  const [policyReason] = reasons;
  if (policyReason === undefined || reasons.includes(undefined)) return entry;
  return { ...entry, hidden: true, isAvailable: false, policyReason };
}

async function listSuppliedServers(deps: Deps, actor: Actor): Promise<readonly SuppliedServer[]> {
  if (actor.kind === 'anonymous') return [];
  const workspace = getWorkspaceId(await findActiveWorkspace(deps.db, actor));
  const servers = await listUsableServers(deps, deps.db, workspace);
  return servers.map(({ server, serves, isFree }) => ({ name: server, serves, isFree }));
}

/** Returns the providers for which the active workspace or the instance, but not the settings, has a credential. */
export async function listSuppliedProviders(deps: Deps, actor: Actor): Promise<readonly ProviderName[]> {
  if (actor.kind === 'anonymous' || !usesStoredCredentials(deps)) return [];
  const kinds = await listActiveKinds(deps.db, actor.userId);
  return PROVIDER_NAMES.filter(kind => kinds.includes(kind) && !deps.environmentCredentials.has(kind));
}

/** Marks the entry as available if stored credentials supply its provider. */
function toAvailable(deps: SupplyDeps, entry: CatalogEntry, { providers, servers }: Supply): CatalogEntry {
  if (entry.isAvailable !== false || providers.length + servers.length === 0) return entry;
  const definition = deps.findNode(entry.nodeType);
  const isSupplied =
    listRequired(deps, entry).some(need => providers.some(provider => provider === need)) ||
    listServing(definition, servers).length > 0;
  return isSupplied ? (definition?.entry ?? entry) : entry;
}

/** Lists what the node requires without a server. The speech node needs the provider of its engine. */
function listRequired({ findNode }: SupplyDeps, { nodeType, inputs }: CatalogEntry): readonly string[] {
  const engines = inputs.find(({ id }) => id === 'engine')?.enum ?? [];
  const configs = [{}, ...engines.map(engine => ({ engine }))];
  return configs.flatMap(config => findNode(nodeType)?.requires(config) ?? []);
}

/** Lists the servers that the node can use: those that serve what it needs, and those that were not tested. */
const listServing = (
  definition: Pick<NodeDefinition, 'serverRoute'> | undefined,
  servers: readonly SuppliedServer[],
): readonly SuppliedServer[] => {
  const route = definition?.serverRoute;
  return route === undefined ? [] : servers.filter(({ serves }) => serves?.includes(route) !== false);
};

/** Lists the servers in the entry. The entry is free if the caller can use only free servers for it. */
function withServers(deps: SupplyDeps, entry: CatalogEntry, { providers, servers }: Supply): CatalogEntry {
  const definition = deps.findNode(entry.nodeType);
  if (definition?.serverRoute === undefined) return entry;
  const serving = listServing(definition, servers);
  const names = serving.map(({ name }) => name);
  const choices = names.length === 0 ? {} : { enum: names };
  const inputs = entry.inputs.map(input => (input.id === 'server' ? { ...input, ...choices } : input));
  const defaults = Object.fromEntries(inputs.map(({ id, default: value }) => [id, value]));
  const isFree =
    serving.length > 0 &&
    serving.every(server => isFreeCall(definition, defaults, server)) &&
    !listRequired(deps, entry).some(
      need => isProvider(need) && (providers.includes(need) || deps.environmentCredentials.has(need)),
    );
  if (!isFree) return { ...entry, inputs };
  const { priceSource: _, ...rest } = entry;
  return { ...rest, ...FREE, inputs: inputs.map(makeMaxCreditsOptional) };
}

const isProvider = (need: string): need is ProviderName => PROVIDER_NAMES.some(name => name === need);

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
