// Resolves a node's inputs: values from edges override settings, and every value is converted to the type of its port
// or field.

import { acceptsNull, canFeed, type InputDef } from '../graph/catalog.ts';
import { findFieldProblem } from '../graph/fields.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { Json, JsonObject, Value, Values } from '../graph/types.ts';
import { formatPortName, isMediaType, jsonToValue, toNodeInput } from '../graph/values.ts';
import { cutText } from '../lib/cut-text.ts';
import { NodeError } from '../nodes/define.ts';

/** The values of connected ports, by input port id. Ports without a value are absent. */
export type PortValues = ReadonlyMap<string, Value>;

/**
 * Collects the values from the node's sources. If several edges end at one port, a LIST port gathers their values in
 * order; any other port takes the last one.
 */
export function collectPortValues(
  node: PlanNode,
  getOutputs: (sourceIndex: number) => Values | undefined,
): PortValues {
  const portValues = new Map<string, Value>();
  for (const { port, sourceIndex, sourcePort } of node.inputs) {
    const outputs = getOutputs(sourceIndex);
    if (outputs === undefined || !Object.hasOwn(outputs, sourcePort)) continue;
    const value = outputs[sourcePort] as Value;
    const earlierValue = portValues.get(port);
    const isGathered = earlierValue !== undefined && findDef(node, port)?.type === 'LIST';
    portValues.set(
      port,
      isGathered ? { type: 'LIST', items: [...toItems(earlierValue), ...toItems(value)] } : value,
    );
  }
  return portValues;
}

/**
 * Returns whether the node is skipped: it has connections, but none has a value, or a connected required port has none.
 */
export function isSkipped(node: PlanNode, portValues: PortValues): boolean {
  if (node.inputs.length === 0) return false;
  if (portValues.size === 0) return true;
  return node.inputs.some(({ port }) => !portValues.has(port) && findDef(node, port)?.required === true);
}

/**
 * Returns the values passed to `run`: values of connected ports override settings, and missing values take the default
 * of their field. Throws a NodeError or ValueError that names the port or field that cannot be filled.
 */
export function resolveValues(
  node: PlanNode,
  settings: JsonObject,
  portValues: PortValues,
): Readonly<Record<string, unknown>> {
  // No prototype, because a port may be named toString and a setting __proto__.
  const values: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(settings)) values[key] = settings[key];
  for (const def of node.inputDefs) {
    const value = def.isPort ? portValues.get(def.id) : undefined;
    values[def.id] =
      value === undefined
        ? readSetting(def.wiredOnly === true ? undefined : (values[def.id] as Json | undefined), def)
        : requireWithinRange(requireItemType(toNodeInput(value, def), def), def, 'invalid_input');
  }
  return values;
}

/** Returns a sentence for each required input that no connection, setting or default fills. */
export function describeMissingInputs(node: PlanNode, settings: JsonObject): readonly string[] {
  const connectedPorts = new Set(node.inputs.map(({ port }) => port));
  return node.inputDefs
    .filter(
      def =>
        def.required === true && def.default === undefined && !(def.isPort && connectedPorts.has(def.id)),
    )
    .filter(def => isUnset(def.wiredOnly === true ? undefined : settings[def.id], def))
    .map(describeMissing);
}

const isUnset = (setting: Json | undefined, def: InputDef): boolean =>
  setting === undefined || (setting === null && !acceptsNull(def));

const describeMissing = (def: InputDef): string =>
  `${formatPortName(def)} needs a value. Connect it or set it.`;

function findDef(node: PlanNode, port: string): InputDef | undefined {
  return node.inputDefs.find(def => def.id === port && def.isPort);
}

function toItems(value: Value): readonly Value[] {
  return value.type === 'LIST' ? value.items : [value];
}

function readSetting(setting: Json | undefined, def: InputDef): unknown {
  if (def.removed === true) return rejectRemoved(setting, def);
  if (setting === null && def.nullable === true) return null;
  const value = isUnset(setting, def) ? def.default : (setting as Json);
  if (value !== undefined) return requireWithinRange(settingToPlain(value, def), def, 'invalid_config');
  if (def.required !== true) return undefined;
  throw new NodeError('missing_input', describeMissing(def));
}

function rejectRemoved(setting: Json | undefined, def: InputDef): undefined {
  if (setting === undefined || setting === null) return undefined;
  throw new NodeError(
    'invalid_config',
    `${formatPortName(def)} is no longer a field of this node. Remove it.`,
  );
}

/** Checks that the items of a list fit the port's item type. */
function requireItemType(value: unknown, def: InputDef): unknown {
  const { itemType } = def;
  if (itemType === undefined || itemType === 'ANY' || !Array.isArray(value)) return value;
  const wrongItem = (value as readonly Value[]).find(({ type }) => !canFeed(type, itemType));
  if (wrongItem === undefined) return value;
  throw new NodeError(
    'invalid_input',
    `${formatPortName(def)} accepts a list of ${itemType}, but received ${wrongItem.type}.`,
  );
}

function settingToPlain(value: Json, def: InputDef): unknown {
  const { type } = def;
  if (type === 'JSON') return value;
  if (type === 'ANY') return jsonToValue(value);
  if (type === 'TEXT' && typeof value === 'string') return value;
  if (type === 'TEXT' && typeof value === 'number') return String(value);
  if (type === 'NUMBER' && Number.isFinite(value)) return value;
  if (type === 'BOOLEAN' && typeof value === 'boolean') return value;
  if (type === 'LIST' && Array.isArray(value)) return value.map(jsonToValue);
  const expected = isMediaType(type) ? 'be connected to a media output' : EXPECTED[type];
  throw new NodeError('invalid_config', `${formatPortName(def)} must ${expected}, not ${quoteJson(value)}.`);
}

const EXPECTED = {
  TEXT: 'be text',
  NUMBER: 'be a number',
  LIST: 'be a list',
  BOOLEAN: 'be true or false',
} as const;

function requireWithinRange(
  value: unknown,
  def: InputDef,
  code: 'invalid_input' | 'invalid_config',
): unknown {
  const problem = findFieldProblem(value, def);
  if (problem === undefined) return value;
  throw new NodeError(code, `${formatPortName(def)} must be ${problem}, not ${quoteJson(value)}.`);
}

const QUOTE_LENGTH = 60;

function quoteJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > QUOTE_LENGTH ? `${cutText(text, QUOTE_LENGTH)}…` : text;
}
