// Generates the largest body that a schema of the OpenAPI document accepts, within a number of bytes.
import { type BodySchema, FORMATS } from '../../support/http/random-body.ts';

const MAX_DEPTH = 8;
/** The size of the items of a list without a maximum. The items are small, so that many fit. */
const SMALL_ITEM_BYTES = 40;
const DICTIONARY_VALUE_BYTES = 60;
/** The service accepts 50,000 members in one object. */
const MAX_PROPERTIES = 49_000;

const getSize = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
const createItems = <T>(length: number, create: (index: number) => T): T[] =>
  Array.from({ length: Math.floor(length) }, (_, index) => create(index));

/** Returns the largest value that the schema accepts. `schemas` are the named schemas. */
export function createLargestBody(
  schema: BodySchema,
  schemas: Readonly<Record<string, BodySchema>>,
  bytes: number,
  depth = 0,
): unknown {
  const createInner: CreateInner = (inner, share = bytes) =>
    createLargestBody(inner, schemas, share, depth + 1);
  const findLargest = (choices: readonly BodySchema[]): unknown =>
    choices.map(choice => createInner(choice)).reduce((a, b) => (getSize(b) > getSize(a) ? b : a));

  if (schema.$ref !== undefined) return createInner(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum.at(-1);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return findLargest(choices);
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(entry => createInner(entry)));
  const { type } = schema;
  if (typeof type === 'object') return findLargest(type.map(entry => ({ ...schema, type: entry })));
  if (type === 'object') return createLargestObject(schema, createInner, bytes, depth);
  if (type === 'array') return createLargestList(schema, createInner, bytes);
  if (type === 'string' || type === undefined) return createLargestText(schema, bytes);
  if (type === 'boolean') return true;
  return type === 'null' ? null : (schema.maximum ?? Math.max(schema.minimum ?? 1, 1));
}

/** Creates the largest value of an inner schema within a number of bytes. */
type CreateInner = (schema: BodySchema, bytes?: number) => unknown;

function createLargestObject(
  { properties = {}, required = [], additionalProperties, maxProperties = MAX_PROPERTIES }: BodySchema,
  createInner: CreateInner,
  bytes: number,
  depth: number,
): object {
  const members = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
  const declaredMembers = createMembers(members, createInner, bytes, depth);
  const value = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const additionalMembers =
    value === undefined || depth >= MAX_DEPTH
      ? []
      : createItems(Math.min(maxProperties, bytes / (DICTIONARY_VALUE_BYTES + 20)), index => [
          `key${index}`,
          createInner(value, DICTIONARY_VALUE_BYTES),
        ]);
  return Object.fromEntries([...declaredMembers, ...additionalMembers]);
}

/** Creates the members. At the top level, unbounded members share the bytes that bounded members do not need. */
function createMembers(
  members: readonly (readonly [string, BodySchema])[],
  createInner: CreateInner,
  bytes: number,
  depth: number,
): (readonly [string, unknown])[] {
  const share = bytes / Math.max(members.length, 1);
  const created = members.map(([name, member]) => [name, createInner(member, share)] as const);
  if (depth > 0) return created;
  const isUnbounded = (value: unknown): boolean => getSize(value) > share / 2;
  const unboundedCount = created.filter(([, value]) => isUnbounded(value)).length;
  const boundedBytes = created.reduce((sum, [, value]) => sum + (isUnbounded(value) ? 0 : getSize(value)), 0);
  const unboundedShare = (bytes - boundedBytes) / Math.max(unboundedCount, 1);
  return created.map(([name, value], index) => [
    name,
    isUnbounded(value) ? createInner(members[index]?.[1] ?? {}, unboundedShare) : value,
  ]);
}

function createLargestList(
  { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false }: BodySchema,
  createInner: CreateInner,
  bytes: number,
): unknown[] {
  const item = createInner(items, Math.max(SMALL_ITEM_BYTES, bytes / maxItems));
  const length = Math.max(minItems, Math.min(maxItems, bytes / (getSize(item) + 1)));
  if (!uniqueItems) return createItems(length, () => item);
  const values = items.enum ?? items.anyOf?.map(entry => entry.const);
  return createItems(Math.min(length, values?.length ?? length), index => values?.[index] ?? `${index}`);
}

function createLargestText({ format, pattern, maxLength }: BodySchema, bytes: number): string {
  const sample = FORMATS[format ?? '']?.[0];
  if (sample !== undefined) return sample;
  const maxTextLength = Math.floor(Math.min(maxLength ?? bytes, bytes));
  if (pattern === undefined) return 'a'.repeat(maxTextLength);
  const matchesPattern = (text: string): boolean => new RegExp(pattern, 'u').test(text);
  const lengths = [maxTextLength, 80, 64, 40, 1].filter(length => length <= maxTextLength);
  return lengths.map(length => 'a'.repeat(length)).find(matchesPattern) ?? 'a';
}
