// Selects the fields and settings that the card of a node shows. The editor's inspector shows all fields.

import type { InputDef } from './catalog.ts';
import { isComponentCall } from './components/calls.ts';
import { listsPorts } from './config-ports.ts';
import { formatCount } from './format-count.ts';
import { isSecretName } from './redact.ts';
import { type Json, type JsonObject, type NodeData, toObject } from './types.ts';

/** The maximum number of fields on a card. */
const MAX_FIELDS = 3;
const MULTILINE_FIELD_IDS = new Set(['prompt', 'text', 'template', 'value', 'message', 'negative_prompt']);

/** Returns the fields on a card: the primary fields of the node, or else its first multiline field. */
export function getMainFields(inputs: readonly InputDef[]): readonly InputDef[] {
  const primary = inputs.filter(({ isPrimary, removed }) => isPrimary === true && removed !== true);
  const fields = primary.length > 0 ? primary : inputs.filter(isMultilineField).slice(0, 1);
  return fields.slice(0, MAX_FIELDS);
}

export const isMultilineField = ({ id, type, enum: values, wiredOnly, removed }: InputDef): boolean =>
  type === 'TEXT' &&
  MULTILINE_FIELD_IDS.has(id) &&
  values === undefined &&
  wiredOnly !== true &&
  removed !== true;

/** Returns the settings by the id of their input: the config of a node, or the values that a call gives its component. */
export function getSettings(data: NodeData): JsonObject {
  const { config = {} } = data;
  return isComponentCall({ data }) ? (toObject(config.values) as JsonObject) : config;
}

/**
 * Returns the settings that differ from their defaults and have no field on the card, and are no ports of the node. For a component call, returns the
 * values of its input ports, which have neither defaults nor fields.
 */
export function getChangedSettings(
  data: NodeData,
  inputs: readonly InputDef[],
  fields: readonly InputDef[],
): readonly InputDef[] {
  const settings = getSettings(data);
  const isCall = isComponentCall({ data });
  return inputs.filter(
    input =>
      input.isPort === isCall &&
      Object.hasOwn(settings, input.id) &&
      settings[input.id] !== input.default &&
      input.removed !== true &&
      input.isInternal !== true &&
      !listsPorts(input) &&
      !fields.includes(input),
  );
}

/**
 * Describes a setting in one line, such as `Width 512`. Says how long lists, objects and programs are, because their start
 * says nothing.
 */
export function describeSetting(
  { id, label, enum: choices }: Pick<InputDef, 'id' | 'label' | 'enum'>,
  value: Json | undefined,
): string {
  if (value === undefined || value === null) return label;
  if (isSecretName(id)) return `${label} ••••••••`;
  if (Array.isArray(value)) return `${label}: ${formatCount(value.length, 'item')}`;
  if (typeof value === 'object') return `${label}: ${formatCount(Object.keys(value).length, 'field')}`;
  if (id === 'code') return `${label}: ${formatCount(String(value).trim().split('\n').length, 'line')}`;
  const text = choices === undefined ? String(value) : formatChoice(String(value), choices);
  return `${label} ${text.slice(0, MAX_DESCRIBED_CHARS).replaceAll(/\s+/g, ' ').trim()}`;
}

const MAX_DESCRIBED_CHARS = 2000;

const RATIO = /^([a-z]+)_(\d{1,2})_(\d{1,2})$/;
/** Words of at least three letters, because voices and languages have short codes such as `af_sky`. */
const WORDS = /^(?:[a-z]{3,}|is|not?)(?:_[a-z]+)+$/;
const CAPITALS = /^(?=.*[A-Z])[A-Z0-9]+(?:_[A-Z0-9]+)+$/;
/** A style of a group, such as `realistic_image/hard_flash`. */
const PATH = /^[a-z]+(?:_[a-z]+)*\/[a-z0-9_]+$/;
const WORD = /^[a-z]{3,}$/;
/** File formats and encodings, which are no words. */
const FORMATS: ReadonlySet<string> = new Set(
  'png jpg jpeg webp gif svg pdf mp3 wav ogg flac aac opus pcm mp4 webm mov url hex json csv html utf'.split(
    ' ',
  ),
);

/**
 * Returns a value to choose as people write it: `Landscape 4:3` for `landscape_4_3`, `Square HD` for `square_hd`, `Art
 * deco` for `ART_DECO`. Single words become capitalized if no value beside them is a code, such as a language.
 */
export function formatChoice(value: string, choices: readonly string[]): string {
  const ratio = RATIO.exec(value);
  if (ratio !== null) return `${toSentenceCase(ratio[1] ?? '')} ${ratio[2]}:${ratio[3]}`;
  if (WORDS.test(value)) return toSentenceCase(value.replaceAll('_', ' ').replace(/ hd$/, ' HD'));
  if (CAPITALS.test(value)) return toSentenceCase(value.toLowerCase().replaceAll('_', ' '));
  if (PATH.test(value))
    return value
      .split('/')
      .map(part => toSentenceCase(part.replaceAll('_', ' ')))
      .join(': ');
  if (SHORT_WORDS.has(value)) return toSentenceCase(value);
  if (WORD.test(value) && !FORMATS.has(value) && !choices.some(isCode)) return toSentenceCase(value);
  return /^[A-Z]{4,}$/.test(value) && choices.some(choice => CAPITALS.test(choice))
    ? toSentenceCase(value.toLowerCase())
    : value;
}

/** Returns whether the value is a short code, such as `en` or `af_sky`, so that words beside it may be codes too. */
const isCode = (choice: string): boolean =>
  /^[a-z]{2}(?:[_-].*)?$/.test(choice) && !WORDS.test(choice) && !SHORT_WORDS.has(choice);

const SHORT_WORDS: ReadonlySet<string> = new Set(['on', 'no']);

const toSentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
