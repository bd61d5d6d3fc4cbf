// Waits for runs, with a time limit and progress reports. Waiting never affects the run.
import { AppError } from '../lib/errors.ts';
import { readExecution } from '../runs/read/executions.ts';
import type { ExecutionRecord } from '../runs/read/present-execution.ts';
import { awaitRun } from '../runs/read/watch-run.ts';
import type { ToolContext } from './tool.ts';

/**
 * Returns the execution when it has ended, is paused for a decision, or the time is up. Throws 429 `too_many_streams`.
 */
export async function waitForRun(
  ctx: ToolContext,
  executionId: string,
  seconds: number,
): Promise<ExecutionRecord> {
  const record = await readExecution(ctx.deps, ctx.actor, executionId);
  if (seconds === 0 || isSettled(record.status)) return record;
  const release = reserveStream(ctx, executionId);
  try {
    return await waitInSlices(ctx, executionId, seconds);
  } finally {
    release();
  }
}

/** Reserves a stream for the wait, which keeps its response open like an event stream. */
function reserveStream(ctx: ToolContext, executionId: string): () => void {
  try {
    return ctx.reserveStream();
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const message = `${err.message} Or call with waitSeconds 0.`;
    throw new AppError(err.code, message, { details: { ...err.details, executionId } });
  }
}

/** Returns whether the run has ended or is paused. A paused run continues only after a decision. */
const isSettled = (status: string): boolean =>
  ['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED', 'WAITING'].includes(status);

async function waitInSlices(
  ctx: ToolContext,
  executionId: string,
  seconds: number,
): Promise<ExecutionRecord> {
  const { deps, actor, signal, report } = ctx;
  const startedMs = deps.now();
  for (;;) {
    const waitedMs = deps.now() - startedMs;
    // Clients reset their timeouts with each report. The shortest timeout is 60 s.
    const sliceMs = Math.min(deps.timing.progressReportMs, seconds * 1000 - waitedMs);
    if (sliceMs > 0) await awaitRun(deps, actor, executionId, sliceMs, signal);
    const record = await readExecution(deps, actor, executionId);
    if (sliceMs <= 0 || signal.aborted || isSettled(record.status)) return record;
    const { done, total } = record.progress;
    await report({
      progress: Math.round((deps.now() - startedMs) / 1000),
      total: seconds,
      message: `${record.status}: ${done} of ${total} nodes are done`,
    });
  }
}
