// Compares a provider's list with the installed models and plans the changes, so that they can be reviewed before they
// are applied.
import type { ListedModel, ListingProvider } from './listing/listing.ts';
import type { Model } from './model.ts';
import { deprecate, type ModelChange, reconcile } from './reconcile.ts';

export interface PlannedChange {
  readonly kind: 'new' | 'changed' | 'gone' | 'unusable';
  readonly nodeType: string;
  readonly endpoint: string;
  readonly changes: readonly ModelChange[];
  /** The model to write; absent if nothing would be written. */
  readonly model?: Model;
}

export interface SyncPlan {
  readonly changes: readonly PlannedChange[];
  /** How many installed models were compared with the list. */
  readonly compared: number;
  /** Whether so many models would change or disappear that an error in the list is more likely. */
  readonly isLarge: boolean;
}

export interface SyncOptions {
  readonly date: string;
  /** Whether to add listed models that are not installed. */
  readonly addsNew: boolean;
  /** Whether to restore models that an administrator removed, because the models were requested by name. */
  readonly restores?: boolean;
  /** Node types that new models must not use. */
  readonly usedTypes: ReadonlySet<string>;
}

/**
 * Thrown if a list contains none of the requested models. This is more likely an error than the removal of all models.
 */
export class EmptyListingError extends Error {
  constructor(count: number) {
    super(
      `The provider listed none of the ${count} requested models, so nothing was changed. Check its URL and key, or try again later.`,
    );
  }
}

const LARGE_SHARE = 0.2;
// Fewer changes are never large, because one of five models is already a fifth.
const LARGE_COUNT = 5;

/** Plans the changes. `installed` are the provider's models that the list was requested for. Throws EmptyListingError. */
export function planSync(
  installed: readonly Model[],
  listed: readonly ListedModel[],
  { date, addsNew, restores = false, usedTypes }: SyncOptions,
): SyncPlan {
  if (listed.length === 0 && installed.length > 0) throw new EmptyListingError(installed.length);
  const byName = new Map(listed.map(row => [stripVersion(row.endpoint), row]));
  const knownNames = new Set(installed.map(({ endpoint }) => stripVersion(endpoint)));
  const types = new Set(usedTypes);
  const compared = installed.filter(({ deprecated }) => restores || deprecated?.isRemoved !== true);
  const updates = compared.flatMap(model =>
    planUpdate(model, byName.get(stripVersion(model.endpoint)), date),
  );
  const newRows = addsNew ? listed.filter(({ endpoint }) => !knownNames.has(stripVersion(endpoint))) : [];
  const additions = newRows.flatMap(row => planAddition(row, types));
  const changes = [...updates, ...additions];
  const changeCount = updates.filter(({ kind }) => kind === 'changed' || kind === 'gone').length;
  return {
    changes,
    compared: compared.length,
    isLarge: changeCount >= LARGE_COUNT && changeCount > compared.length * LARGE_SHARE,
  };
}

/** Compares the provider's models that `isSelected` selects with its list. */
export function planProviderSync(
  inUse: readonly Model[],
  provider: ListingProvider,
  listed: readonly ListedModel[],
  {
    isSelected = () => true,
    ...options
  }: Pick<SyncOptions, 'date' | 'addsNew' | 'restores'> & { readonly isSelected?: (model: Model) => boolean },
): SyncPlan {
  const installed = inUse.filter(model => model.provider === provider && isSelected(model));
  const usedTypes = new Set(inUse.map(({ nodeType }) => nodeType));
  return planSync(installed, listed, { ...options, usedTypes });
}

/** Returns the endpoint without its version. */
export function stripVersion(endpoint: string): string {
  return endpoint.replace(/:[0-9a-f]{16,64}$/, '');
}

function planUpdate(model: Model, row: ListedModel | undefined, date: string): readonly PlannedChange[] {
  const { nodeType, endpoint } = model;
  if (row === undefined || row.isDeprecated === true) {
    if (model.deprecated !== undefined) return [];
    const what = row === undefined ? 'is no longer listed' : 'is deprecated by its provider';
    const change = { kind: 'deprecated', what } as const;
    return [{ kind: 'gone', nodeType, endpoint, changes: [change], model: deprecate(model, date) }];
  }
  if (row.model === undefined) {
    const what = `is listed in an unusable form: ${row.problem ?? 'unknown'}`;
    return [{ kind: 'unusable', nodeType, endpoint, changes: [{ kind: 'output', what }] }];
  }
  const { model: nextModel, changes } = reconcile(model, row.model);
  return changes.length === 0 ? [] : [{ kind: 'changed', nodeType, endpoint, changes, model: nextModel }];
}

function planAddition(
  { endpoint, model, problem = '', isDeprecated }: ListedModel,
  types: Set<string>,
): readonly PlannedChange[] {
  if (isDeprecated === true) return [];
  if (model === undefined) {
    return [{ kind: 'unusable', nodeType: '', endpoint, changes: [{ kind: 'output', what: problem }] }];
  }
  const namedModel = withFreeName(model, types);
  types.add(namedModel.nodeType);
  return [{ kind: 'new', nodeType: namedModel.nodeType, endpoint, changes: [], model: namedModel }];
}

/** Returns the model with a free node type: a second model with the same name gets a number. */
function withFreeName(model: Model, types: ReadonlySet<string>): Model {
  for (let number = 1; number < 100; number++) {
    const nodeType = number === 1 ? model.nodeType : `${model.nodeType}_${number}`;
    if (!types.has(nodeType)) return { ...model, nodeType };
  }
  return model;
}
