// Replaces the calls in a tree of components by their nodes, and connects these to what fed the calls.
import type { Catalog } from '../catalog.ts';
import { completeEdges } from '../complete.ts';
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
import { type ComponentTree, isRunnable } from './component-tree.ts';
import { GALLERY, isOutput } from './interface.ts';

export interface FlattenOptions {
  readonly catalog: Catalog;
  /** Whether inner nodes are for a run: marked with their call, and without notes and groups. */
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

interface Flat {
  readonly options: FlattenOptions;
  readonly nodes: GraphNode[];
  readonly wires: FlatWire[];
  readonly ids: Set<string>;
  /** What feeds a port that has no node: an output of a call, or an input that an outer edge feeds. */
  readonly links: Map<string, readonly Endpoint[]>;
}

/** An instance of a component in the expansion. */
interface Instance {
  readonly tree: ComponentTree;
  readonly call: ComponentCall | undefined;
  /** The path of the call; empty for the outermost graph. */
  readonly path: string;
  /** The components that it is inside of, outermost first; none for the outermost graph. */
  readonly workflowIds: readonly string[];
  /** What outer edges feed, by the id of the input node. */
  readonly fed: ReadonlyMap<string, readonly Endpoint[]>;
  /** The outputs that feed outer nodes. */
  readonly used: ReadonlySet<string>;
}

/** The maximum number of edges after expansion: an output with several sources multiplies the edges that leave it. */
const MAX_EDGES = 50_000;

/** Returns the graph with nodes under their paths. Nodes of the outermost graph stay the same objects. */
export function flattenTree(tree: ComponentTree, options: FlattenOptions): Graph {
  const flat: Flat = { options, nodes: [], wires: [], ids: new Set(), links: new Map() };
  addInstance(flat, { tree, call: undefined, path: '', workflowIds: [], fed: new Map(), used: new Set() });
  return { nodes: flat.nodes, edges: connect(flat) };
}

/** Adds the nodes and wires of the instance and of those inside it. Recursion is as deep as calls may be nested. */
function addInstance(flat: Flat, instance: Instance): void {
  const { tree, path } = instance;
  const toId = (id: string): string => (path === '' ? id : `${path}/${id}`);
  const calls = new Map(
    [...tree.calls.keys()].map(id => [id, { fed: new Map<string, Endpoint[]>(), used: new Set<string>() }]),
  );
  const outputs = new Map([...instance.used].map(id => [id, [] as Endpoint[]]));
  for (const { source, from, target, to, edge } of tree.wires) {
    const endpoint = { nodeId: toId(source.id), port: from.id, type: from.type };
    const called = calls.get(target.id);
    if (called === undefined) {
      const kept = path === '' ? edge : undefined;
      flat.wires.push({ from: endpoint, nodeId: toId(target.id), port: to.id, edge: kept });
    } else append(called.fed, to.id, endpoint);
    calls.get(source.id)?.used.add(from.id);
    outputs.get(target.id)?.push(endpoint);
  }
  for (const node of tree.graph.nodes) {
    const id = toId(node.id);
    if (flat.ids.has(id)) throw collision(id);
    flat.ids.add(id);
    const called = tree.calls.get(node.id);
    const ends = calls.get(node.id);
    if (called !== undefined && ends !== undefined)
      addInstance(flat, {
        ...called,
        ...ends,
        path: id,
        workflowIds: [...instance.workflowIds, called.call.workflowId],
      });
    else addNode(flat, instance, { ...node, id }, node, outputs.get(node.id));
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

const collision = (nodeId: string): ComponentError =>
  new ComponentError(
    'invalid_graph',
    `The node ${quote(nodeId)} has the same id as a node inside a component. Rename it.`,
    { nodeId, issueCode: 'duplicate_id' },
  );

const emptyOutput = (path: string, { id, data }: GraphNode): ComponentError => {
  const message = `Nothing feeds the output ${quote(data.label)} of the component of ${quote(path)}. Connect ${quote(id)} in the component.`;
  return new ComponentError('invalid_graph', message, {
    nodeId: `${path}/${id}`,
    issueCode: 'required_port_unfed',
  });
};

/** Adds a node of the instance. `feeds`: what feeds it, if it is an output of the call that feeds outer nodes. */
function addNode(
  flat: Flat,
  { call, path, workflowIds, fed }: Instance,
  moved: GraphNode,
  node: GraphNode,
  feeds: readonly Endpoint[] | undefined,
): void {
  if (call === undefined) {
    flat.nodes.push(node);
    return;
  }
  const { catalog, isForRun } = flat.options;
  if (isForRun && !isRunnable(node, catalog)) return;
  const isLast = workflowIds.length === 1 && feeds === undefined;
  const mark = { path, workflowIds, isOutput: isLast && isOutput(node) };
  const add = (data: NodeData): void => {
    flat.nodes.push({ ...moved, data, ...(isForRun ? { [COMPONENT]: mark } : {}) });
  };
  const outer = fed.get(node.id);
  if (outer !== undefined) {
    if (addInput(flat, moved, outer)) add(toNodeData(node, 'utility', 'utility:list_slice'));
    return;
  }
  if (feeds !== undefined) {
    const isGallery = node.data.nodeType === GALLERY;
    if (feeds.length === 0 && !isGallery) throw emptyOutput(path, node);
    const source = { nodeId: moved.id, port: 'list', type: 'LIST' };
    flat.links.set(toKey({ nodeId: path, port: node.id }), isGallery ? [source] : feeds);
    if (isGallery) {
      add(toNodeData(node, 'logic', 'logic:collect'));
      return;
    }
  }
  add(applyValue(moved, call.values[node.id]));
}

/**
 * Connects an input that outer edges feed. Returns whether it becomes a node that gathers a list. Otherwise, what feeds
 * it feeds its consumers.
 */
function addInput(flat: Flat, { id, data }: GraphNode, outer: readonly Endpoint[]): boolean {
  const [port] = flat.options.catalog.ports(data.nodeType, data.config ?? {}).outputs;
  if (port === undefined) return false;
  const isList = outer.length === 1 && outer[0]?.type === 'LIST';
  if (port.type !== 'LIST' || isList) {
    flat.links.set(toKey({ nodeId: id, port: port.id }), outer);
    return false;
  }
  for (const from of outer) flat.wires.push({ from, nodeId: id, port: 'list' });
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

/** Params override config, so they lose the settings. */
export function withSettings({ params, ...data }: NodeData, settings: JsonObject): NodeData {
  const others = Object.entries(params ?? {}).filter(([name]) => !Object.hasOwn(settings, name));
  return {
    ...data,
    ...(params === undefined ? {} : { params: Object.fromEntries(others) }),
    config: { ...data.config, ...settings },
  };
}

const toKey = ({ nodeId, port }: Pick<Endpoint, 'nodeId' | 'port'>): string => `${nodeId}\0${port}`;

/** Returns the edges between nodes: each wire from a port without a node becomes one from each node that feeds it. */
function connect({ wires, links }: Flat): readonly GraphEdge[] {
  const findSources = createSourceFinder(links);
  const edges: (GraphEdge | Omit<GraphEdge, 'id'>)[] = [];
  for (const { from, nodeId, port, edge } of wires) {
    const isLinked = links.has(toKey(from));
    if (edge !== undefined && !isLinked) edges.push(edge);
    else
      for (const source of isLinked ? findSources(from) : [from])
        edges.push({
          source: source.nodeId,
          target: nodeId,
          sourceHandle: `out-${source.port}`,
          targetHandle: `in-${port}`,
        });
    if (edges.length > MAX_EDGES) throw tooManyEdges(nodeId);
  }
  return completeEdges(edges) as readonly GraphEdge[];
}

const tooManyEdges = (nodeId: string): ComponentError =>
  new ComponentError(
    'component_too_large',
    `With its components, the workflow has more than ${MAX_EDGES} connections. Give each output of a component one source.`,
    { nodeId },
  );

/** Finds the node outputs behind a linked port. Iterative, because calls may be connected in long chains. */
function createSourceFinder(links: Flat['links']): (port: Endpoint) => readonly Endpoint[] {
  const found = new Map<string, readonly Endpoint[]>();
  let total = 0;
  return port => {
    const open = new Set<string>();
    const stack = [port];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const key = toKey(top);
      const feeds = links.get(key) ?? [];
      const waiting = found.has(key)
        ? []
        : feeds.filter(feed => links.has(toKey(feed)) && !found.has(toKey(feed)));
      if (waiting.length === 0) {
        if (!found.has(key)) {
          const sources = feeds.flatMap(feed => found.get(toKey(feed)) ?? [feed]);
          total += sources.length;
          if (total > MAX_EDGES) throw tooManyEdges(top.nodeId);
          found.set(key, sources);
        }
        open.delete(key);
        stack.pop();
        continue;
      }
      open.add(key);
      const again = waiting.find(feed => open.has(toKey(feed)));
      if (again !== undefined) {
        const message = `The components at ${quote(again.nodeId)} and ${quote(top.nodeId)} only pass a value to each other. Remove a connection.`;
        throw new ComponentError('cyclic_graph', message, { nodeId: top.nodeId });
      }
      stack.push(...waiting);
    }
    return found.get(toKey(port)) ?? [];
  };
}
