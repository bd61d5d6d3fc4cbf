// Where runs begin: here, where this process has a worker with room for one that is being accepted, else wherever the
// queue brings it. Which placement a process has is chosen once, by app.ts.
import { toError } from '../lib/errors.ts';
import { enqueue } from '../store/queue.ts';
import type { Placement, RunDeps } from './deps.ts';
import type { Hand } from './hand.ts';
import { executeRun } from './worker.ts';

/** Of a process without a worker. */
export const BY_QUEUE: Placement = { reserve: () => undefined };

export function placeHere(hand: Hand): Placement {
  return {
    reserve(workspace) {
      const free = hand.reserve(workspace);
      if (free === undefined) return undefined;
      return {
        workerId: hand.workerId,
        free,
        begin: (deps, run) => {
          const { inHand, letGo } = hand.hold(run.id);
          void executeRun(deps, run, inHand)
            .catch(onLetGo(deps, run.id))
            .finally(() => {
              letGo();
              free();
            });
        },
      };
    },
  };
}

/**
 * Claims a run that the queue has brought, once there is a place for it, and begins with it. Resolves then: what holds
 * the run from there on is its lease. A run that is not ours to advance is left alone.
 */
export async function takeFromQueue(deps: RunDeps, hand: Hand, id: string): Promise<void> {
  const place = await hand.enter();
  if (place === undefined) return enqueue(deps.db, 'run', [id]);
  // A job may come while the run before it is still being let go of, such as its own wake-up.
  for (let held = hand.runs.get(id); held !== undefined; held = hand.runs.get(id)) await held.ended;
  const { inHand, letGo } = hand.hold(id);
  const leave = (): void => {
    letGo();
    place.free();
  };
  try {
    const run = await deps.commit.claim(id, { workerId: hand.workerId, crowded: () => hand.crowded() });
    if (run === undefined) return leave();
    place.occupy(run.workspace);
    void executeRun(deps, run, inHand).catch(onLetGo(deps, id)).finally(leave);
  } catch (err) {
    leave();
    throw toError(err);
  }
}

function onLetGo(deps: RunDeps, executionId: string): (err: unknown) => void {
  return err =>
    deps.log.error({ err, executionId }, 'a run was let go of; it goes on with the next heartbeat');
}
