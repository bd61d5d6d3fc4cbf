// Converts a value given to an input node, by a run or by a call of a component, to the config keys that it sets.
import { isObject, type Json, type JsonObject } from './types.ts';
import { ValueError } from './values.ts';

/** The maximum length of a list output. A node is mapped over at most 100 items, but longer lists can be sliced. */
export const MAX_LIST_LENGTH = 1000;

// A run may replace the single value of an input node by a list. The list is passed as `items`, which is not a declared
// field. A single value clears `items`.
const toSingleValue = (config: JsonObject): JsonObject => ({ ...config, items: null });
const toMultipleValues = (items: readonly Json[], parse: (item: Json) => Json): JsonObject => {
  if (items.length > MAX_LIST_LENGTH)
    throw createInputError(`a list of at most ${MAX_LIST_LENGTH} items`, 'a longer list');
  return { items: items.map(parse) };
};

const readMedia = (value: Json): JsonObject =>
  Array.isArray(value)
    ? toMultipleValues(value, parseMediaInput)
    : toSingleValue({ url: '', mediaId: '', ...parseMediaInput(value) });

const READERS: Readonly<Record<string, (value: Json) => JsonObject>> = {
  'input:text': value =>
    Array.isArray(value)
      ? toMultipleValues(value, parseTextInput)
      : toSingleValue({ value: parseTextInput(value) }),
  'input:number': value =>
    Array.isArray(value)
      ? toMultipleValues(value, parseNumberInput)
      : toSingleValue({ value: parseNumberInput(value) }),
  'input:json': value => ({ value }),
  'input:image': readMedia,
  'input:video': readMedia,
  'input:audio': readMedia,
  'input:list': value => {
    if (!Array.isArray(value)) throw createInputError('a list', describeJson(value));
    return toMultipleValues(value, item => item);
  },
};

/** Returns whether nodes of the type take a value from a run or a call. */
export const takesInput = (nodeType: string): boolean => Object.hasOwn(READERS, nodeType);

/** Returns the config keys that the value sets. Throws ValueError if the value does not fit the type of the node. */
export function readInputValue(nodeType: string, value: Json): JsonObject {
  return READERS[nodeType]?.(value) ?? {};
}

export function parseTextInput(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw createInputError('text', describeJson(value));
}

export function parseNumberInput(value: Json): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw createInputError('a number', describeJson(value));
}

export function parseMediaInput(value: Json): { readonly url: string } | { readonly mediaId: string } {
  const { url, mediaId }: { readonly url?: Json; readonly mediaId?: Json } = isObject(value)
    ? (value as JsonObject)
    : { url: value };
  if (typeof mediaId === 'string') return { mediaId };
  if (typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return { url };
  const hint = typeof url === 'string' ? '; upload a local file first and send its mediaId' : '';
  throw createInputError(
    'an http or https URL, { "url" } or { "mediaId" }',
    `${describeJson(typeof url === 'string' ? url : value)}${hint}`,
  );
}

/** Describes a value in an error message. */
export function describeJson(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : `a value of type ${typeof value}`;
}

function createInputError(expected: string, actual: string): ValueError {
  return new ValueError(`This input must be ${expected}, not ${actual}.`);
}
