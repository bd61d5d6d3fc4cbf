// Declares input nodes, which provide values from their config or from a run's `inputs`.
import {
  describeJson,
  parseMediaInput,
  parseNumberInput,
  parseTextInput,
  readInputValue,
} from '../graph/input-values.ts';
import type { Json, JsonObject, MediaRef, Value } from '../graph/types.ts';
import { isMediaType, jsonToValue, MEDIA_TYPES, ValueError } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import { parseItemTexts } from '../lib/json-scan.ts';
import {
  audio,
  choice,
  defineNode,
  image,
  json,
  list,
  type NodeContext,
  NodeError,
  number,
  type Spec,
  text,
  video,
} from './define.ts';
import { parseJsonValue } from './json-value.ts';
import { requireShortList } from './value-checks.ts';

/** Creates the `runInput` of a node type, which reports invalid values as errors of the request. */
const createRunInputReader = (nodeType: string) => (value: Json) => {
  try {
    return readInputValue(nodeType, value);
  } catch (err) {
    if (!(err instanceof ValueError)) throw err;
    throw new AppError('invalid_inputs', err.message, { cause: err });
  }
};

export const inputText = defineNode({
  nodeType: 'input:text',
  forecastMode: 'by-value',
  label: 'Text',
  description: 'Provides text to the workflow.',
  category: 'input',
  inputs: {},
  config: { value: text('Text', { default: '' }) },
  outputs: { text: text('Text') },
  runInput: (value, jsonText) => createRunInputReader('input:text')(keepNumbers(value, jsonText)),
  run: ({ value, items }) => ({ text: Array.isArray(items) ? toList(items.map(parseTextInput)) : value }),
});

export const inputNumber = defineNode({
  nodeType: 'input:number',
  forecastMode: 'by-value',
  label: 'Number',
  description: 'Provides a number to the workflow.',
  category: 'input',
  inputs: {},
  config: { value: number('Number', { default: 0, isPrimary: true }) },
  outputs: { number: number('Number') },
  runInput: createRunInputReader('input:number'),
  run: ({ value, items }) => ({ number: Array.isArray(items) ? toList(items.map(parseNumberInput)) : value }),
});

export const inputJson = defineNode({
  nodeType: 'input:json',
  forecastMode: 'by-value',
  label: 'JSON',
  description: 'Provides a JSON value to the workflow. An array is passed on as one value.',
  category: 'input',
  inputs: {},
  config: { value: json('JSON', { default: {}, isPrimary: true }) },
  outputs: { json: json('JSON') },
  runInput: (value, text) => ({ ...createRunInputReader('input:json')(value), ...toExactText(value, text) }),
  run: ({ value, exactText }) => ({ json: toJson(value, exactText) }),
});

export const inputImage = defineMediaInput('image', 'Image', image('Image'));
export const inputVideo = defineMediaInput('video', 'Video', video('Video'));
export const inputAudio = defineMediaInput('audio', 'Audio', audio('Audio'));

const ITEM_TYPES = ['TEXT', 'NUMBER', 'JSON', 'IMAGE', 'VIDEO', 'AUDIO'] as const;
type ItemType = (typeof ITEM_TYPES)[number];

export const inputList = defineNode({
  nodeType: 'input:list',
  forecastMode: 'by-value',
  label: 'List',
  description: 'Provides a list. The connected node runs once per item.',
  category: 'input',
  inputs: {},
  config: {
    items: json('Items', { default: [], isPrimary: true }),
    itemType: choice('Item type', ITEM_TYPES),
  },
  outputs: { list: list('List') },
  runInput: (value, text) => ({ ...createRunInputReader('input:list')(value), ...toExactText(value, text) }),
  run: async ({ items, itemType, exactText }, ctx) => {
    if (!Array.isArray(items))
      throw new NodeError('invalid_items', `items must be an array, not ${describeJson(items)}.`);
    if (itemType === 'JSON' && typeof exactText === 'string')
      return {
        list: { type: 'LIST', items: requireShortList(parseItemTexts(exactText).map(parseJsonValue)) },
      };
    return { list: await toTypedItems(items, itemType, ctx) };
  },
});

type MediaKind = 'image' | 'video' | 'audio';

function defineMediaInput(kind: MediaKind, label: string, port: Spec<MediaRef | undefined>) {
  return defineNode({
    nodeType: `input:${kind}`,
    forecastMode: 'by-value',
    label,
    description: 'Provides a media file to the workflow: a file from the library, or a file at a URL.',
    category: 'input',
    inputs: {},
    config: {
      url: text('URL', { default: '', description: 'An http or https URL.', isPrimary: true }),
      mediaId: text('Media ID', { default: '', description: 'Used instead of the URL if both are set.' }),
    },
    outputs: { [kind]: port },
    runInput: createRunInputReader(`input:${kind}`),
    run: async ({ url, mediaId, items }, ctx) => {
      if (Array.isArray(items))
        return { [kind]: { type: 'LIST', items: await resolveAll(items, kind, ctx) } };
      return { [kind]: await resolveMedia({ url, mediaId }, kind, ctx) };
    },
  });
}

const MEDIA_KINDS = { IMAGE: 'image', VIDEO: 'video', AUDIO: 'audio' } as const;
const ITEM_READERS: Readonly<Record<Exclude<ItemType, keyof typeof MEDIA_KINDS>, (item: Json) => Value>> = {
  TEXT: item => ({ type: 'TEXT', text: parseTextInput(item) }),
  NUMBER: item => ({ type: 'NUMBER', number: parseNumberInput(item) }),
  JSON: item => ({ type: 'JSON', json: item }),
};

async function toTypedItems(
  items: readonly Json[],
  itemType: ItemType,
  ctx: NodeContext,
): Promise<readonly Value[]> {
  if (isMediaType(itemType)) return resolveAll(items, MEDIA_KINDS[itemType], ctx);
  return requireShortList(items.map(ITEM_READERS[itemType]));
}

const MAX_MEDIA_ITEMS = 100;
const RESOLVE_BATCH_SIZE = 4;

async function resolveAll(
  items: readonly Json[],
  kind: MediaKind,
  ctx: NodeContext,
): Promise<readonly Value[]> {
  if (items.length > MAX_MEDIA_ITEMS) {
    throw new NodeError(
      'list_too_long',
      `The list has ${items.length} media items. The maximum is ${MAX_MEDIA_ITEMS}.`,
    );
  }
  const values: Value[] = [];
  for (let start = 0; start < items.length; start += RESOLVE_BATCH_SIZE) {
    const batch = items
      .slice(start, start + RESOLVE_BATCH_SIZE)
      .map(item => resolveMedia(parseMediaInput(item), kind, ctx));
    for (const media of await Promise.all(batch)) values.push({ type: MEDIA_TYPES[kind], media });
    ctx.progress(values.length / items.length);
  }
  return values;
}

interface MediaSource {
  readonly url?: string;
  readonly mediaId?: string;
}

async function resolveMedia(
  { url, mediaId }: MediaSource,
  kind: MediaKind,
  ctx: NodeContext,
): Promise<MediaRef> {
  if (mediaId) return ctx.media.resolve({ mediaId }, kind);
  if (url) return ctx.media.resolve({ url }, kind);
  throw new NodeError(
    'missing_media',
    `No ${kind} is set. Provide a url or mediaId in the config or in the run's inputs.`,
  );
}

/** Replaces numbers, also in a list, by their text, such as 1.10 or the digits of a long id. */
function keepNumbers(value: Json, jsonText: string): Json {
  if (typeof value === 'number') return jsonText;
  if (!Array.isArray(value) || !value.some(item => typeof item === 'number')) return value;
  const texts = parseItemTexts(jsonText);
  return value.map((item, index) => (typeof item === 'number' ? (texts[index] ?? String(item)) : item));
}

// The JSON text is passed as `exactText`, which is not a declared field.
const toExactText = (value: Json, text: string): JsonObject =>
  JSON.stringify(value) === text ? { exactText: null } : { exactText: text };

function toJson(json: Json, exactText: unknown): Value {
  return typeof exactText === 'string' ? parseJsonValue(exactText) : { type: 'JSON', json };
}

function toList(items: readonly Json[]): Value {
  return { type: 'LIST', items: requireShortList(items.map(jsonToValue)) };
}
