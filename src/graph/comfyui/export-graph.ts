// Exports the graph of a `comfyui:workflow` node for ComfyUI, with the current values of its ports.
import { toPortId } from '../handles.ts';
import { type Graph, type GraphNode, isObject, type Json, type JsonObject } from '../types.ts';
import { type ApiGraph, type ApiNode, readApiLink } from './api-graph.ts';
import { readConfigGraph } from './config-graph.ts';
import { ComfyFormatError } from './format-error.ts';
import type { NodeTypes } from './node-types.ts';
import { getComfyInputs } from './ports.ts';
import { readComfyFile } from './read-file.ts';

/**
 * Returns the file in UI format that was imported, with the current values in place, or else the graph in API format.
 */
export function exportComfyGraph(node: GraphNode, graph: Graph, types: NodeTypes): unknown {
  const { config = {} } = node.data;
  const current = withPortValues(
    readConfigGraph(config.graph).graph,
    config,
    findConnectedValues(node, graph),
  );
  return withValues(parseSource(config.source), current, types) ?? current;
}

function parseSource(source: Json | undefined): unknown {
  if (typeof source !== 'string') return undefined;
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** Returns the values of connected input nodes, by port. */
function findConnectedValues(node: GraphNode, { nodes, edges }: Graph): ReadonlyMap<string, Json> {
  const sources = new Map(nodes.map(source => [source.id, source]));
  const values = new Map<string, Json>();
  for (const { source, target, targetHandle } of edges) {
    const data = target === node.id && targetHandle ? sources.get(source)?.data : undefined;
    const value = data?.config?.value;
    const isValue = data?.nodeType === 'input:text' || data?.nodeType === 'input:number';
    if (isValue && targetHandle && value !== undefined) values.set(toPortId(targetHandle, 'in'), value);
  }
  return values;
}

function withPortValues(graph: ApiGraph, config: JsonObject, connected: ReadonlyMap<string, Json>): ApiGraph {
  const current: Record<string, ApiNode> = { ...graph };
  for (const { id, node: nodeId, input, default: fallback } of getComfyInputs(config)) {
    const value = connected.get(id) ?? config[id] ?? fallback;
    const node = current[nodeId];
    if (value === undefined || value === null || node === undefined) continue;
    current[nodeId] = { ...node, inputs: { ...node.inputs, [input]: value } };
  }
  return current;
}

/** Returns the file with the values that differ from it, or undefined if it is not in UI format. */
function withValues(source: unknown, current: ApiGraph, types: NodeTypes): unknown {
  try {
    const file = readComfyFile(source, types);
    if (file === undefined || file.format === 'comfyui-api') return undefined;
    for (const [id, places] of file.conversion.places)
      for (const [input, pointer] of places) {
        const value = current[id]?.inputs[input];
        if (value === undefined || readApiLink(value) !== undefined) continue;
        if (!isSame(value, file.graph[id]?.inputs[input])) setValue(source, pointer, unwrap(value));
      }
    return source;
  } catch (err) {
    if (err instanceof ComfyFormatError) return undefined;
    throw err;
  }
}

const isSame = (first: Json, second: Json | undefined): boolean =>
  first === second || JSON.stringify(first) === JSON.stringify(second);

const unwrap = (value: Json): Json =>
  isObject(value) && Array.isArray(value.__value__) ? (value.__value__ as readonly Json[]) : value;

/** Sets an existing value. The pointer is one that the conversion of the same file returned. */
function setValue(root: unknown, pointer: string, value: Json): void {
  const keys = pointer
    .split('/')
    .slice(1)
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  let parent = root;
  for (const key of keys) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return;
    parent = (parent as Record<string, unknown>)[key];
  }
  if (typeof parent === 'object' && parent !== null && Object.hasOwn(parent, last))
    (parent as Record<string, unknown>)[last] = value;
}
