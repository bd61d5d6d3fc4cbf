// Reads the graph and the ports of a `comfyui:workflow` node from its config.
import type { InputDef, OutputDef } from '../catalog.ts';
import { isPortName, MAX_CONFIG_PORTS } from '../config-ports.ts';
import { isObject, type Json, type JsonObject } from '../types.ts';
import { type ApiGraph, readApiGraph, readApiLink } from './api-graph.ts';
import { ComfyFormatError } from './format-error.ts';

export const COMFY_PORT_TYPES = ['IMAGE', 'VIDEO', 'AUDIO', 'TEXT', 'NUMBER', 'JSON'] as const;
export type ComfyPortType = (typeof COMFY_PORT_TYPES)[number];

/** A port that sets an input of a node in the graph. */
export interface ComfyInput {
  readonly id: string;
  readonly label: string;
  readonly type: ComfyPortType;
  readonly node: string;
  readonly input: string;
  /** Used instead of the value in the graph if the port is not connected. */
  readonly default?: Json;
}

/** A port with the files or texts of a node in the graph. */
export interface ComfyOutput {
  readonly id: string;
  readonly label: string;
  readonly type: ComfyPortType;
  readonly node: string;
  readonly isList?: boolean;
}

/** The fields of the node, which cannot be ports as well. */
const FIELDS: ReadonlySet<string> = new Set([
  'graph',
  'source',
  'inputs',
  'outputs',
  'seeds',
  'fanOut',
  'maxCredits',
]);
const MAX_GRAPH_LENGTH = 2_000_000;

interface ReadGraph {
  readonly graph: ApiGraph;
  readonly problem?: string;
}

// A config is read several times per check, and its graph can be large.
const graphs = new WeakMap<object, ReadGraph>();

/** Reads `config.graph`. `problem` says why it cannot run. */
export function readConfigGraph(graph: unknown): ReadGraph {
  if (!isObject(graph)) return { graph: {}, problem: 'Set the graph in ComfyUI’s API format.' };
  const cached = graphs.get(graph);
  if (cached !== undefined) return cached;
  const read = checkGraph(graph);
  graphs.set(graph, read);
  return read;
}

function checkGraph(value: object): ReadGraph {
  try {
    const graph = readApiGraph(value);
    if (JSON.stringify(value).length > MAX_GRAPH_LENGTH)
      return { graph: {}, problem: 'The graph is larger than 2 MB.' };
    return Object.keys(graph).length === 0 ? { graph, problem: 'The graph has no nodes.' } : { graph };
  } catch (err) {
    if (err instanceof ComfyFormatError) return { graph: {}, problem: err.message };
    throw err;
  }
}

/** Returns the valid inputs, the first of each id. */
export function getComfyInputs({ inputs }: JsonObject): readonly ComfyInput[] {
  const ports = listDistinct(
    inputs,
    (port): port is Port & { readonly input: string } => typeof port.input === 'string',
  );
  return ports.map(({ id, label, type, node, input, default: value }) => ({
    id,
    label,
    type,
    node,
    input,
    ...(value === undefined ? {} : { default: value as Json }),
  }));
}

/** Returns the valid outputs, the first of each id. */
export function getComfyOutputs({ outputs }: JsonObject): readonly ComfyOutput[] {
  const ports = listDistinct(outputs, (_): _ is Port => true);
  return ports.map(({ id, label, type, node, isList }) => ({
    id,
    label,
    type,
    node,
    ...(isList === true ? { isList } : {}),
  }));
}

interface Port {
  readonly id: string;
  readonly label: string;
  readonly type: ComfyPortType;
  readonly node: string;
  readonly [key: string]: unknown;
}

function listDistinct<Valid extends Port>(
  list: Json | undefined,
  isValid: (port: Port) => port is Valid,
): readonly Valid[] {
  const ports = new Map<string, Valid>();
  for (const item of Array.isArray(list) ? list : []) {
    if (!isPort(item) || !isValid(item) || ports.has(item.id)) continue;
    ports.set(item.id, item);
    if (ports.size === MAX_CONFIG_PORTS) break;
  }
  return [...ports.values()];
}

function isPort(item: unknown): item is Port {
  return (
    isObject(item) &&
    isPortName(item.id) &&
    !FIELDS.has(item.id) &&
    typeof item.label === 'string' &&
    typeof item.node === 'string' &&
    COMFY_PORT_TYPES.includes(item.type as ComfyPortType)
  );
}

/** Returns the ports as the editor and the engine use them. A text or number shows the value that the graph has. */
export function toComfyPorts(config: JsonObject): {
  readonly inputs: InputDef[];
  readonly outputs: OutputDef[];
} {
  const { graph } = readConfigGraph(config.graph);
  return {
    inputs: getComfyInputs(config).map(input => {
      const value = getShownValue(input, graph);
      const { id, label, type } = input;
      return { id, label, type, isPort: true, ...(value === undefined ? {} : { default: value }) };
    }),
    outputs: getComfyOutputs(config).map(({ id, label, type, isList }) => ({
      id,
      label,
      type: isList ? 'LIST' : type,
      isPort: true,
    })),
  };
}

function getShownValue(
  { type, node, input, default: fallback }: ComfyInput,
  graph: ApiGraph,
): Json | undefined {
  const stored = Object.hasOwn(graph, node) ? graph[node]?.inputs[input] : undefined;
  const value = fallback ?? (readApiLink(stored) === undefined ? stored : undefined);
  if (type === 'TEXT') return typeof value === 'string' ? value : undefined;
  if (type === 'NUMBER') return typeof value === 'number' ? value : undefined;
  return type === 'JSON' ? fallback : undefined;
}

/** Returns a sentence about the first port that refers to a node that the graph does not have. */
export function findPortProblem(config: JsonObject): string | undefined {
  const { graph, problem } = readConfigGraph(config.graph);
  if (problem !== undefined) return problem;
  const ports = [...getComfyInputs(config), ...getComfyOutputs(config)];
  const lost = ports.find(({ node }) => !Object.hasOwn(graph, node));
  return lost === undefined
    ? undefined
    : `The port “${lost.label.slice(0, 80)}” belongs to the node ${lost.node.slice(0, 80)}, which the graph does not have.`;
}
