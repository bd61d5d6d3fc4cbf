// Which two ports an edge joins: those that its handles name, or those that fit where a handle is absent.
import { canJoin, type InputDef, type OutputDef, type ResolvedPorts } from './catalog.ts';
import type { GraphEdge } from './types.ts';

export interface Joint {
  readonly from: OutputDef;
  readonly to: InputDef;
}

/**
 * The ports that the edge joins; undefined where a handle names no port, or nothing fits an absent one.
 * An absent handle stands for the first port that fits, and rather for one that is not `taken` (input port ids).
 * Two named ports are joined whatever their types: the value decides when the node runs.
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
