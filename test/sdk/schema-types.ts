// Generates the types of the SDK, and those of the responses in the editor, from the OpenAPI document.

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

/** Returns the unformatted source of a module that exports a type for each schema. */
export function generateTypes(schemas: Schemas): string {
  return (
    HEAD +
    Object.entries(schemas)
      .map(([name, schema]) => `${formatComment(schema)}export type ${name} = ${toType(schema)};\n`)
      .join('\n')
  );
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

interface Operation {
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

const API = '/api/v1';

/** Returns the unformatted source of a module with the type of each operation's response, by method and path. */
export function generateResponses({ paths, components }: OpenApi): string {
  const names = new RegExp(`(?<!['\\w])(?:${Object.keys(components.schemas).join('|')})(?![\\w'])`, 'g');
  const entries = Object.entries(paths)
    .filter(([path]) => path.startsWith(`${API}/`))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { responses = {} }]) => {
        const types = Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, { content }]) => content?.['application/json']?.schema ?? [])
          .map(schema => toType(schema).replaceAll(names, 'schemas.$&'));
        const key = `${method.toUpperCase()} ${path.slice(API.length).replaceAll(/\{\w+\}/g, '{}')}`;
        return `${JSON.stringify(key)}: ${[...new Set(types)].join(' | ') || 'undefined'};\n`;
      }),
    );
  return `// The type of each operation's response, by method and path, whose parameters are \`{}\`. Written by
// test/sdk/schema-types.slow.test.ts --write.
import type * as schemas from '../../sdk/src/schemas.ts';

export interface Responses {
${entries.join('')}}
`;
}

const PRIMITIVE_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function toType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return toLiteral(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(toLiteral).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(toType))].join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map(part => `(${toType(part)})`).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map(type => toType({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return `readonly (${toType(schema.items ?? {})})[]`;
  if (schema.type === 'object') return toObjectType(schema);
  return PRIMITIVE_TYPES[String(schema.type)] ?? 'unknown';
}

const toLiteral = (value: unknown): string => JSON.stringify(value);

function toObjectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${formatComment(member)}readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${toType(member)};\n`,
  );
  const additionalType =
    typeof additionalProperties === 'object'
      ? toType(additionalProperties)
      : additionalProperties === true || members.length === 0
        ? 'unknown'
        : undefined;
  const objectType = `{\n${members.join('')}}`;
  if (additionalType === undefined) return objectType;
  // The index signature is `unknown`, because known properties of other types would conflict with a narrower type.
  const indexSignature = `Readonly<Record<string, ${members.length === 0 ? additionalType : 'unknown'}>>`;
  return members.length === 0 ? indexSignature : `${objectType} & ${indexSignature}`;
}

function formatComment({ description }: Schema): string {
  if (description === undefined || description === '') return '';
  const lines = description.replaceAll('*/', '*\u200b/').split('\n');
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map(line => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
