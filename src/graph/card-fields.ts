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
const WORDS = /^[a-z]{3,}(?:_[a-z]+)+$/;
const WORD = /^[a-z]{3,}$/;

/**
 * Returns a value to choose as people write it: `Landscape 4:3` for `landscape_4_3`, `Square HD` for `square_hd`. Values
 * without underscores are changed only beside such values, as `square`.
 */
export function formatChoice(value: string, choices: readonly string[]): string {
  const ratio = RATIO.exec(value);
  if (ratio !== null) return `${toSentenceCase(ratio[1] ?? '')} ${ratio[2]}:${ratio[3]}`;
  if (WORDS.test(value)) return toSentenceCase(value.replaceAll('_', ' ').replace(/ hd$/, ' HD'));
  const isBesideWords = choices.some(choice => RATIO.test(choice) || WORDS.test(choice));
  return isBesideWords && WORD.test(value) ? toSentenceCase(value) : value;
}

const toSentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
