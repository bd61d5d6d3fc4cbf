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

/** Says what is wrong with a model. `path` is a JSON pointer to the invalid value. */
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
const MEMBER_PATH = /^[A-Za-z]\w{0,60}(?:\.\w{1,60}){0,4}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
// Names with a special meaning in JavaScript or in the engine.
const RESERVED_IDS: ReadonlySet<string> = new Set(['constructor', 'prototype', 'maxCredits', 'fanOut']);
const MAX_FIELDS = 80;
const MAX_OPTIONS = 500;
const MAX_USD = 10_000;
const MAX_JSON_LENGTH = 20_000;
const MAX_TEXT_LENGTHS = { label: 120, description: 400, source: 300, option: 200 } as const;

type Members = Readonly<Record<string, unknown>>;

/** Returns the model without any unknown members. Throws ModelError. */
export function parseModel(value: unknown): Model {
  const members = expectObject(value, '');
  const fields = expectList(members.fields, '/fields', MAX_FIELDS).map((field, index) =>
    parseField(field, `/fields/${index}`),
  );
  const ids = new Set(fields.map(({ id }) => id));
  if (ids.size !== fields.length) throw new ModelError('/fields', 'has a duplicate id');
  const output = expectObject(members.output, '/output');
  return {
    nodeType: expectMatch(members.nodeType, NODE_TYPE, '/nodeType'),
    label: expectText(members.label, '/label', MAX_TEXT_LENGTHS.label),
    provider: expectOneOf(members.provider, MODEL_PROVIDERS, '/provider'),
    endpoint: expectMatch(members.endpoint, ENDPOINT, '/endpoint'),
    ...parseOptional('description', members.description, value =>
      expectText(value, '/description', MAX_TEXT_LENGTHS.description),
    ),
    ...parseOptional('isRepeatable', members.isRepeatable, value => expectBoolean(value, '/isRepeatable')),
    fields,
    ...parseOptional('fixed', members.fixed, value => expectJsonObject(value, '/fixed')),
    output: {
      kind: expectOneOf(output.kind, OUTPUT_KINDS, '/output/kind'),
      ...parseOptional('path', output.path, value => expectMatch(value, MEMBER_PATH, '/output/path')),
      ...parseOptional('chunks', output.chunks, value => expectMatch(value, MEMBER_PATH, '/output/chunks')),
    },
    price: members.price === null ? null : parsePrice(members.price, ids),
    priceSource: expectText(members.priceSource, '/priceSource', MAX_TEXT_LENGTHS.source),
    schema: parseSchema(members.schema),
    ...parseOptional('isHidden', members.isHidden, value => expectBoolean(value, '/isHidden')),
    ...parseOptional('deprecated', members.deprecated, parseDeprecated),
  };
}

function parseField(value: unknown, path: string): ModelField {
  const members = expectObject(value, path);
  const id = expectMatch(members.id, FIELD_ID, `${path}/id`);
  if (RESERVED_IDS.has(id)) throw new ModelError(`${path}/id`, `is ${id}, which is a reserved name`);
  const type = expectOneOf(members.type, FIELD_TYPES, `${path}/type`);
  if (type === 'ANY') throw new ModelError(`${path}/type`, 'must be a specific type');
  const field: Record<string, unknown> = {
    id,
    label: expectText(members.label, `${path}/label`, MAX_TEXT_LENGTHS.label),
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
  ['isPort', expectBoolean],
  ['required', expectBoolean],
  ['default', expectJson],
  ['enum', expectOptions],
  ['min', expectNumber],
  ['max', expectNumber],
  ['integer', expectBoolean],
  ['step', expectNumber],
  ['itemType', (value, path) => expectOneOf(value, PORT_TYPES, path)],
  ['minItems', expectNumber],
  ['maxItems', expectNumber],
  ['nullable', expectBoolean],
  ['removed', expectBoolean],
  ['description', (value, path) => expectText(value, path, MAX_TEXT_LENGTHS.description)],
  ['as', (value, path) => expectMatch(value, FIELD_ID, path)],
  ['inList', expectBoolean],
  ['inQuery', expectBoolean],
];

function parsePrice(value: unknown, ids: ReadonlySet<string>): ModelPrice {
  const members = expectObject(value, '/price');
  const expectUsd = (value: unknown, path: string): number => {
    const usd = expectNumber(value, path);
    if (usd < 0 || usd > MAX_USD)
      throw new ModelError(path, `must be 0 to ${MAX_USD} USD per unit, but is ${usd}`);
    return usd;
  };
  const expectFieldId = (value: unknown, path: string): string => {
    const id = expectMatch(value, FIELD_ID, path);
    if (ids.has(id)) return id;
    throw new ModelError(path, `refers to the field ${id}, which does not exist`);
  };
  return {
    unit: expectOneOf(members.unit, PRICE_UNITS, '/price/unit'),
    usd:
      typeof members.usd === 'number'
        ? expectUsd(members.usd, '/price/usd')
        : expectTable(members.usd, '/price/usd', expectUsd),
    ...parseOptional('by', members.by, value =>
      expectList(value, '/price/by', 4).map((id, i) => expectFieldId(id, `/price/by/${i}`)),
    ),
    ...parseOptional('of', members.of, value => expectFieldId(value, '/price/of')),
    ...parseOptional('pixels', members.pixels, value => expectTable(value, '/price/pixels', expectNumber)),
  };
}

function parseSchema(value: unknown): Model['schema'] {
  const members = expectObject(value, '/schema');
  return {
    source: expectText(members.source, '/schema/source', MAX_TEXT_LENGTHS.source),
    date: expectMatch(members.date, DATE, '/schema/date'),
    ...parseOptional('hash', members.hash, value => expectMatch(value, /^[0-9a-f]{8,64}$/, '/schema/hash')),
  };
}

function parseDeprecated(value: unknown): NonNullable<Model['deprecated']> {
  const members = expectObject(value, '/deprecated');
  return {
    since: expectMatch(members.since, DATE, '/deprecated/since'),
    ...parseOptional('use', members.use, value => expectMatch(value, NODE_TYPE, '/deprecated/use')),
    ...parseOptional('isRemoved', members.isRemoved, value => expectBoolean(value, '/deprecated/isRemoved')),
  };
}

/** Returns an object with the parsed value as the member `name`, or an empty object if the value is undefined. */
function parseOptional<K extends string, T>(
  name: K,
  value: unknown,
  parse: (value: unknown) => T,
): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: parse(value) } as { readonly [P in K]?: T });
}

function expectObject(value: unknown, path: string): Members {
  if (isRecord(value)) return value;
  throw new ModelError(path, 'must be an object');
}

function expectList(value: unknown, path: string, max: number): readonly unknown[] {
  if (Array.isArray(value) && value.length <= max) return value;
  throw new ModelError(path, `must be a list with at most ${max} items`);
}

function expectText(value: unknown, path: string, max: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max && !/[\p{Cc}<>]/u.test(value)) {
    return value;
  }
  throw new ModelError(path, `must be a single line of 1 to ${max} characters, without < and >`);
}

function expectMatch(value: unknown, form: RegExp, path: string): string {
  if (typeof value === 'string' && value.length <= 300 && form.test(value)) return value;
  throw new ModelError(path, `must match ${form.source}`);
}

function expectOneOf<T extends string>(value: unknown, allowed: readonly T[], path: string): T {
  const match = allowed.find(option => option === value);
  if (match !== undefined) return match;
  throw new ModelError(path, `must be one of ${allowed.join(', ')}`);
}

function expectBoolean(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ModelError(path, 'must be true or false');
}

function expectNumber(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ModelError(path, 'must be a number');
}

function expectOptions(value: unknown, path: string): readonly string[] {
  const options = expectList(value, path, MAX_OPTIONS).map(option =>
    expectText(option, path, MAX_TEXT_LENGTHS.option),
  );
  if (options.length > 0) return options;
  throw new ModelError(path, 'must have at least one option');
}

function expectTable<T>(
  value: unknown,
  path: string,
  parse: (value: unknown, path: string) => T,
): Readonly<Record<string, T>> {
  const rows = Object.entries(expectObject(value, path));
  if (rows.length > MAX_OPTIONS) throw new ModelError(path, `must have at most ${MAX_OPTIONS} rows`);
  return Object.fromEntries(
    rows.map(([name, value]) => [name, parse(value, `${path}${toJsonPointer(name)}`)]),
  );
}

function expectJson(value: unknown, path: string): Json {
  const text = JSON.stringify(value);
  if (text !== undefined && text.length <= MAX_JSON_LENGTH) return JSON.parse(text) as Json;
  throw new ModelError(path, `must be JSON with at most ${MAX_JSON_LENGTH} characters`);
}

function expectJsonObject(value: unknown, path: string): JsonObject {
  return expectJson(expectObject(value, path), path) as JsonObject;
}
