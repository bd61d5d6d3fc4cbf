// Ending a run that no worker holds: cancelled before or between its turns, or given up on by the queue.
import type { Step } from '../engine/types.ts';
import { isSettled } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import { releaseRun } from '../store/credits.ts';
import type { Tx } from '../store/db.ts';
import { listSteps, lockExecution } from '../store/executions.ts';
import { writeRuns } from '../store/runs.ts';
import { buildDelivery } from './delivery-body.ts';
import type { RunDeps } from './deps.ts';
import { planOf } from './executed-graph.ts';
import type { StoredError } from './present-execution.ts';
import { parseRunRequest } from './run-request.ts';

/** Writes the ending with its event. A run that a worker holds, or that has ended, is left as it is. */
export async function endUnheld(
  deps: RunDeps,
  tx: Tx,
  id: string,
  ending: { readonly status: 'CANCELLED' | 'FAILED'; readonly error: StoredError },
): Promise<void> {
  const row = await lockExecution(tx, id);
  if (row === undefined || row.finished_at !== null || row.worker_id !== null) return;
  const steps = new Map((await listSteps(tx, id)).map(({ step }) => [(step as Step).nodeId, step as Step]));
  const plan = await planOf(deps, row);
  const cancelled = cancelOpen(plan, steps, deps.now());
  for (const step of cancelled) steps.set(step.nodeId, step);
  const finishedAt = new Date(deps.now()).toISOString();
  const run = { claimed: row, request: parseRunRequest(row.request), plan };
  await writeRuns(tx, [
    {
      id,
      lease: row.lease,
      steps: cancelled,
      nodes_done: row.nodes_done + cancelled.length,
      leave: {
        status: ending.status,
        error: JSON.stringify(ending.error),
        running_ms: row.running_ms,
        wake_at: null,
        finished_at: finishedAt,
        delivery: buildDelivery(run, ending.status, steps, finishedAt),
      },
    },
  ]);
  await releaseRun(tx, id);
}

/** The last states of nodes that are still under way, waiting, or not begun when their run ends. */
export function cancelOpen(plan: Plan, steps: ReadonlyMap<string, Step>, nowMs: number): readonly Step[] {
  return plan.nodes.flatMap(({ id }): readonly Step[] => {
    const step = steps.get(id);
    if (step === undefined) return [{ nodeId: id, status: 'CANCELLED', attempt: 0 }];
    if (isSettled(step.status)) return [];
    const { suspended: _, ...rest } = step;
    const isBegun = rest.startedAtMs !== undefined;
    return [{ ...rest, status: 'CANCELLED', ...(isBegun ? { finishedAtMs: nowMs } : {}) }];
  });
}

/** Ends a run whose job the queue has given up on, so that none stays open for ever. */
export async function giveUp(deps: RunDeps, id: string): Promise<void> {
  const message = 'The run could not be started, however often it was tried.';
  const error = { code: 'internal_error', message, nodeId: null };
  await deps.db.transaction(tx => endUnheld(deps, tx, id, { status: 'FAILED', error }));
  deps.runNotifier.notify(id);
}
