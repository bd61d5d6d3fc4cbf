// Reads JSON Schemas that providers publish: follows references and merges alternatives and parts, within limits.
import { unescapeSegment } from '../../graph/issues.ts';
import { isRecord } from '../../lib/record.ts';

export type Schema = Readonly<Record<string, unknown>>;

// Published schemas have a handful of each. Anything larger is hostile or broken.
const MAX_DEPTH = 12;
const MAX_PARTS = 40;

/** A schema with its references resolved. `isNullable` says whether null is a valid value. */
export interface ResolvedSchema {
  readonly schema: Schema;
  readonly isNullable: boolean;
}

/** Reads the schemas of one document and resolves references such as `#/components/schemas/X` in it. */
export class SchemaDocument {
  readonly #root: unknown;
  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the schema merged into one object. If it is circular or too deep, returns what was merged so far. */
  resolve(schema: unknown, depth = 0): ResolvedSchema {
    if (!isRecord(schema) || depth > MAX_DEPTH) return { schema: {}, isNullable: false };
    if (typeof schema.$ref === 'string') {
      const target = this.resolve(this.#find(schema.$ref), depth + 1);
      const { $ref: _, ...ownMembers } = schema;
      return { ...target, schema: { ...target.schema, ...ownMembers } };
    }
    if (Array.isArray(schema.allOf)) return this.#merge(schema, schema.allOf, depth);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(alternatives)) return this.#choose(schema, alternatives, depth);
    return this.#resolvePlain(schema);
  }

  #resolvePlain(schema: Schema): ResolvedSchema {
    const { type } = schema;
    const isNullable = schema.nullable === true || (Array.isArray(type) && type.includes('null'));
    if (!Array.isArray(type)) return { schema: schema, isNullable };
    return { schema: { ...schema, type: type.find(name => name !== 'null') }, isNullable };
  }

  #merge(schema: Schema, parts: readonly unknown[], depth: number): ResolvedSchema {
    const { allOf: _, ...ownMembers } = schema;
    let merged: Schema = {};
    for (const part of parts.slice(0, MAX_PARTS)) {
      const { schema } = this.resolve(part, depth + 1);
      const properties = joinRecords(merged.properties, schema.properties);
      const required = [...toNames(merged.required), ...toNames(schema.required)];
      merged = { ...merged, ...schema, ...properties, ...(required.length === 0 ? {} : { required }) };
    }
    return { schema: { ...merged, ...ownMembers }, isNullable: schema.nullable === true };
  }

  /** Chooses the alternative that a field can show: an enum of texts first, then the simplest type. */
  #choose(schema: Schema, alternatives: readonly unknown[], depth: number): ResolvedSchema {
    const { anyOf: _, oneOf: __, ...ownMembers } = schema;
    const bounded = alternatives.slice(0, MAX_PARTS);
    const resolvedAlternatives = bounded.map(alternative => this.resolve(alternative, depth + 1));
    const isNull = ({ schema }: ResolvedSchema): boolean => schema.type === 'null';
    const values = resolvedAlternatives.filter(alternative => !isNull(alternative));
    const chosen =
      values.find(({ schema }) => Array.isArray(schema.enum)) ??
      SIMPLE.flatMap(type => values.filter(({ schema }) => schema.type === type))[0] ??
      values[0];
    const isNullable = values.length < resolvedAlternatives.length || values.some(value => value.isNullable);
    return { schema: { ...chosen?.schema, ...ownMembers }, isNullable };
  }

  #find(ref: string): unknown {
    if (!ref.startsWith('#/')) return undefined;
    const getMember = (value: unknown, name: string): unknown =>
      isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    const names = ref.slice(2).split('/', 10);
    return names.map(unescapeSegment).reduce(getMember, this.#root);
  }
}

const SIMPLE = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

function joinRecords(a: unknown, b: unknown): { readonly properties?: Schema } {
  if (!isRecord(a) && !isRecord(b)) return {};
  return { properties: { ...(isRecord(a) ? a : {}), ...(isRecord(b) ? b : {}) } };
}

/** Returns the strings in a list, or an empty list for any other value. */
export function toNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(name => typeof name === 'string') : [];
}
