// Where runs begin: here, where this process has a worker with a slot for one that is being accepted, else wherever the
// queue brings it. Which placement a process has is chosen once, by app.ts.
import { toError } from '../lib/errors.ts';
import { isOutage } from '../store/db.ts';
import { enqueue } from '../store/queue.ts';
import type { RunRow } from '../store/runs.ts';
import type { Placement, RunDeps } from './deps.ts';
import { endUnreadable } from './end-run.ts';
import { executeRun } from './worker.ts';
import type { RunControl, WorkerSlots } from './worker-slots.ts';

/** Of a process without a worker. */
export const BY_QUEUE: Placement = { reserve: () => undefined };

export function placeHere(slots: WorkerSlots): Placement {
  return {
    reserve(workspace) {
      const free = slots.reserve(workspace);
      if (free === undefined) return undefined;
      return {
        workerId: slots.workerId,
        free,
        begin: (deps, run) => {
          const { control, release } = slots.register(run.id);
          void execute(deps, slots, run, control).finally(() => {
            release();
            free();
          });
        },
      };
    },
  };
}

/**
 * Claims a run that the queue has brought, once there is a slot for it, and begins with it. Resolves then: what keeps
 * the run from there on is its lease. A run that is not ours to advance is left alone.
 */
export async function takeFromQueue(deps: RunDeps, slots: WorkerSlots, id: string): Promise<void> {
  const slot = await slots.enter();
  if (slot === undefined) return enqueue(deps.db, 'run', [id]);
  // A job may come while the run before it is still being released, such as its own wake-up.
  for (let run = slots.runs.get(id); run !== undefined; run = slots.runs.get(id)) await run.ended;
  const { control, release } = slots.register(id);
  const leave = (): void => {
    release();
    slot.free();
  };
  try {
    const run = await deps.commit.claim(id, { workerId: slots.workerId, saturated: () => slots.saturated() });
    if (run === undefined) return leave();
    slot.occupy(run.workspace);
    void execute(deps, slots, run, control).finally(leave);
  } catch (err) {
    leave();
    throw toError(err);
  }
}

/** A run that cannot be read or written goes on with the next heartbeat; one that never can is ended. */
async function execute(deps: RunDeps, slots: WorkerSlots, run: RunRow, control: RunControl): Promise<void> {
  const executionId = run.id;
  try {
    await executeRun(deps, run, control);
  } catch (err) {
    deps.log.error({ err, executionId }, 'a run was released; it goes on with the next heartbeat');
    if (isOutage(err) || !slots.failsForGood(executionId)) return;
    await endUnreadable(deps, run).catch((endError: unknown) =>
      deps.log.error({ err: endError, executionId }, 'a run that cannot be read could not be ended'),
    );
  }
}
