// A run followed as it happens: its end awaited, or its changes one by one. Woken by notifications, read from PostgreSQL, so
// that nothing is missed whichever process advances the run.
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

// A notification can be lost (a listening connection that broke); a look now and then makes up for it.
const LOOK_MS = 1000;

/** What waiting for the end of a run came to: its record, or after `timeoutMs` the status it has. */
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
 * The events of an execution (docs/api.md, Runs): a snapshot, then each node's and the run's changes, until the run has ended. Ids are
 * the run's sequence numbers; `afterId` leaves out the snapshot and resumes behind that event. Node states are the
 * newest ones: of two changes between looks, the first is not sent. undefined: nothing is left to send.
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
 * What happened above `seen` up to the row, in order. Every number that is no node state's is a change of the run's
 * status; of several, the last is sent. States newer than the row are sent at the next look.
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

/** Notifications of one run, and what its nodes report of their progress. */
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
