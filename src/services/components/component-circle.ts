// Finds circles of components: workflows that call each other.
import { quote } from '../../graph/issues.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import {
  type CallEdge,
  listComponents,
  listReachableCalls,
  listReadable,
} from '../../store/workflows/components.ts';
import type { UserActor } from '../accounts/actor.ts';

/** The calls that are followed to find a circle. */
const MAX_EDGES = 20_000;

/**
 * Returns the workflows of a circle that the calls of these components would form: the caller, a component, …, the
 * caller. Judges by current versions, whatever version a call pins.
 */
export async function findCircle(
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
  const called = Map.groupBy(edges, edge => edge.caller_id);
  const callerOf = new Map(componentIds.map(id => [id, callerId]));
  for (const [id] of callerOf) {
    for (const { component_id } of called.get(id) ?? []) {
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

/** Returns the message that names the workflows of a circle which the user may read. */
export async function nameCircle(
  tx: Tx,
  user: Pick<UserActor, 'userId'>,
  circle: readonly string[],
): Promise<string> {
  const readable = new Set((await listReadable(tx, circle, user.userId)).map(({ id }) => id));
  const rows = await listComponents(tx, circle);
  const names = new Map(
    rows.map(({ id, name }) => [id, readable.has(id) ? quote(name) : 'another workflow']),
  );
  const path = circle.map(id => names.get(id) ?? 'this workflow').join(' → ');
  return `A component cannot contain itself: ${path}. Remove one of the calls.`;
}
