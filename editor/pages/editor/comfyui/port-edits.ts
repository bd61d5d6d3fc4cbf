// Builds the changes of a ComfyUI node: another graph, and its inputs and outputs.

import type { GraphResult, GraphValue } from '../../../../src/graph/comfyui/graph-values.ts';
import {
  type ComfyInput,
  type ComfyOutput,
  getComfyInputs,
  getComfyOutputs,
  toComfyPorts,
} from '../../../../src/graph/comfyui/ports.ts';
import { createNames } from '../../../../src/graph/comfyui/suggested-ports.ts';
import { MAX_CONFIG_PORTS } from '../../../../src/graph/config-ports.ts';
import { toHandle } from '../../../../src/graph/handles.ts';
import {
  type GraphNode,
  type Json,
  type JsonObject,
  type Port,
  toObject,
} from '../../../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from '../../../board/board.ts';
import { remove, replaceNodes } from '../../../board/edits.ts';

/** How an input of the node sets a value of the graph. */
export type Exposure = 'port' | 'field';

/**
 * Sets values of the node's config, or removes those that are undefined, and sets its ports as the service computes them when
 * it saves. Removes connections to ports that the node no longer has, and values of removed inputs.
 */
export function setComfyConfig(
  board: Board,
  nodeId: string,
  settings: Readonly<Record<string, Json | undefined>>,
): readonly Change[] {
  const node = findNode(board, nodeId);
  if (node === undefined) return [];
  const before = node.data.config ?? {};
  const config: Record<string, Json> = { ...before };
  for (const [key, value] of Object.entries(settings))
    if (value === undefined) delete config[key];
    else config[key] = value;
  const kept = new Set(getComfyInputs(config).map(({ id }) => id));
  for (const { id } of getComfyInputs(before)) if (!kept.has(id)) delete config[id];
  const { inputs, outputs } = toComfyPorts(config);
  const handles = new Set([
    ...inputs.filter(({ isPort }) => isPort).map(({ id }) => toHandle('in', id)),
    ...outputs.map(({ id }) => toHandle('out', id)),
  ]);
  const lostEdges = board.edges.filter(
    ({ source, target, sourceHandle, targetHandle }) =>
      (target === nodeId && targetHandle && !handles.has(targetHandle)) ||
      (source === nodeId && sourceHandle && !handles.has(sourceHandle)),
  );
  const removals = remove(board, { edges: lostEdges.map(({ id }) => id) });
  const ports = { inputs: toPorts(inputs), outputs: toPorts(outputs) };
  const withPorts = (item: GraphNode): GraphNode => ({ ...item, data: { ...item.data, config, ...ports } });
  return [...removals, ...replaceNodes(apply(board, removals), [nodeId], withPorts)];
}

const toPorts = (defs: readonly (Port & { readonly isPort: boolean })[]): readonly Port[] =>
  defs.filter(({ isPort }) => isPort).map(({ id, label, type }) => ({ id, label, type }));

export const findExposure = (
  inputs: readonly ComfyInput[],
  { node, input }: Pick<GraphValue, 'node' | 'input'>,
): ComfyInput | undefined => inputs.find(other => other.node === node && other.input === input);

/** Returns the inputs with the value as a port or a field, or without it. */
export function withExposure(
  config: JsonObject,
  value: GraphValue,
  exposure: Exposure | undefined,
): readonly ComfyInput[] {
  const inputs = getComfyInputs(config);
  const current = findExposure(inputs, value);
  const others = inputs.filter(input => input !== current);
  if (exposure === undefined) return others;
  const { node, input, type } = value;
  const field = exposure === 'field' ? { isField: true } : {};
  if (current !== undefined) {
    const { isField: _, ...rest } = current;
    return inputs.map(other => (other === current ? { ...rest, ...field } : other));
  }
  const name = createNames(listTakenIds(config))(findFreeLabel(inputs, value.label));
  return [...inputs, { ...name, type, node, input, ...field }];
}

/** Returns the outputs with the result of the node, or without it. */
export function withResult(
  config: JsonObject,
  result: GraphResult,
  isOutput: boolean,
): readonly ComfyOutput[] {
  const outputs = getComfyOutputs(config);
  if (!isOutput) return outputs.filter(({ node }) => node !== result.node);
  const taken = outputs.map(({ id }) => id);
  const name = createNames(taken)(findFreeLabel(outputs, result.label));
  return [...outputs, { ...name, type: result.type, node: result.node }];
}

export const isFull = (ports: readonly unknown[]): boolean => ports.length >= MAX_CONFIG_PORTS;

/** Ids of inputs may not be those of other values of the config. */
const listTakenIds = (config: JsonObject): readonly string[] => [
  ...Object.keys(config),
  ...getComfyInputs(config).map(({ id }) => id),
];

function findFreeLabel(ports: readonly { readonly label: string }[], label: string): string {
  const labels = new Set(ports.map(port => port.label));
  if (!labels.has(label)) return label;
  for (let number = 2; ; number++) if (!labels.has(`${label} ${number}`)) return `${label} ${number}`;
}

/**
 * Returns the inputs and outputs for another graph of the node: those of its present ports that still lead to a value or a
 * node, so that their connections stay, and suggested ones for other places.
 */
export function keepPorts(
  before: JsonObject,
  after: JsonObject,
): { readonly inputs: readonly ComfyInput[]; readonly outputs: readonly ComfyOutput[] } {
  const graph = toObject(after.graph);
  const hasNode = (id: string): boolean => Object.hasOwn(graph, id);
  const hasValue = ({ node, input }: ComfyInput): boolean =>
    Object.hasOwn(toObject(toObject(toObject(graph[node] as Json).inputs as Json)), input);
  const inputs = getComfyInputs(before).filter(port => hasNode(port.node) && hasValue(port));
  const outputs = getComfyOutputs(before).filter(({ node }) => hasNode(node));
  const isKept = (ports: readonly ComfyOutput[], port: ComfyOutput): boolean =>
    ports.some(({ id, node }) => id === port.id || (node === port.node && !('input' in port)));
  const newInputs = getComfyInputs(after).filter(
    port => findExposure(inputs, port) === undefined && !isKept(inputs, port),
  );
  const newOutputs = getComfyOutputs(after).filter(port => !isKept(outputs, port));
  return { inputs: [...inputs, ...newInputs], outputs: [...outputs, ...newOutputs] };
}
