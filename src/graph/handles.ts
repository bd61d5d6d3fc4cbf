// Writes and reads handles, by which edges name ports, and resolves which two ports an edge connects: those named by its
// handles, or matching ports if a handle is missing.
import { canFeed, type InputDef, type OutputDef, type ResolvedPorts } from './catalog.ts';
import type { GraphEdge } from './types.ts';

/** The side of a node on which a port is: `in` for inputs, `out` for outputs. */
export type PortSide = 'in' | 'out';

/** Returns the handle of a port, such as `in-prompt`. */
export const toHandle = (side: PortSide, portId: string): string => `${side}-${portId}`;

/** Returns the side that the handle names, or undefined if it names none. */
export function getSide(handle: string | undefined): PortSide | undefined {
  if (handle?.startsWith('in-')) return 'in';
  return handle?.startsWith('out-') ? 'out' : undefined;
}

/** Returns the port id of a handle, of the given side only if there is one. Returns any other text as it is. */
export function toPortId(handle: string, side = getSide(handle)): string {
  return side !== undefined && side === getSide(handle) ? handle.slice(toHandle(side, '').length) : handle;
}

/** The part of an edge that says what it connects. */
export type EdgeEnds = Pick<GraphEdge, 'source' | 'target' | 'sourceHandle' | 'targetHandle'>;

export interface EdgePorts {
  readonly from: OutputDef;
  readonly to: InputDef;
}

/**
 * Returns the ports that the edge connects, or undefined if a handle names no port or no port matches a missing handle.
 * A missing handle selects the first compatible port, preferably an input that is not in `usedInputs`. Two named ports
 * are connected even if their types differ: the value is checked when the node runs.
 */
export function resolveEdgePorts(
  edge: Pick<GraphEdge, 'sourceHandle' | 'targetHandle'>,
  source: ResolvedPorts,
  target: ResolvedPorts,
  usedInputs: ReadonlySet<string>,
): EdgePorts | undefined {
  const outputs = listCandidates(source.outputs, 'out', edge.sourceHandle);
  const inputs = listCandidates(target.inputs, 'in', edge.targetHandle);
  const [from] = outputs;
  const [to] = inputs;
  if (from === undefined || to === undefined) return undefined;
  if (edge.sourceHandle && edge.targetHandle) return { from, to };
  const unusedInputs = inputs.filter(port => !usedInputs.has(port.id));
  return findCompatible(outputs, unusedInputs) ?? findCompatible(outputs, inputs);
}

/**
 * Yields the ports of each edge in order, as a run connects them: a missing handle prefers an input that no earlier edge
 * uses. Skips edges of unknown nodes and edges that connect no ports.
 */
export function* resolveEdges<E extends EdgeEnds>(
  edges: readonly E[],
  getPorts: (nodeId: string) => ResolvedPorts | undefined,
): Generator<EdgePorts & { readonly edge: E }> {
  const usedInputs = new Map<string, Set<string>>();
  for (const edge of edges) {
    const [source, target] = [getPorts(edge.source), getPorts(edge.target)];
    if (source === undefined || target === undefined) continue;
    const usedIds = usedInputs.get(edge.target) ?? new Set();
    usedInputs.set(edge.target, usedIds);
    const ports = resolveEdgePorts(edge, source, target, usedIds);
    if (ports === undefined) continue;
    usedIds.add(ports.to.id);
    yield { ...ports, edge };
  }
}

function listCandidates<P extends InputDef | OutputDef>(
  defs: readonly P[],
  side: PortSide,
  handle: string | null | undefined,
): readonly P[] {
  return defs.filter(def => def.isPort && (!handle || handle === toHandle(side, def.id)));
}

function findCompatible(outputs: readonly OutputDef[], inputs: readonly InputDef[]): EdgePorts | undefined {
  for (const from of outputs) {
    const to = inputs.find(port => canFeed(from.type, port.type));
    if (to !== undefined) return { from, to };
  }
  return undefined;
}
