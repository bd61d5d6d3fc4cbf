// Converts values by the type of a port: from the tagged form along edges to the plain form inside a node's `run`, and
// back.
import type { FieldType, Json, MediaRef, Value } from './types.ts';

/** Thrown if a value does not fit its port or input node. The message names both. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

interface NamedPort {
  readonly id: string;
  readonly label: string;
  readonly type: FieldType;
}

/**
 * Returns the plain value that `run` receives at this port: a string, number, JSON value or media reference. A LIST
 * port gets the items, an ANY port the tagged value. Throws a ValueError if the types are incompatible.
 */
export function toNodeInput(value: Value, port: NamedPort): unknown {
  const { type } = port;
  if (type === 'ANY') return value;
  if (type === 'LIST') return value.type === 'LIST' ? value.items : [value];
  if (type === 'JSON') return valueToJson(value);
  if (type === 'TEXT') {
    if (value.type === 'TEXT') return value.text;
    if (value.type === 'NUMBER' || value.type === 'JSON') return valueToText(value);
  } else if (type === 'NUMBER') {
    if (value.type === 'NUMBER') return value.number;
  } else if (type === 'BOOLEAN') {
    if (value.type === 'JSON' && typeof value.json === 'boolean') return value.json;
  } else if (value.type === type) return value.media;
  throw new ValueError(`${formatPortName(port)} accepts ${NOUNS[type]}, but received ${NOUNS[value.type]}.`);
}

/**
 * Tags a value that `run` returned for this port. Tagged values stay unchanged. Throws a ValueError if the value does not
 * fit.
 */
export function toValue(output: unknown, port: NamedPort): Value {
  if (isValue(output)) return output;
  const { type } = port;
  if (type === 'TEXT' && typeof output === 'string') return { type, text: output };
  if (type === 'NUMBER' && Number.isFinite(output)) return { type, number: output as number };
  if (type === 'LIST' && Array.isArray(output) && output.every(isValue)) return { type, items: output };
  if (isMediaType(type) && isMediaRef(output)) return { type, media: output };
  // Any other value at a JSON port is JSON by its declared type.
  if (type === 'JSON' && output !== undefined) return { type, json: output as Json };
  throw new ValueError(`${formatPortName(port)} must return ${NOUNS[type]}.`);
}

/** Converts a value to JSON: media to its URL, and a list to an array. */
export function valueToJson(value: Value): Json {
  if (value.type === 'TEXT') return value.text;
  if (value.type === 'NUMBER') return value.number;
  if (value.type === 'JSON') return value.json;
  if (value.type === 'LIST') return value.items.map(valueToJson);
  return value.media.url;
}

/** Returns the JSON text of `valueToJson`, with numbers and keys as they were sent. */
export function valueToJsonText(value: Value): string {
  if (value.type === 'LIST') return `[${value.items.map(valueToJsonText).join(',')}]`;
  return (value.type === 'JSON' ? value.exactText : undefined) ?? JSON.stringify(valueToJson(value));
}

/** Returns whether `valueToJsonText` preserves details that `valueToJson` loses. */
export function hasExactText(value: Value): boolean {
  return value.type === 'LIST' ? value.items.some(hasExactText) : 'exactText' in value;
}

/** Converts a value to text. A JSON string becomes the string itself, and other JSON becomes its JSON text. */
export function valueToText(value: Value): string {
  const json = valueToJson(value);
  return typeof json === 'string' ? json : valueToJsonText(value);
}

/** Converts JSON to a value. A string becomes a TEXT, a number a NUMBER; anything else stays JSON. */
export function jsonToValue(json: Json): Value {
  if (typeof json === 'string') return { type: 'TEXT', text: json };
  if (typeof json === 'number') return { type: 'NUMBER', number: json };
  return { type: 'JSON', json };
}

/** Formats the name of a port for a sentence, e.g. `"Prompt" (prompt)`. */
export function formatPortName(port: NamedPort): string {
  return port.label === port.id ? `"${port.id}"` : `"${port.label}" (${port.id})`;
}

const NOUNS: Readonly<Record<FieldType, string>> = {
  TEXT: 'text',
  NUMBER: 'a number',
  JSON: 'JSON',
  IMAGE: 'an image',
  VIDEO: 'a video',
  AUDIO: 'an audio file',
  LIST: 'a list',
  BOOLEAN: 'true or false',
  ANY: 'any value',
};

type MediaType = 'IMAGE' | 'VIDEO' | 'AUDIO';

/** The port type of each kind of media. */
export const MEDIA_TYPES = { image: 'IMAGE', video: 'VIDEO', audio: 'AUDIO' } as const;

/** Returns whether values of the type are media references. */
export function isMediaType(type: FieldType): type is MediaType {
  return type === 'IMAGE' || type === 'VIDEO' || type === 'AUDIO';
}

/** Returns whether the output is a valid tagged value. */
export function isValue(output: unknown): output is Value {
  if (typeof output !== 'object' || output === null || !('type' in output)) return false;
  const { type } = output;
  if (type === 'TEXT') return 'text' in output && typeof output.text === 'string';
  if (type === 'NUMBER') return 'number' in output && Number.isFinite(output.number);
  if (type === 'JSON')
    return 'json' in output && (!('exactText' in output) || typeof output.exactText === 'string');
  if (type === 'LIST') return 'items' in output && Array.isArray(output.items) && output.items.every(isValue);
  return isMediaType(type as FieldType) && 'media' in output && isMediaRef(output.media);
}

function isMediaRef(output: unknown): output is MediaRef {
  return typeof output === 'object' && output !== null && 'mediaId' in output && 'sha256' in output;
}
