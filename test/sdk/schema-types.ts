// Generates the types of the SDK from the named schemas of the OpenAPI document.

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

export type Schemas = Readonly<Record<string, Schema>>;

const HEAD = `// The named schemas of the service's OpenAPI document, as types. Written by test/sdk/schema-types.slow.test.ts --write.

`;

/** Returns a module that exports a type for each schema. It is valid, but not formatted. */
export function writeTypes(schemas: Schemas): string {
  return (
    HEAD +
    Object.entries(schemas)
      .map(([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};\n`)
      .join('\n')
  );
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map(part => `(${typeOf(part)})`).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map(type => typeOf({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.type === 'object') return objectOf(schema);
  return SIMPLE[String(schema.type)] ?? 'unknown';
}

const literal = (value: unknown): string => JSON.stringify(value);

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${comment(member)}readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member)};\n`,
  );
  const more =
    typeof additionalProperties === 'object'
      ? typeOf(additionalProperties)
      : additionalProperties === true || members.length === 0
        ? 'unknown'
        : undefined;
  const known = `{\n${members.join('')}}`;
  if (more === undefined) return known;
  // Properties of other types would conflict with an index signature.
  const rest = `Readonly<Record<string, ${members.length === 0 ? more : 'unknown'}>>`;
  return members.length === 0 ? rest : `${known} & ${rest}`;
}

function comment({ description }: Schema): string {
  if (description === undefined || description === '') return '';
  const lines = description.replaceAll('*/', '*\u200b/').split('\n');
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map(line => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
