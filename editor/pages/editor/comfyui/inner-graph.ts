// Converts the graph of a ComfyUI node to a board and its catalog, so that the painter can draw it.
import type { CatalogEntry, InputDef, OutputDef } from '../../../../src/graph/catalog.ts';
import {
  type ApiGraph,
  type ApiNode,
  getApiTitle,
  readApiLink,
} from '../../../../src/graph/comfyui/api-graph.ts';
import { listGraphResults, listGraphValues } from '../../../../src/graph/comfyui/graph-values.ts';
import { toHandle } from '../../../../src/graph/handles.ts';
import type { GraphEdge, GraphNode, PortType } from '../../../../src/graph/types.ts';
import type { BoardGraph } from '../../../board/worker/requests.ts';

export interface InnerGraph {
  readonly board: BoardGraph;
  /** An entry for each node, because nodes of a type may have different ports. */
  readonly entries: readonly CatalogEntry[];
}

/** How many values a drawn node shows. */
const MAX_SHOWN_VALUES = 3;

const CATEGORIES: readonly (readonly [RegExp, CatalogEntry['category']])[] = [
  [/^load|loader/i, 'input'],
  [/save|preview|show|combine/i, 'output'],
  [/sampler/i, 'model'],
];

/** The types of media that inputs of these names take. Other values are of ComfyUI only, such as models. */
const PORT_TYPE_NAMES: Readonly<Record<string, PortType>> = {
  image: 'IMAGE',
  images: 'IMAGE',
  pixels: 'IMAGE',
  mask: 'IMAGE',
  video: 'VIDEO',
  audio: 'AUDIO',
  text: 'TEXT',
  prompt: 'TEXT',
};

const getPortType = (input: string): PortType =>
  Object.hasOwn(PORT_TYPE_NAMES, input) ? (PORT_TYPE_NAMES[input] ?? 'ANY') : 'ANY';

export function toInnerGraph(graph: ApiGraph): InnerGraph {
  const suggested = new Set(
    listGraphValues(graph)
      .filter(({ kind }) => kind !== undefined)
      .map(({ node, input }) => `${node} ${input}`),
  );
  const results = new Set(listGraphResults(graph).map(({ node }) => node));
  const outputs = new Map<string, Map<number, OutputDef>>();
  const edges: GraphEdge[] = [];
  for (const [target, { inputs }] of Object.entries(graph))
    for (const [input, value] of Object.entries(inputs)) {
      const link = readApiLink(value);
      if (link === undefined || !Object.hasOwn(graph, link.node)) continue;
      const id = `out${link.slot}`;
      const slots = outputs.get(link.node) ?? new Map<number, OutputDef>();
      outputs.set(link.node, slots);
      if (!slots.has(link.slot))
        slots.set(link.slot, { id, label: input, type: getPortType(input), isPort: true });
      edges.push({
        id: `edge-${edges.length}`,
        source: link.node,
        target,
        sourceHandle: toHandle('out', id),
        targetHandle: toHandle('in', input),
      });
    }
  const nodes: GraphNode[] = [];
  const entries: CatalogEntry[] = [];
  for (const [index, [id, node]] of Object.entries(graph).entries()) {
    const nodeType = `comfyui:${index}`;
    const category = results.has(id) ? 'output' : getCategory(node);
    const ports = [...(outputs.get(id) ?? [])].sort(([a], [b]) => a - b).map(([, port]) => port);
    entries.push({
      nodeType,
      label: node.class_type,
      category,
      source: 'non-vendor',
      inputs: toInputs(node, input => suggested.has(`${id} ${input}`)),
      outputs: ports,
      executionCost: 'free',
      pricingModel: 'free',
      estimatedCredits: 0,
    });
    nodes.push({
      id,
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: getApiTitle(node), category: 'utility', nodeType, config: node.inputs },
    });
  }
  return { board: { nodes, edges }, entries };
}

const getCategory = ({ class_type }: ApiNode): CatalogEntry['category'] =>
  CATEGORIES.find(([pattern]) => pattern.test(class_type))?.[1] ?? 'utility';

/** Returns the connections as ports, and the values as fields. Suggested values are shown on the node. */
function toInputs({ inputs }: ApiNode, isSuggested: (input: string) => boolean): InputDef[] {
  const defs = Object.entries(inputs).map(([id, value]): InputDef => {
    const isPort = readApiLink(value) !== undefined;
    const type = typeof value === 'number' ? 'NUMBER' : typeof value === 'string' ? 'TEXT' : 'JSON';
    return { id, label: id, type: isPort ? getPortType(id) : type, isPort };
  });
  const shown = defs
    .filter(({ id, isPort }) => !isPort && isSuggested(id))
    .concat(defs.filter(({ id, isPort }) => !isPort && !isSuggested(id)))
    .slice(0, MAX_SHOWN_VALUES);
  return defs.map(def => (shown.includes(def) ? { ...def, isPrimary: true } : def));
}
