// Plans a run: sorts the nodes in topological order and resolves each node's config and input sources.
import { createOriginFinder, isBypassed } from './bypass.ts';
import {
  type Catalog,
  type InputDef,
  isCanvasOnly,
  type OutputDef,
  type ResolvedPorts,
  type UnavailableCode,
} from './catalog.ts';
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
  readonly sourceIndex: number;
  readonly sourcePort: string;
}

export interface PlanNode {
  readonly id: string;
  readonly label: string;
  readonly nodeType: string;
  readonly category: Category | 'video';
  /** `data.config` overlaid by `data.params`; connected values override both when the node runs. */
  readonly config: JsonObject;
  readonly inputDefs: readonly InputDef[];
  readonly outputDefs: readonly OutputDef[];
  /** A sentence that says what this service lacks to run the node. */
  readonly unavailableReason?: string;
  readonly unavailableCode?: UnavailableCode;
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
  /** The node ids of one cycle, in the direction of the edges. */
  | { readonly ok: false; readonly code: 'cyclic_graph'; readonly cycle: readonly string[] }
  | { readonly ok: false; readonly code: 'unknown_node'; readonly nodeId: string };

/**
 * Plans the run of a graph, or of the targets and the nodes they depend on. Leaves out canvas-only nodes and edges whose
 * ports do not exist. Takes linear time and handles chains of any depth:
 *
 * 1. Create a draft of every node that can run, with its config and ports, and connect the drafts along the edges. A
 *    bypassed node is left out: the nodes that it feeds are connected to the source of the value that it passes on. As a
 *    target, it stands for the nodes that feed it.
 * 2. Remove the connections into pinned nodes, which already have results, so that nodes that feed only pinned nodes are
 *    left out.
 * 3. Visit the drafts in graph order, starting from the targets if there are any, each after its sources, and number the
 *    drafts as their visits end. Reaching a draft whose visit is still open means that there is a cycle.
 * 4. Turn the visited drafts into the nodes of the plan.
 */
export function createPlan(
  graph: Graph,
  catalog: Catalog,
  targets?: readonly string[],
  pinned: readonly string[] = [],
): PlanResult {
  const drafts = draftNodes(graph, catalog);
  const bypassed = connectDrafts(drafts, graph.edges);
  const startIds =
    targets === undefined
      ? findStartIds(drafts, pinned)
      : new Set(
          targets
            .flatMap(createIdResolver(graph.nodes.map(toResolvable)))
            .flatMap(id => bypassed.get(id)?.inputs.map(({ source }) => source.node.id) ?? [id]),
        );
  for (const nodeId of pinned) {
    if (bypassed.has(nodeId)) continue;
    const draft = drafts.get(nodeId);
    if (draft === undefined) return { ok: false, code: 'unknown_node', nodeId };
    draft.inputs.length = 0;
  }
  for (const nodeId of startIds ?? []) {
    if (!drafts.has(nodeId)) return { ok: false, code: 'unknown_node', nodeId };
  }
  const order: Draft[] = [];
  for (const draft of drafts.values()) {
    if (startIds !== undefined && !startIds.has(draft.node.id)) continue;
    const cycle = visit(draft, order);
    if (cycle !== undefined) return { ok: false, code: 'cyclic_graph', cycle };
  }
  return { ok: true, plan: { nodes: toPlanNodes(order) } };
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
  readonly config: JsonObject;
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
    const { nodeType, params } = node.data;
    const entry = catalog.find(nodeType);
    if (isCanvasOnly(entry)) continue;
    const config = { ...node.data.config, ...params };
    drafts.set(node.id, {
      node,
      // A node of an unknown type fails when it runs, with an error that names the type.
      category: entry?.category ?? 'utility',
      config,
      ports: catalog.ports(nodeType, config),
      inputs: [],
      visit: 'none',
      visitedInputs: 0,
      index: -1,
    });
  }
  return drafts;
}

/**
 * Returns the ids to start from if there are no targets. If nodes are pinned, returns the nodes that feed no other node.
 * Otherwise returns undefined: every node is planned.
 */
function findStartIds(
  drafts: ReadonlyMap<string, Draft>,
  pinned: readonly string[],
): ReadonlySet<string> | undefined {
  if (pinned.length === 0) return undefined;
  const feeders = new Set([...drafts.values()].flatMap(({ inputs }) => inputs.map(({ source }) => source)));
  return new Set([...drafts].filter(([, draft]) => !feeders.has(draft)).map(([id]) => id));
}

/** Connects the drafts, then removes those of bypassed nodes from `drafts` and returns them. */
function connectDrafts(drafts: Map<string, Draft>, edges: readonly GraphEdge[]): ReadonlyMap<string, Draft> {
  const bypassed = new Map([...drafts].filter(([, { node }]) => isBypassed(node)));
  const wires = [...resolveEdges(edges, id => drafts.get(id)?.ports)];
  const findOrigin = createOriginFinder(wires, id => bypassed.get(id)?.ports.inputs);
  for (const wire of wires) {
    const origin = findOrigin(wire);
    if (origin === undefined) continue;
    const source = drafts.get(origin.edge.source) as Draft;
    drafts.get(wire.edge.target)?.inputs.push({ port: wire.to.id, source, sourcePort: origin.from.id });
  }
  for (const id of bypassed.keys()) drafts.delete(id);
  return bypassed;
}

/**
 * Appends the draft to `order` after all of its sources. If there is a cycle, returns its node ids in the direction of the
 * edges.
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

function toPlanNodes(order: readonly Draft[]): readonly PlanNode[] {
  const dependents: number[][] = order.map(() => []);
  return order.map((draft, index) => {
    const inputs = draft.inputs.map(({ port, source, sourcePort }) => ({
      port,
      sourceIndex: source.index,
      sourcePort,
    }));
    const sourceIndexes = new Set(inputs.map(({ sourceIndex }) => sourceIndex));
    const component = draft.node[COMPONENT];
    const { unavailableReason, unavailableCode } = draft.ports;
    for (const sourceIndex of sourceIndexes) dependents[sourceIndex]?.push(index);
    return {
      id: draft.node.id,
      label: draft.node.data.label,
      nodeType: draft.node.data.nodeType,
      category: draft.category,
      config: draft.config,
      inputDefs: draft.ports.inputs,
      outputDefs: draft.ports.outputs,
      ...(unavailableReason === undefined ? {} : { unavailableReason }),
      ...(unavailableCode === undefined ? {} : { unavailableCode }),
      inputs,
      dependents: dependents[index] ?? [],
      sourceCount: sourceIndexes.size,
      ...(component === undefined ? {} : { component }),
    };
  });
}
