// Summarizes a graph: one line per node, edges by port, and settings if there is enough space.
import type { Catalog } from '../graph/catalog.ts';
import { isComponentCall } from '../graph/components/calls.ts';
import { getComponentPorts } from '../graph/config-ports.ts';
import type { getInputNames } from '../graph/input-names.ts';
import type { Graph, GraphNode, Json, JsonObject } from '../graph/types.ts';
import { cutText } from '../lib/cut-text.ts';
import { formatEdge } from '../services/workflows/graph-text.ts';
import { formatPorts } from './agent-graph.ts';
import { formatData, MAX_CHARACTERS } from './result.ts';

export interface Outline {
  readonly inputs: readonly JsonObject[];
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly string[];
  /** Names the details that are omitted for lack of space. */
  readonly note?: string;
}

const MAX_VALUE_CHARACTERS = 80;
/** Reserved for the rest of the result. */
const RESERVED_CHARACTERS = 1500;

/** Levels of detail from most to least. `outlineGraph` uses the first that fits. */
const DETAIL_LEVELS: readonly {
  readonly show: (node: GraphNode, catalog: Catalog) => JsonObject;
  readonly note?: string;
}[] = [
  { show: (node, catalog) => ({ ...presentNode(node, catalog), ...withTruncatedConfig(node) }) },
  { show: presentNode, note: 'Settings are omitted' },
  {
    show: ({ id, data }) => ({ id, nodeType: data.nodeType }),
    note: 'Settings and labels are omitted',
  },
];

/** A graph with more nodes fits only with the least detail. */
const MAX_DETAILED_NODES = MAX_CHARACTERS / 20;
/** More settings cannot fit: a key and a value of one character, with separators, take five characters. */
const MAX_SETTINGS = MAX_CHARACTERS / 5;

/** The names of the inputs of the whole graph, by node id. */
type InputNames = ReturnType<typeof getInputNames>;

/** Returns as much of the graph as fits into a result. */
export function outlineGraph(catalog: Catalog, graph: Graph, names: InputNames): Outline {
  const edges = graph.edges.map(formatEdge);
  let outline: Outline = { inputs: [], nodes: [], edges };
  const levels = DETAIL_LEVELS.slice(getFirstLevel(graph));
  for (const [index, { show, note }] of levels.entries()) {
    outline = {
      inputs: note === undefined ? listInputs(catalog, graph, names) : [],
      nodes: graph.nodes.map(node => show(node, catalog)),
      edges,
      ...(note === undefined ? {} : { note: `${note}: request some nodes by nodeIds, or detail "full".` }),
    };
    if (index === levels.length - 1 || countCharacters(outline) + RESERVED_CHARACTERS <= MAX_CHARACTERS)
      break;
  }
  return outline;
}

/** Returns the first level that may fit, because formatting a level takes time. */
function getFirstLevel({ nodes }: Graph): number {
  if (nodes.length > MAX_DETAILED_NODES) return DETAIL_LEVELS.length - 1;
  const settings = nodes.reduce((sum, node) => sum + Object.keys(node.data.config ?? {}).length, 0);
  return settings > MAX_SETTINGS ? 1 : 0;
}

function countCharacters(outline: Outline): number {
  return Math.max(JSON.stringify(outline).length, formatData({ ...outline }).length);
}

/** Returns complete nodes without canvas data. */
export function outlineFullNodes(catalog: Catalog, graph: Graph, names: InputNames): Outline {
  return {
    inputs: listInputs(catalog, graph, names),
    nodes: graph.nodes.map(node => ({
      ...presentNode(node, catalog),
      label: node.data.label,
      config: getConfig(node),
    })),
    edges: graph.edges.map(formatEdge),
  };
}

/** Returns the part of the graph with these nodes and the edges that touch them. */
export function getSubgraph({ nodes, edges }: Graph, nodeIds: readonly string[]): Graph {
  const wantedIds = new Set(nodeIds);
  return {
    nodes: nodes.filter(({ id }) => wantedIds.has(id)),
    edges: edges.filter(({ source, target }) => wantedIds.has(source) || wantedIds.has(target)),
  };
}

/** Returns the inputs that a run accepts, by node id or name. */
function listInputs(catalog: Catalog, { nodes }: Graph, names: InputNames): readonly JsonObject[] {
  return nodes
    .filter(({ data }) => catalog.find(data.nodeType)?.category === 'input')
    .map(({ id, data }) => ({
      nodeId: id,
      name: names.get(id) ?? id,
      label: data.label,
      type: data.nodeType.split(':').at(-1) ?? '',
    }));
}

/** Presents the id, the type, the ports of a component and, unless it is the default, the label. */
function presentNode(node: GraphNode, catalog: Catalog): JsonObject {
  const { id, data } = node;
  const hasOwnLabel = data.label !== catalog.find(data.nodeType)?.label && data.label !== id;
  return {
    id,
    nodeType: data.nodeType,
    ...(hasOwnLabel ? { label: data.label } : {}),
    ...describeComponent(node),
  };
}

function describeComponent(node: GraphNode): JsonObject {
  if (!isComponentCall(node)) return {};
  const { name, inputs, outputs } = getSettings(node);
  return {
    ...(typeof name === 'string' && name !== '' ? { component: name } : {}),
    in: formatPorts(getComponentPorts(inputs)),
    out: formatPorts(getComponentPorts(outputs)),
  };
}

const getSettings = ({ data }: GraphNode): JsonObject => ({ ...data.config, ...data.params });

/** Returns the settings that an edit can change. */
function getConfig(node: GraphNode): JsonObject {
  if (!isComponentCall(node)) return getSettings(node);
  const { name: _, inputs: _inputs, outputs: _outputs, ...settings } = getSettings(node);
  return settings;
}

function withTruncatedConfig(node: GraphNode): JsonObject {
  const config = Object.entries(getConfig(node)).map(([key, value]) => [key, truncate(value)]);
  return config.length === 0 ? {} : { config: Object.fromEntries(config) as JsonObject };
}

function truncate(value: Json): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_VALUE_CHARACTERS ? value : `${cutText(text, MAX_VALUE_CHARACTERS)}…`;
}
