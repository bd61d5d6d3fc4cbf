// Generates random scene graphs from the schema.
import { SCENE_GRAPH_SCHEMA } from '../../../src/render/schema/scene-graph.ts';
import { createRandomFromText } from '../../../src/render/stills/palette.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly pattern?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const SCHEMA: Schema = JSON.parse(JSON.stringify(SCENE_GRAPH_SCHEMA));
const MAX_DEPTH = 14;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4"/></svg>';

/** Texts that match the schema's patterns, by a part of the pattern. */
const TEXTS: readonly (readonly [part: string, texts: readonly string[]])[] = [
  ['(s|ms|f|%)', ['1.5s', '300ms', '7f', '40%', '0%']],
  ['vmin', ['12px', '50%', '-20vw', '30vmin', '0vh']],
  ['rgba?', ['#fff', '#12345678', 'rgb(1, 2, 3)', 'hsl(200 50% 50% / 0.5)', 'transparent', 'black']],
  ['https?', ['sample:blue sea', 'data:image/png;base64,AAAA', './nothing.png']],
  ['MmLl', ['M0 0 L9 9 Z', 'M1 1 C2 2 3 3 4 4', 'M0 0', 'm']],
  ['med_', ['med_01abc']],
  ['A-Za-z', ['Inter', 'Anton', 'Nobody', 'a']],
];
const WORDS = [
  '',
  'a',
  'Hello world',
  'שלום',
  'مرحبا بكم',
  '你好，世界',
  '👩‍👩‍👧 🏳️‍🌈',
  'W'.repeat(300),
  'one\n\ntwo',
  '\u0000\u202e',
];

const FILE_ELEMENTS: ReadonlySet<unknown> = new Set(['image', 'svg', 'lottie', 'video', 'audio']);

/** Replaces the reference to an asset by a file, and adds missing text, which the schema cannot require. */
function withSource({ asset: _asset, ...element }: Record<string, unknown>): Record<string, unknown> {
  if (element.type === 'text' && element.runs === undefined) return { text: 'word', ...element };
  return FILE_ELEMENTS.has(element.type) ? { src: 'sample:hill', ...element } : element;
}

/** Creates a scene graph, which is the same for the same seed. The picture is small, so that drawing is cheap. */
export function randomScene(seed: number): Record<string, unknown> {
  const roll = createRandomFromText(`scene ${seed}`);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(roll() * list.length)] as T;

  const makeValue = (schema: Schema, key: string, depth: number): unknown => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1) ?? '';
      const value = makeValue(SCHEMA.$defs?.[name] ?? {}, key, depth);
      return name === 'AudioItem' ? withSource({ src: 'sample:hum', ...(value as object) }) : value;
    }
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return pick(schema.enum);
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined)
      return makeValue(depth > MAX_DEPTH ? (forms[0] as Schema) : pick(forms), key, depth);
    if (schema.type === 'object') return makeObject(schema, depth);
    if (schema.type === 'array') return makeArray(schema, key, depth);
    if (schema.type === 'boolean') return roll() < 0.5;
    if (schema.type === 'string') return makeText(schema, key);
    return makeNumber(schema);
  };

  const makeObject = ({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> => {
    const share = depth > MAX_DEPTH ? 0 : 0.28;
    const chosenProperties = Object.entries(properties).filter(
      ([key]) => required.includes(key) || roll() < share,
    );
    return withSource(
      Object.fromEntries(chosenProperties.map(([key, value]) => [key, makeValue(value, key, depth + 1)])),
    );
  };

  const makeArray = (schema: Schema, key: string, depth: number): unknown[] => {
    const { minItems = 0, maxItems = 4, items = {}, prefixItems = [] } = schema;
    const maxCount = Math.min(maxItems, Math.max(minItems, depth > MAX_DEPTH ? 0 : 4));
    const count = minItems + Math.floor(roll() * (maxCount - minItems + 1));
    return Array.from({ length: count }, (_, index) =>
      makeValue(prefixItems[index] ?? items, key, depth + 1),
    );
  };

  const makeText = ({ pattern }: Schema, key: string): string => {
    if (key === 'blockId') return pick(['title', 'stat', 'list']);
    if (key === 'markup') return pick([SVG, '<svg', 'no svg']);
    if (pattern === undefined)
      return pick(WORDS.slice(key === 'separator' ? 0 : 1, key === 'separator' ? 2 : undefined)).slice(0, 40);
    return pick(TEXTS.find(([part]) => pattern.includes(part))?.[1] ?? ['a']);
  };

  const makeNumber = ({ type, minimum = -2000, maximum = 2000, multipleOf = 1 }: Schema): number => {
    const edge = roll();
    if (edge < 0.1) return minimum;
    if (edge < 0.15) return maximum;
    const [low, high] = [Math.max(minimum, -300), Math.min(maximum, 900)];
    const value = low + roll() * (high - low);
    return type === 'integer' ? Math.max(minimum, Math.floor(value / multipleOf) * multipleOf) : value;
  };

  const graph = makeValue({ ...SCHEMA, $defs: {} }, '', 0) as Record<string, unknown>;
  return { ...graph, fps: 10, width: 160, height: 120 };
}
