// Resolves which two ports an edge connects: those named by its handles, or matching ports if a handle is missing.
import { canJoin, type InputDef, type OutputDef, type ResolvedPorts } from './catalog.ts';
import type { GraphEdge } from './types.ts';

export interface Joint {
  readonly from: OutputDef;
  readonly to: InputDef;
}

/**
 * Returns the ports that the edge connects; undefined if a handle names no port, or no port matches a missing handle. A
 * missing handle selects the first matching port, preferably one that is not `taken` (input port ids). Two named ports
 * are connected whatever their types: the value decides when the node runs.
 */
export function joinPorts(
  edge: Pick<GraphEdge, 'sourceHandle' | 'targetHandle'>,
  source: ResolvedPorts,
  target: ResolvedPorts,
  taken: ReadonlySet<string>,
): Joint | undefined {
  const froms = candidates(source.outputs, 'out-', edge.sourceHandle);
  const tos = candidates(target.inputs, 'in-', edge.targetHandle);
  const [from] = froms;
  const [to] = tos;
  if (from === undefined || to === undefined) return undefined;
  if (edge.sourceHandle && edge.targetHandle) return { from, to };
  const free = tos.filter(port => !taken.has(port.id));
  return findFit(froms, free) ?? findFit(froms, tos);
}

function candidates<P extends InputDef | OutputDef>(
  defs: readonly P[],
  prefix: 'in-' | 'out-',
  handle: string | null | undefined,
): readonly P[] {
  return defs.filter(def => def.isPort && (!handle || handle === prefix + def.id));
}

function findFit(froms: readonly OutputDef[], tos: readonly InputDef[]): Joint | undefined {
  for (const from of froms) {
    const to = tos.find(port => canJoin(from.type, port.type));
    if (to !== undefined) return { from, to };
  }
  return undefined;
}
