// Searches the models that providers list, and compares them with the models in use. For administrators.
import { AppError, toError } from '../../lib/errors.ts';
import type { ListedModel, ListingProvider, ListingQuery } from '../../nodes/models/listing/listing.ts';
import { readListing } from '../../nodes/models/listing/read-listing.ts';
import { withShipped } from '../../nodes/models/shipped.ts';
import { EmptyListingError, type SyncPlan, stripVersion } from '../../nodes/models/sync.ts';
import { DISPLAY_NAMES } from '../../providers/names.ts';
import { getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import { resolveCredentials } from '../credentials/run-credentials.ts';
import type { Deps } from '../deps.ts';
import { loadModels, type ModelsDeps } from './models.ts';
import { planFromListing } from './plan-models.ts';

type OfferDeps = ModelsDeps &
  Pick<Deps, 'db' | 'settings' | 'environmentCredentials' | 'credentialOpener' | 'now'>;

/** A plan with the revision of the models that it is based on. A write must name this revision. */
type ModelPlan = SyncPlan & { readonly revision: string };

const MAX_OFFERS = 100;
const TIMEOUT_MS = 120_000;

/** Returns the first of the provider's models that match the query. Throws 400 if the provider has no list. */
export async function listOffers(
  deps: OfferDeps,
  actor: Actor,
  { provider, query }: { readonly provider: ListingProvider; readonly query: string },
) {
  const user = requireScope(actor, 'instance:admin');
  const listed = await listProviderModels(deps, user, provider, { searchText: query, isFull: false });
  const { models } = await loadModels(deps);
  const installed = withShipped(models).filter(model => model.provider === provider);
  const nodeTypes = new Map(installed.map(({ endpoint, nodeType }) => [stripVersion(endpoint), nodeType]));
  const offers = listed.slice(0, MAX_OFFERS).map(({ endpoint, label, category = null }) => ({
    endpoint,
    label,
    category,
    nodeType: nodeTypes.get(stripVersion(endpoint)) ?? null,
  }));
  return { offers, isCut: listed.length > offers.length };
}

/**
 * Returns the changes that adding the models at these endpoints would make. Without endpoints, returns the provider's
 * changes to the models in use.
 */
export async function planModels(
  deps: OfferDeps,
  actor: Actor,
  { provider, endpoints }: { readonly provider: ListingProvider; readonly endpoints?: readonly string[] },
): Promise<ModelPlan> {
  const user = requireScope(actor, 'instance:admin');
  const { revision, models } = await loadModels(deps);
  const plan = { installed: withShipped(models), provider, endpoints, date: getToday(deps) };
  try {
    return {
      revision,
      ...(await planFromListing(plan, query => listProviderModels(deps, user, provider, query))),
    };
  } catch (err) {
    if (!(err instanceof EmptyListingError)) throw err;
    throw new AppError('fetch_failed', err.message, { cause: err });
  }
}

const getToday = ({ now }: Pick<Deps, 'now'>): string => new Date(now()).toISOString().slice(0, 10);

/** Reads the list with the credential that a run in the administrator's active workspace would use. */
async function listProviderModels(
  deps: OfferDeps,
  user: UserActor,
  provider: ListingProvider,
  query: ListingQuery,
): Promise<readonly ListedModel[]> {
  const workspace = getWorkspaceId(await getActiveWorkspace(deps.db, user));
  const chosen = (await resolveCredentials(deps, deps.db, { workspace, workflowId: null })).get(provider);
  const credential = chosen && (await deps.credentialOpener.open(provider, chosen.valueId));
  if (credential === undefined)
    throw new AppError(
      'provider_not_configured',
      `${DISPLAY_NAMES[provider]} is not set up. Add a key under Settings, Providers.`,
    );
  const { endpoint, fetch } = credential;
  const date = getToday(deps);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await readListing(provider, query, { endpoint, fetch, date, signal });
  } catch (err) {
    throw new AppError(
      'fetch_failed',
      `The model list of ${provider} could not be read: ${toError(err).message}`,
      { cause: err },
    );
  }
}
