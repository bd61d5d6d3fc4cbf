// Waits for runs, limited in time and number, with progress reports and without any effect on the run.
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { getExecution } from '../runs/executions.ts';
import type { ExecutionRecord } from '../runs/present-execution.ts';
import { awaitRun } from '../runs/watch-run.ts';
import type { Caller } from './caller.ts';

/** Clients reset their timeouts with each report; the shortest is 60 s. */
const REPORT_EVERY_MS = 5000;
const MAX_WAITS = 20;

/** Active waits by user in this process. */
const waiting = new WeakMap<RunDeps['db'], Map<number, number>>();

/**
 * Returns the execution when it has ended, is paused for a decision, or the time is over. Throws 429 beyond 20 waits
 * per user.
 */
export async function waitForRun(
  caller: Caller,
  executionId: string,
  seconds: number,
): Promise<ExecutionRecord> {
  const { deps, actor } = caller;
  const first = await getExecution(deps, actor, executionId);
  if (seconds === 0 || isSettled(first.status)) return first;
  const waits = waitsOf(deps);
  const count = waits.get(actor.userId) ?? 0;
  if (count >= MAX_WAITS) {
    const message = `${MAX_WAITS} calls of yours wait already: ask with waitSeconds 0.`;
    throw new AppError('rate_limited', message, { details: { executionId } });
  }
  waits.set(actor.userId, count + 1);
  try {
    return await waitInSlices(caller, executionId, seconds);
  } finally {
    const left = (waits.get(actor.userId) ?? 1) - 1;
    if (left === 0) waits.delete(actor.userId);
    else waits.set(actor.userId, left);
  }
}

function waitsOf({ db }: RunDeps): Map<number, number> {
  const found = waiting.get(db) ?? new Map<number, number>();
  waiting.set(db, found);
  return found;
}

/** A paused run continues only after a decision, so there is nothing to wait for. */
const isSettled = (status: string): boolean =>
  ['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED', 'WAITING'].includes(status);

async function waitInSlices(caller: Caller, executionId: string, seconds: number): Promise<ExecutionRecord> {
  const { deps, actor, signal, report } = caller;
  const startedMs = deps.now();
  for (;;) {
    const waitedMs = deps.now() - startedMs;
    const sliceMs = Math.min(REPORT_EVERY_MS, seconds * 1000 - waitedMs);
    if (sliceMs > 0) await awaitRun(deps, actor, executionId, sliceMs, signal);
    const record = await getExecution(deps, actor, executionId);
    if (sliceMs <= 0 || signal.aborted || isSettled(record.status)) return record;
    const { done, total } = record.progress;
    await report({
      progress: Math.round((deps.now() - startedMs) / 1000),
      total: seconds,
      message: `${record.status}: ${done} of ${total} nodes are done`,
    });
  }
}
