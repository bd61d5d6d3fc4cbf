// Plans a run: sorts the nodes in topological order and resolves each node's settings and input sources.
import type { Catalog, InputDef, OutputDef, ResolvedPorts } from './catalog.ts';
import { resolveEdges } from './handles.ts';
import {
  type Category,
  COMPONENT,
  type ComponentMark,
  type Graph,
  type GraphEdge,
  type GraphNode,
  type JsonObject,
} from './types.ts';

export interface PlanInput {
  /** Input port id of this node. */
  readonly port: string;
  /** The index in `Plan.nodes` of the node that feeds the port. */
  readonly source: number;
  readonly sourcePort: string;
}

export interface PlanNode {
  readonly id: string;
  readonly label: string;
  readonly nodeType: string;
  readonly category: Category | 'video';
  /** `data.config` overlaid by `data.params`; connected values override both when the node runs. */
  readonly settings: JsonObject;
  readonly inputDefs: readonly InputDef[];
  readonly outputDefs: readonly OutputDef[];
  /** A sentence that says what this service lacks to run the node. */
  readonly unavailable?: string;
  readonly inputs: readonly PlanInput[];
  /** The distinct indexes of the nodes that this node feeds. */
  readonly dependents: readonly number[];
  /** The number of distinct nodes that feed this node. */
  readonly sourceCount: number;
  /** Set for a node inside a component. */
  readonly component?: ComponentMark;
}

export interface Plan {
  readonly nodes: readonly PlanNode[];
}

export type PlanResult =
  | { readonly ok: true; readonly plan: Plan }
  /** Node ids of one cycle, in order. */
  | { readonly ok: false; readonly code: 'cyclic_graph'; readonly cycle: readonly string[] }
  | { readonly ok: false; readonly code: 'unknown_target'; readonly nodeId: string };

/**
 * Plans the run of a graph, or of the targets and the nodes they depend on. Leaves out canvas-only nodes and edges that
 * connect no ports. Takes linear time and handles chains of any depth:
 *
 * 1. Create a draft of every node that can run, with its settings and ports, and connect the drafts along the edges.
 * 2. Remove the connections into pinned nodes, which already have results, so that nodes that feed only pinned nodes are
 *    left out.
 * 3. Visit the drafts in graph order, starting from the targets if there are any, each after its sources. Visited nodes
 *    are part of the plan. Reaching a node whose visit is still open means that there is a cycle.
 * 4. Number the drafts in the order in which their visits ended.
 */
export function createPlan(
  graph: Graph,
  catalog: Catalog,
  targets?: readonly string[],
  pinned: readonly string[] = [],
): PlanResult {
  const drafts = draftNodes(graph, catalog);
  connectDrafts(drafts, graph.edges);
  const rootIds =
    targets === undefined
      ? findRootIds(drafts, pinned)
      : new Set(targets.flatMap(createIdResolver(graph.nodes.map(toResolvable))));
  for (const nodeId of pinned) {
    const draft = drafts.get(nodeId);
    if (draft === undefined) return { ok: false, code: 'unknown_target', nodeId };
    draft.inputs.length = 0;
  }
  for (const nodeId of rootIds ?? []) {
    if (!drafts.has(nodeId)) return { ok: false, code: 'unknown_target', nodeId };
  }
  const order: Draft[] = [];
  for (const draft of drafts.values()) {
    if (rootIds !== undefined && !rootIds.has(draft.node.id)) continue;
    const cycle = visit(draft, order);
    if (cycle !== undefined) return { ok: false, code: 'cyclic_graph', cycle };
  }
  return { ok: true, plan: { nodes: numberDrafts(order) } };
}

const toResolvable = ({ id, [COMPONENT]: component }: GraphNode) => ({ id, component });

/**
 * Returns a function that resolves an id to node ids: the id of a component call to the ids of all nodes of the
 * component, and any other id to itself.
 */
export function createIdResolver(
  nodes: readonly { readonly id: string; readonly component?: ComponentMark | undefined }[],
): (id: string) => readonly string[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return id => {
    if (ids.has(id)) return [id];
    const members = nodes.filter(
      ({ component }) => component !== undefined && `${component.path}/`.startsWith(`${id}/`),
    );
    return members.length === 0 ? [id] : members.map(node => node.id);
  };
}

/** A node that may become part of the plan. */
interface Draft {
  readonly node: GraphNode;
  readonly category: Category | 'video';
  readonly settings: JsonObject;
  readonly ports: ResolvedPorts;
  readonly inputs: DraftInput[];
  visit: 'none' | 'open' | 'ended';
  /** The number of inputs whose sources have been visited. */
  visitedInputs: number;
  /** Index in the plan, set when the visit ends. */
  index: number;
}

interface DraftInput {
  readonly port: string;
  readonly source: Draft;
  readonly sourcePort: string;
}

function draftNodes(graph: Graph, catalog: Catalog): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const node of graph.nodes) {
    const { nodeType, config, params } = node.data;
    const entry = catalog.find(nodeType);
    if (entry?.source === 'registry-shell') continue;
    const settings = { ...config, ...params };
    drafts.set(node.id, {
      node,
      // A node of an unknown type fails when it runs, with an error that names the type.
      category: entry?.category ?? 'utility',
      settings,
      ports: catalog.ports(nodeType, settings),
      inputs: [],
      visit: 'none',
      visitedInputs: 0,
      index: -1,
    });
  }
  return drafts;
}

/** Returns the nodes to start from if there are no targets: with pinned nodes, the nodes that feed no other node. */
function findRootIds(
  drafts: ReadonlyMap<string, Draft>,
  pinned: readonly string[],
): ReadonlySet<string> | undefined {
  if (pinned.length === 0) return undefined;
  const feeders = new Set([...drafts.values()].flatMap(({ inputs }) => inputs.map(({ source }) => source)));
  return new Set([...drafts].filter(([, draft]) => !feeders.has(draft)).map(([id]) => id));
}

function connectDrafts(drafts: ReadonlyMap<string, Draft>, edges: readonly GraphEdge[]): void {
  for (const { edge, from, to } of resolveEdges(edges, id => drafts.get(id)?.ports))
    drafts
      .get(edge.target)
      ?.inputs.push({ port: to.id, source: drafts.get(edge.source) as Draft, sourcePort: from.id });
}

/**
 * Appends the draft to `order` after all of its sources. If there is a cycle, returns its node ids, each before a node
 * that it feeds.
 */
function visit(start: Draft, order: Draft[]): readonly string[] | undefined {
  if (start.visit === 'ended') return undefined;
  start.visit = 'open';
  const path = [start];
  for (let draft = path.at(-1); draft !== undefined; draft = path.at(-1)) {
    const source = draft.inputs[draft.visitedInputs++]?.source;
    if (source === undefined) {
      draft.visit = 'ended';
      draft.index = order.push(draft) - 1;
      path.pop();
    } else if (source.visit === 'open') {
      const cycle = path.slice(path.indexOf(source));
      return cycle.reverse().map(({ node }) => node.id);
    } else if (source.visit === 'none') {
      source.visit = 'open';
      path.push(source);
    }
  }
  return undefined;
}

function numberDrafts(order: readonly Draft[]): readonly PlanNode[] {
  const dependents: number[][] = order.map(() => []);
  return order.map((draft, index) => {
    const inputs = draft.inputs.map(({ port, source, sourcePort }) => ({
      port,
      source: source.index,
      sourcePort,
    }));
    const sources = new Set(inputs.map(input => input.source));
    const component = draft.node[COMPONENT];
    for (const source of sources) dependents[source]?.push(index);
    return {
      id: draft.node.id,
      label: draft.node.data.label,
      nodeType: draft.node.data.nodeType,
      category: draft.category,
      settings: draft.settings,
      inputDefs: draft.ports.inputs,
      outputDefs: draft.ports.outputs,
      ...(draft.ports.unavailable === undefined ? {} : { unavailable: draft.ports.unavailable }),
      inputs,
      dependents: dependents[index] ?? [],
      sourceCount: sources.size,
      ...(component === undefined ? {} : { component }),
    };
  });
}
