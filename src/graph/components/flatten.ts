// Replaces each call in a tree of components with the component's nodes, and connects them as the call was connected.

import type { Catalog } from '../catalog.ts';
import { completeEdges } from '../complete.ts';
import { toHandle } from '../handles.ts';
import { readInputValue, takesInput } from '../input-values.ts';
import { quote } from '../issues.ts';
import {
  COMPONENT,
  type Graph,
  type GraphEdge,
  type GraphNode,
  type Json,
  type JsonObject,
  type NodeData,
} from '../types.ts';
import { ValueError } from '../values.ts';
import type { ComponentCall } from './calls.ts';
import { ComponentError } from './component-error.ts';
import { type ComponentTree, isRunnable, MAX_EXPANDED_CHARACTERS } from './component-tree.ts';
import { GALLERY, isOutput } from './interface.ts';

export interface FlattenOptions {
  readonly catalog: Catalog;
  /** Whether the graph is for a run. Inner nodes are then marked with their call, and notes and groups are left out. */
  readonly isForRun: boolean;
}

/** An output port, by the path of its node. */
interface Endpoint {
  readonly nodeId: string;
  readonly port: string;
  readonly type: string;
}

interface FlatWire {
  readonly from: Endpoint;
  readonly nodeId: string;
  readonly port: string;
  /** Set if the edge can stay as it is. */
  readonly edge?: GraphEdge | undefined;
}

/** The flat graph as far as it has been built. */
interface FlatGraph {
  readonly options: FlattenOptions;
  readonly nodes: GraphNode[];
  readonly wires: FlatWire[];
  readonly ids: Set<string>;
  /** The sources of each port without a node: an output of a call, or an input that an outer edge feeds. */
  readonly sourcesByPort: Map<string, readonly Endpoint[]>;
}

/** A component at one place of the expansion. */
interface Instance {
  readonly tree: ComponentTree;
  readonly call: ComponentCall | undefined;
  /** The path of the call; empty for the outermost graph. */
  readonly path: string;
  /** The ids of the outer components and of the component itself, outermost first. Empty for the outermost graph. */
  readonly workflowIds: readonly string[];
  /** The outer ports that feed the instance's inputs, by the id of the input node. */
  readonly outerSources: ReadonlyMap<string, readonly Endpoint[]>;
  /** Ids of the instance's output nodes that feed outer nodes. */
  readonly usedOutputs: ReadonlySet<string>;
}

/** The maximum number of edges after expansion: an output with several sources multiplies the edges that leave it. */
const MAX_EDGES = 50_000;

/** Returns the graph with nodes under their paths. Nodes of the outermost graph stay the same objects. */
export function flattenTree(tree: ComponentTree, options: FlattenOptions): Graph {
  const flat: FlatGraph = { options, nodes: [], wires: [], ids: new Set(), sourcesByPort: new Map() };
  addInstance(flat, {
    tree,
    call: undefined,
    path: '',
    workflowIds: [],
    outerSources: new Map(),
    usedOutputs: new Set(),
  });
  return { nodes: flat.nodes, edges: toEdges(flat) };
}

/** Adds the nodes and wires of the instance and its inner instances. The nesting limit of calls bounds the recursion. */
function addInstance(flat: FlatGraph, instance: Instance): void {
  const { tree, path } = instance;
  const toId = (id: string): string => (path === '' ? id : `${path}/${id}`);
  const calls = new Map(
    [...tree.calls].map(([id, { call, tree }]) => [
      id,
      { call, tree, outerSources: new Map<string, Endpoint[]>(), usedOutputs: new Set<string>() },
    ]),
  );
  const outputSources = new Map([...instance.usedOutputs].map(id => [id, [] as Endpoint[]]));
  for (const { source, from, target, to, edge } of tree.connectedEdges) {
    const endpoint = { nodeId: toId(source.id), port: from.id, type: from.type };
    const call = calls.get(target.id);
    if (call === undefined) {
      const edgeToKeep = path === '' ? edge : undefined;
      flat.wires.push({ from: endpoint, nodeId: toId(target.id), port: to.id, edge: edgeToKeep });
    } else call.outerSources.set(to.id, [...(call.outerSources.get(to.id) ?? []), endpoint]);
    calls.get(source.id)?.usedOutputs.add(from.id);
    outputSources.get(target.id)?.push(endpoint);
  }
  for (const node of tree.graph.nodes) {
    const id = toId(node.id);
    if (flat.ids.has(id)) throw createDuplicateIdError(id);
    flat.ids.add(id);
    const call = calls.get(node.id);
    if (call !== undefined)
      addInstance(flat, {
        ...call,
        path: id,
        workflowIds: [...instance.workflowIds, call.call.workflowId],
      });
    else addNode(flat, instance, { ...node, id }, node, outputSources.get(node.id));
  }
}

const createDuplicateIdError = (nodeId: string): ComponentError =>
  new ComponentError(
    'invalid_graph',
    `The node ${quote(nodeId)} has the same id as a node inside a component. Rename it.`,
    { nodeId, issueCode: 'duplicate_id' },
  );

const createUnfedOutputError = (path: string, { id, data }: GraphNode): ComponentError => {
  const message = `Nothing feeds the output ${quote(data.label)} of the component of ${quote(path)}. Connect ${quote(id)} in the component.`;
  return new ComponentError('invalid_graph', message, {
    nodeId: `${path}/${id}`,
    issueCode: 'required_port_unfed',
  });
};

/**
 * Adds a node of the instance. `flatNode` is the node with its path as id. `sources` is set for an output node that feeds
 * outer nodes, to the ports that feed the output node.
 */
function addNode(
  flat: FlatGraph,
  { call, path, workflowIds, outerSources }: Instance,
  flatNode: GraphNode,
  node: GraphNode,
  sources: readonly Endpoint[] | undefined,
): void {
  if (call === undefined) {
    flat.nodes.push(node);
    return;
  }
  const { catalog, isForRun } = flat.options;
  if (isForRun && !isRunnable(node, catalog)) return;
  const isUnused = workflowIds.length === 1 && sources === undefined;
  const mark = { path, workflowIds, isOutput: isUnused && isOutput(node) };
  const add = (data: NodeData): void => {
    flat.nodes.push({ ...flatNode, data, ...(isForRun ? { [COMPONENT]: mark } : {}) });
  };
  const inputSources = outerSources.get(node.id);
  if (inputSources !== undefined) {
    if (connectInput(flat, flatNode, inputSources)) add(toNodeData(node, 'utility', 'utility:list_slice'));
    return;
  }
  if (sources !== undefined) {
    const isGallery = node.data.nodeType === GALLERY;
    if (sources.length === 0 && !isGallery) throw createUnfedOutputError(path, node);
    const list = { nodeId: flatNode.id, port: 'list', type: 'LIST' };
    flat.sourcesByPort.set(toKey({ nodeId: path, port: node.id }), isGallery ? [list] : sources);
    if (isGallery) {
      add(toNodeData(node, 'logic', 'logic:collect'));
      return;
    }
  }
  add(applyValue(flatNode, call.values[node.id]));
}

/**
 * Connects an input that outer edges feed. Returns true if the input becomes a node that gathers a list, and false if the
 * sources feed the consumers of the input directly.
 */
function connectInput(flat: FlatGraph, { id, data }: GraphNode, sources: readonly Endpoint[]): boolean {
  const [port] = flat.options.catalog.ports(data.nodeType, data.config ?? {}).outputs;
  if (port === undefined) return false;
  const isList = sources.length === 1 && sources[0]?.type === 'LIST';
  if (port.type !== 'LIST' || isList) {
    flat.sourcesByPort.set(toKey({ nodeId: id, port: port.id }), sources);
    return false;
  }
  for (const from of sources) flat.wires.push({ from, nodeId: id, port: 'list' });
  return true;
}

const toNodeData = ({ data }: GraphNode, category: string, nodeType: string): NodeData => ({
  label: data.label,
  category,
  nodeType,
  config: {},
});

/** Sets the value of an input as a run would. */
function applyValue({ id, data }: GraphNode, value: Json | undefined): NodeData {
  const isUnset = value === undefined || (value === null && data.nodeType !== 'input:json');
  if (isUnset || !takesInput(data.nodeType)) return data;
  try {
    return withSettings(data, readInputValue(data.nodeType, value));
  } catch (err) {
    if (!(err instanceof ValueError)) throw err;
    throw new ComponentError('invalid_inputs', `The value of ${quote(id)} is invalid. ${err.message}`, {
      nodeId: id,
    });
  }
}

/** Sets config values. Removes the same keys from `params`, which would override them. */
export function withSettings({ params, ...data }: NodeData, settings: JsonObject): NodeData {
  const otherParams = Object.entries(params ?? {}).filter(([name]) => !Object.hasOwn(settings, name));
  return {
    ...data,
    ...(params === undefined ? {} : { params: Object.fromEntries(otherParams) }),
    config: { ...data.config, ...settings },
  };
}

const toKey = ({ nodeId, port }: Pick<Endpoint, 'nodeId' | 'port'>): string => `${nodeId}\0${port}`;

/**
 * Returns the edges of the expanded graph. If a wire starts at a port that has no node, each output that feeds the port
 * gets an edge instead.
 */
function toEdges({ wires, sourcesByPort }: FlatGraph): readonly GraphEdge[] {
  const findSources = createSourceFinder(sourcesByPort);
  const edges: (GraphEdge | Omit<GraphEdge, 'id'>)[] = [];
  let characters = 0;
  for (const { from, nodeId, port, edge } of wires) {
    const hasNoNode = sourcesByPort.has(toKey(from));
    if (edge !== undefined && !hasNoNode) edges.push(edge);
    else
      for (const source of hasNoNode ? findSources(from) : [from]) {
        edges.push({
          source: source.nodeId,
          target: nodeId,
          sourceHandle: toHandle('out', source.port),
          targetHandle: toHandle('in', port),
        });
        // The id of the edge will contain both ids again.
        characters += 2 * (source.nodeId.length + nodeId.length);
        if (edges.length > MAX_EDGES || characters > MAX_EXPANDED_CHARACTERS)
          throw createEdgeLimitError(nodeId);
      }
  }
  return completeEdges(edges) as readonly GraphEdge[];
}

const createEdgeLimitError = (nodeId: string): ComponentError =>
  new ComponentError(
    'component_too_large',
    `With its components, the workflow has more than ${MAX_EDGES} connections, or ${MAX_EXPANDED_CHARACTERS / 1e6} MB of them. Give each output of a component one source.`,
    { nodeId },
  );

/** Returns the size of the edges as JSON text. */
export const measureEdges = (edges: readonly GraphEdge[]): number =>
  edges.reduce((sum, { id, source, target }) => sum + id.length + source.length + target.length + 100, 0);

/**
 * Returns a function that finds the outputs of nodes that feed a port without a node. Iterative, because calls may be
 * connected in long chains.
 */
function createSourceFinder(
  sourcesByPort: FlatGraph['sourcesByPort'],
): (port: Endpoint) => readonly Endpoint[] {
  const sourcesByKey = new Map<string, readonly Endpoint[]>();
  let total = 0;
  return port => {
    const openKeys = new Set<string>();
    const stack = [port];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const key = toKey(top);
      const directSources = sourcesByPort.get(key) ?? [];
      const unresolvedSources = sourcesByKey.has(key)
        ? []
        : directSources.filter(
            source => sourcesByPort.has(toKey(source)) && !sourcesByKey.has(toKey(source)),
          );
      if (unresolvedSources.length === 0) {
        if (!sourcesByKey.has(key)) {
          const sources = directSources.flatMap(source => sourcesByKey.get(toKey(source)) ?? [source]);
          total += sources.length;
          if (total > MAX_EDGES) throw createEdgeLimitError(top.nodeId);
          sourcesByKey.set(key, sources);
        }
        openKeys.delete(key);
        stack.pop();
        continue;
      }
      openKeys.add(key);
      const circularSource = unresolvedSources.find(source => openKeys.has(toKey(source)));
      if (circularSource !== undefined) {
        const message = `The components at ${quote(circularSource.nodeId)} and ${quote(top.nodeId)} only pass a value to each other. Remove a connection.`;
        throw new ComponentError('cyclic_graph', message, { nodeId: top.nodeId });
      }
      stack.push(...unresolvedSources);
    }
    return sourcesByKey.get(toKey(port)) ?? [];
  };
}
