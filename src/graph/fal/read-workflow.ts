// Reads workflows of fal, in both of their forms: with the nodes in `contents`, as fal's editor exports them, and as an
// object of nodes, as its API accepts them.
import {
  ComfyFormatError,
  joinPointer,
  MAX_COMFY_NODES,
  requireKey,
  requireName,
  requireObject,
} from '../comfyui/format-error.ts';
import { isObject, type Json, type UnknownObject } from '../types.ts';

/** A node that runs a model, or shows results. */
export interface FalNode {
  readonly id: string;
  readonly kind: 'run' | 'display' | 'other';
  /** The endpoint of a `run`, or the type of another node. */
  readonly type: string;
  /** The values, or for a `display` the fields, by name. */
  readonly values: Readonly<Record<string, Json>>;
  /** The node as it is in the file. */
  readonly original: Json;
}

/** An input of the workflow. */
export interface FalInput {
  readonly name: string;
  readonly label: string;
  readonly isList: boolean;
  readonly isNumber: boolean;
  readonly default?: Json;
}

export interface FalWorkflow {
  readonly nodes: readonly FalNode[];
  readonly inputs: readonly FalInput[];
  /** The id of the node that stands for the inputs, if the file has one. */
  readonly inputNodeId?: string;
}

/** A value that refers to an output of a node, or to an input of the workflow. */
export interface FalReference {
  readonly node: string;
  readonly path: readonly string[];
}

const INPUT = 'input';
/** Longer texts are no references. */
const MAX_REFERENCE_LENGTH = 1000;
/** Ids contain few dots. */
const MAX_PARTS = 20;
/** The maximum number of values of all nodes, with the items of lists. */
const MAX_VALUES = 10_000;

/** Returns the nodes of the file by id, or undefined if fal did not write the file. */
function findNodes(value: unknown): readonly [nodes: UnknownObject, pointer: string] | undefined {
  if (!isObject(value)) return undefined;
  if (isObject(value.contents) && hasFalNode(value.contents.nodes))
    return [value.contents.nodes, '/contents/nodes'];
  if (hasFalNode(value.nodes)) return [value.nodes, '/nodes'];
  return hasFalNode(value) ? [value, ''] : undefined;
}

const hasFalNode = (nodes: unknown): nodes is UnknownObject =>
  isObject(nodes) &&
  Object.values(nodes).some(node => isObject(node) && node.type === 'run' && typeof node.app === 'string');

/** Reads the workflow. Returns undefined if fal did not write the file. Throws ComfyFormatError. */
export function readFalWorkflow(value: unknown): FalWorkflow | undefined {
  const found = findNodes(value);
  if (found === undefined) return undefined;
  const [items, pointer] = found;
  const entries = Object.entries(items);
  if (entries.length > MAX_COMFY_NODES)
    throw new ComfyFormatError(
      `The workflow has ${entries.length} nodes. The maximum is ${MAX_COMFY_NODES}`,
      pointer,
    );
  const nodes = entries.map(([id, item]) => readNode(id, item, joinPointer(pointer, id)));
  requireFewValues(nodes, pointer);
  const inputNode = nodes.find(({ id, kind, type }) => id === INPUT && kind === 'other' && type === INPUT);
  return {
    nodes: nodes.filter(node => node !== inputNode),
    inputs: readInputs(value as UnknownObject, inputNode),
    ...(inputNode === undefined ? {} : { inputNodeId: inputNode.id }),
  };
}

function requireFewValues(nodes: readonly FalNode[], pointer: string): void {
  let count = 0;
  for (const { values } of nodes)
    for (const value of Object.values(values)) count += Array.isArray(value) ? value.length : 1;
  if (count > MAX_VALUES)
    throw new ComfyFormatError(`The nodes have ${count} values. The maximum is ${MAX_VALUES}`, pointer);
}

function readNode(id: string, item: unknown, pointer: string): FalNode {
  requireKey(id, 'The id of a node', pointer);
  const { type, app, input = {}, fields = {} } = requireObject(item, 'A node', pointer);
  const kind = type === 'run' || type === 'display' ? type : 'other';
  const name = kind === 'run' ? app : type;
  const part = kind === 'display' ? 'fields' : INPUT;
  const place = joinPointer(pointer, part);
  const values = Object.entries(requireObject(kind === 'display' ? fields : input, part, place));
  for (const [key] of values) requireKey(key, 'The name of a value', joinPointer(place, key));
  return {
    id,
    kind,
    type: requireName(
      name,
      kind === 'run' ? 'app' : 'type',
      joinPointer(pointer, kind === 'run' ? 'app' : 'type'),
    ),
    // The JSON was parsed from text, so every value in it is JSON.
    values: Object.fromEntries(values) as Readonly<Record<string, Json>>,
    original: item as Json,
  };
}

function readInputs(value: UnknownObject, inputNode: FalNode | undefined): readonly FalInput[] {
  const body = isObject(value.contents) ? value.contents : value;
  const schema = isObject(body.schema) && isObject(body.schema.input) ? body.schema.input : undefined;
  if (schema === undefined)
    return Object.entries(inputNode?.values ?? {}).map(([name, fallback]) => ({
      name,
      label: toLabel(name),
      isList: Array.isArray(fallback),
      isNumber: typeof fallback === 'number',
      ...(fallback === '' || fallback === null ? {} : { default: fallback }),
    }));
  return Object.entries(schema).map(([name, item]) => {
    requireKey(name, 'The name of an input', joinPointer('/schema/input', name));
    const { label, type, default: fallback } = isObject(item) ? item : {};
    return {
      name,
      label: typeof label === 'string' && label.trim() !== '' ? label.slice(0, 100) : toLabel(name),
      isList: isObject(type) && type.kind === 'list',
      isNumber: type === 'number' || type === 'integer',
      ...(fallback === undefined || fallback === null ? {} : { default: fallback as Json }),
    };
  });
}

function toLabel(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim().slice(0, 100);
  return words.charAt(0).toUpperCase() + words.slice(1) || 'Input';
}

/** Returns the reference that a value is. Ids of nodes may contain dots, so the longest id that fits counts. */
export function readReference(value: Json, nodeIds: ReadonlySet<string>): FalReference | undefined {
  if (typeof value !== 'string' || !value.startsWith('$') || value.length > MAX_REFERENCE_LENGTH)
    return undefined;
  const parts = value.slice(1).split('.');
  if (parts.length > MAX_PARTS) return undefined;
  for (let count = parts.length; count > 0; count--) {
    const node = parts.slice(0, count).join('.');
    if (node === INPUT || nodeIds.has(node)) return { node, path: parts.slice(count) };
  }
  return undefined;
}

/** Returns whether the reference is to an input of the workflow. */
export const isInputReference = ({ node }: FalReference): boolean => node === INPUT;
