// What the lint rules look at: the graph with its nodes, entries, ports and wires looked up once.
import type { Catalog, CatalogEntry, InputDef, OutputDef } from './catalog.ts';
import type { LintIssue } from './issues.ts';
import type { Graph, GraphEdge, GraphNode, JsonObject } from './types.ts';

export interface LintOptions {
  /** The stored graph that a PUT replaces: what it holds already is not newly added. */
  readonly previous?: Graph | undefined;
  /** Ids of nodes that came without a position, as parseGraph tells them. */
  readonly unplaced?: ReadonlySet<string> | undefined;
}

/** A node with all that the rules ask of it. `entry` is absent where the catalog does not know the type. */
export interface LintNode {
  readonly index: number;
  readonly node: GraphNode;
  readonly entry: CatalogEntry | undefined;
  readonly config: JsonObject;
  readonly params: JsonObject;
  readonly inputs: ReadonlyMap<string, InputDef>;
  readonly outputs: ReadonlyMap<string, OutputDef>;
  /** Edges that end here, by input port id; those that name no port are under ''. */
  readonly feeds: Map<string, LintEdge[]>;
}

/** An edge with its ends, and the ports its handles name; absent ends and ports are undefined. */
export interface LintEdge {
  readonly index: number;
  readonly edge: GraphEdge;
  readonly source: LintNode | undefined;
  readonly target: LintNode | undefined;
  readonly output: OutputDef | undefined;
  readonly input: InputDef | undefined;
}

export interface LintContext {
  readonly catalog: Catalog;
  readonly options: LintOptions;
  readonly nodes: readonly LintNode[];
  readonly edges: readonly LintEdge[];
  readonly byId: ReadonlyMap<string, LintNode>;
}

/** What a rule finds; the table adds code and severity. */
export type Finding = Omit<LintIssue, 'code' | 'severity'>;

/** One row of the tables: a code, how grave it is, and where it holds. */
export interface Rule {
  readonly code: string;
  readonly severity: LintIssue['severity'];
  find(ctx: LintContext): Iterable<Finding>;
}

const NOTHING: JsonObject = {};

export function makeLintContext(graph: Graph, catalog: Catalog, options: LintOptions): LintContext {
  const nodes = graph.nodes.map((node, index) => toLintNode(node, index, catalog));
  const byId = new Map(nodes.map(it => [it.node.id, it]));
  const edges = graph.edges.map((edge, index): LintEdge => {
    const source = byId.get(edge.source);
    const target = byId.get(edge.target);
    const input = portOf(edge.targetHandle, 'in-', target?.inputs);
    const output = portOf(edge.sourceHandle, 'out-', source?.outputs);
    const linted = { index, edge, source, target, output, input: input?.isPort ? input : undefined };
    if (target !== undefined) addFeed(target, linted);
    return linted;
  });
  return { catalog, options, nodes, edges, byId };
}

function toLintNode(node: GraphNode, index: number, catalog: Catalog): LintNode {
  const { nodeType, config = NOTHING, params = NOTHING } = node.data;
  const entry = catalog.find(nodeType);
  const ports = entry === undefined ? undefined : catalog.ports(nodeType, config);
  return {
    index,
    node,
    entry,
    config,
    params,
    inputs: new Map(ports?.inputs.map(input => [input.id, input])),
    outputs: new Map(ports?.outputs.map(output => [output.id, output])),
    feeds: new Map(),
  };
}

function addFeed(target: LintNode, edge: LintEdge): void {
  const port = edge.input?.id ?? '';
  const feeds = target.feeds.get(port);
  if (feeds === undefined) target.feeds.set(port, [edge]);
  else feeds.push(edge);
}

/** The port that a handle names; a handle left out means the only port there is. */
function portOf<T extends { readonly isPort: boolean }>(
  handle: string | null | undefined,
  prefix: 'in-' | 'out-',
  ports: ReadonlyMap<string, T> | undefined,
): T | undefined {
  if (ports === undefined) return undefined;
  if (handle !== undefined && handle !== null) {
    return handle.startsWith(prefix) ? ports.get(handle.slice(prefix.length)) : undefined;
  }
  const wireable = [...ports.values()].filter(port => port.isPort);
  return wireable.length === 1 ? wireable[0] : undefined;
}
