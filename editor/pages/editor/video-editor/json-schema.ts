// Derives form fields and initial values from the JSON Schema of the scene graph.
import type { Json } from '../../../../src/graph/types.ts';

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly description?: string;
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/**
 * The control of a field. `scalar` is a number or text with a unit. `json` is for all values without a simpler control.
 */
export type FieldKind =
  | 'choice'
  | 'flag'
  | 'number'
  | 'text'
  | 'multiline'
  | 'color'
  | 'source'
  | 'scalar'
  | 'object'
  | 'json';

export interface SchemaField {
  readonly kind: FieldKind;
  /** The schema of the property, with its reference resolved. */
  readonly schema: Schema;
}

const LONG_TEXT = 400;
const DEFINITION_PREFIX = '#/$defs/';
/** Field kinds by definition name. Other definitions get the kind from their structure. */
const KINDS_BY_DEFINITION: Readonly<Record<string, FieldKind>> = {
  Color: 'color',
  Paint: 'color',
  Background: 'color',
  AnimatedColor: 'color',
  Source: 'source',
};

export function getDefinitionName({ $ref }: Schema): string | undefined {
  return $ref?.startsWith(DEFINITION_PREFIX) ? $ref.slice(DEFINITION_PREFIX.length) : undefined;
}

export function resolveRef(root: Schema, schema: Schema): Schema {
  const name = getDefinitionName(schema);
  return name === undefined ? schema : (root.$defs?.[name] ?? {});
}

export function toField(root: Schema, schema: Schema): SchemaField {
  const resolvedSchema = resolveRef(root, schema);
  const kind = KINDS_BY_DEFINITION[getDefinitionName(schema) ?? ''] ?? getFieldKind(root, resolvedSchema);
  return { kind, schema: resolvedSchema };
}

function getFieldKind(root: Schema, schema: Schema): FieldKind {
  const { type, enum: values, properties, maxLength = LONG_TEXT } = schema;
  if (values?.every(value => typeof value === 'string')) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string') return maxLength > LONG_TEXT ? 'multiline' : 'text';
  if (type === 'object' && properties !== undefined) return 'object';
  return isScalar(root, schema) ? 'scalar' : 'json';
}

function isScalar(root: Schema, { anyOf = [] }: Schema): boolean {
  return anyOf.some(branch => {
    const { type, anyOf: inner } = resolveRef(root, branch);
    return type === 'number' || (inner?.some(option => resolveRef(root, option).type === 'number') ?? false);
  });
}

/** Returns a minimal valid value. */
export function createInitialValue(root: Schema, schema: Schema, depth = 0): Json {
  const {
    const: fixed,
    enum: values,
    type,
    minimum,
    properties = {},
    required = [],
    items,
    minItems = 0,
  } = resolveRef(root, schema);
  if (fixed !== undefined) return fixed;
  if (values !== undefined) return values[0] ?? null;
  if (KINDS_BY_DEFINITION[getDefinitionName(schema) ?? ''] === 'color') return '#ffffff';
  if (type === 'number' || type === 'integer') return Math.max(0, minimum ?? 0);
  if (type === 'boolean') return false;
  if (type === 'string') return '';
  if (type === 'array')
    return depth > MAX_DEPTH || items === undefined
      ? []
      : Array.from({ length: minItems }, () => createInitialValue(root, items, depth + 1));
  if (type !== 'object' || depth > MAX_DEPTH) return isScalar(root, resolveRef(root, schema)) ? 1 : null;
  return Object.fromEntries(
    required.map(key => [key, createInitialValue(root, properties[key] ?? {}, depth + 1)]),
  );
}

const MAX_DEPTH = 4;

/** Parses the text of a `scalar` field: a number, a JSON array or object, or text. */
export function parseScalar(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(trimmed)) return Number(trimmed);
  if (!/^[[{]/.test(trimmed)) return trimmed;
  try {
    return JSON.parse(trimmed) as Json;
  } catch {
    return trimmed;
  }
}
