// Prepares a graph for the lint rules by looking up its nodes, catalog entries, ports and edges once.
import { createOriginFinder, isBypassed } from '../bypass.ts';
import type { Catalog, CatalogEntry, InputDef, OutputDef, ResolvedPorts } from '../catalog.ts';
import { getSide, type PortSide, resolveEdgePorts, toPortId } from '../handles.ts';
import type { LintIssue } from '../issues.ts';
import {
  type ComparisonBudget,
  createComparisonBudget,
  indexNames,
  indexNodeTypes,
  type NameIndex,
  type NodeTypeIndex,
} from '../nearest.ts';
import type { Policy } from '../policy.ts';
import type { Graph, GraphEdge, GraphNode, JsonObject } from '../types.ts';
import { BLANK } from '../valid-parts.ts';

export interface LintOptions {
  /** The stored graph that the update replaces. Its nodes do not count as newly added. */
  readonly previous?: Graph | undefined;
  /** Ids of nodes that were sent without a position, as parseGraph reports them. */
  readonly unplaced?: ReadonlySet<string> | undefined;
  /** What the team of the workflow allows. */
  readonly policy?: Policy | undefined;
  /** Codes of the rules to skip. */
  readonly except?: ReadonlySet<string> | undefined;
}

/** A node with the data that the rules need. `entry` is undefined if the type is not in the catalog. */
export interface LintNode {
  readonly index: number;
  readonly node: GraphNode;
  readonly entry: CatalogEntry | undefined;
  readonly config: JsonObject;
  readonly params: JsonObject;
  readonly ports: ResolvedPorts;
  readonly inputs: ReadonlyMap<string, InputDef>;
  readonly outputs: ReadonlyMap<string, OutputDef>;
  /**
   * The edges that end at this node, by input port id, with the sources that feed it in a run: not bypassed nodes, but those
   * whose values they pass on. The key '' has the edges without a known port.
   */
  readonly feeds: Map<string, LintEdge[]>;
}

/** An edge with its nodes and ports. Nodes and ports that do not exist are undefined. */
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
  /** The edges that start at bypassed nodes and carry no value. */
  readonly blockedEdges: readonly LintEdge[];
  readonly byId: ReadonlyMap<string, LintNode>;
  /** The nodes of `options.previous`. */
  readonly previousById: ReadonlyMap<string, GraphNode>;
  /** Node ids and node types for suggestions, indexed on first use. */
  readonly nodeNames: () => NameIndex;
  readonly nodeTypes: () => NodeTypeIndex;
  /** The budget that all suggestions share. */
  readonly suggestionBudget: ComparisonBudget;
}

/** An issue of a rule. The rule table adds the code and severity. */
export type RuleIssue = Omit<LintIssue, 'code' | 'severity'>;

/** One row of the rule tables. */
export interface Rule {
  readonly code: string;
  readonly severity: LintIssue['severity'];
  find(ctx: LintContext): Iterable<RuleIssue>;
}

const EMPTY_SETTINGS: JsonObject = {};
const NO_PORTS: ResolvedPorts = { inputs: [], outputs: [] };

export function createLintContext(graph: Graph, catalog: Catalog, options: LintOptions): LintContext {
  const nodes = graph.nodes.map((node, index) => toLintNode(node, index, catalog));
  const byId = new Map(nodes.flatMap(linted => (linted.node.id === BLANK ? [] : [[linted.node.id, linted]])));
  const edges = graph.edges.map((edge, index): LintEdge => {
    const source = byId.get(edge.source);
    const target = byId.get(edge.target);
    const linted = { index, edge, source, target, ...findPorts(edge, source, target) };
    if (target !== undefined) addFeed(target, linted);
    return linted;
  });
  return {
    catalog,
    options,
    nodes,
    edges,
    blockedEdges: passFeedsOn(nodes, edges, byId),
    byId,
    previousById: new Map(options.previous?.nodes.map(node => [node.id, node])),
    nodeNames: lazy(() => indexNames(byId.keys())),
    nodeTypes: lazy(() => indexNodeTypes(catalog)),
    suggestionBudget: createComparisonBudget(),
  };
}

function lazy<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}

function toLintNode(node: GraphNode, index: number, catalog: Catalog): LintNode {
  const { nodeType, config = EMPTY_SETTINGS, params = EMPTY_SETTINGS } = node.data;
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

/** Replaces the sources of feeds that are bypassed nodes. Returns the edges that carry no value, which feed nothing. */
function passFeedsOn(
  nodes: readonly LintNode[],
  edges: readonly LintEdge[],
  byId: ReadonlyMap<string, LintNode>,
): readonly LintEdge[] {
  if (!nodes.some(({ node }) => isBypassed(node))) return [];
  const wires = edges.flatMap(linted => {
    const { edge, output: from, input: to } = linted;
    return from === undefined || to === undefined ? [] : [{ edge, from, to, linted }];
  });
  const wireByEdge = new Map(wires.map(wire => [wire.linted, wire]));
  const findOrigin = createOriginFinder(wires, id => {
    const node = byId.get(id);
    return node !== undefined && isBypassed(node.node) ? node.ports.inputs : undefined;
  });
  const blockedEdges: LintEdge[] = [];
  for (const { feeds, node } of nodes) {
    for (const [port, portEdges] of feeds) {
      const passedEdges = portEdges.flatMap(edge => {
        const wire = wireByEdge.get(edge);
        if (wire === undefined) return [edge];
        const origin = findOrigin(wire);
        if (origin !== undefined) return [{ ...edge, source: origin.linted.source, output: origin.from }];
        if (!isBypassed(node)) blockedEdges.push(edge);
        return [];
      });
      if (passedEdges.length > 0) feeds.set(port, passedEdges);
      else feeds.delete(port);
    }
  }
  return blockedEdges;
}

function addFeed(target: LintNode, edge: LintEdge): void {
  const port = edge.input?.id ?? '';
  const feeds = target.feeds.get(port);
  if (feeds === undefined) target.feeds.set(port, [edge]);
  else feeds.push(edge);
}

/** Returns the ports that the edge's handles name. For a missing handle, returns the port that a run would use. */
function findPorts(
  edge: GraphEdge,
  source: LintNode | undefined,
  target: LintNode | undefined,
): Pick<LintEdge, 'output' | 'input'> {
  const output = findNamedPort(edge.sourceHandle, 'out', source?.outputs);
  const input = findNamedPort(edge.targetHandle, 'in', target?.inputs);
  if ((edge.sourceHandle && edge.targetHandle) || source === undefined || target === undefined) {
    return { output, input };
  }
  const resolved = resolveEdgePorts(edge, source.ports, target.ports, new Set(target.feeds.keys()));
  return { output: output ?? resolved?.from, input: input ?? resolved?.to };
}

function findNamedPort<T extends { readonly isPort: boolean }>(
  handle: string | null | undefined,
  side: PortSide,
  ports: ReadonlyMap<string, T> | undefined,
): T | undefined {
  const port = handle && getSide(handle) === side ? ports?.get(toPortId(handle)) : undefined;
  return port?.isPort ? port : undefined;
}
