// Resolves a node's inputs: values that arrived along edges override settings, each converted to the type of its port
// or field.
import { canJoin, type InputDef } from '../graph/catalog.ts';
import { findProblem } from '../graph/fields.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { Json, JsonObject, Value, Values } from '../graph/types.ts';
import { isMediaType, jsonToValue, portName, toPlain } from '../graph/values.ts';
import { NodeError } from '../nodes/define.ts';

/** The values that arrived, by input port id. Ports without a value are absent. */
export type Arrivals = ReadonlyMap<string, Value>;

/**
 * Collects the values from the node's sources. If several edges lead into one port, a LIST port gathers their values in
 * order; any other port takes the last one.
 */
export function collectArrivals(node: PlanNode, outputsOf: (source: number) => Values | undefined): Arrivals {
  const arrivals = new Map<string, Value>();
  for (const { port, source, sourcePort } of node.inputs) {
    const outputs = outputsOf(source);
    if (outputs === undefined || !Object.hasOwn(outputs, sourcePort)) continue;
    const value = outputs[sourcePort] as Value;
    const before = arrivals.get(port);
    const isGathered = before !== undefined && findDef(node, port)?.type === 'LIST';
    arrivals.set(port, isGathered ? { type: 'LIST', items: [...itemsOf(before), ...itemsOf(value)] } : value);
  }
  return arrivals;
}

/** Whether the node is skipped: no wired port, or no wire of a required port, received a value. */
export function isSkippable(node: PlanNode, arrivals: Arrivals): boolean {
  if (node.inputs.length === 0) return false;
  if (arrivals.size === 0) return true;
  return node.inputs.some(({ port }) => !arrivals.has(port) && findDef(node, port)?.required === true);
}

/**
 * Returns the values passed to `run`: arrived values override settings, and missing ones take the default of their
 * field. Throws a NodeError or ValueError that names the port or field that cannot be filled.
 */
export function resolveValues(
  node: PlanNode,
  settings: JsonObject,
  arrivals: Arrivals,
): Readonly<Record<string, unknown>> {
  // No prototype: a port may be called toString, and a setting __proto__.
  const values: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(settings)) values[key] = settings[key];
  for (const def of node.inputDefs) {
    const arrived = def.isPort ? arrivals.get(def.id) : undefined;
    values[def.id] =
      arrived === undefined
        ? fromSetting(def.wiredOnly === true ? undefined : (values[def.id] as Json | undefined), def)
        : checkRange(checkItems(toPlain(arrived, def), def), def, 'invalid_input');
  }
  return values;
}

/** Describes the required inputs that no connection, setting or default fills. */
export function describeMissingInputs(node: PlanNode, settings: JsonObject): readonly string[] {
  const wired = new Set(node.inputs.map(({ port }) => port));
  return node.inputDefs
    .filter(def => def.required === true && def.default === undefined && !(def.isPort && wired.has(def.id)))
    .filter(def => isUnset(def.wiredOnly === true ? undefined : settings[def.id], def))
    .map(needsValue);
}

const isUnset = (setting: Json | undefined, def: InputDef): boolean =>
  setting === undefined || (setting === null && def.type !== 'JSON' && def.nullable !== true);

const needsValue = (def: InputDef): string => `${portName(def)} needs a value, and nothing gives it one.`;

function findDef(node: PlanNode, port: string): InputDef | undefined {
  return node.inputDefs.find(def => def.id === port && def.isPort);
}

function itemsOf(value: Value): readonly Value[] {
  return value.type === 'LIST' ? value.items : [value];
}

function fromSetting(setting: Json | undefined, def: InputDef): unknown {
  if (def.removed === true) return refuseRemoved(setting, def);
  if (setting === null && def.nullable === true) return null;
  const given = isUnset(setting, def) ? def.default : (setting as Json);
  if (given !== undefined) return checkRange(settingToPlain(given, def), def, 'invalid_config');
  if (def.required !== true) return undefined;
  throw new NodeError('missing_input', needsValue(def));
}

function refuseRemoved(setting: Json | undefined, def: InputDef): undefined {
  if (setting === undefined || setting === null) return undefined;
  throw new NodeError('invalid_config', `${portName(def)} is no longer a field of this node: remove it.`);
}

/** Checks that the items of a list fit the port's item type. */
function checkItems(value: unknown, def: InputDef): unknown {
  const { itemType } = def;
  if (itemType === undefined || itemType === 'ANY' || !Array.isArray(value)) return value;
  const wrong = (value as readonly Value[]).find(({ type }) => !canJoin(type, itemType));
  if (wrong === undefined) return value;
  throw new NodeError(
    'invalid_input',
    `${portName(def)} takes a list of ${itemType}, and a ${wrong.type} arrived.`,
  );
}

function settingToPlain(given: Json, def: InputDef): unknown {
  const { type } = def;
  if (type === 'JSON') return given;
  if (type === 'ANY') return jsonToValue(given);
  if (type === 'TEXT' && typeof given === 'string') return given;
  if (type === 'TEXT' && typeof given === 'number') return String(given);
  if (type === 'NUMBER' && Number.isFinite(given)) return given;
  if (type === 'BOOLEAN' && typeof given === 'boolean') return given;
  if (type === 'LIST' && Array.isArray(given)) return given.map(jsonToValue);
  const wanted = isMediaType(type) ? 'be wired to a media' : WANTED[type];
  throw new NodeError('invalid_config', `${portName(def)} must ${wanted}, not ${quote(given)}.`);
}

const WANTED = {
  TEXT: 'be a text',
  NUMBER: 'be a number',
  LIST: 'be a list',
  BOOLEAN: 'be true or false',
} as const;

function checkRange(value: unknown, def: InputDef, code: 'invalid_input' | 'invalid_config'): unknown {
  const problem = findProblem(value, def);
  if (problem === undefined) return value;
  throw new NodeError(code, `${portName(def)} must be ${problem}, not ${quote(value)}.`);
}

const QUOTE_LENGTH = 60;

function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > QUOTE_LENGTH ? `${text.slice(0, QUOTE_LENGTH)}…` : text;
}
