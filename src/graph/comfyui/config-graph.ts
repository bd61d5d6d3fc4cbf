// Reads the graph of a `comfyui:workflow` node from its config, and says what is wrong with it.
import { isObject, type JsonObject } from '../types.ts';
import { type ApiGraph, readApiGraph } from './api-graph.ts';
import { ComfyFormatError } from './format-error.ts';
import { getComfyInputs, getComfyOutputs } from './ports.ts';

/** The maximum length of a graph in a config, as JSON. */
export const MAX_GRAPH_LENGTH = 2_000_000;

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
