// Named schemas: every schema with a title moves to `components.schemas` under it, and a reference takes its place.
import { isRecord } from '../../lib/record.ts';

/** Members whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

type Schemas = Map<string, unknown>;

/** The value with references, and the schemas that they lead to. Throws where one name stands for two schemas. */
export function nameSchemas(value: unknown): { readonly value: unknown; readonly schemas: Schemas } {
  const schemas: Schemas = new Map();
  return { value: replace(value, schemas), schemas };
}

function replace(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map(item => replace(item, schemas));
  if (!isRecord(value)) return value;
  // A request that a parser of ours checks is described by another schema than the one that validates it.
  if ('x-schema' in value) {
    const { 'x-schema': described, ...rest } = value;
    return replace({ ...(described as object), ...rest }, schemas);
  }
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    DATA.has(name) ? member : replace(member, schemas),
  ]);
  const { title, ...schema } = withType(Object.fromEntries(entries));
  if (typeof title !== 'string') return { ...(title === undefined ? {} : { title }), ...schema };
  const known = schemas.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two schemas of the document are called ${title}.`);
  schemas.set(title, schema);
  return { $ref: `#/components/schemas/${title}` };
}

/** Generators of clients read an enum of texts without a type as anything. */
function withType(schema: Record<string, unknown>): Record<string, unknown> {
  const isTextual = Array.isArray(schema.enum) && schema.enum.every(item => typeof item === 'string');
  return isTextual && schema.type === undefined ? { type: 'string', ...schema } : schema;
}
