// Moves every schema with a title to `components.schemas` and replaces it with a reference.
import { isRecord } from '../../lib/record.ts';

/** Properties whose values are data, not schemas. */
const DATA_PROPERTIES: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

type NamedSchemas = Map<string, unknown>;

/**
 * Returns the value with references instead of schemas, and the schemas. Throws if two different schemas have the same
 * title.
 */
export function nameSchemas(value: unknown): { readonly value: unknown; readonly schemas: NamedSchemas } {
  const schemas: NamedSchemas = new Map();
  return { value: replaceTitled(value, schemas), schemas };
}

function replaceTitled(value: unknown, schemas: NamedSchemas): unknown {
  if (Array.isArray(value)) return value.map(item => replaceTitled(item, schemas));
  if (!isRecord(value)) return value;
  // For a route with its own body parser, `x-schema` documents the body, and the schema beside it only validates.
  if ('x-schema' in value) {
    const { 'x-schema': described, ...rest } = value;
    return replaceTitled({ ...(described as object), ...rest }, schemas);
  }
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    DATA_PROPERTIES.has(name) ? member : replaceTitled(member, schemas),
  ]);
  const { title, ...schema } = addEnumType(Object.fromEntries(entries));
  if (typeof title !== 'string') return { ...(title === undefined ? {} : { title }), ...schema };
  const existing = schemas.get(title);
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema))
    throw new Error(`Two different schemas have the title ${title}. Rename one of them.`);
  schemas.set(title, schema);
  return { $ref: `#/components/schemas/${title}` };
}

/** Adds the type `string` to enums of strings, because client generators treat an untyped enum as `any`. */
function addEnumType(schema: Record<string, unknown>): Record<string, unknown> {
  const isTextual = Array.isArray(schema.enum) && schema.enum.every(item => typeof item === 'string');
  return isTextual && schema.type === undefined ? { type: 'string', ...schema } : schema;
}
