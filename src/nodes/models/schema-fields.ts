// Builds a model's fields from the published schema of its input: media become ports, and enums and bounds are kept.
import type { FieldType, Json, PortType } from '../../graph/types.ts';
import { isRecord } from '../../lib/record.ts';
import { type ResolvedSchema, type Schema, type SchemaDocument, toNames } from './json-schema.ts';
import type { ModelField } from './model.ts';

/** Thrown if no node can be built for a model. The message is a phrase that says why. */
export class UnusableSchemaError extends Error {
  override readonly name = 'UnusableSchemaError';
}

const MAX_FIELDS = 60;
const FIELD_ID = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** The values of parameters for the number of results. A call returns one result; for a list, a node makes several calls. */
const FIXED_VALUES: Readonly<Record<string, Json>> = {
  num_images: 1,
  num_outputs: 1,
  number_of_images: 1,
  num_videos: 1,
  max_images: 1,
};
/** Parameters that are never sent, because the service controls them or their names are reserved. */
const OMITTED_PARAMETERS =
  /^(?:sync_mode|webhook.*|max_credits|maxCredits|fanOut|constructor|prototype|limit_generations)$/;
const MEDIA_WORDS: readonly (readonly [PortType, RegExp])[] = [
  ['VIDEO', /video|clip/],
  ['AUDIO', /audio|voice(?!.*_id$)|speech|music|song|sound/],
  ['IMAGE', /image|img|mask|frame|photo|picture|face|garment|pose|sketch|portrait|avatar|depth|logo/],
];
const MEDIA_FORM = /(?:^|_)(?:urls?|uri|path|file|image|images|video|videos|audio|audios|mask|frame)$/;
const INTEGER_MAX = 2_147_483_647;

export interface SchemaFields {
  readonly fields: readonly ModelField[];
  readonly fixed: Readonly<Record<string, Json>>;
}

/** Reads the fields. Throws UnusableSchemaError. */
export function readFields(document: SchemaDocument, input: unknown): SchemaFields {
  const { schema } = document.resolve(input);
  if (!isRecord(schema.properties)) throw new UnusableSchemaError('its input has no published fields');
  const required = new Set(toNames(schema.required));
  const names = listPropertyNames(schema);
  const fields: ModelField[] = [];
  const fixed: Record<string, Json> = {};
  const ids = new Set<string>();
  for (const name of names) {
    if (fields.length === MAX_FIELDS) break;
    if (Object.hasOwn(FIXED_VALUES, name)) fixed[name] = FIXED_VALUES[name] as Json;
    if (Object.hasOwn(FIXED_VALUES, name) || OMITTED_PARAMETERS.test(name)) continue;
    const isRequired = required.has(name);
    const field = readField(document, name, schema.properties[name], isRequired, ids);
    if (field !== undefined) fields.push(field);
    else if (isRequired)
      throw new UnusableSchemaError(`it requires ${name.slice(0, 60)}, which no field can provide`);
    if (field !== undefined) ids.add(field.id);
  }
  // Ports before settings.
  return {
    fields: [...fields.filter(({ isPort }) => isPort), ...fields.filter(({ isPort }) => !isPort)],
    fixed,
  };
}

function listPropertyNames(schema: Schema): readonly string[] {
  const properties = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  const order = toNames(schema['x-fal-order-properties']);
  const rank = (name: string): number => {
    const index = order.indexOf(name);
    return index < 0 ? readXOrder(schema, name) : index;
  };
  return [...properties].sort((a, b) => rank(a) - rank(b));
}

function readXOrder({ properties }: Schema, name: string): number {
  const order = isRecord(properties) && isRecord(properties[name]) ? properties[name]['x-order'] : undefined;
  return typeof order === 'number' ? order : 1_000;
}

function readField(
  document: SchemaDocument,
  name: string,
  property: unknown,
  required: boolean,
  usedIds: ReadonlySet<string>,
): ModelField | undefined {
  if (!FIELD_ID.test(name)) return undefined;
  const resolved = document.resolve(property);
  const media = detectMedia(name, resolved.schema);
  const shortName = name.replace(/_(?:url|uri)(s?)$/, '$1');
  const isShortened = media !== undefined && FIELD_ID.test(shortName) && !usedIds.has(shortName);
  const id = isShortened ? shortName : name;
  const shape = media ?? toShape(document, name, resolved);
  if (shape === undefined) return undefined;
  const isPort = media !== undefined || (required && shape.type === 'TEXT' && shape.enum === undefined);
  const fallback = isPort ? undefined : readDefault(resolved.schema, shape);
  return {
    id,
    label: toLabel(id),
    ...shape,
    ...(isPort ? { isPort } : {}),
    ...(required && fallback === undefined ? { required } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(id === name ? {} : { as: name }),
    ...(resolved.isNullable && fallback !== undefined ? { nullable: true } : {}),
  };
}

type FieldShape = Pick<ModelField, 'type'> & Partial<Omit<ModelField, 'id' | 'label' | 'type'>>;

/** Returns the shape of a media field if the property's name and type suggest a file or a list of files. */
function detectMedia(name: string, schema: Schema): FieldShape | undefined {
  const isList = schema.type === 'array';
  const item = isList && isRecord(schema.items) ? schema.items : schema;
  const isText = item.type === undefined || item.type === 'string';
  const isFile = item.format === 'uri' || MEDIA_FORM.test(name);
  if (!isText || !isFile || Array.isArray(item.enum)) return undefined;
  const type = MEDIA_WORDS.find(([, words]) => words.test(name))?.[0];
  if (type === undefined) return undefined;
  return isList ? { type: 'LIST', itemType: type, ...readItemBounds(schema) } : { type };
}

function toShape(document: SchemaDocument, name: string, { schema }: ResolvedSchema): FieldShape | undefined {
  const { type } = schema;
  if (Array.isArray(schema.enum)) return toChoice(schema);
  if (type === 'string') return { type: 'TEXT' };
  if (type === 'boolean') return { type: 'BOOLEAN' };
  if (type === 'integer')
    return { type: 'NUMBER', integer: true, ...readBounds(schema, 1), ...readSeedBounds(name, schema) };
  if (type === 'number') return { type: 'NUMBER', ...readBounds(schema, 0) };
  const isTextList = type === 'array' && document.resolve(schema.items).schema.type === 'string';
  if (isTextList) return { type: 'LIST', itemType: 'TEXT', ...readItemBounds(schema) };
  return { type: 'JSON' };
}

function toChoice(schema: Schema): FieldShape | undefined {
  const values = (schema.enum as readonly unknown[]).filter(value => value !== null);
  const texts = values.filter(
    value => typeof value === 'string' && value !== '' && !/[<>\p{Cc}]/u.test(value),
  );
  if (texts.length === values.length && values.length > 0) return { type: 'TEXT', enum: texts as string[] };
  const numbers = values.filter(value => typeof value === 'number');
  if (numbers.length !== values.length || numbers.length === 0) return { type: 'JSON' };
  return {
    type: 'NUMBER',
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    ...(numbers.every(Number.isInteger) ? { integer: true } : {}),
    ...findStep(numbers),
  };
}

/** Returns the step of evenly spaced numbers such as 5 and 10, which min, max and step can express. */
function findStep(numbers: readonly number[]): { readonly step?: number } {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const [first = 0, second = first] = sorted;
  const step = second - first;
  const isEvenlySpaced = sorted.every((value, index) => value === first + index * step);
  return isEvenlySpaced && step > 0 && !(step === 1 && Number.isInteger(first)) ? { step } : {};
}

/**
 * Returns the limits of a number. `unit` is the distance from an exclusive bound to the nearest valid value; 0 if any
 * distance is valid.
 */
function readBounds(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema,
  unit: 0 | 1,
): FieldShape | object {
  const min = readBound(minimum, exclusiveMinimum, unit);
  const max = readBound(maximum, exclusiveMaximum, -unit);
  return {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(isBound(multipleOf) && multipleOf > 0 ? toStep(multipleOf) : {}),
  };
}

const toStep = (multipleOf: number): object => (multipleOf === 1 ? { integer: true } : { step: multipleOf });

const isBound = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Reads a bound. An exclusive bound is a number or, in OpenAPI 3.0, `true` beside the regular bound. */
function readBound(inclusive: unknown, exclusive: unknown, unit: number): number | undefined {
  if (isBound(exclusive)) return exclusive + unit;
  if (!isBound(inclusive)) return undefined;
  return exclusive === true ? inclusive + unit : inclusive;
}

/** Limits seeds to numbers that JavaScript and the providers represent exactly. */
function readSeedBounds(name: string, { minimum, maximum }: Schema): object {
  if (!/^seed$|_seed$/.test(name)) return {};
  return { min: minimum ?? 0, max: maximum ?? INTEGER_MAX };
}

function readItemBounds({ minItems, maxItems }: Schema): object {
  return {
    ...(Number.isInteger(minItems) ? { minItems } : {}),
    ...(Number.isInteger(maxItems) ? { maxItems } : {}),
  };
}

const DEFAULT_CHECKS: Readonly<Partial<Record<FieldType, (value: unknown) => boolean>>> = {
  TEXT: value => typeof value === 'string' && value.length <= 4_000,
  NUMBER: value => typeof value === 'number' && Number.isFinite(value),
  BOOLEAN: value => typeof value === 'boolean',
  JSON: value => value !== undefined && value !== null && JSON.stringify(value).length <= 4_000,
  LIST: value => Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'string'),
};

/** Returns the default if it is valid for the field. An invalid default is an error of the provider and is ignored. */
function readDefault({ default: value }: Schema, shape: FieldShape): Json | undefined {
  if (value === undefined || value === null || DEFAULT_CHECKS[shape.type]?.(value) !== true) return undefined;
  if (typeof value === 'string' && (value === '' || shape.enum?.includes(value) === false)) return undefined;
  if (typeof value === 'number') {
    const isWithin = value >= (shape.min ?? value) && value <= (shape.max ?? value);
    if (!isWithin || (shape.integer === true && !Number.isInteger(value))) return undefined;
  }
  return value as Json;
}

function toLabel(id: string): string {
  const words = id.replaceAll('_', ' ').trim();
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}
