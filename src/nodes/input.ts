// Declares input nodes: values enter a graph from their config or from a run's `inputs`.
import type { Json, JsonObject, MediaRef, Value } from '../graph/types.ts';
import { jsonToValue } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import { itemTexts, JsonText } from '../lib/json-text.ts';
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
import { boundedList, isJsonObject, MAX_LIST_LENGTH } from './limits.ts';

// A run may give a list where the config has one value. It is passed as `items`, outside the declared fields; a run
// that gives one value clears it.
const one = (config: JsonObject): JsonObject => ({ ...config, items: null });
const many = (items: readonly Json[]): JsonObject => {
  if (items.length > MAX_LIST_LENGTH)
    throw misfit(`a list of at most ${MAX_LIST_LENGTH} items`, 'a longer list');
  return { items };
};

export const inputText = defineNode({
  nodeType: 'input:text',
  foreseeable: 'by-value',
  label: 'Text',
  description: 'Provides a text to the workflow.',
  category: 'input',
  inputs: {},
  config: { value: text('Text', { default: '' }) },
  outputs: { text: text('Text') },
  runInput: given => (Array.isArray(given) ? many(given.map(asText)) : one({ value: asText(given) })),
  run: ({ value, items }) => ({ text: Array.isArray(items) ? toList(items.map(asText)) : value }),
});

export const inputNumber = defineNode({
  nodeType: 'input:number',
  foreseeable: 'by-value',
  label: 'Number',
  description: 'Provides a number to the workflow.',
  category: 'input',
  inputs: {},
  config: { value: number('Number', { default: 0, isPrimary: true }) },
  outputs: { number: number('Number') },
  runInput: given => (Array.isArray(given) ? many(given.map(asNumber)) : one({ value: asNumber(given) })),
  run: ({ value, items }) => ({ number: Array.isArray(items) ? toList(items.map(asNumber)) : value }),
});

export const inputJson = defineNode({
  nodeType: 'input:json',
  foreseeable: 'by-value',
  label: 'JSON',
  description: 'Provides a JSON value to the workflow. An array is passed on as one value.',
  category: 'input',
  inputs: {},
  config: { value: json('JSON', { default: {} }) },
  outputs: { json: json('JSON') },
  runInput: (given, text) => ({ value: given, ...exactly(given, text) }),
  run: ({ value, exactText }) => ({ json: toJson(value, exactText) }),
});

export const inputImage = defineMediaInput('image', 'Image', image('Image'));
export const inputVideo = defineMediaInput('video', 'Video', video('Video'));
export const inputAudio = defineMediaInput('audio', 'Audio', audio('Audio'));

const ITEM_TYPES = ['TEXT', 'NUMBER', 'JSON', 'IMAGE', 'VIDEO', 'AUDIO'] as const;
type ItemType = (typeof ITEM_TYPES)[number];

export const inputList = defineNode({
  nodeType: 'input:list',
  foreseeable: 'by-value',
  label: 'List',
  description: 'Provides a list. The connected node runs once per item.',
  category: 'input',
  inputs: {},
  config: { items: json('Items', { default: [] }), itemType: choice('Item type', ITEM_TYPES) },
  outputs: { list: list('List') },
  runInput: (given, text) => {
    if (!Array.isArray(given)) throw misfit('a list', describe(given));
    return { ...many(given), ...exactly(given, text) };
  },
  run: async ({ items, itemType, exactText }, ctx) => {
    if (!Array.isArray(items))
      throw new NodeError('invalid_items', `items must be an array, not ${describe(items)}.`);
    if (itemType === 'JSON' && typeof exactText === 'string')
      return { list: { type: 'LIST', items: boundedList(itemTexts(exactText).map(fromText)) } };
    return { list: await toTypedItems(items, itemType, ctx) };
  },
});

type MediaKind = 'image' | 'video' | 'audio';

function defineMediaInput(kind: MediaKind, label: string, port: Spec<MediaRef | undefined>) {
  return defineNode({
    nodeType: `input:${kind}`,
    foreseeable: 'by-value',
    label,
    description: 'Provides a media file to the workflow: a file from the library, or a file at a URL.',
    category: 'input',
    inputs: {},
    config: {
      url: text('URL', { default: '', description: 'An http or https URL.' }),
      mediaId: text('Media ID', { default: '', description: 'Used instead of the URL if both are set.' }),
    },
    outputs: { [kind]: port },
    runInput: given =>
      Array.isArray(given) ? many(given.map(asSource)) : one({ url: '', mediaId: '', ...asSource(given) }),
    run: async ({ url, mediaId, items }, ctx) => {
      if (Array.isArray(items))
        return { [kind]: { type: 'LIST', items: await resolveAll(items, kind, ctx) } };
      return { [kind]: await resolveMedia({ url, mediaId }, kind, ctx) };
    },
  });
}

async function toTypedItems(
  items: readonly Json[],
  itemType: ItemType,
  ctx: NodeContext,
): Promise<readonly Value[]> {
  if (itemType === 'IMAGE') return resolveAll(items, 'image', ctx);
  if (itemType === 'VIDEO') return resolveAll(items, 'video', ctx);
  if (itemType === 'AUDIO') return resolveAll(items, 'audio', ctx);
  if (itemType === 'TEXT') return boundedList(items.map(item => ({ type: 'TEXT', text: asText(item) })));
  if (itemType === 'NUMBER')
    return boundedList(items.map(item => ({ type: 'NUMBER', number: asNumber(item) })));
  return boundedList(items.map(item => ({ type: 'JSON', json: item })));
}

const MAX_MEDIA_ITEMS = 100;
const RESOLVED_AT_ONCE = 4;

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
  const type = kind === 'image' ? 'IMAGE' : kind === 'video' ? 'VIDEO' : 'AUDIO';
  const values: Value[] = [];
  for (let start = 0; start < items.length; start += RESOLVED_AT_ONCE) {
    const batch = items
      .slice(start, start + RESOLVED_AT_ONCE)
      .map(item => resolveMedia(asSource(item), kind, ctx));
    for (const media of await Promise.all(batch)) values.push({ type, media });
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

// The text travels as `exactText`, outside the declared fields.
const exactly = (given: Json, text: string): JsonObject =>
  JSON.stringify(given) === text ? { exactText: null } : { exactText: text };

function toJson(json: Json, exactText: unknown): Value {
  return typeof exactText === 'string' ? fromText(exactText) : { type: 'JSON', json };
}

function fromText(text: string): Value {
  const sent = new JsonText<Json>(text);
  const isChanged = JSON.stringify(sent.value) !== sent.text;
  return { type: 'JSON', json: sent.value, ...(isChanged ? { exactText: sent.text } : {}) };
}

function toList(items: readonly Json[]): Value {
  return { type: 'LIST', items: boundedList(items.map(jsonToValue)) };
}

function asText(given: Json): string {
  if (typeof given === 'string') return given;
  if (typeof given === 'number') return String(given);
  throw misfit('text', describe(given));
}

function asNumber(given: Json): number {
  const parsed = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof parsed === 'number' && Number.isFinite(parsed)) return parsed;
  throw misfit('a number', describe(given));
}

function asSource(given: Json): { readonly url: string } | { readonly mediaId: string } {
  if (isJsonObject(given) && typeof given.mediaId === 'string') return { mediaId: given.mediaId };
  const url = isJsonObject(given) ? given.url : given;
  if (typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return { url };
  const local = typeof url === 'string' ? '; upload a local file first and send its mediaId' : '';
  throw misfit(
    'an http or https URL, { "url" } or { "mediaId" }',
    `${describe(typeof url === 'string' ? url : given)}${local}`,
  );
}

function describe(given: Json): string {
  if (given === null) return 'null';
  if (Array.isArray(given)) return 'a list';
  return typeof given === 'string' ? JSON.stringify(given.slice(0, 40)) : `a value of type ${typeof given}`;
}

function misfit(wanted: string, got: string): AppError {
  return new AppError('invalid_inputs', `This input must be ${wanted}, not ${got}.`);
}
