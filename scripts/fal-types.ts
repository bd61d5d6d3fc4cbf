// Reads the published types of fal's client as JSON Schemas: the input and output of each endpoint.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEER_MODULES } from '../test/support/peers.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface FalEndpoint {
  readonly input: Schema;
  readonly output: Schema;
}

const FILE = '@fal-ai/client/src/types/endpoints.d.ts';
const ALIAS = /^export type (\w+) = (\w+);$/gm;
const OBJECT = /^export type (\w+) = \{\n(.*?)^\};$/gms;
const ENDPOINT = /^ {4}"([^"]+)": \{\n\s+input: (\w+);\n\s+output: (\w+);/gm;
const FIELD =
  /(?: {4}\/\*\*\n(?<doc>(?: {5}\*.*\n)+?) {5}\*\/\n)? {4}(?<quote>"?)(?<name>[\w-]+)\k<quote>(?<optional>\?)?: (?<type>.+);$/gm;
/** The names of integer fields, which fal's types declare as `number`. */
const INTEGER_FIELDS =
  /^(?:seed|num_.*|.*_(?:steps|count|seed)|fps|frames_per_second|width|height|max_.*|top_k)$/;

/** Returns the schemas by endpoint. `modules` is the `node_modules` folder that contains fal's client. */
export function readFalTypes(modules = PEER_MODULES): ReadonlyMap<string, FalEndpoint> {
  const text = readFileSync(join(modules, FILE), 'utf8');
  const aliases = new Map([...text.matchAll(ALIAS)].map(([, name = '', target = '']) => [name, target]));
  const bodies = new Map([...text.matchAll(OBJECT)].map(([, name = '', body = '']) => [name, body]));
  const getSchema = (name: string): Schema => {
    let typeName = name;
    for (let depth = 0; aliases.has(typeName) && depth < 10; depth++) typeName = aliases.get(typeName) ?? '';
    return toSchema(bodies.get(typeName) ?? '');
  };
  return new Map(
    [...text.matchAll(ENDPOINT)].map(([, endpoint = '', input = '', output = '']) => [
      endpoint,
      { input: getSchema(input), output: getSchema(output) },
    ]),
  );
}

function toSchema(body: string): Schema {
  const fields = [...body.matchAll(FIELD)].map(({ groups = {} }) => {
    const { name = '', type = '', doc = '', optional } = groups;
    return { name, isRequired: optional === undefined, schema: toFieldSchema(name, type, doc) };
  });
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

function toFieldSchema(name: string, type: string, doc: string): Schema {
  const schema = toTypeSchema(type);
  const defaultText = /Default value: `(.*?)`/.exec(doc)?.[1];
  const integerType = schema.type === 'number' && INTEGER_FIELDS.test(name) ? { type: 'integer' } : {};
  return { ...schema, ...integerType, ...(defaultText === undefined ? {} : parseDefault(defaultText)) };
}

function parseDefault(text: string): Schema {
  try {
    return { default: JSON.parse(text) };
  } catch {
    return {};
  }
}

function toTypeSchema(type: string): Schema {
  const parts = splitUnion(type).filter(part => part !== 'Blob' && part !== 'File');
  const options = parts.filter(part => part.startsWith('"')).map(part => part.slice(1, -1));
  if (options.length > 0) return { type: 'string', enum: options };
  const simpleType = ['string', 'number', 'boolean'].find(name => parts.includes(name));
  if (simpleType !== undefined) return { type: simpleType };
  const itemType = /^Array<(.*)>$/.exec(parts[0] ?? '')?.[1];
  return itemType === undefined ? { type: 'object' } : { type: 'array', items: toTypeSchema(itemType) };
}

/** Splits at bars outside brackets and quotes. */
function splitUnion(type: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  let isQuoted = false;
  for (const char of type) {
    if (char === '"') isQuoted = !isQuoted;
    if (!isQuoted && '<{('.includes(char)) depth++;
    if (!isQuoted && '>})'.includes(char)) depth--;
    if (char === '|' && depth === 0 && !isQuoted) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map(part => part.trim()).filter(part => part !== '');
}
