// Executing a run that a worker was handed: claim it, let the engine go on from what is done, write what happens.
import { runPlan } from '../engine/run.ts';
import type { RunOutcome, Step } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import { listSteps } from '../store/executions.ts';
import type { ClaimedRun } from '../store/runs.ts';
import type { Checkpoints } from './checkpoints.ts';
import { createCheckpoints } from './checkpoints.ts';
import { buildDelivery } from './delivery-body.ts';
import type { Deps } from './deps.ts';
import { createNodeCache } from './node-cache.ts';
import { createNodeContext } from './node-context.ts';
import type { StoredError } from './present-execution.ts';
import type { Reveal } from './reveal-secrets.ts';
import { createReveal } from './reveal-secrets.ts';
import type { RunRequest } from './run-request.ts';
import { inputOverrides, parseRunRequest, planRequest } from './run-request.ts';

/** Why a run was stopped from outside. `released` and `lost` end nothing: another worker goes on. */
export type StopReason = 'cancelled' | 'timeout' | 'released' | 'lost';

/** The runs that this process is executing, by id, and how to stop them. */
export type RunsInHand = Map<string, (reason: StopReason) => void>;

export interface RunHolder {
  /** Another one after this worker was taken for dead. */
  workerId: string;
  readonly inHand: RunsInHand;
}

/** Branches of one run in flight at once. */
const NODE_CONCURRENCY = 16;

/** Advances one run until it ends, waits, or is taken away. A run that is not ours to advance is left alone. */
export async function executeRun(deps: Deps, holder: RunHolder, id: string): Promise<void> {
  const claimed = await deps.runs.claim(id, holder.workerId);
  if (claimed === undefined) return;
  const run = await loadRun(deps, claimed);
  const stop = new AbortController();
  holder.inHand.set(id, reason => stop.abort(reason));
  const budgetMs = (run.request.timeoutMs ?? deps.settings.RUN_TIMEOUT_MS) - claimed.running_ms;
  const timer = setTimeout(() => stop.abort('timeout'), Math.max(0, budgetMs));
  if (claimed.status === 'CANCELLING') stop.abort('cancelled');
  const checkpoints = createCheckpoints(deps, claimed, run.steps, stop);
  const startedMs = deps.now();
  try {
    const outcome = await advance(deps, run, checkpoints, stop.signal);
    const ending = endingOf(outcome, stop.signal.reason as StopReason | undefined);
    await leave(deps, run, checkpoints, ending, claimed.running_ms + (deps.now() - startedMs));
  } finally {
    clearTimeout(timer);
    checkpoints.close();
    holder.inHand.delete(id);
  }
}

interface LoadedRun {
  readonly claimed: ClaimedRun;
  readonly request: RunRequest;
  readonly plan: Plan;
  readonly overrides: ReturnType<typeof inputOverrides>;
  readonly steps: Map<string, Step>;
  readonly reveal: Reveal | undefined;
}

async function loadRun(deps: Deps, claimed: ClaimedRun): Promise<LoadedRun> {
  const request = parseRunRequest(claimed.request);
  const version = await deps.versions.get(deps.db, claimed.workflow_id, claimed.workflow_version);
  // A first claim finds nothing done, unless the run resumes another.
  const isFresh = claimed.lease === 1 && claimed.resumed_from_id === null;
  const rows = isFresh ? [] : await listSteps(deps.db, claimed.id);
  return {
    claimed,
    request,
    plan: planRequest(deps, version, request.targets),
    overrides: inputOverrides(deps, version.graph, request.inputs),
    steps: new Map(rows.map(({ step }) => [(step as Step).nodeId, step as Step])),
    reveal: await createReveal(deps, deps.db, claimed.workflow_id, version.text),
  };
}

function advance(
  deps: Deps,
  run: LoadedRun,
  checkpoints: Checkpoints,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { claimed, request } = run;
  return runPlan(run.plan, {
    define: deps.findNode,
    steps: new Map(run.steps),
    overrides: run.overrides,
    context: createNodeContext(deps, claimed),
    ...(request.useCache === false ? {} : { cache: createNodeCache(deps, claimed.workspace) }),
    ...(run.reveal === undefined ? {} : { reveal: run.reveal }),
    onStep: step => checkpoints.add(step),
    onProgress: (nodeId, fraction) => deps.news.tellProgress(claimed.id, nodeId, fraction),
    onError: (nodeId, err) => deps.log.warn({ err, executionId: claimed.id, nodeId }, 'a node failed'),
    concurrency: NODE_CONCURRENCY,
    signal,
    now: deps.now,
  });
}

type Ending =
  | { readonly status: 'COMPLETED' | 'FAILED' | 'TIMEOUT' | 'CANCELLED'; readonly error: StoredError | null }
  | { readonly status: 'RUNNING' | 'WAITING'; readonly wakeAtMs: number }
  | undefined;

function endingOf(outcome: RunOutcome, reason: StopReason | undefined): Ending {
  switch (outcome.kind) {
    case 'completed':
      return { status: 'COMPLETED', error: null };
    case 'failed':
      return { status: 'FAILED', error: { ...outcome.error, nodeId: outcome.nodeId } };
    case 'suspended':
      return { status: outcome.waitsFor === 'decision' ? 'WAITING' : 'RUNNING', wakeAtMs: outcome.untilMs };
    case 'expired':
      return { status: 'TIMEOUT', error: { ...outcome.error, nodeId: outcome.nodeId } };
    case 'aborted':
      return reason === undefined ? undefined : STOPPED[reason];
  }
}

const STOPPED: Readonly<Record<StopReason, Ending>> = {
  cancelled: {
    status: 'CANCELLED',
    error: { code: 'cancelled', message: 'The run was cancelled.', nodeId: null },
  },
  timeout: {
    status: 'TIMEOUT',
    error: { code: 'timeout', message: 'The run passed its time limit.', nodeId: null },
  },
  // A wake-up in the past: the job is queued at once, for whichever worker is there.
  released: { status: 'RUNNING', wakeAtMs: 0 },
  lost: undefined,
};

/** Writes the last node states and the ending in one commit; the run then belongs to nobody. */
async function leave(
  deps: Deps,
  run: LoadedRun,
  checkpoints: Checkpoints,
  ending: Ending,
  runningMs: number,
): Promise<void> {
  if (ending === undefined) return;
  const isOver = 'error' in ending;
  const finishedAt = isOver ? new Date(deps.now()).toISOString() : null;
  await checkpoints.leave({
    status: ending.status,
    error: isOver && ending.error !== null ? JSON.stringify(ending.error) : null,
    running_ms: Math.min(Math.round(runningMs), 2_000_000_000),
    wake_at: isOver ? null : new Date(Math.max(ending.wakeAtMs, 0)).toISOString(),
    finished_at: finishedAt,
    delivery: finishedAt === null ? null : buildDelivery(run, ending.status, checkpoints.steps, finishedAt),
  });
}
