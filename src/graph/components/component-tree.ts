// Reads a graph and the components that it calls into a tree, within limits. Equal components are read once.
import { type Catalog, type InputDef, isCanvasOnly, type OutputDef, type ResolvedPorts } from '../catalog.ts';
import { type EdgePorts, type PortSide, resolveEdges, toHandle, toPortId } from '../handles.ts';
import { quote } from '../issues.ts';
import type { Graph, GraphEdge, GraphNode } from '../types.ts';
import { type ComponentCall, readCall } from './calls.ts';
import { ComponentError } from './component-error.ts';
import { type ComponentInterface, readInterface, toCallPorts } from './interface.ts';

/** The maximum number of nested calls. */
export const MAX_DEPTH = 8;
/** The maximum number of nodes after expansion, without the calls themselves. */
export const MAX_EXPANDED_NODES = 2000;
/** The maximum number of calls, since calls of empty components add no nodes. */
const MAX_CALLS = 2000;
/** The maximum size of the expanded graph as JSON text, since calls repeat the values of a component. */
export const MAX_EXPANDED_CHARACTERS = 32_000_000;

/** An edge with the ports that it connects. */
export interface ConnectedEdge extends EdgePorts {
  readonly source: GraphNode;
  readonly target: GraphNode;
  readonly edge: GraphEdge;
}

export interface ComponentTree {
  readonly graph: Graph;
  readonly ports: ComponentInterface;
  /** The called components, by the id of the calling node. */
  readonly calls: ReadonlyMap<string, CalledComponent>;
  /** The edges that connect ports, in the order of the graph. */
  readonly connectedEdges: readonly ConnectedEdge[];
  readonly depth: number;
  readonly nodeCount: number;
  readonly callCount: number;
  /** The number of nodes and ends of edges whose ids an outer call prefixes. */
  readonly idCount: number;
  /** The size of the expanded graph as JSON text. */
  readonly characters: number;
  /** The workflows that the graph calls, directly or not. */
  readonly workflowIds: ReadonlySet<string>;
}

export interface CalledComponent {
  readonly call: ComponentCall;
  readonly tree: ComponentTree;
}

export interface TreeOptions {
  readonly catalog: Catalog;
  /** Returns whether the node is a call that is replaced by the component's nodes. */
  isExpanded(node: GraphNode): boolean;
  /** Returns the graph that a call refers to. `path` lists the outer calls. Throws ComponentError. */
  findGraph(call: ComponentCall, path: readonly ComponentCall[]): Graph;
  /** Returns the size of a graph as JSON text, without writing the text if it is stored. */
  measure(graph: Graph): number;
  /** The workflow of the outermost graph, if it has one. */
  readonly workflowId?: string | undefined;
}

/** Throws ComponentError if the calls form a cycle or exceed a limit. */
export function readComponentTree(graph: Graph, options: TreeOptions): ComponentTree {
  const knownTrees = new Map<string, ComponentTree>();
  const readGraph = (graph: Graph, path: readonly ComponentCall[]): ComponentTree => {
    const calls = new Map<string, CalledComponent>();
    const workflowIds = new Set<string>();
    let nodeCount = graph.nodes.filter(node => isRunnable(node, options.catalog)).length;
    let callCount = 0;
    let idCount = graph.nodes.length + 2 * graph.edges.length;
    let characters = options.measure(graph);
    let depth = 0;
    for (const node of graph.nodes) {
      if (!options.isExpanded(node)) continue;
      const call = readCall(node);
      const tree = readCalledTree(call, path);
      calls.set(node.id, { call, tree });
      nodeCount += tree.nodeCount - 1;
      callCount += tree.callCount + 1;
      idCount += tree.idCount;
      // The expansion prefixes ids with the id of the call and a slash.
      characters += tree.characters + tree.idCount * (call.nodeId.length + 1);
      depth = Math.max(depth, tree.depth + 1);
      workflowIds.add(call.workflowId);
      for (const id of tree.workflowIds) workflowIds.add(id);
      requireWithinLimits({ nodeCount, callCount, characters }, toPath([...path, call]));
    }
    const getPorts = createPortReader(options.catalog, calls);
    return {
      graph,
      ports: readInterface(graph, getPorts),
      calls,
      connectedEdges: readConnectedEdges(graph, calls, getPorts, path),
      depth,
      nodeCount,
      callCount,
      idCount,
      characters,
      workflowIds,
    };
  };
  const readCalledTree = (call: ComponentCall, path: readonly ComponentCall[]): ComponentTree => {
    const innerPath = [...path, call];
    const outerIds = [options.workflowId, ...path.map(({ workflowId }) => workflowId)];
    if (outerIds.includes(call.workflowId)) throw createCycleError(innerPath, outerIds, [call.workflowId]);
    const key = `${call.version} ${call.workflowId}`;
    const knownTree = knownTrees.get(key);
    if (knownTree === undefined && innerPath.length > MAX_DEPTH) throw createDepthError(innerPath);
    const tree = knownTree ?? readGraph(options.findGraph(call, path), innerPath);
    knownTrees.set(key, tree);
    if (innerPath.length + tree.depth > MAX_DEPTH) throw createDepthError(innerPath);
    // A tree that was read for another call may contain a workflow that contains this call.
    const repeatedId = outerIds.find(id => id !== undefined && tree.workflowIds.has(id));
    if (repeatedId !== undefined)
      throw createCycleError(innerPath, outerIds, [call.workflowId, ...findChain(tree, repeatedId)]);
    return tree;
  };
  return readGraph(graph, []);
}

/** Returns whether a run executes the node, unlike a note or a group. */
export const isRunnable = ({ data }: GraphNode, catalog: Pick<Catalog, 'find'>): boolean =>
  !isCanvasOnly(catalog.find(data.nodeType));

const toPath = (calls: readonly ComponentCall[]): string => calls.map(({ nodeId }) => nodeId).join('/');

type Sizes = Pick<ComponentTree, 'nodeCount' | 'callCount' | 'characters'>;

const LIMITS: readonly (readonly [size: keyof Sizes, max: number, excess: string, remedy: string])[] = [
  ['nodeCount', MAX_EXPANDED_NODES, `${MAX_EXPANDED_NODES} nodes`, 'Remove calls, or split the workflow.'],
  ['callCount', MAX_CALLS, `${MAX_CALLS} calls of components`, 'Remove calls, or split the workflow.'],
  [
    'characters',
    MAX_EXPANDED_CHARACTERS,
    `${MAX_EXPANDED_CHARACTERS / 1e6} MB of JSON`,
    'Shorten the values in the components, or call them less often.',
  ],
];

function requireWithinLimits(sizes: Sizes, nodeId: string): void {
  for (const [size, max, excess, remedy] of LIMITS)
    if (sizes[size] > max)
      throw new ComponentError(
        'component_too_large',
        `With its components, the workflow has more than ${excess}. ${remedy}`,
        { nodeId },
      );
}

const createDepthError = (path: readonly ComponentCall[]): ComponentError =>
  new ComponentError(
    'component_too_deep',
    `Components are nested more than ${MAX_DEPTH} levels deep. Unpack one of them.`,
    { nodeId: toPath(path) },
  );

function createCycleError(
  path: readonly ComponentCall[],
  outerIds: readonly (string | undefined)[],
  chain: readonly string[],
): ComponentError {
  const start = outerIds.indexOf(chain.at(-1));
  const ids = [...outerIds.slice(start).filter(id => id !== undefined), ...chain];
  return new ComponentError('component_circle', `Components call each other: ${ids.join(' → ')}.`, {
    nodeId: toPath(path),
    cycle: ids,
  });
}

/** Returns the ids of the workflows on a path of calls from the component to the given workflow. */
function findChain({ calls }: ComponentTree, workflowId: string): readonly string[] {
  for (const { call, tree } of calls.values()) {
    if (call.workflowId === workflowId) return [workflowId];
    if (tree.workflowIds.has(workflowId)) return [call.workflowId, ...findChain(tree, workflowId)];
  }
  return [];
}

type GetPorts = (node: GraphNode) => ResolvedPorts;

function createPortReader(catalog: Catalog, calls: ReadonlyMap<string, CalledComponent>): GetPorts {
  const cache = new Map<GraphNode, ResolvedPorts>();
  return node => {
    const cached = cache.get(node);
    if (cached !== undefined) return cached;
    const calledComponent = calls.get(node.id);
    const { nodeType, config, params } = node.data;
    const ports =
      calledComponent === undefined
        ? catalog.ports(nodeType, { ...config, ...params })
        : toCallPorts(calledComponent.tree.ports);
    cache.set(node, ports);
    return ports;
  };
}

function readConnectedEdges(
  { nodes, edges }: Graph,
  calls: ReadonlyMap<string, CalledComponent>,
  getPorts: GetPorts,
  path: readonly ComponentCall[],
): readonly ConnectedEdge[] {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const findPorts = (id: string): ResolvedPorts | undefined => {
    const node = byId.get(id);
    return node && getPorts(node);
  };
  for (const edge of edges) {
    const [source, target] = [findPorts(edge.source), findPorts(edge.target)];
    if (source === undefined || target === undefined) continue;
    if (calls.has(edge.source)) requirePort(edge, 'out', edge.sourceHandle, source.outputs, path);
    if (calls.has(edge.target)) requirePort(edge, 'in', edge.targetHandle, target.inputs, path);
  }
  return Array.from(resolveEdges(edges, findPorts), connectedEdge => ({
    ...connectedEdge,
    source: byId.get(connectedEdge.edge.source) as GraphNode,
    target: byId.get(connectedEdge.edge.target) as GraphNode,
  }));
}

/** Throws ComponentError if the component has no such port. A plan ignores any other edge that connects no ports. */
function requirePort(
  edge: GraphEdge,
  side: PortSide,
  handle: string | null | undefined,
  ports: readonly (InputDef | OutputDef)[],
  path: readonly ComponentCall[],
): void {
  if (handle ? ports.some(({ id }) => handle === toHandle(side, id)) : ports.length > 0) return;
  const [nodeId, noun] = side === 'in' ? [edge.target, 'input'] : [edge.source, 'output'];
  const name = handle ? ` ${quote(toPortId(handle))}` : '';
  const message = `The component of ${quote(nodeId)} has no ${noun}${name}. Reconnect or remove the connection.`;
  throw new ComponentError('invalid_graph', message, {
    nodeId: [...path.map(call => call.nodeId), nodeId].join('/'),
    edgeId: edge.id,
    issueCode: 'unknown_port',
  });
}
