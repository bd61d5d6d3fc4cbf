// Where runs start: here, where this process has a worker with a slot for one that is being accepted, else wherever the
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
export const QUEUE_ONLY: Placement = { reserve: () => undefined };

export function createLocalPlacement(slots: WorkerSlots): Placement {
  return {
    reserve(workspace) {
      const release = slots.reserve(workspace);
      if (release === undefined) return undefined;
      return {
        workerId: slots.workerId,
        release,
        start: (deps, run) => {
          const { control, release } = slots.register(run.id);
          void execute(deps, slots, run, control).finally(() => {
            release();
            release();
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
export async function claimFromQueue(deps: RunDeps, slots: WorkerSlots, id: string): Promise<void> {
  const slot = await slots.waitForSlot();
  if (slot === undefined) return enqueue(deps.db, 'run', [id]);
  // A job may come while the run before it is still being released, such as its own wake-up.
  for (let run = slots.runs.get(id); run !== undefined; run = slots.runs.get(id)) await run.ended;
  const { control, release } = slots.register(id);
  const releaseAll = (): void => {
    release();
    slot.release();
  };
  try {
    const run = await deps.commit.claim(id, { workerId: slots.workerId, saturated: () => slots.saturated() });
    if (run === undefined) return releaseAll();
    slot.assign(run.workspace);
    void execute(deps, slots, run, control).finally(releaseAll);
  } catch (err) {
    releaseAll();
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
    if (isOutage(err) || !slots.hasFailedTooOften(executionId)) return;
    await endUnreadable(deps, run).catch((endError: unknown) =>
      deps.log.error({ err: endError, executionId }, 'a run that cannot be read could not be ended'),
    );
  }
}
