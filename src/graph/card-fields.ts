// Selects the fields and settings that the card of a node shows. The editor's inspector shows all fields.
import type { InputDef } from './catalog.ts';
import { isComponentCall } from './components/calls.ts';
import { type JsonObject, type NodeData, toObject } from './types.ts';

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
 * Returns the settings that differ from their defaults and have no field on the card. For a component call, returns the
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
      !fields.includes(input),
  );
}
