// Updates an installed model to its provider's current data without changing the meaning of stored workflows. Names and
// defaults stay, and a value in a removed field is an error instead of being ignored.

import { findFieldProblem } from '../../graph/fields.ts';
import type { Json } from '../../graph/types.ts';
import { toCanonicalJson } from '../../lib/canonical-json.ts';
import type { Model, ModelField } from './model.ts';

export interface ModelChange {
  readonly kind: 'field' | 'price' | 'output' | 'deprecated';
  /** A sentence without the final period. */
  readonly what: string;
}

export interface Reconciliation {
  readonly model: Model;
  readonly changes: readonly ModelChange[];
}

/**
 * Returns the installed model brought up to date. Its node type, label and description stay, because an administrator may
 * have chosen them.
 */
export function reconcile(installed: Model, published: Model): Reconciliation {
  if (installed.output.kind !== published.output.kind) {
    // Another output type would break every graph that uses the node.
    const what = `now returns ${published.output.kind} instead of ${installed.output.kind}; it is kept unchanged and deprecated`;
    return { model: deprecate(installed, published.schema.date), changes: [{ kind: 'output', what }] };
  }
  const changes: ModelChange[] = [];
  const fields = reconcileFields(installed.fields, published.fields, changes);
  const price = reconcilePrice(installed, published, changes);
  const { deprecated, isHidden, ...rest } = installed;
  if (deprecated !== undefined) changes.push({ kind: 'deprecated', what: 'is listed again' });
  // The deprecation had hidden the model.
  const restored = deprecated === undefined && isHidden !== undefined ? { ...rest, isHidden } : rest;
  const model = { ...restored, fields, ...price, schema: published.schema };
  return changes.length === 0 ? { model: installed, changes } : { model, changes };
}

/** Marks a model as removed by an administrator. A sync does not restore it; an administrator can add it again by name. */
export function markRemoved(model: Model, since: string): Model {
  const deprecated = deprecate(model, since);
  return { ...deprecated, deprecated: { since, ...deprecated.deprecated, isRemoved: true } };
}

/**
 * Deprecates a model that its provider removed. The model stays installed, so that graphs with it still load and waiting
 * runs can end.
 */
export function deprecate(model: Model, since: string): Model {
  return { ...model, isHidden: true, deprecated: model.deprecated ?? { since } };
}

/**
 * Applies a listed price. It replaces a price in the same unit or a missing price. A more detailed price, by resolution
 * or audio length, stays, and a different listed amount is reported.
 */
function reconcilePrice(
  { price: before, priceSource }: Model,
  { price: after, priceSource: published }: Model,
  changes: ModelChange[],
): Pick<Model, 'price' | 'priceSource'> {
  if (after === null || toCanonicalJson(before) === toCanonicalJson(after))
    return { price: before, priceSource };
  const amounts =
    before === null ? [] : typeof before.usd === 'number' ? [before.usd] : Object.values(before.usd);
  const isReplaced = before === null || (before.unit === after.unit && typeof before.usd === 'number');
  if (!isReplaced && typeof after.usd === 'number' && amounts.includes(after.usd))
    return { price: before, priceSource };
  const note = isReplaced ? '' : '; the old price is kept, review it';
  changes.push({ kind: 'price', what: `price ${describe(before)} → ${describe(after)}${note}` });
  return isReplaced
    ? { price: { ...before, ...after }, priceSource: published }
    : { price: before, priceSource };
}

function reconcileFields(
  installed: readonly ModelField[],
  published: readonly ModelField[],
  changes: ModelChange[],
): readonly ModelField[] {
  const toKey = ({ id, as = id }: ModelField): string => as;
  const publishedFields = new Map(published.map(field => [toKey(field), field]));
  const knownKeys = new Set(installed.map(toKey));
  const added = published.filter(field => !knownKeys.has(toKey(field)));
  for (const { id, required } of added) {
    changes.push({
      kind: 'field',
      what: required === true ? `requires the new field ${id}` : `accepts the new field ${id}`,
    });
  }
  return [
    ...installed.map(field => reconcileField(field, publishedFields.get(toKey(field)), changes)),
    ...added,
  ];
}

function reconcileField(
  before: ModelField,
  after: ModelField | undefined,
  changes: ModelChange[],
): ModelField {
  const addChange = (what: string): void =>
    void changes.push({ kind: 'field', what: `${before.id} ${what}` });
  if (before.removed === true) return before;
  // The provider expects a list that contains the field's single value.
  if (before.inList === true && after?.type === 'LIST' && after.itemType === before.type) return before;
  if (after === undefined || after.type !== before.type) {
    addChange(after === undefined ? 'was removed' : `is now ${after.type} instead of ${before.type}`);
    const { required: _required, default: _default, ...rest } = before;
    return { ...rest, removed: true };
  }
  const defaultMember = getValidDefault(before, after);
  const { default: _default, isPort: _isPort, ...shape } = after;
  // Whether a value is a port or a field does not change.
  const { id, label, description, isPort } = before;
  const identity = {
    id,
    label,
    ...(description === undefined ? {} : { description }),
    ...(isPort === undefined ? {} : { isPort }),
  };
  const field = { ...shape, ...identity, ...defaultMember };
  const merged = defaultMember === undefined ? withoutDefault({ ...field, required: true }) : field;
  if (toCanonicalJson(before) === toCanonicalJson(merged)) return before;
  addChange(describeChange(before, merged));
  return merged;
}

/** Returns the default that stored graphs rely on, or undefined if it is no longer valid and the field must be set. */
function getValidDefault(before: ModelField, after: ModelField): { readonly default?: Json } | undefined {
  if (before.default === undefined) return {};
  return findFieldProblem(before.default, { ...after, isPort: false }) === undefined
    ? { default: before.default }
    : undefined;
}

function withoutDefault({ default: _, ...field }: ModelField): ModelField {
  return field;
}

function describeChange(before: ModelField, after: ModelField): string {
  const removedOptions = before.enum?.filter(option => after.enum?.includes(option) !== true) ?? [];
  const addedOptions = after.enum?.filter(option => before.enum?.includes(option) !== true) ?? [];
  const parts = [
    removedOptions.length > 0 ? `no longer takes ${removedOptions.slice(0, 5).join(', ')}` : '',
    addedOptions.length > 0 ? `also takes ${addedOptions.slice(0, 5).join(', ')}` : '',
    before.default !== undefined && after.default === undefined ? 'must now be set' : '',
  ].filter(part => part !== '');
  return parts.length > 0 ? parts.join(', ') : 'has other bounds';
}

function describe(price: Model['price']): string {
  if (price === null) return 'unknown';
  return typeof price.usd === 'number' ? `${price.usd} USD a ${price.unit}` : `by ${price.by?.join(', ')}`;
}
