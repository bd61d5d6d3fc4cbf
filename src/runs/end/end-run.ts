// Ends runs that no worker executes: runs that are cancelled while queued or waiting, and runs that the queue gave up.
import { toCancelled } from '../../engine/step-end.ts';
import { isSettled, type Step } from '../../engine/types.ts';
import type { Plan } from '../../graph/plan.ts';
import type { Tx } from '../../store/db.ts';
import type { TerminalStatus } from '../../store/executions.ts';
import type { RunRow } from '../../store/runs.ts';
import type { LifecycleEvent } from '../change/lifecycle.ts';
import type { RunDeps } from '../deps.ts';
import { parseRunRequest } from '../prepare/run-request.ts';
import { readBoundedSteps, readPlan } from '../prepare/stored-run.ts';
import type { StoredError } from '../read/present-execution.ts';
import { buildDelivery } from './delivery-body.ts';

/** The status and error of a run that does not complete. */
export interface FailedEnd {
  readonly status: Exclude<TerminalStatus, 'COMPLETED'>;
  readonly error: StoredError;
}

export const CANCELLED: FailedEnd = {
  status: 'CANCELLED',
  error: { code: 'cancelled', message: 'The run was cancelled.', nodeId: null },
};

/** Returns the event that ends a run without a worker, or undefined if a worker executes it. */
export async function buildUnleasedEnd(
  deps: RunDeps,
  tx: Tx,
  row: RunRow,
  { status, error }: FailedEnd,
): Promise<LifecycleEvent | undefined> {
  if (row.finished_at !== null || row.worker_id !== null) return undefined;
  const steps = await readBoundedSteps(tx, row.id);
  const plan = await readPlan(deps, row);
  const atMs = deps.now();
  const cancelledSteps = cancelUnsettled(plan, steps, atMs);
  for (const step of cancelledSteps) steps.set(step.nodeId, step);
  const run = { row, request: parseRunRequest(row.request), plan };
  const delivery = buildDelivery(run, status, steps, new Date(atMs).toISOString());
  const ending = { status, error: JSON.stringify(error), runningMs: row.running_ms, atMs, delivery };
  return { kind: 'end without worker', ending, steps: cancelledSteps };
}

/** Returns the final states of nodes that have not settled when their run ends. */
export function cancelUnsettled(
  plan: Plan,
  steps: ReadonlyMap<string, Step>,
  nowMs: number,
): readonly Step[] {
  return plan.nodes.flatMap(({ id }): readonly Step[] => {
    const step = steps.get(id);
    if (step === undefined) return [{ nodeId: id, status: 'CANCELLED', attempt: 0 }];
    if (isSettled(step.status)) return [];
    const isStarted = step.startedAtMs !== undefined;
    return [{ ...toCancelled(step), ...(isStarted ? { finishedAtMs: nowMs } : {}) }];
  });
}

/** Ends a run whose job the queue gave up, so that no run stays open forever. */
export async function endAbandonedRun(deps: RunDeps, id: string): Promise<void> {
  const message = 'The run could not be started after several attempts.';
  await deps.commit.change([id], (row, tx) => buildUnleasedEnd(deps, tx, row, toFailedEnd(row, message)));
  deps.changeHub.notify(id);
}

/** Ends a run that this worker claimed but cannot read. Its webhook contains no nodes. */
export async function endUnreadableRun(deps: RunDeps, row: RunRow): Promise<void> {
  const atMs = deps.now();
  const { status, error } = toFailedEnd(row, 'The run could not be read after several attempts.');
  const run = { row, request: {}, plan: { nodes: [] } };
  const delivery = buildDelivery(run, status, new Map(), new Date(atMs).toISOString());
  const ending = { status, error: JSON.stringify(error), runningMs: row.running_ms, atMs, delivery };
  const { lease, nodes_done: nodesDone } = row;
  await deps.commit.write(row, { kind: 'end', lease, steps: [], nodesDone, timeoutAtMs: 0, ending });
  deps.changeHub.notify(row.id);
}

/** Returns a failure with the message, or CANCELLED for a run that is being cancelled. */
function toFailedEnd({ status }: RunRow, message: string): FailedEnd {
  if (status === 'CANCELLING') return CANCELLED;
  return { status: 'FAILED', error: { code: 'internal_error', message, nodeId: null } };
}
