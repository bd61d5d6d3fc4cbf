// Expands the subgraphs of a graph in UI format: lists all nodes with the path of their instances.
import { ComfyFormatError, MAX_COMFY_NODES, MAX_SUBGRAPH_DEPTH } from './format-error.ts';
import { BYPASSED, MUTED, type UiGraph, type UiNode, type UiNodes, type UiSubgraph } from './ui-graph.ts';

/** A node in the place where it would run. */
export interface PlacedNode {
  /** The id in the prompt: the ids of the instances that contain the node and its own, joined by colons. */
  readonly key: string;
  readonly node: UiNode;
  readonly scope: Scope;
  /** What the node or an instance around it is set to. */
  readonly state: 'runs' | 'muted' | 'bypassed';
  /** For an instance of a subgraph: what it contains. */
  readonly inner?: Scope;
}

/** The nodes of one instance of a subgraph, or of the file itself. */
export interface Scope {
  readonly graph: UiNodes;
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  /** Absent for the file itself. */
  readonly border?: Border;
}

export interface Border {
  readonly subgraph: UiSubgraph;
  readonly instance: PlacedNode;
}

/** Returns all nodes, those of subgraphs after their instance. Throws ComfyFormatError. */
export function expandGraph(graph: UiGraph): readonly PlacedNode[] {
  requireFewNodes(graph);
  const all: PlacedNode[] = [];
  addScope(graph, { graph, prefix: '', state: 'runs' }, all);
  return all;
}

/** Returns the definition that the node is an instance of. */
function findSubgraph(
  { subgraphs, groupNodes }: Pick<UiGraph, 'subgraphs' | 'groupNodes'>,
  type: string,
): UiSubgraph | undefined {
  const groupName = /^workflow[>/](.*)$/s.exec(type)?.[1];
  return subgraphs.get(type) ?? (groupName === undefined ? undefined : groupNodes.get(groupName));
}

/** Counts the nodes before any is expanded, because few definitions may stand for very many nodes. */
function requireFewNodes(graph: UiGraph): void {
  const counts = new Map<UiNodes, number>();
  const open = new Set<UiNodes>();
  const count = (part: UiNodes): number => {
    const known = counts.get(part);
    if (known !== undefined) return known;
    open.add(part);
    let total = part.nodes.size;
    for (const node of part.nodes.values()) {
      const inner = findSubgraph(graph, node.type);
      if (inner === undefined) continue;
      if (open.has(inner))
        throw new ComfyFormatError(`The subgraph “${inner.name}” contains itself`, node.pointer);
      if (open.size > MAX_SUBGRAPH_DEPTH)
        throw new ComfyFormatError(
          `The subgraphs are nested more than ${MAX_SUBGRAPH_DEPTH} levels deep`,
          node.pointer,
        );
      total += count(inner);
    }
    open.delete(part);
    counts.set(part, total);
    return total;
  };
  const total = count(graph);
  if (total > MAX_COMFY_NODES)
    throw new ComfyFormatError(
      `The graph has ${total > 1e9 ? 'more than a billion' : total} nodes, with its subgraphs expanded. The maximum is ${MAX_COMFY_NODES}`,
    );
}

interface ScopeStart {
  readonly graph: UiNodes;
  readonly prefix: string;
  readonly state: PlacedNode['state'];
  readonly border?: Border;
}

function addScope(root: UiGraph, { graph, prefix, state, border }: ScopeStart, all: PlacedNode[]): Scope {
  const nodes = new Map<string, PlacedNode>();
  const scope: Scope = { graph, nodes, ...(border === undefined ? {} : { border }) };
  for (const node of graph.nodes.values()) {
    const placed: PlacedNode & { inner?: Scope } = {
      key: prefix + node.id,
      node,
      scope,
      state: state === 'runs' ? getState(node) : state,
    };
    nodes.set(node.id, placed);
    all.push(placed);
    const subgraph = findSubgraph(root, node.type);
    if (subgraph === undefined) continue;
    placed.inner = addScope(
      root,
      {
        graph: subgraph,
        prefix: `${placed.key}:`,
        state: placed.state,
        border: { subgraph, instance: placed },
      },
      all,
    );
  }
  return scope;
}

const getState = ({ mode }: UiNode): PlacedNode['state'] =>
  mode === MUTED ? 'muted' : mode === BYPASSED ? 'bypassed' : 'runs';
