// Waits for the end of a run or streams its changes. Notifications only trigger a read from PostgreSQL, so that no
// change is missed, whichever process executes the run. Notifications can be lost when a connection breaks, so the run is
// also polled.
import type { Step } from '../../engine/types.ts';
import type { PlanNode } from '../../graph/plan.ts';
import { type ChangeWaiter, createChangeWaiter } from '../../lib/change-waiter.ts';
import type { Actor } from '../../services/accounts/actor.ts';
import type { ExecutionRow, ExecutionStatus } from '../../store/executions.ts';
import { findExecution } from '../../store/executions.ts';
import { listBoundedSteps, type StepRow } from '../../store/steps.ts';
import type { RunDeps } from '../deps.ts';
import { parseRunRequest } from '../prepare/run-request.ts';
import { readPlan } from '../prepare/stored-run.ts';
import { createProgressReader, type NodeProgress } from './call-progress.ts';
import { buildRecord, getExecutionRow, getViewer } from './executions.ts';
import type { ExecutionRecord, Viewer } from './present-execution.ts';
import { presentListedExecution, presentStep } from './present-execution.ts';
import { truncateNodeState } from './truncate-record.ts';

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
  const changes = subscribeToRun(deps, id);
  try {
    for (;;) {
      const row = await findExecution(deps.db, id);
      const status = row?.status ?? 'QUEUED';
      if (row !== undefined && row.finished_at !== null)
        return { record: await buildRecord(deps, actor, row), status };
      const remainingMs = deadline - deps.now();
      if (remainingMs <= 0 || signal.aborted) return { status };
      await changes.wait(Math.min(remainingMs, deps.timing.runPollMs), signal);
    }
  } finally {
    changes.close();
  }
}

export type StreamedRunEvent =
  | { readonly event: 'snapshot'; readonly id: number; readonly data: ExecutionRecord }
  | { readonly event: 'node'; readonly id: number; readonly data: ReturnType<typeof presentStep> }
  | {
      readonly event: 'execution';
      readonly id: number;
      readonly data: ReturnType<typeof presentListedExecution>;
    }
  | { readonly event: 'progress'; readonly data: NodeProgress };

const PROGRESS_EVERY_MS = 250;

/**
 * Streams the events of an execution (docs/api.md, Runs): a snapshot, then each change of a node or the run until the
 * run has ended. Event ids are the run's sequence numbers. With `afterId`, the stream has no snapshot and resumes after
 * that event. If the run's own state changes several times between two reads, only the newest state is sent. Returns
 * undefined if no events are left to send.
 */
export async function watchRun(
  deps: RunDeps,
  actor: Actor,
  id: string,
  options: { readonly afterId?: number | undefined; readonly signal: AbortSignal },
): Promise<AsyncGenerator<StreamedRunEvent> | undefined> {
  const execution = await getExecutionRow(deps, actor, id);
  const { afterId } = options;
  if (execution.finished_at !== null && afterId !== undefined && afterId >= execution.seq) return undefined;
  return follow(deps, actor, execution, options);
}

async function* follow(
  deps: RunDeps,
  actor: Actor,
  execution: ExecutionRow,
  { afterId, signal }: { readonly afterId?: number | undefined; readonly signal: AbortSignal },
): AsyncGenerator<StreamedRunEvent> {
  const changes = subscribeToRun(deps, execution.id);
  try {
    if (afterId === undefined) {
      yield { event: 'snapshot', id: execution.seq, data: await buildRecord(deps, actor, execution) };
      if (execution.finished_at !== null) return;
    }
    const plan = await readPlan(deps, execution);
    const nodes = new Map(plan.nodes.map(node => [node.id, node]));
    const viewer = await getViewer(deps, actor, execution, plan);
    let sentId = afterId ?? execution.seq;
    const readProgress = createProgressReader(deps, execution.id, plan, viewer);
    while (!signal.aborted) {
      const row = await findExecution(deps.db, execution.id);
      if (row === undefined) return;
      yield* listChanges(
        row,
        nodes,
        sentId,
        await listBoundedSteps(deps.db, execution.id, { afterSeq: sentId }),
        viewer,
      );
      if (row.finished_at !== null) return;
      sentId = Math.max(sentId, row.seq);
      for (const data of await readProgress()) yield { event: 'progress', data };
      await changes.wait(deps.timing.runPollMs, signal);
      yield* changes.takeProgress();
    }
  } finally {
    changes.close();
  }
}

/**
 * Yields the changes after `sentId` up to the row, in order. A sequence number without a step is a change of the run's
 * own state, and only the last such change is sent. Steps newer than the row are sent after the next read.
 */
function* listChanges(
  row: ExecutionRow,
  nodes: ReadonlyMap<string, PlanNode>,
  sentId: number,
  steps: readonly StepRow[],
  viewer: Viewer,
): Generator<StreamedRunEvent> {
  const stepsById = new Map(
    steps.filter(({ seq }) => seq <= row.seq).map(({ seq, step }) => [seq, step as Step]),
  );
  let statusId = row.seq;
  while (stepsById.has(statusId)) statusId--;
  for (let id = sentId + 1; id <= row.seq; id++) {
    const step = stepsById.get(id);
    const node = step && nodes.get(step.nodeId);
    if (step !== undefined && node !== undefined)
      yield { event: 'node', id, data: truncateNodeState(presentStep(node, step, viewer)) };
    if (id === statusId) {
      const { metadata } = parseRunRequest(row.request);
      yield { event: 'execution', id, data: presentListedExecution(row, metadata) };
    }
  }
}

/** The subscription to one run's notifications and the progress of its nodes. */
interface Subscription extends Pick<ChangeWaiter, 'wait'> {
  takeProgress(): Generator<StreamedRunEvent>;
  close(): void;
}

function subscribeToRun(deps: RunDeps, id: string): Subscription {
  const { wait, notify } = createChangeWaiter();
  const progress = new Map<string, number>();
  const sentAtMs = new Map<string, number>();
  const isDue = (nodeId: string): boolean => deps.now() - (sentAtMs.get(nodeId) ?? 0) >= PROGRESS_EVERY_MS;
  const close = deps.changeHub.subscribe(id, {
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
