// Reads graphs in ComfyUI's API format: an object from node id to `{ class_type, inputs }`.
import { isObject, type Json, type JsonObject, type UnknownObject } from '../types.ts';
import {
  ComfyFormatError,
  joinPointer,
  MAX_COMFY_NODES,
  requireKey,
  requireName,
  requireObject,
} from './format-error.ts';

export interface ApiNode {
  readonly class_type: string;
  readonly inputs: JsonObject;
  readonly _meta?: ApiMeta;
}

/** What ComfyUI ignores. Files may have other members. */
export interface ApiMeta extends JsonObject {
  readonly title?: string;
  /** The widget values by position, of a node whose type is unknown to the service. */
  readonly widgets_values?: Json;
  /** The control values by the name of the seed that they follow. */
  readonly control?: JsonObject;
}

export type ApiGraph = Readonly<Record<string, ApiNode>>;

/** A reference to an output of another node. */
export interface ApiLink {
  readonly node: string;
  readonly slot: number;
}

/** Returns the reference that an input contains, or undefined if the input has a value. */
export function readApiLink(value: unknown): ApiLink | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [node, slot] = value;
  if (typeof node !== 'string' && typeof node !== 'number') return undefined;
  return Number.isSafeInteger(slot) && slot >= 0 ? { node: String(node), slot } : undefined;
}

/** Returns whether the value looks like a graph in API format, so that its errors are worth reporting. */
export function isApiGraph(value: unknown): value is UnknownObject {
  if (!isObject(value)) return false;
  const nodes = Object.values(value);
  return nodes.length > 0 && nodes.some(node => isObject(node) && typeof node.class_type === 'string');
}

/** Reads a graph in API format. `pointer` is its place in the file. Throws ComfyFormatError. */
export function readApiGraph(value: unknown, pointer = ''): ApiGraph {
  const entries = Object.entries(requireObject(value, 'A graph', pointer));
  if (entries.length > MAX_COMFY_NODES)
    throw new ComfyFormatError(
      `The graph has ${entries.length} nodes. The maximum is ${MAX_COMFY_NODES}`,
      pointer,
    );
  const graph: Record<string, ApiNode> = {};
  for (const [id, node] of entries) {
    const place = joinPointer(pointer, id);
    graph[requireKey(id, 'The id of a node', place)] = readNode(node, place);
  }
  return graph;
}

function readNode(value: unknown, pointer: string): ApiNode {
  const { class_type, inputs = {}, _meta } = requireObject(value, 'A node', pointer);
  const type = requireName(class_type, 'class_type', joinPointer(pointer, 'class_type'));
  if (type === '') throw new ComfyFormatError('class_type is empty', joinPointer(pointer, 'class_type'));
  const inputsPointer = joinPointer(pointer, 'inputs');
  const entries = Object.entries(requireObject(inputs, 'inputs', inputsPointer));
  for (const [name] of entries) requireKey(name, 'The name of an input', joinPointer(inputsPointer, name));
  return {
    class_type: type,
    // The JSON was parsed from text, so every value in it is JSON.
    inputs: Object.fromEntries(entries) as JsonObject,
    ...(isObject(_meta) ? { _meta: readMeta(_meta) } : {}),
  };
}

function readMeta({ title, ...meta }: UnknownObject): ApiMeta {
  return { ...(typeof title === 'string' ? { title } : {}), ...(meta as JsonObject) };
}

/** Returns the title of a node, by which people know it. */
export const getApiTitle = ({ class_type, _meta }: ApiNode): string => _meta?.title || class_type;
