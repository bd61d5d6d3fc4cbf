// What the lint rules look at: the graph with its nodes, entries, ports and wires looked up once.
import type { Catalog, CatalogEntry, InputDef, OutputDef, ResolvedPorts } from '../catalog.ts';
import { joinPorts } from '../handles.ts';
import type { LintIssue } from '../issues.ts';
import {
  createWorkBudget,
  indexNames,
  indexNodeTypes,
  type NameIndex,
  type NodeTypeIndex,
  type WorkBudget,
} from '../nearest.ts';
import { BLANK } from '../rest.ts';
import type { Graph, GraphEdge, GraphNode, JsonObject } from '../types.ts';

export interface LintOptions {
  /** The stored graph that a PUT replaces: what is in it already is not newly added. */
  readonly previous?: Graph | undefined;
  /** Ids of nodes that came without a position, as parseGraph reports them. */
  readonly unplaced?: ReadonlySet<string> | undefined;
  /** Codes that are not looked for. */
  readonly except?: ReadonlySet<string> | undefined;
}

/** A node with all that the rules ask of it. `entry` is absent where the catalog does not know the type. */
export interface LintNode {
  readonly index: number;
  readonly node: GraphNode;
  readonly entry: CatalogEntry | undefined;
  readonly config: JsonObject;
  readonly params: JsonObject;
  readonly ports: ResolvedPorts;
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
  /** The nodes of `options.previous`. */
  readonly previousById: ReadonlyMap<string, GraphNode>;
  /** Node ids and node types, to suggest from; made when first asked for. */
  readonly nodeNames: () => NameIndex;
  readonly nodeTypes: () => NodeTypeIndex;
  /** What all suggestions together may still cost. */
  readonly suggestions: WorkBudget;
}

/** What a rule finds; the table adds code and severity. */
export type Finding = Omit<LintIssue, 'code' | 'severity'>;

/** One row of the tables: a code, a severity, and where the rule is broken. */
export interface Rule {
  readonly code: string;
  readonly severity: LintIssue['severity'];
  find(ctx: LintContext): Iterable<Finding>;
}

const NOTHING: JsonObject = {};
const NO_PORTS: ResolvedPorts = { inputs: [], outputs: [] };

export function makeLintContext(graph: Graph, catalog: Catalog, options: LintOptions): LintContext {
  const nodes = graph.nodes.map((node, index) => toLintNode(node, index, catalog));
  const byId = new Map(nodes.flatMap(it => (it.node.id === BLANK ? [] : [[it.node.id, it]])));
  const edges = graph.edges.map((edge, index): LintEdge => {
    const source = byId.get(edge.source);
    const target = byId.get(edge.target);
    const linted = { index, edge, source, target, ...portsOf(edge, source, target) };
    if (target !== undefined) addFeed(target, linted);
    return linted;
  });
  return {
    catalog,
    options,
    nodes,
    edges,
    byId,
    previousById: new Map(options.previous?.nodes.map(node => [node.id, node])),
    nodeNames: once(() => indexNames(byId.keys())),
    nodeTypes: once(() => indexNodeTypes(catalog)),
    suggestions: createWorkBudget(),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function toLintNode(node: GraphNode, index: number, catalog: Catalog): LintNode {
  const { nodeType, config = NOTHING, params = NOTHING } = node.data;
  const entry = catalog.find(nodeType);
  const ports = entry === undefined ? NO_PORTS : catalog.ports(nodeType, config);
  return {
    index,
    node,
    entry,
    config,
    params,
    ports,
    inputs: new Map(ports.inputs.map(input => [input.id, input])),
    outputs: new Map(ports.outputs.map(output => [output.id, output])),
    feeds: new Map(),
  };
}

function addFeed(target: LintNode, edge: LintEdge): void {
  const port = edge.input?.id ?? '';
  const feeds = target.feeds.get(port);
  if (feeds === undefined) target.feeds.set(port, [edge]);
  else feeds.push(edge);
}

/** The ports at the edge's ends: those that the handles name, and where one is left out those that a run would join. */
function portsOf(
  edge: GraphEdge,
  source: LintNode | undefined,
  target: LintNode | undefined,
): Pick<LintEdge, 'output' | 'input'> {
  const output = namedPort(edge.sourceHandle, 'out-', source?.outputs);
  const input = namedPort(edge.targetHandle, 'in-', target?.inputs);
  if ((edge.sourceHandle && edge.targetHandle) || source === undefined || target === undefined) {
    return { output, input };
  }
  const joint = joinPorts(edge, source.ports, target.ports, new Set(target.feeds.keys()));
  return { output: output ?? joint?.from, input: input ?? joint?.to };
}

function namedPort<T extends { readonly isPort: boolean }>(
  handle: string | null | undefined,
  prefix: 'in-' | 'out-',
  ports: ReadonlyMap<string, T> | undefined,
): T | undefined {
  const port = handle?.startsWith(prefix) ? ports?.get(handle.slice(prefix.length)) : undefined;
  return port?.isPort ? port : undefined;
}
