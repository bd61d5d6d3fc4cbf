// Plans a run: the nodes in topological order, each with its settings and the sources of its inputs.
import type { Catalog, InputDef, OutputDef, ResolvedPorts } from './catalog.ts';
import { joinPorts } from './handles.ts';
import type { Category, Graph, GraphEdge, GraphNode, JsonObject } from './types.ts';

export interface PlanInput {
  /** Input port id of this node. */
  readonly port: string;
  /** Index in `Plan.nodes` of the node that feeds it. */
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
  /** What this service lacks to run it, as a sentence. */
  readonly unavailable?: string;
  readonly inputs: readonly PlanInput[];
  /** Indexes of the nodes that this one feeds, each once. */
  readonly dependents: readonly number[];
  /** The number of distinct nodes that feed this one. */
  readonly sourceCount: number;
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
 * Plans the run of a graph, or of the targets and what they need. Canvas-only nodes are left out, and so are edges
 * that join no ports. Linear in nodes and edges, and safe for chains of any depth:
 *
 * 1. Draft every node that can run, with its settings and ports, and wire the drafts along the edges.
 * 2. Cut the wires into pinned nodes, which have their results: what only feeds those is not needed.
 * 3. Visit the drafts in the graph's order (of the targets alone, where given), each after its sources. Whatever is
 *    reached is needed; a node reached while its own visit is open closes a cycle.
 * 4. Number the drafts in the order in which their visits ended.
 */
export function makePlan(
  graph: Graph,
  catalog: Catalog,
  targets?: readonly string[],
  pinned: readonly string[] = [],
): PlanResult {
  const drafts = draftNodes(graph, catalog);
  wireDrafts(drafts, graph.edges);
  const wanted = targets === undefined ? wantedBeside(drafts, pinned) : new Set(targets);
  for (const nodeId of pinned) {
    const draft = drafts.get(nodeId);
    if (draft === undefined) return { ok: false, code: 'unknown_target', nodeId };
    draft.wires.length = 0;
  }
  for (const nodeId of wanted ?? []) {
    if (!drafts.has(nodeId)) return { ok: false, code: 'unknown_target', nodeId };
  }
  const order: Draft[] = [];
  for (const draft of drafts.values()) {
    if (wanted !== undefined && !wanted.has(draft.node.id)) continue;
    const cycle = visit(draft, order);
    if (cycle !== undefined) return { ok: false, code: 'cyclic_graph', cycle };
  }
  return { ok: true, plan: { nodes: numberDrafts(order) } };
}

/** A node that may become part of the plan. */
interface Draft {
  readonly node: GraphNode;
  readonly category: Category | 'video';
  readonly settings: JsonObject;
  readonly ports: ResolvedPorts;
  readonly wires: Wire[];
  readonly taken: Set<string>;
  visit: 'none' | 'open' | 'ended';
  /** The number of its edges that were followed. */
  followed: number;
  /** Index in the plan; known once the visit has ended. */
  index: number;
}

interface Wire {
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
      // A type that the catalog does not know fails by name when it runs.
      category: entry?.category ?? 'utility',
      settings,
      ports: catalog.ports(nodeType, settings),
      wires: [],
      taken: new Set(),
      visit: 'none',
      followed: 0,
      index: -1,
    });
  }
  return drafts;
}

/** Without targets all nodes are wanted; with pinned ones, those that feed no other node. */
function wantedBeside(
  drafts: ReadonlyMap<string, Draft>,
  pinned: readonly string[],
): ReadonlySet<string> | undefined {
  if (pinned.length === 0) return undefined;
  const feeders = new Set([...drafts.values()].flatMap(({ wires }) => wires.map(({ source }) => source)));
  return new Set([...drafts].filter(([, draft]) => !feeders.has(draft)).map(([id]) => id));
}

function wireDrafts(drafts: ReadonlyMap<string, Draft>, edges: readonly GraphEdge[]): void {
  for (const edge of edges) {
    const source = drafts.get(edge.source);
    const target = drafts.get(edge.target);
    if (source === undefined || target === undefined) continue;
    const joint = joinPorts(edge, source.ports, target.ports, target.taken);
    if (joint === undefined) continue;
    target.taken.add(joint.to.id);
    target.wires.push({ port: joint.to.id, source, sourcePort: joint.from.id });
  }
}

/** Appends the draft to the order after every source it needs, or returns the node ids of a cycle in flow order. */
function visit(start: Draft, order: Draft[]): readonly string[] | undefined {
  if (start.visit === 'ended') return undefined;
  start.visit = 'open';
  const path = [start];
  for (let draft = path.at(-1); draft !== undefined; draft = path.at(-1)) {
    const source = draft.wires[draft.followed++]?.source;
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
    const inputs = draft.wires.map(({ port, source, sourcePort }) => ({
      port,
      source: source.index,
      sourcePort,
    }));
    const sources = new Set(inputs.map(input => input.source));
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
    };
  });
}
