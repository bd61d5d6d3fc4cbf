// A model as its provider publishes it now, laid over what is installed, so that stored workflows mean what they meant:
// names and defaults stay, and a field that has gone is refused where it is set instead of being ignored.

import { findProblem } from '../../graph/fields.ts';
import type { Json } from '../../graph/types.ts';
import type { Model, ModelField } from './model.ts';

export interface ModelChange {
  readonly kind: 'field' | 'price' | 'output' | 'deprecated';
  /** A sentence without its full stop. */
  readonly what: string;
}

export interface Reconciled {
  readonly model: Model;
  readonly changes: readonly ModelChange[];
}

/** The installed model brought up to date. Its node type, label and description are its owner's, and stay. */
export function reconcile(installed: Model, published: Model): Reconciled {
  if (installed.output.kind !== published.output.kind) {
    // Ports of another type would change every graph that has the node.
    const what = `gives ${published.output.kind} and no longer ${installed.output.kind}: it stays as it is, deprecated`;
    return { model: deprecate(installed, published.schema.date), changes: [{ kind: 'output', what }] };
  }
  const changes: ModelChange[] = [];
  const fields = reconcileFields(installed.fields, published.fields, changes);
  const price = reconcilePrice(installed, published, changes);
  const { deprecated, isHidden, ...rest } = installed;
  if (deprecated !== undefined) changes.push({ kind: 'deprecated', what: 'is listed again' });
  // It was hidden when it was deprecated.
  const kept = deprecated === undefined && isHidden !== undefined ? { ...rest, isHidden } : rest;
  const model = { ...kept, fields, ...price, schema: published.schema };
  return changes.length === 0 ? { model: installed, changes } : { model, changes };
}

/** Taken out by the operator: it comes back where it is added by name, and by no listing. */
export function remove(model: Model, since: string): Model {
  const gone = deprecate(model, since);
  return { ...gone, deprecated: { since, ...gone.deprecated, isRemoved: true } };
}

/** A model that has gone stays, so that graphs that have it still load, and waiting runs end. */
export function deprecate(model: Model, since: string): Model {
  return { ...model, isHidden: true, deprecated: model.deprecated ?? { since } };
}

/**
 * A list gives one price of a unit. It takes the place of one in the same unit, or of none; a price that somebody has read
 * in more detail, by resolution or by the length of an audio, stays, and where the list names another sum it is reported.
 */
function reconcilePrice(
  { price: before, priceSource }: Model,
  { price: after, priceSource: published }: Model,
  changes: ModelChange[],
): Pick<Model, 'price' | 'priceSource'> {
  if (after === null || canonical(before) === canonical(after)) return { price: before, priceSource };
  const sums =
    before === null ? [] : typeof before.usd === 'number' ? [before.usd] : Object.values(before.usd);
  const isReplaced = before === null || (before.unit === after.unit && typeof before.usd === 'number');
  if (!isReplaced && typeof after.usd === 'number' && sums.includes(after.usd))
    return { price: before, priceSource };
  const stays = isReplaced ? '' : '; it stays, look at it';
  changes.push({ kind: 'price', what: `price ${describe(before)} → ${describe(after)}${stays}` });
  return isReplaced
    ? { price: { ...before, ...after }, priceSource: published }
    : { price: before, priceSource };
}

function reconcileFields(
  installed: readonly ModelField[],
  published: readonly ModelField[],
  changes: ModelChange[],
): readonly ModelField[] {
  const keyOf = ({ id, as = id }: ModelField): string => as;
  const now = new Map(published.map(field => [keyOf(field), field]));
  const known = new Set(installed.map(keyOf));
  const added = published.filter(field => !known.has(keyOf(field)));
  for (const { id, required } of added) {
    changes.push({
      kind: 'field',
      what: required === true ? `needs ${id}, which is new` : `takes ${id}, which is new`,
    });
  }
  return [...installed.map(field => reconcileField(field, now.get(keyOf(field)), changes)), ...added];
}

function reconcileField(
  before: ModelField,
  after: ModelField | undefined,
  changes: ModelChange[],
): ModelField {
  const note = (what: string): void => void changes.push({ kind: 'field', what: `${before.id} ${what}` });
  if (before.removed === true) return before;
  // One value here, a list of them there.
  if (before.inList === true && after?.type === 'LIST' && after.itemType === before.type) return before;
  if (after === undefined || after.type !== before.type) {
    note(after === undefined ? 'has gone' : `is ${after.type} and no longer ${before.type}`);
    const { required: _required, default: _default, ...rest } = before;
    return { ...rest, removed: true };
  }
  const kept = keepDefault(before, after);
  const { default: _default, isPort: _isPort, ...shape } = after;
  // Whether it is wired is not the provider's to say.
  const { id, label, description, isPort } = before;
  const own = {
    id,
    label,
    ...(description === undefined ? {} : { description }),
    ...(isPort === undefined ? {} : { isPort }),
  };
  const field = { ...shape, ...own, ...kept };
  const merged = kept === undefined ? withoutDefault({ ...field, required: true }) : field;
  if (canonical(before) === canonical(merged)) return before;
  note(describeChange(before, merged));
  return merged;
}

/** The default that stored graphs rely on; undefined where it is no longer taken, and the field must then be set. */
function keepDefault(before: ModelField, after: ModelField): { readonly default?: Json } | undefined {
  if (before.default === undefined) return {};
  return findProblem(before.default, { ...after, isPort: false }) === undefined
    ? { default: before.default }
    : undefined;
}

function withoutDefault({ default: _, ...field }: ModelField): ModelField {
  return field;
}

function describeChange(before: ModelField, after: ModelField): string {
  const gone = before.enum?.filter(option => after.enum?.includes(option) !== true) ?? [];
  const added = after.enum?.filter(option => before.enum?.includes(option) !== true) ?? [];
  const parts = [
    gone.length > 0 ? `no longer takes ${gone.slice(0, 5).join(', ')}` : '',
    added.length > 0 ? `also takes ${added.slice(0, 5).join(', ')}` : '',
    before.default !== undefined && after.default === undefined ? 'must now be set' : '',
  ].filter(part => part !== '');
  return parts.length > 0 ? parts.join(', ') : 'has other bounds';
}

function describe(price: Model['price']): string {
  if (price === null) return 'unknown';
  return typeof price.usd === 'number' ? `${price.usd} USD a ${price.unit}` : `by ${price.by?.join(', ')}`;
}

/** Equal for values that mean the same: members in any order, absent ones left out. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
