// Moves the calls of a component in a graph to another version, and lists the ports that would be lost.
import { type Catalog, canFeed, type ResolvedPorts } from '../catalog.ts';
import { type EdgePorts, resolveEdgePorts } from '../handles.ts';
import { type Graph, type GraphEdge, type GraphNode, type JsonObject, toFields } from '../types.ts';
import { CALL } from './calls.ts';
import type { ComponentInterface } from './interface.ts';

/** A port that the graph uses and that the new version does not have, or has with a type that does not match. */
export interface LostPort {
  readonly nodeId: string;
  readonly id: string;
  readonly label: string;
  readonly direction: 'input' | 'output';
  readonly reason: 'removed' | 'type_changed';
  /** What uses it. */
  readonly use: 'edge' | 'value';
}

/** The component, and the version to call. */
export interface ComponentTarget extends ComponentInterface {
  readonly workflowId: string;
  readonly name: string;
  readonly version: number | 'latest';
}

export interface MovedCalls {
  readonly graph: Graph;
  /** Whether any call has another version now. */
  readonly isChanged: boolean;
  readonly lostPorts: readonly LostPort[];
}

/** Moves all calls of the component to the version of the target. Edges stay as they are. */
export function moveCalls(graph: Graph, target: ComponentTarget, catalog: Catalog): MovedCalls {
  const { workflowId, name, version, inputs, outputs } = target;
  const moved = new Map<string, GraphNode>();
  const nodes = graph.nodes.map(node => {
    const { nodeType, config } = node.data;
    if (nodeType !== CALL || config?.workflowId !== workflowId || config.version === version) return node;
    moved.set(node.id, node);
    const interfaceOfTarget = { version, name, inputs, outputs } as unknown as JsonObject;
    return { ...node, data: { ...node.data, config: { ...config, ...interfaceOfTarget } } };
  });
  if (moved.size === 0) return { graph, isChanged: false, lostPorts: [] };
  const next = { ...graph, nodes };
  const lostPorts = [...listLostEdges(graph, next, moved, catalog), ...listLostValues(moved, target)];
  return { graph: next, isChanged: true, lostPorts: unique(lostPorts) };
}

function unique(ports: readonly LostPort[]): readonly LostPort[] {
  return [...new Map(ports.map(port => [JSON.stringify(port), port])).values()];
}

function* listLostEdges(
  before: Graph,
  after: Graph,
  moved: ReadonlyMap<string, GraphNode>,
  catalog: Catalog,
): Generator<LostPort> {
  const oldPorts = resolveEdges(before, catalog);
  const newPorts = resolveEdges(after, catalog);
  for (const edge of before.edges) {
    const old = oldPorts.get(edge);
    if (old === undefined) continue;
    const now = newPorts.get(edge);
    for (const direction of ['output', 'input'] as const) {
      const [nodeId, end] =
        direction === 'output' ? [edge.source, 'from' as const] : [edge.target, 'to' as const];
      const { id, label } = old[end];
      if (!moved.has(nodeId)) continue;
      const reason = findReason(old, now, end);
      if (reason !== undefined) yield { nodeId, id, label, direction, reason, use: 'edge' };
    }
  }
}

function findReason(
  old: EdgePorts,
  now: EdgePorts | undefined,
  end: keyof EdgePorts,
): LostPort['reason'] | undefined {
  if (now?.[end].id !== old[end].id) return 'removed';
  const isJoined = canFeed(now.from.type, now.to.type) || !canFeed(old.from.type, old.to.type);
  return isJoined || now[end].type === old[end].type ? undefined : 'type_changed';
}

/** Returns the ports of each edge, or nothing for an edge that connects no ports. */
function resolveEdges({ nodes, edges }: Graph, catalog: Catalog): ReadonlyMap<GraphEdge, EdgePorts> {
  const ports = new Map<string, ResolvedPorts>(
    nodes.map(({ id, data }) => [id, catalog.ports(data.nodeType, data.config ?? {})]),
  );
  const usedInputs = new Map<string, Set<string>>();
  const resolved = new Map<GraphEdge, EdgePorts>();
  for (const edge of edges) {
    const [source, target] = [ports.get(edge.source), ports.get(edge.target)];
    if (source === undefined || target === undefined) continue;
    const used = usedInputs.get(edge.target) ?? new Set();
    usedInputs.set(edge.target, used);
    const found = resolveEdgePorts(edge, source, target, used);
    if (found === undefined) continue;
    used.add(found.to.id);
    resolved.set(edge, found);
  }
  return resolved;
}

/** Lists the values for inputs that the target does not have. */
function* listLostValues(
  moved: ReadonlyMap<string, GraphNode>,
  { inputs }: ComponentInterface,
): Generator<LostPort> {
  const kept = new Set(inputs.map(({ id }) => id));
  for (const [nodeId, { data }] of moved) {
    const labels = new Map((data.inputs ?? []).map(({ id, label }) => [id, label]));
    for (const id of Object.keys(toFields(data.config?.values)))
      if (!kept.has(id))
        yield {
          nodeId,
          id,
          label: labels.get(id) ?? id,
          direction: 'input',
          reason: 'removed',
          use: 'value',
        };
  }
}
