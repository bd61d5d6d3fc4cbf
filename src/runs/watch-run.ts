// Follows a run: waits for its end or streams its changes. Notifications wake it, but the data is read from PostgreSQL,
// so that nothing is missed whichever process advances the run.
import type { Step } from '../engine/types.ts';
import type { PlanNode } from '../graph/plan.ts';
import { type ChangeWaiter, createChangeWaiter } from '../lib/change-waiter.ts';
import type { Actor } from '../services/accounts/actor.ts';
import type { ExecutionRow, ExecutionStatus } from '../store/executions.ts';
import { findExecution } from '../store/executions.ts';
import { listShownSteps, type StepRow } from '../store/steps.ts';
import { cutState } from './cut-record.ts';
import type { RunDeps } from './deps.ts';
import { planOf } from './executed-graph.ts';
import { getExecutionRow, readerOf, recordOf } from './executions.ts';
import type { ExecutionRecord, Reader } from './present-execution.ts';
import { presentListedExecution, presentStep } from './present-execution.ts';

// Notifications can be lost when a connection breaks, so the run is also polled.
const LOOK_MS = 1000;

/** The record of the run, or only its status if it has not ended after `timeoutMs`. */
export interface AwaitedRun {
  readonly record?: ExecutionRecord;
  readonly status: ExecutionStatus;
}

export async function awaitRun(
  deps: RunDeps,
  actor: Actor,
  id: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<AwaitedRun> {
  const deadline = deps.now() + timeoutMs;
  const changes = subscribeTo(deps, id);
  try {
    for (;;) {
      const row = await findExecution(deps.db, id);
      const status = row?.status ?? 'QUEUED';
      if (row !== undefined && row.finished_at !== null)
        return { record: await recordOf(deps, actor, row), status };
      const leftMs = deadline - deps.now();
      if (leftMs <= 0 || signal.aborted) return { status };
      await changes.wait(Math.min(leftMs, LOOK_MS), signal);
    }
  } finally {
    changes.close();
  }
}

export type RunEvent =
  | { readonly event: 'snapshot'; readonly id: number; readonly data: ExecutionRecord }
  | { readonly event: 'node'; readonly id: number; readonly data: ReturnType<typeof presentStep> }
  | {
      readonly event: 'execution';
      readonly id: number;
      readonly data: ReturnType<typeof presentListedExecution>;
    }
  | { readonly event: 'progress'; readonly data: { readonly nodeId: string; readonly progress: number } };

const PROGRESS_EVERY_MS = 250;

/**
 * Streams the events of an execution (docs/api.md, Runs): a snapshot, then each change of a node or the run until the
 * run has ended. Ids are the run's sequence numbers; `afterId` skips the snapshot and resumes after that event. Only
 * the newest of several states between two reads is sent. Returns undefined if nothing is left to send.
 */
export async function watchRun(
  deps: RunDeps,
  actor: Actor,
  id: string,
  options: { readonly afterId?: number | undefined; readonly signal: AbortSignal },
): Promise<AsyncGenerator<RunEvent> | undefined> {
  const first = await getExecutionRow(deps, actor, id);
  const { afterId } = options;
  if (first.finished_at !== null && afterId !== undefined && afterId >= first.seq) return undefined;
  return follow(deps, actor, first, options);
}

async function* follow(
  deps: RunDeps,
  actor: Actor,
  first: ExecutionRow,
  { afterId, signal }: { readonly afterId?: number | undefined; readonly signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  const changes = subscribeTo(deps, first.id);
  try {
    if (afterId === undefined) {
      yield { event: 'snapshot', id: first.seq, data: await recordOf(deps, actor, first) };
      if (first.finished_at !== null) return;
    }
    const nodes = new Map((await planOf(deps, first)).nodes.map(node => [node.id, node]));
    const reader = await readerOf(deps, actor, first);
    let seen = afterId ?? first.seq;
    while (!signal.aborted) {
      const row = await findExecution(deps.db, first.id);
      if (row === undefined) return;
      yield* changesOf(row, nodes, seen, await listShownSteps(deps.db, first.id, seen), reader);
      if (row.finished_at !== null) return;
      seen = Math.max(seen, row.seq);
      await changes.wait(LOOK_MS, signal);
      yield* changes.takeProgress();
    }
  } finally {
    changes.close();
  }
}

/**
 * Yields what happened after `seen` up to the row, in order. Every number without a node state is a change of the run's
 * status, of which the last is sent. States newer than the row are sent after the next read.
 */
function* changesOf(
  row: ExecutionRow,
  nodes: ReadonlyMap<string, PlanNode>,
  seen: number,
  steps: readonly StepRow[],
  reader: Reader,
): Generator<RunEvent> {
  const states = new Map(
    steps.filter(({ seq }) => seq <= row.seq).map(({ seq, step }) => [seq, step as Step]),
  );
  let statusId = row.seq;
  while (states.has(statusId)) statusId--;
  for (let id = seen + 1; id <= row.seq; id++) {
    const step = states.get(id);
    const node = step && nodes.get(step.nodeId);
    if (step !== undefined && node !== undefined)
      yield { event: 'node', id, data: cutState(presentStep(node, step, reader)) };
    if (id === statusId) yield { event: 'execution', id, data: presentListedExecution(row) };
  }
}

/** Notifications of one run, and the progress of its nodes. */
interface Subscription extends Pick<ChangeWaiter, 'wait'> {
  takeProgress(): Generator<RunEvent>;
  close(): void;
}

function subscribeTo(deps: RunDeps, id: string): Subscription {
  const { wait, notify } = createChangeWaiter();
  const progress = new Map<string, number>();
  const sentAtMs = new Map<string, number>();
  const isDue = (nodeId: string): boolean => deps.now() - (sentAtMs.get(nodeId) ?? 0) >= PROGRESS_EVERY_MS;
  const close = deps.runNotifier.subscribe(id, {
    onChange: notify,
    onProgress(nodeId, fraction) {
      progress.set(nodeId, fraction);
      if (isDue(nodeId)) notify();
    },
  });
  return {
    wait,
    *takeProgress() {
      for (const [nodeId, fraction] of progress) {
        if (!isDue(nodeId)) continue;
        sentAtMs.set(nodeId, deps.now());
        progress.delete(nodeId);
        yield { event: 'progress', data: { nodeId, progress: fraction } };
      }
    },
    close,
  };
}
