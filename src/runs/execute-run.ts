// Executing a run that a worker was handed: claim it, let the engine go on from what is done, write what happens.
import { runPlan } from '../engine/run.ts';
import type { RunOutcome, Step } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import type { Json } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { Reveal } from '../services/workflows/reveal-secrets.ts';
import { createReveal } from '../services/workflows/reveal-secrets.ts';
import { listSteps } from '../store/executions.ts';
import { patientDb } from '../store/patience.ts';
import type { ClaimedRun } from '../store/runs.ts';
import type { Checkpoints } from './checkpoints.ts';
import { createCheckpoints } from './checkpoints.ts';
import { buildDelivery } from './delivery-body.ts';
import type { RunDeps } from './deps.ts';
import { cancelOpen } from './end-run.ts';
import { hasPaidNode } from './estimate/estimate-plan.ts';
import { createNodeCache } from './node-cache.ts';
import { createNodeContext } from './node-context.ts';
import type { StoredError } from './present-execution.ts';
import { createPay } from './run-credits.ts';
import type { RunHolder, RunInHand, StopReason } from './run-holder.ts';
import { listCrowded } from './run-holder.ts';
import type { RunRequest } from './run-request.ts';
import { inputOverrides, parseRunRequest, planRequest } from './run-request.ts';

/** Branches of one run in flight at once. */
const NODE_CONCURRENCY = 16;
// A node that took this many workers with it takes no more.
const MAX_STARTS = 20;

/**
 * Advances one run until it ends, waits, or is taken away. A run that is not ours to advance is left alone. Rejects
 * where the run could not be claimed or read; what was claimed then goes back with the next heartbeat.
 */
export async function executeRun(deps: RunDeps, holder: RunHolder, id: string): Promise<void> {
  // A job may come while the run before it is still being let go of, such as its own wake-up.
  for (let held = holder.inHand.get(id); held !== undefined; held = holder.inHand.get(id)) await held.ended;
  await holdRun(deps, holder, { id, workspace: undefined }, () =>
    deps.runs.claim(id, { workerId: holder.workerId, crowded: () => listCrowded(holder, deps.now()) }),
  );
}

/** The same for a run that `claim` brings into being; its workspace's places count from now on. */
export async function holdRun(
  deps: RunDeps,
  holder: RunHolder,
  { id, workspace }: { readonly id: string; readonly workspace: string | undefined },
  claim: () => Promise<ClaimedRun | undefined>,
): Promise<void> {
  const stop = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const heldBy = (owner: string) => ({ workspace: owner, sinceMs: deps.now() });
  const run: RunInHand = {
    stop: reason => stop.abort(reason),
    ended,
    held: workspace === undefined ? undefined : heldBy(workspace),
  };
  // Before the claim: whoever wants it stopped finds it from the first moment on.
  holder.inHand.set(id, run);
  try {
    const claimed = await claim();
    if (claimed === undefined) return;
    run.held ??= heldBy(claimed.workspace);
    await executeClaimed(deps, claimed, stop);
  } finally {
    holder.inHand.delete(id);
    resolve();
  }
}

async function executeClaimed(deps: RunDeps, claimed: ClaimedRun, stop: AbortController): Promise<void> {
  const run = await loadRun(deps, claimed);
  const isPaid = hasPaidNode(deps, run.plan);
  const checkpoints = createCheckpoints(deps, { run: claimed, isPaid }, run.steps, stop);
  if (run.refusal !== undefined) {
    await leave(deps, run, checkpoints, { status: 'FAILED', error: run.refusal }, claimed.running_ms);
    return;
  }
  const budgetMs = (run.request.timeoutMs ?? deps.settings.RUN_TIMEOUT_MS) - claimed.running_ms;
  const timer = setTimeout(() => stop.abort('timeout'), Math.max(0, budgetMs));
  if (claimed.status === 'CANCELLING') stop.abort('cancelled');
  const startedMs = deps.now();
  try {
    const outcome = await advance(deps, run, checkpoints, stop.signal);
    const ending = endingOf(outcome, stop.signal.reason as StopReason | undefined);
    await leave(deps, run, checkpoints, ending, claimed.running_ms + (deps.now() - startedMs));
  } finally {
    clearTimeout(timer);
    checkpoints.close();
  }
}

interface LoadedRun {
  readonly claimed: ClaimedRun;
  readonly request: RunRequest;
  readonly plan: Plan;
  readonly overrides: ReturnType<typeof inputOverrides>;
  readonly steps: Map<string, Step>;
  readonly reveal?: Reveal | undefined;
  /** Set where the run can no longer be planned, e.g. because a node type is gone. */
  readonly refusal?: StoredError;
}

async function loadRun(deps: RunDeps, claimed: ClaimedRun): Promise<LoadedRun> {
  const request = parseRunRequest(claimed.request);
  // A first claim finds nothing done, unless the run resumes another.
  const isFresh = claimed.lease === 1 && claimed.resumed_from_id === null;
  const rows = isFresh ? [] : await listSteps(deps.db, claimed.id);
  const steps = new Map(rows.map(({ step }) => [(step as Step).nodeId, withBound(deps, step as Step)]));
  try {
    const version = await deps.versions.get(deps.db, claimed.workflow_id, claimed.workflow_version);
    const plan = planRequest(deps, version, request.targets);
    const overrides = inputOverrides(deps, version.graph, request.inputs);
    const reveal = await createReveal(deps, deps.db, claimed.workflow_id, version.text);
    return { claimed, request, steps, plan, overrides, reveal };
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const refusal = { code: err.code, message: err.message, nodeId: err.issues?.[0]?.nodeId ?? null };
    return { claimed, request, steps, plan: { nodes: [] }, overrides: new Map(), refusal };
  }
}

/** Of a node that was in flight whenever a worker died, the failure that ends it. */
function withBound(deps: RunDeps, step: Step): Step {
  if (step.status !== 'RUNNING' || step.attempt < MAX_STARTS) return step;
  const message = `The worker died each of the ${step.attempt} times that this node was started.`;
  return { ...step, status: 'FAILED', error: { code: 'worker_lost', message }, finishedAtMs: deps.now() };
}

function advance(
  deps: RunDeps,
  run: LoadedRun,
  checkpoints: Checkpoints,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { claimed, request } = run;
  const onOutage = (err: unknown): void =>
    deps.log.warn({ err, executionId: claimed.id }, 'a node waits for the database');
  const patient = { ...deps, db: patientDb(deps.db, onOutage) };
  return runPlan(run.plan, {
    define: deps.findNode,
    steps: new Map(run.steps),
    overrides: run.overrides,
    decisions: decisionsOf(claimed),
    context: createNodeContext(patient, claimed),
    ...(request.useCache === false ? {} : { cache: createNodeCache(deps, claimed.workspace) }),
    ...(run.reveal === undefined ? {} : { reveal: run.reveal }),
    pay: createPay(patient, claimed, request.maxCredits),
    onStep: step => checkpoints.add(step),
    saved: () => checkpoints.saved(),
    onProgress: (nodeId, fraction) => deps.runNotifier.notifyProgress(claimed.id, nodeId, fraction),
    onError: (nodeId, err) => deps.log.warn({ err, executionId: claimed.id, nodeId }, 'a node failed'),
    concurrency: NODE_CONCURRENCY,
    signal,
    now: deps.now,
  });
}

function decisionsOf({ decisions }: ClaimedRun): ReadonlyMap<string, Json> {
  return new Map(decisions === null ? [] : Object.entries(JSON.parse(decisions) as Record<string, Json>));
}

type Ending =
  | { readonly status: 'COMPLETED' | 'FAILED' | 'TIMEOUT' | 'CANCELLED'; readonly error: StoredError | null }
  | { readonly status: 'RUNNING' | 'WAITING'; readonly wakeAtMs: number }
  | undefined;

function endingOf(outcome: RunOutcome, reason: StopReason | undefined): Ending {
  // Of a run let go of, the last states were not kept; whatever it came to counts for nothing.
  if (reason === 'released' || reason === 'lost' || reason === 'broken') return STOPPED[reason];
  if (reason !== undefined && outcome.kind === 'suspended') return STOPPED[reason];
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
  broken: {
    status: 'FAILED',
    error: { code: 'internal_error', message: 'The results of the run could not be stored.', nodeId: null },
  },
  // A wake-up in the past: the job is queued at once, for whichever worker is there.
  released: { status: 'RUNNING', wakeAtMs: 0 },
  lost: undefined,
};

/** Writes the last node states and the ending in one commit; the run then belongs to nobody. */
async function leave(
  deps: RunDeps,
  run: LoadedRun,
  checkpoints: Checkpoints,
  ending: Ending,
  runningMs: number,
): Promise<void> {
  if (ending === undefined) return;
  const running_ms = Math.min(Math.round(runningMs), MAX_RUNNING_MS);
  if (!('error' in ending)) {
    const wake_at = new Date(Math.max(ending.wakeAtMs, 0)).toISOString();
    const { status } = ending;
    await checkpoints.leave({ status, error: null, running_ms, wake_at, finished_at: null, delivery: null });
    return;
  }
  for (const step of cancelOpen(run.plan, checkpoints.steps, deps.now())) checkpoints.add(step);
  const finished_at = new Date(deps.now()).toISOString();
  await checkpoints.leave({
    status: ending.status,
    error: ending.error === null ? null : JSON.stringify(ending.error),
    running_ms,
    wake_at: null,
    finished_at,
    delivery: buildDelivery(run, ending.status, checkpoints.steps, finished_at),
  });
}

// What the column holds: 23 days.
const MAX_RUNNING_MS = 2_000_000_000;
