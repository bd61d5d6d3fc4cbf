// Starts runs: in this process if its worker has a slot, otherwise through the queue. service.ts chooses the placement at
// startup.
import { toError } from '../../lib/errors.ts';
import { isOutage } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import type { RunRow } from '../../store/runs.ts';
import type { Placement, RunDeps } from '../deps.ts';
import { endUnreadableRun } from '../end/end-run.ts';
import { MAX_FAILURES, type RunControl, type WorkerSlots } from '../slots/worker-slots.ts';
import { executeRun } from './worker.ts';

/** The placement of a process without a worker. */
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
          const registration = slots.register(run.id);
          void execute(deps, slots, run, registration.control).finally(() => {
            registration.release();
            release();
          });
        },
      };
    },
  };
}

/**
 * Waits for a slot, claims a queued run and starts it. Resolves once the run has started, because its lease then protects
 * the run. Skips a run that must not be claimed.
 */
export async function claimFromQueue(deps: RunDeps, slots: WorkerSlots, id: string): Promise<void> {
  const slot = await slots.waitForSlot();
  if (slot === undefined) return enqueue(deps.db, 'run', [id]);
  // A job may arrive while this process still releases the run, for example if the run was just woken.
  for (let run = slots.runs.get(id); run !== undefined; run = slots.runs.get(id)) await run.whenReleased;
  const { control, release } = slots.register(id);
  const releaseAll = (): void => {
    release();
    slot.release();
  };
  try {
    const run = await deps.commit.claim(id, {
      workerId: slots.workerId,
      listSaturated: () => slots.listSaturated(),
    });
    if (run === undefined) return releaseAll();
    slot.assign(run.workspace);
    void execute(deps, slots, run, control).finally(releaseAll);
  } catch (err) {
    releaseAll();
    throw toError(err);
  }
}

/** Executes the run. After an error, the next heartbeat requeues it. After several errors, the run ends. */
async function execute(deps: RunDeps, slots: WorkerSlots, run: RunRow, control: RunControl): Promise<void> {
  const executionId = run.id;
  try {
    await executeRun(deps, run, control);
  } catch (err) {
    deps.log.error({ err, executionId }, 'a run failed and was released; the next heartbeat requeues it');
    if (isOutage(err) || slots.countFailure(executionId) < MAX_FAILURES) return;
    await endUnreadableRun(deps, run).catch((endError: unknown) =>
      deps.log.error({ err: endError, executionId }, 'a run that cannot be read could not be ended'),
    );
  }
}
