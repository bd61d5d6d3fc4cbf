// Ends runs that no worker executes: cancelled while queued or waiting, or abandoned by the queue.
import { toCancelled } from '../engine/owed.ts';
import { isSettled, type Step } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import type { Tx } from '../store/db.ts';
import type { RunRow } from '../store/runs.ts';
import { buildDelivery } from './delivery-body.ts';
import type { RunDeps } from './deps.ts';
import { planOf, stepsOf } from './executed-graph.ts';
import type { RunEvent } from './lifecycle.ts';
import type { StoredError } from './present-execution.ts';
import { parseRunRequest } from './run-request.ts';

/** Returns the event that ends a run without a worker, or undefined if a worker executes it. */
export async function endingUnleased(
  deps: RunDeps,
  tx: Tx,
  row: RunRow,
  { status, error }: { readonly status: 'CANCELLED' | 'FAILED'; readonly error: StoredError },
): Promise<RunEvent | undefined> {
  if (row.finished_at !== null || row.worker_id !== null) return undefined;
  const steps = await stepsOf(tx, row.id);
  const plan = await planOf(deps, row);
  const atMs = deps.now();
  const cancelled = cancelOpen(plan, steps, atMs);
  for (const step of cancelled) steps.set(step.nodeId, step);
  const run = { row, request: parseRunRequest(row.request), plan };
  const delivery = buildDelivery(run, status, steps, new Date(atMs).toISOString());
  const ending = { status, error: JSON.stringify(error), runningMs: row.running_ms, atMs, delivery };
  return { kind: 'end unleased', ending, steps: cancelled };
}

/** Returns the final states of nodes that are active, waiting or not started when their run ends. */
export function cancelOpen(plan: Plan, steps: ReadonlyMap<string, Step>, nowMs: number): readonly Step[] {
  return plan.nodes.flatMap(({ id }): readonly Step[] => {
    const step = steps.get(id);
    if (step === undefined) return [{ nodeId: id, status: 'CANCELLED', attempt: 0 }];
    if (isSettled(step.status)) return [];
    const isBegun = step.startedAtMs !== undefined;
    return [{ ...toCancelled(step), ...(isBegun ? { finishedAtMs: nowMs } : {}) }];
  });
}

/** Ends a run whose job the queue has given up on, so that no run stays open forever. */
export async function giveUp(deps: RunDeps, id: string): Promise<void> {
  const message = 'The run could not be started, however often it was tried.';
  const error = { code: 'internal_error', message, nodeId: null };
  await deps.commit.change([id], (row, tx) => endingUnleased(deps, tx, row, { status: 'FAILED', error }));
  deps.runNotifier.notify(id);
}

/** Ends a run that this worker claimed and cannot read. Its webhook contains no nodes. */
export async function endUnreadable(deps: RunDeps, row: RunRow): Promise<void> {
  const atMs = deps.now();
  const message = 'The run could not be read, however often it was tried.';
  const error = JSON.stringify({ code: 'internal_error', message, nodeId: null });
  const run = { row, request: {}, plan: { nodes: [] } };
  const delivery = buildDelivery(run, 'FAILED', new Map(), new Date(atMs).toISOString());
  const ending = { status: 'FAILED', error, runningMs: row.running_ms, atMs, delivery } as const;
  const { lease, nodes_done: nodesDone } = row;
  await deps.commit.write(row, { kind: 'end', lease, steps: [], nodesDone, timeoutAtMs: 0, ending });
  deps.runNotifier.notify(row.id);
}
