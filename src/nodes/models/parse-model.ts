// Validates models from a file, the database or a provider's list. No value of a model is trusted.
import { toJsonPointer } from '../../graph/issues.ts';
import { FIELD_TYPES, type Json, type JsonObject, PORT_TYPES } from '../../graph/types.ts';
import { isRecord } from '../../lib/record.ts';
import {
  MODEL_PROVIDERS,
  type Model,
  type ModelField,
  type ModelPrice,
  OUTPUT_KINDS,
  PRICE_UNITS,
} from './model.ts';

/** An error in a model: a JSON pointer and a sentence. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly path: string;
  constructor(path: string, message: string) {
    super(`${path === '' ? 'The model' : path} ${message}.`);
    this.path = path;
  }
}

/** An endpoint becomes part of a URL path, so it must not contain dot segments, a query or another host. */
const ENDPOINT = /^\/?[a-z0-9][\w.-]*(?:\/[a-z0-9][\w.-]*){0,8}(?::[\w.-]{1,64})?$/i;
const NODE_TYPE = /^(?:generate|edit|video|talking|text|audio):[a-z0-9_]{1,80}$/;
const FIELD_ID = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const PATH = /^[A-Za-z]\w{0,60}(?:\.\w{1,60}){0,4}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
// Names with a special meaning in JavaScript or in the engine.
const RESERVED: ReadonlySet<string> = new Set(['constructor', 'prototype', 'maxCredits', 'fanOut']);
const MAX_FIELDS = 80;
const MAX_OPTIONS = 500;
const MAX_USD = 10_000;
const MAX_JSON_LENGTH = 20_000;
const TEXT_LENGTHS = { label: 120, description: 400, source: 300, option: 200 } as const;

type Members = Readonly<Record<string, unknown>>;

/** Returns the model without any unknown members. Throws ModelError. */
export function parseModel(value: unknown): Model {
  const members = toMembers(value, '');
  const fields = toList(members.fields, '/fields', MAX_FIELDS).map((field, index) =>
    parseField(field, `/fields/${index}`),
  );
  const ids = new Set(fields.map(({ id }) => id));
  if (ids.size !== fields.length) throw new ModelError('/fields', 'has a duplicate id');
  const output = toMembers(members.output, '/output');
  return {
    nodeType: toMatch(members.nodeType, NODE_TYPE, '/nodeType'),
    label: toText(members.label, '/label', TEXT_LENGTHS.label),
    provider: toOneOf(members.provider, MODEL_PROVIDERS, '/provider'),
    endpoint: toMatch(members.endpoint, ENDPOINT, '/endpoint'),
    ...optional('description', members.description, value =>
      toText(value, '/description', TEXT_LENGTHS.description),
    ),
    ...optional('isRepeatable', members.isRepeatable, value => toBoolean(value, '/isRepeatable')),
    fields,
    ...optional('fixed', members.fixed, value => toJsonObject(value, '/fixed')),
    output: {
      kind: toOneOf(output.kind, OUTPUT_KINDS, '/output/kind'),
      ...optional('path', output.path, value => toMatch(value, PATH, '/output/path')),
      ...optional('chunks', output.chunks, value => toMatch(value, PATH, '/output/chunks')),
    },
    price: members.price === null ? null : parsePrice(members.price, ids),
    priceSource: toText(members.priceSource, '/priceSource', TEXT_LENGTHS.source),
    schema: parseSchema(members.schema),
    ...optional('isHidden', members.isHidden, value => toBoolean(value, '/isHidden')),
    ...optional('deprecated', members.deprecated, parseDeprecated),
  };
}

function parseField(value: unknown, path: string): ModelField {
  const members = toMembers(value, path);
  const id = toMatch(members.id, FIELD_ID, `${path}/id`);
  if (RESERVED.has(id)) throw new ModelError(`${path}/id`, `is ${id}, which is a reserved name`);
  const type = toOneOf(members.type, FIELD_TYPES, `${path}/type`);
  if (type === 'ANY') throw new ModelError(`${path}/type`, 'must be a specific type');
  const field: Record<string, unknown> = {
    id,
    label: toText(members.label, `${path}/label`, TEXT_LENGTHS.label),
    type,
  };
  for (const [name, parse] of FIELD_MEMBERS) {
    const value = members[name];
    if (value !== undefined) field[name] = parse(value, `${path}/${name}`);
  }
  const parsed = field as unknown as ModelField;
  if (parsed.min !== undefined && parsed.max !== undefined && parsed.min > parsed.max)
    throw new ModelError(`${path}/min`, 'is greater than the maximum');
  return parsed;
}

/** Optional members of a field, in the order in which they are written. */
const FIELD_MEMBERS: readonly (readonly [
  name: keyof ModelField,
  parse: (value: unknown, path: string) => unknown,
])[] = [
  ['isPort', toBoolean],
  ['required', toBoolean],
  ['default', toJson],
  ['enum', toOptions],
  ['min', toNumber],
  ['max', toNumber],
  ['integer', toBoolean],
  ['step', toNumber],
  ['itemType', (value, path) => toOneOf(value, PORT_TYPES, path)],
  ['minItems', toNumber],
  ['maxItems', toNumber],
  ['nullable', toBoolean],
  ['removed', toBoolean],
  ['description', (value, path) => toText(value, path, TEXT_LENGTHS.description)],
  ['as', (value, path) => toMatch(value, FIELD_ID, path)],
  ['inList', toBoolean],
  ['inQuery', toBoolean],
];

function parsePrice(value: unknown, ids: ReadonlySet<string>): ModelPrice {
  const members = toMembers(value, '/price');
  const toUsd = (value: unknown, path: string): number => {
    const usd = toNumber(value, path);
    if (usd < 0 || usd > MAX_USD)
      throw new ModelError(path, `must be 0 to ${MAX_USD} USD per unit, but is ${usd}`);
    return usd;
  };
  const toField = (value: unknown, path: string): string => {
    const id = toMatch(value, FIELD_ID, path);
    if (ids.has(id)) return id;
    throw new ModelError(path, `refers to the field ${id}, which does not exist`);
  };
  return {
    unit: toOneOf(members.unit, PRICE_UNITS, '/price/unit'),
    usd:
      typeof members.usd === 'number'
        ? toUsd(members.usd, '/price/usd')
        : toTable(members.usd, '/price/usd', toUsd),
    ...optional('by', members.by, value =>
      toList(value, '/price/by', 4).map((id, i) => toField(id, `/price/by/${i}`)),
    ),
    ...optional('of', members.of, value => toField(value, '/price/of')),
    ...optional('pixels', members.pixels, value => toTable(value, '/price/pixels', toNumber)),
  };
}

function parseSchema(value: unknown): Model['schema'] {
  const members = toMembers(value, '/schema');
  return {
    source: toText(members.source, '/schema/source', TEXT_LENGTHS.source),
    date: toMatch(members.date, DATE, '/schema/date'),
    ...optional('hash', members.hash, value => toMatch(value, /^[0-9a-f]{8,64}$/, '/schema/hash')),
  };
}

function parseDeprecated(value: unknown): NonNullable<Model['deprecated']> {
  const members = toMembers(value, '/deprecated');
  return {
    since: toMatch(members.since, DATE, '/deprecated/since'),
    ...optional('use', members.use, value => toMatch(value, NODE_TYPE, '/deprecated/use')),
    ...optional('isRemoved', members.isRemoved, value => toBoolean(value, '/deprecated/isRemoved')),
  };
}

/** Parses an optional member: returns an object with `name` set to the result of `parse`, or an empty object. */
function optional<K extends string, T>(
  name: K,
  value: unknown,
  parse: (value: unknown) => T,
): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: parse(value) } as { readonly [P in K]?: T });
}

function toMembers(value: unknown, path: string): Members {
  if (isRecord(value)) return value;
  throw new ModelError(path, 'must be an object');
}

function toList(value: unknown, path: string, max: number): readonly unknown[] {
  if (Array.isArray(value) && value.length <= max) return value;
  throw new ModelError(path, `must be a list with at most ${max} items`);
}

function toText(value: unknown, path: string, max: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max && !/[\p{Cc}<>]/u.test(value)) {
    return value;
  }
  throw new ModelError(path, `must be a single line of 1 to ${max} characters, without < and >`);
}

function toMatch(value: unknown, form: RegExp, path: string): string {
  if (typeof value === 'string' && value.length <= 300 && form.test(value)) return value;
  throw new ModelError(path, `must match ${form.source}`);
}

function toOneOf<T extends string>(value: unknown, allowed: readonly T[], path: string): T {
  const match = allowed.find(option => option === value);
  if (match !== undefined) return match;
  throw new ModelError(path, `must be one of ${allowed.join(', ')}`);
}

function toBoolean(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ModelError(path, 'must be true or false');
}

function toNumber(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ModelError(path, 'must be a number');
}

function toOptions(value: unknown, path: string): readonly string[] {
  const options = toList(value, path, MAX_OPTIONS).map(option => toText(option, path, TEXT_LENGTHS.option));
  if (options.length > 0) return options;
  throw new ModelError(path, 'must have at least one option');
}

function toTable<T>(
  value: unknown,
  path: string,
  parse: (value: unknown, path: string) => T,
): Readonly<Record<string, T>> {
  const rows = Object.entries(toMembers(value, path));
  if (rows.length > MAX_OPTIONS) throw new ModelError(path, `must have at most ${MAX_OPTIONS} rows`);
  return Object.fromEntries(
    rows.map(([name, value]) => [name, parse(value, `${path}${toJsonPointer(name)}`)]),
  );
}

function toJson(value: unknown, path: string): Json {
  const text = JSON.stringify(value);
  if (text !== undefined && text.length <= MAX_JSON_LENGTH) return JSON.parse(text) as Json;
  throw new ModelError(path, `must be JSON with at most ${MAX_JSON_LENGTH} characters`);
}

function toJsonObject(value: unknown, path: string): JsonObject {
  return toJson(toMembers(value, path), path) as JsonObject;
}
