// Generates random request bodies that fit a schema of the OpenAPI document, and bodies with one violation.

export interface BodySchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly BodySchema[];
  readonly oneOf?: readonly BodySchema[];
  readonly allOf?: readonly BodySchema[];
  readonly items?: BodySchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly additionalProperties?: boolean | BodySchema;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
}

export type Roll = () => number;

const pick = <T>(roll: Roll, items: readonly T[]): T => items[Math.floor(roll() * items.length)] as T;

const MAX_DEPTH = 7;
const TEXTS = ['a', 'Lisbon', 'é🌅', 'x y', '0', 'null', '{{secrets.A}}', '<b>', '\u202e', '../..', '%00'];
export const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2026-01-02T03:04:05.678Z', '2030-12-31T23:59:59Z'],
  uri: ['https://localhost:9/a.png', 'http://127.0.0.1:9/'],
  email: ['somebody@example.com', 'a.b+c@example.org'],
  uuid: ['3b9a2f0e-6c1d-4a6e-9a4d-0c9f4f1b7a11'],
};

/** Generates a valid value. `schemas` are the schemas that `$ref` can name. */
export function generateBody(
  schema: BodySchema,
  schemas: Readonly<Record<string, BodySchema>>,
  roll: Roll,
  depth = 0,
): unknown {
  const generateInner = (inner: BodySchema): unknown => generateBody(inner, schemas, roll, depth + 1);
  if (schema.$ref !== undefined) return generateInner(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return pick(roll, schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return generateInner(pick(roll, choices));
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(generateInner));
  const type = Array.isArray(schema.type) ? pick(roll, schema.type) : schema.type;
  if (type === 'object') return generateObject(schema, generateInner, roll, depth);
  if (type === 'array') {
    const min = schema.minItems ?? 0;
    const max = Math.min(schema.maxItems ?? 3, depth > MAX_DEPTH ? min : min + 2);
    const length = min + Math.floor(roll() * (max - min + 1));
    return Array.from({ length }, () => generateInner(schema.items ?? {}));
  }
  return generateScalar(String(type), schema, roll);
}

function generateObject(
  { properties = {}, required = [], additionalProperties }: BodySchema,
  generateInner: (schema: BodySchema) => unknown,
  roll: Roll,
  depth: number,
): unknown {
  const declared = Object.entries(properties)
    .filter(([name]) => required.includes(name) || (depth <= MAX_DEPTH && roll() < 0.5))
    .map(([name, member]) => [name, generateInner(member)]);
  const extras =
    typeof additionalProperties === 'object' && depth <= MAX_DEPTH && roll() < 0.7
      ? [[pick(roll, ['a', 'place', 'x-1']), generateInner(additionalProperties)]]
      : [];
  return Object.fromEntries([...declared, ...extras]);
}

function generateScalar(type: string, schema: BodySchema, roll: Roll): unknown {
  const {
    minimum,
    exclusiveMinimum = -1,
    maximum,
    minLength = 0,
    maxLength = 1_000,
    format,
    pattern,
  } = schema;
  if (type === 'boolean') return roll() < 0.5;
  if (type === 'null') return null;
  if (type === 'integer' || type === 'number') {
    const min = minimum ?? exclusiveMinimum + 1;
    const number = pick(roll, [min, Math.min(maximum ?? min + 7, min + 3), maximum ?? min + 1]);
    return type === 'integer' ? Math.ceil(number) : number;
  }
  if (type !== 'string') return pick(roll, [null, 'any', 7, { a: [1] }, []]);
  if (format !== undefined && FORMATS[format] !== undefined) return pick(roll, FORMATS[format]);
  const fitting = TEXTS.filter(text => pattern === undefined || new RegExp(pattern, 'u').test(text));
  const text = fitting.length === 0 ? 'a' : pick(roll, fitting);
  return text.padEnd(minLength, 'a').slice(0, maxLength);
}

/** Copies the value with one change: a property with another type, missing or unknown. */
export function corrupt(value: unknown, roll: Roll): unknown {
  const copy = structuredClone(value);
  const members = listMembers(copy);
  if (members.length === 0) return pick(roll, [null, 7, 'text', []]);
  const [parent, name] = pick(roll, members);
  const change = roll();
  if (change < 0.25) delete parent[name];
  else if (change < 0.4) parent.unknownProperty = true;
  else parent[name] = pick(roll, [null, -1, 1e21, '', 'x'.repeat(2_000), [], {}, true, [[]], { a: null }]);
  return copy;
}

type ParentObject = Record<string, unknown>;

function listMembers(value: unknown): [parent: ParentObject, name: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [value as ParentObject, name] as [ParentObject, string],
    ...listMembers(member),
  ]);
}
