// Plans changes to the installed models from a provider's list, for the service and for the command line.
import { AppError } from '../../lib/errors.ts';
import type { ListedModel, ListingProvider, ListingQuery } from '../../nodes/models/listing/listing.ts';
import type { Model } from '../../nodes/models/model.ts';
import { planProviderSync, type SyncPlan, stripVersion } from '../../nodes/models/sync.ts';

export interface PlanInput {
  /** The models in use, of all providers. */
  readonly installed: readonly Model[];
  readonly provider: ListingProvider;
  /** The endpoints of models to add; undefined to compare the provider's models in use with its list. */
  readonly endpoints: readonly string[] | undefined;
  readonly date: string;
}

/** Reads the provider's list and plans the changes. Throws `not_found`, EmptyListingError and what `list` throws. */
export async function planFromListing(
  { installed, provider, endpoints, date }: PlanInput,
  list: (query: ListingQuery) => Promise<readonly ListedModel[]>,
): Promise<SyncPlan> {
  const requested =
    endpoints ?? installed.flatMap(model => (model.provider === provider ? [model.endpoint] : []));
  const listed = await list({ endpoints: requested, isFull: true });
  const isAdding = endpoints !== undefined;
  const listedNames = new Set(listed.map(({ endpoint }) => stripVersion(endpoint)));
  const unlisted = requested.filter(endpoint => !listedNames.has(stripVersion(endpoint)));
  if (isAdding && unlisted.length > 0)
    throw new AppError('not_found', `${provider} does not list ${unlisted.join(', ')}.`);
  const requestedNames = new Set(requested.map(stripVersion));
  return planProviderSync(installed, provider, listed, {
    date,
    addsNew: isAdding,
    restores: isAdding,
    isSelected: ({ endpoint }) => requestedNames.has(stripVersion(endpoint)),
  });
}
