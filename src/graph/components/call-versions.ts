// Changes which version of a component a graph calls, and lists the ports that the change would break.
import { type Catalog, canFeed, type ResolvedPorts } from '../catalog.ts';
import { type EdgePorts, resolveEdges } from '../handles.ts';
import { type Graph, type GraphEdge, type GraphNode, type JsonObject, toObject } from '../types.ts';
import { COMPONENT_CALL } from './calls.ts';
import type { ComponentInterface } from './interface.ts';

/** A port that the graph uses and that the new version does not have, or has with a type that does not match. */
export interface LostPort {
  readonly nodeId: string;
  readonly id: string;
  readonly label: string;
  readonly direction: 'input' | 'output';
  readonly reason: 'removed' | 'type_changed';
  /** Whether an edge or an entered value uses the port. */
  readonly use: 'edge' | 'value';
}

/** The component, and the version to call. */
export interface TargetVersion extends ComponentInterface {
  readonly workflowId: string;
  readonly name: string;
  readonly version: number | 'latest';
}

export interface CallUpdate {
  readonly graph: Graph;
  /** Whether the version of any call changed. */
  readonly isChanged: boolean;
  readonly lostPorts: readonly LostPort[];
}

/** Sets the version of all calls of the component. Edges stay as they are. */
export function setCallVersions(graph: Graph, target: TargetVersion, catalog: Catalog): CallUpdate {
  const { workflowId, name, version, inputs, outputs } = target;
  const oldCalls = new Map<string, GraphNode>();
  const nodes = graph.nodes.map(node => {
    const { nodeType, config } = node.data;
    if (nodeType !== COMPONENT_CALL || config?.workflowId !== workflowId || config.version === version)
      return node;
    oldCalls.set(node.id, node);
    const targetConfig = { version, name, inputs, outputs } as unknown as JsonObject;
    return { ...node, data: { ...node.data, config: { ...config, ...targetConfig } } };
  });
  if (oldCalls.size === 0) return { graph, isChanged: false, lostPorts: [] };
  const newGraph = { ...graph, nodes };
  const lostPorts = [
    ...listLostEdges(graph, newGraph, oldCalls, catalog),
    ...listLostValues(oldCalls, target),
  ];
  return { graph: newGraph, isChanged: true, lostPorts: unique(lostPorts) };
}

function unique(ports: readonly LostPort[]): readonly LostPort[] {
  return [...new Map(ports.map(port => [JSON.stringify(port), port])).values()];
}

function* listLostEdges(
  oldGraph: Graph,
  newGraph: Graph,
  oldCalls: ReadonlyMap<string, GraphNode>,
  catalog: Catalog,
): Generator<LostPort> {
  const oldPorts = getEdgePorts(oldGraph, catalog);
  const newPorts = getEdgePorts(newGraph, catalog);
  for (const edge of oldGraph.edges) {
    const before = oldPorts.get(edge);
    if (before === undefined) continue;
    const after = newPorts.get(edge);
    for (const direction of ['output', 'input'] as const) {
      const [nodeId, end] =
        direction === 'output' ? [edge.source, 'from' as const] : [edge.target, 'to' as const];
      const { id, label } = before[end];
      if (!oldCalls.has(nodeId)) continue;
      const reason = findLossReason(before, after, end);
      if (reason !== undefined) yield { nodeId, id, label, direction, reason, use: 'edge' };
    }
  }
}

function findLossReason(
  before: EdgePorts,
  after: EdgePorts | undefined,
  end: keyof EdgePorts,
): LostPort['reason'] | undefined {
  if (after?.[end].id !== before[end].id) return 'removed';
  const stillFits = canFeed(after.from.type, after.to.type) || !canFeed(before.from.type, before.to.type);
  return stillFits || after[end].type === before[end].type ? undefined : 'type_changed';
}

/** Returns the ports of each edge that connects ports. */
function getEdgePorts({ nodes, edges }: Graph, catalog: Catalog): ReadonlyMap<GraphEdge, EdgePorts> {
  const ports = new Map<string, ResolvedPorts>(
    nodes.map(({ id, data }) => [id, catalog.ports(data.nodeType, data.config ?? {})]),
  );
  return new Map(
    Array.from(
      resolveEdges(edges, id => ports.get(id)),
      resolved => [resolved.edge, resolved],
    ),
  );
}

/** Yields the values for inputs that the target does not have. */
function* listLostValues(
  oldCalls: ReadonlyMap<string, GraphNode>,
  { inputs }: ComponentInterface,
): Generator<LostPort> {
  const inputIds = new Set(inputs.map(({ id }) => id));
  for (const [nodeId, { data }] of oldCalls) {
    const labels = new Map((data.inputs ?? []).map(({ id, label }) => [id, label]));
    for (const id of Object.keys(toObject(data.config?.values)))
      if (!inputIds.has(id))
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
