// Finds cycles of components: workflows that call each other.
import { quote } from '../../graph/issues.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import {
  type CallEdge,
  listComponents,
  listReachableCalls,
  listReadableWorkflows,
} from '../../store/workflows/components.ts';
import type { UserActor } from '../accounts/actor.ts';

/** Maximum number of calls that are followed. */
const MAX_EDGES = 20_000;

/**
 * Returns the cycle of workflows that would form if the caller called these components: the caller, a component, …, the
 * caller. Follows the calls of current versions, even if a call pins another version.
 */
export async function findCycle(
  tx: Tx,
  callerId: string,
  componentIds: readonly string[],
): Promise<readonly string[] | undefined> {
  if (componentIds.includes(callerId)) return [callerId, callerId];
  const edges = await listReachableCalls(tx, componentIds, MAX_EDGES + 1);
  if (edges.length > MAX_EDGES) {
    const message = `The components call more than ${MAX_EDGES} others. Use fewer components.`;
    throw new AppError('component_too_large', message);
  }
  return edges.some(edge => edge.component_id === callerId)
    ? findPath(callerId, componentIds, edges)
    : undefined;
}

/** Returns a shortest path from the caller back to itself. */
function findPath(
  callerId: string,
  componentIds: readonly string[],
  edges: readonly CallEdge[],
): readonly string[] {
  const edgesByCaller = Map.groupBy(edges, edge => edge.caller_id);
  const callerOf = new Map(componentIds.map(id => [id, callerId]));
  // Breadth first: the loop also visits the ids that it adds.
  for (const id of callerOf.keys()) {
    for (const { component_id } of edgesByCaller.get(id) ?? []) {
      if (callerOf.has(component_id)) continue;
      callerOf.set(component_id, id);
      if (component_id === callerId) break;
    }
    if (callerOf.has(callerId)) break;
  }
  const path = [callerId];
  for (let id = callerOf.get(callerId); id !== undefined && id !== callerId; id = callerOf.get(id))
    path.unshift(id);
  return [callerId, ...path];
}

/** Returns the error message about a cycle. The message names only the workflows that the user may read. */
export async function describeCycle(
  tx: Tx,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  cycle: readonly string[],
): Promise<string> {
  const readable = new Set((await listReadableWorkflows(tx, cycle, user)).map(({ id }) => id));
  const rows = await listComponents(tx, cycle);
  const names = new Map(
    rows.map(({ id, name }) => [id, readable.has(id) ? quote(name) : 'another workflow']),
  );
  const path = cycle.map(id => names.get(id) ?? 'this workflow').join(' → ');
  return `A component cannot contain itself: ${path}. Remove one of the calls.`;
}
