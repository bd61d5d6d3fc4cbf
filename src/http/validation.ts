// Validates requests against the schemas of their routes. Error messages name the allowed values, the property that was
// probably meant, and where a misplaced property belongs.

import type { FastifySchemaCompiler } from 'fastify';
import { findNearestName } from '../graph/nearest.ts';
import { cutText } from '../lib/cut-text.ts';
import { isRecord } from '../lib/record.ts';
import { compileCheck } from '../lib/schema-check.ts';

/** An error of Ajv in verbose mode, with the schema of the whole body or query. */
export interface ValidationFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly parentSchema?: Schema;
  readonly data?: unknown;
  readonly root?: Schema;
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const MAX_LISTED = 20;
/** The number of schemas that a search for a property visits. */
const MAX_SEARCHED = 200;
const MAX_QUOTED_LENGTH = 60;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
};

const EXPLAINERS: Readonly<Record<string, (fault: ValidationFault) => string>> = {
  enum: ({ params, data }) => {
    const values = Array.isArray(params?.allowedValues) ? params.allowedValues : [];
    const allowed = formatList(values.map(value => JSON.stringify(value)));
    return `must be one of ${allowed}, not ${quote(data)}`;
  },
  const: ({ params, data }) => `must be ${JSON.stringify(params?.allowedValue)}, not ${quote(data)}`,
  type: ({ params }) => {
    const types = [params?.type].flat().map(String);
    return `must be ${types.map(type => TYPE_NAMES[type] ?? type).join(' or ')}`;
  },
  required: () => 'is missing',
  additionalProperties: fault => `is not a known property${getHint(fault)}`,
};

/** Returns the rest of a sentence that starts with the path of the fault. */
export function explainFault(fault: ValidationFault): string {
  return EXPLAINERS[fault.keyword]?.(fault) ?? fault.message ?? 'has the wrong form';
}

/** Returns a hint without a period at the end. */
function getHint({ params, parentSchema = {}, instancePath, root = {} }: ValidationFault): string {
  const name = String(params?.additionalProperty);
  const knownNames = Object.keys(parentSchema.properties ?? {});
  const pointer = findPointer(name, root);
  if (pointer !== undefined && pointer !== `${instancePath}/${name}`) return `: it belongs at ${pointer}`;
  const nearest = findNearestName(name, knownNames);
  if (nearest !== undefined) return `; the nearest one is ${nearest}`;
  const inputs = parentSchema.properties?.inputs;
  if (inputs?.type === 'object' && inputs.properties === undefined)
    return `: a value for an input node belongs at ${instancePath}/inputs/${name.slice(0, MAX_QUOTED_LENGTH)}`;
  return knownNames.length === 0 ? '' : `; the known ones are ${formatList(knownNames)}`;
}

/** Returns the JSON pointer of the topmost property with this name. `*` stands for any list item. */
function findPointer(name: string, root: Schema): string | undefined {
  const queue: [path: string, schema: Schema][] = [['', root]];
  for (let index = 0; index < queue.length && index < MAX_SEARCHED; index++) {
    const [path, schema] = queue[index] ?? ['', {}];
    const properties = Object.entries(schema.properties ?? {});
    if (properties.some(([key]) => key === name)) return `${path}/${name}`;
    for (const [key, inner] of properties) queue.push([`${path}/${key}`, inner]);
    for (const branch of schema.anyOf ?? []) queue.push([path, branch]);
    if (isRecord(schema.items)) queue.push([`${path}/*`, schema.items]);
  }
  return undefined;
}

function formatList(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${listed} and ${names.length - MAX_LISTED} more` : listed;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_QUOTED_LENGTH ? `${cutText(text, MAX_QUOTED_LENGTH)}…` : text;
}

/** Compiles each schema on its first request, because compiling all of them would take a fifth of the start. */
export function createValidator(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) =>
    data => {
      const check = compileCheck(schema, httpPart === 'body' ? 'body' : 'parameters');
      return check(data) || { error: (check.errors ?? []).map(fault => ({ ...fault, root: schema })) };
    };
}
