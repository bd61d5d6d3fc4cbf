// Executes a claimed run: the engine continues from the stored steps, and the run's outcome becomes a lifecycle event.
import { MAX_RUN_BYTES, measureStep, TOO_LARGE_ERROR } from '../../engine/output-size.ts';
import { runPlan } from '../../engine/run.ts';
import {
  type CallSlots,
  type CallWakes,
  isSettled,
  type LoopTurns,
  type RunOptions,
  type RunOutcome,
  type ServerQueues,
  type Step,
} from '../../engine/types.ts';
import type { Plan } from '../../graph/plan.ts';
import type { Json } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { FairScheduler } from '../../lib/fair-scheduler.ts';
import { omitUndefined } from '../../lib/record.ts';
import { runAccepted } from '../../lib/work.ts';
import type { CredentialKey } from '../../providers/names.ts';
import { getPersonalWorkspaceId } from '../../services/accounts/access.ts';
import type { RunCredentials } from '../../services/credentials/credential.ts';
import {
  type CredentialContext,
  createCredentialContext,
  readRunCredentials,
} from '../../services/credentials/run-credentials.ts';
import { createRunSecrets, scrubError } from '../../services/workflows/resolve-secrets.ts';
import type { TerminalStatus } from '../../store/executions.ts';
import { retryOutages, withOutageRetries } from '../../store/retry.ts';
import type { RunRow } from '../../store/runs.ts';
import { listWholeSteps } from '../../store/steps.ts';
import { createApprovalReader } from '../approvals/waiting-approval.ts';
import { createCallWakes, type NodeItem, toItemKey } from '../calls/call-wakes.ts';
import { createServerQueues } from '../calls/server-queues.ts';
import { createCallSlots } from '../calls/traffic.ts';
import type { Suspension } from '../change/lifecycle.ts';
import type { RunDeps } from '../deps.ts';
import { buildDelivery } from '../end/delivery-body.ts';
import { CANCELLED, cancelUnsettled } from '../end/end-run.ts';
import { createPay, type EarlierSpending } from '../payments/pay.ts';
import { createCredentialPayments } from '../payments/pay-by-credential.ts';
import { createNodeCache } from '../prepare/node-cache.ts';
import type { RunRequest } from '../prepare/run.schema.ts';
import { parseRunRequest, planRequest, readInputOverrides } from '../prepare/run-request.ts';
import { readRunVersion } from '../prepare/run-version.ts';
import { MAX_STORED_BYTES, mergeSteps, readBoundedSteps, readPlan } from '../prepare/stored-run.ts';
import type { StoredError } from '../read/present-execution.ts';
import type { RunMemory } from '../slots/memory.ts';
import type { RunControl, StopReason } from '../slots/worker-slots.ts';
import { traceNodes } from '../trace/node-spans.ts';
import { inRunScope, traceOutcome } from '../trace/run-scope.ts';
import { Checkpoints } from './checkpoints.ts';
import { createModelCounter } from './model-counts.ts';
import { createNodeContext } from './node-context.ts';
import { createRunDigest } from './run-digest.ts';

/** The maximum number of nodes and items of one run that are in flight concurrently. */
const NODE_CONCURRENCY = 16;
// A node is not started again if its worker died this many times.
const MAX_STARTS = 20;

/**
 * Advances a claimed run until it ends, waits, or is reassigned. Rejects if the run could not be read or written; the
 * next heartbeat then requeues it.
 */
export function executeRun(deps: RunDeps, row: RunRow, control: RunControl): Promise<void> {
  return runAccepted(getPersonalWorkspaceId(row.user_id), () =>
    inRunScope(deps, row, () => execute(deps, row, control)),
  );
}

async function execute(
  deps: RunDeps,
  row: RunRow,
  { memory: memoryPool, ...control }: RunControl,
): Promise<void> {
  // The nodes of a run that exceeds its output limit are cancelled.
  const memory = memoryPool.track(row.workspace, () => control.stop.abort('cancelled'));
  try {
    await executeTracked(deps, row, control, memory);
  } finally {
    memory.close();
  }
}

async function executeTracked(
  deps: RunDeps,
  row: RunRow,
  { stop, wakeMailbox, turns }: Omit<RunControl, 'memory'>,
  memory: RunMemory,
): Promise<void> {
  const isCancelling = row.status === 'CANCELLING';
  if (isCancelling) stop.abort('cancelled');
  const run = await loadRun(deps, row, memory, stop.signal);
  const budgetMs = (run.request.timeoutMs ?? deps.settings.RUN_TIMEOUT_MS) - row.running_ms;
  const startedMs = deps.now();
  const timeoutAtMs = startedMs + Math.max(0, budgetMs);
  const toApproval = createApprovalReader(row, run.plan, run.steps);
  const checkpointed = { row, timeoutAtMs, steps: run.steps, memory, toApproval };
  const checkpoints = new Checkpoints(deps, checkpointed, stop);
  if (budgetMs <= 0) stop.abort('timeout');
  const timer = setTimeout(() => stop.abort('timeout'), Math.max(0, budgetMs));
  const callWakes = createCallWakes(deps, row.id, run.wokenCalls, wakeMailbox);
  try {
    const slots = createCallSlots(deps, row, timeoutAtMs);
    const pool = run.runCredentials.get('comfyui')?.pool ?? null;
    const queues = pool === null ? undefined : createServerQueues(deps, row, pool, timeoutAtMs);
    const outcome =
      run.loadFailure ??
      (await runEngine(deps, { ...run, callWakes, slots, queues, memory, turns }, checkpoints, stop.signal));
    const leaseOutcome = toLeaseOutcome(
      outcome,
      stop.signal.reason as StopReason | undefined,
      isCancelling ? undefined : memory.exceededBy,
    );
    await releaseRun(deps, run, checkpoints, leaseOutcome, row.running_ms + (deps.now() - startedMs));
  } finally {
    callWakes.close();
    clearTimeout(timer);
    checkpoints.close();
  }
}

interface LoadedRun {
  readonly row: RunRow;
  readonly request: RunRequest;
  readonly plan: Plan;
  readonly overrides: ReturnType<typeof readInputOverrides>;
  readonly steps: Map<string, Step>;
  /** The calls that have ended, and those that the poller does not track. The run itself polls both. */
  readonly wokenCalls: readonly NodeItem[];
  readonly spending: EarlierSpending;
  readonly runCredentials: RunCredentials;
  readonly credentials: CredentialContext;
  readonly secrets?: RunOptions['secrets'];
  readonly loadFailure?: LoadFailure;
}

/** Why the run cannot be loaded: for example, a node type no longer exists. */
interface LoadFailure {
  readonly kind: 'unloadable';
  readonly error: StoredError;
}

async function loadRun(
  deps: RunDeps,
  row: RunRow,
  memory: RunMemory,
  signal: AbortSignal,
): Promise<LoadedRun> {
  const request = parseRunRequest(row.request);
  // A run that is claimed for the first time has no steps unless it reuses results of other runs.
  const isFresh =
    row.lease === 1 &&
    row.resumed_from_id === null &&
    request.pins === undefined &&
    request.useSample !== true;
  const { steps, isWhole } = isFresh
    ? { steps: new Map<string, Step>(), isWhole: true }
    : await loadSteps(deps, row, memory, signal);
  for (const [nodeId, step] of steps) steps.set(nodeId, failAfterTooManyStarts(deps, step));
  const runCredentials = await readRunCredentials(deps, deps.db, row.credentials);
  const credentials = await createCredentialContext(deps, runCredentials, row.workspace);
  const run = {
    row,
    request,
    steps,
    runCredentials,
    credentials,
    ...(await loadCalls(deps, row, request, steps)),
  };
  if (!isWhole) {
    const error = { ...TOO_LARGE_ERROR, nodeId: memory.exceededBy ?? null };
    const loadFailure = { kind: 'unloadable', error } as const;
    return { ...run, plan: await readPlan(deps, row), overrides: new Map(), loadFailure };
  }
  try {
    const version = await readRunVersion(deps, row, request);
    memory.share(version, version.memoryBytes);
    const plan = planRequest(deps, version, request);
    const overrides = readInputOverrides(deps, version.graph, request.inputs);
    const secrets = await createRunSecrets(deps, deps.db, {
      run: row,
      version,
      plan,
      pins: request.pins,
    });
    return { ...run, plan, overrides, ...omitUndefined({ secrets }) };
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const error = { code: err.code, message: err.message, nodeId: err.issues?.[0]?.nodeId ?? null };
    const loadFailure = { kind: 'unloadable', error } as const;
    return { ...run, plan: { nodes: [] }, overrides: new Map(), loadFailure };
  }
}

interface LoadedSteps {
  readonly steps: Map<string, Step>;
  /** False if the run has recorded more than allowed. The steps are then truncated for display. */
  readonly isWhole: boolean;
}

/** Reads the steps of an earlier execution once there is memory for them. */
async function loadSteps(
  deps: RunDeps,
  row: RunRow,
  memory: RunMemory,
  signal: AbortSignal,
): Promise<LoadedSteps> {
  const { bytes, rows } = await deps.runReads.steps(row.id);
  if (rows !== undefined) return { steps: recordSteps(memory, mergeSteps(rows)), isWhole: true };
  if (bytes <= MAX_STORED_BYTES) await memory.waitForMemory(signal);
  // A stopped run executes nothing, so steps for display are enough.
  if (bytes > MAX_STORED_BYTES || signal.aborted)
    return { steps: await readBoundedSteps(deps.db, row.id), isWhole: bytes <= MAX_STORED_BYTES };
  memory.reserve(bytes);
  const steps = recordSteps(memory, mergeSteps(await listWholeSteps(deps.db, row.id)));
  memory.reserve(-bytes);
  return { steps, isWhole: memory.exceededBy === undefined };
}

function recordSteps(memory: RunMemory, steps: Map<string, Step>): Map<string, Step> {
  for (const step of steps.values()) memory.recordSize(step.nodeId, measureStep(step, MAX_RUN_BYTES));
  return steps;
}

/** Reads the provider calls that were active when the run was released. */
async function loadCalls(
  deps: RunDeps,
  row: RunRow,
  { maxCredits }: RunRequest,
  steps: ReadonlyMap<string, Step>,
): Promise<Pick<LoadedRun, 'wokenCalls' | 'spending'>> {
  const unsettledSteps = [...steps.values()].filter(({ status }) => !isSettled(status));
  const activeTasks = unsettledSteps.flatMap(({ nodeId, jobs: tasks = {} }) =>
    Object.entries(tasks).map(([item, task]) => ({ node_id: nodeId, item: Number(item), task })),
  );
  if (activeTasks.length === 0)
    return { wokenCalls: [], spending: { maxCredits, reserved: 0, charged: undefined } };
  const [calls, coverage] = await Promise.all([
    deps.runReads.calls(row.id),
    row.is_paid ? deps.runReads.coverage(row.id) : undefined,
  ]);
  const charged = coverage?.charged ?? 0;
  const awaitedCalls = new Set(
    calls.filter(call => call.is_awaited).map(({ node_id, item }) => toItemKey(node_id, item)),
  );
  // A call without a row counts as woken, because the poller does not know the call.
  const wokenCalls = activeTasks.filter(({ node_id, item }) => !awaitedCalls.has(toItemKey(node_id, item)));
  const reserved = activeTasks.reduce((sum, { task }) => sum + (task.credits ?? 0), 0);
  return { wokenCalls, spending: { maxCredits, reserved, charged } };
}

/** Fails a node that was active each time a worker died. */
function failAfterTooManyStarts(deps: RunDeps, step: Step): Step {
  if (step.status !== 'RUNNING' || step.attempt < MAX_STARTS) return step;
  const message = `The worker died each of the ${step.attempt} times that this node started.`;
  return { ...step, status: 'FAILED', error: { code: 'worker_lost', message }, finishedAtMs: deps.now() };
}

interface EngineRun extends LoadedRun {
  readonly callWakes: CallWakes;
  readonly slots: CallSlots;
  readonly queues: ServerQueues | undefined;
  readonly memory: RunMemory;
  readonly turns: FairScheduler;
}

function runEngine(
  deps: RunDeps,
  run: EngineRun,
  checkpoints: Checkpoints,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { row, request } = run;
  const onOutage = (err: unknown): void =>
    deps.log.warn({ err, executionId: row.id }, 'a node waits for the database');
  const insertMediaInGroup: RunDeps['insertMediaInGroup'] = row =>
    retryOutages(() => deps.insertMediaInGroup(row), onOutage);
  const retryingDeps = { ...deps, db: withOutageRetries(deps.db, onOutage), insertMediaInGroup };
  const spans = traceNodes();
  const credentialPayments = createCredentialPayments(retryingDeps, row);
  const countModel = createModelCounter(deps, run.plan);
  const outcome = runPlan(run.plan, {
    findDefinition: deps.findNode,
    steps: new Map(run.steps),
    overrides: run.overrides,
    decisions: parseDecisions(row),
    createContext: createNodeContext(retryingDeps, run, run.credentials),
    ...omitUndefined({
      cache: request.useCache === false ? undefined : createNodeCache(deps, row.workspace),
      secrets: run.secrets,
      wrapCall: spans?.wrapCall,
    }),
    budget: run.memory,
    turns: toLoopTurns(run.turns, row),
    pay: createPay(retryingDeps, row, {
      spent: run.spending,
      findCredential: ({ definition, values }) =>
        run.runCredentials.get(definition.requires(values) as CredentialKey),
      credentialPayments,
    }),
    callWakes: run.callWakes,
    slots: run.slots,
    queues: run.queues,
    onStep: step => {
      spans?.record(step);
      countModel(step);
      checkpoints.add(step);
    },
    whenSaved: () => checkpoints.whenSaved(),
    onProgress: (nodeId, fraction) => deps.changeHub.notifyProgress(row.id, nodeId, fraction),
    onError: (nodeId, thrown) => {
      const err = run.secrets === undefined ? thrown : scrubError(thrown, run.secrets.scrub);
      deps.log.warn({ err, executionId: row.id, nodeId }, 'a node failed');
    },
    concurrency: NODE_CONCURRENCY,
    signal,
    now: deps.now,
  });
  return outcome.finally(() => {
    spans?.close();
    return credentialPayments.whenSettled();
  });
}

function toLoopTurns(turns: FairScheduler, { workspace, created_at }: RunRow): LoopTurns {
  return {
    get turnNumber() {
      return turns.turnNumber;
    },
    get isContended() {
      return turns.isContended(workspace);
    },
    wait: () => turns.wait(workspace, created_at.getTime()),
  };
}

function parseDecisions({ decisions }: RunRow): ReadonlyMap<string, Json> {
  return new Map(decisions === null ? [] : Object.entries(JSON.parse(decisions) as Record<string, Json>));
}

/** The run's state after this worker releases it; undefined if the worker has already lost the lease. */
type LeaseOutcome =
  | { readonly status: TerminalStatus; readonly error: StoredError | null }
  | Suspension
  | 'release'
  | undefined;

function toLeaseOutcome(
  outcome: RunOutcome | LoadFailure,
  reason: StopReason | undefined,
  exceededBy: string | undefined,
): LeaseOutcome {
  // The last steps of a released run are not stored, so the outcome does not count.
  if (reason === 'released' || reason === 'lost' || reason === 'broken') return STOP_OUTCOMES[reason];
  if (exceededBy !== undefined)
    return { status: 'FAILED', error: { ...TOO_LARGE_ERROR, nodeId: exceededBy } };
  if (reason !== undefined && outcome.kind === 'suspended') return STOP_OUTCOMES[reason];
  switch (outcome.kind) {
    case 'completed':
      return { status: 'COMPLETED', error: null };
    case 'failed':
      return { status: 'FAILED', error: { ...outcome.error, nodeId: outcome.nodeId } };
    case 'suspended':
      return { waitsFor: outcome.waitsFor, wakeAtMs: outcome.untilMs };
    case 'expired':
      return { status: 'TIMEOUT', error: { ...outcome.error, nodeId: outcome.nodeId } };
    case 'unloadable':
      return reason === undefined ? { status: 'FAILED', error: outcome.error } : STOP_OUTCOMES[reason];
    case 'aborted':
      return reason === undefined ? undefined : STOP_OUTCOMES[reason];
  }
}

function describeOutcome(leaseOutcome: LeaseOutcome): string {
  if (leaseOutcome === undefined) return 'lost';
  if (leaseOutcome === 'release') return 'released';
  return 'waitsFor' in leaseOutcome ? `waits for ${leaseOutcome.waitsFor}` : leaseOutcome.status;
}

const STOP_OUTCOMES: Readonly<Record<StopReason, LeaseOutcome>> = {
  cancelled: CANCELLED,
  timeout: {
    status: 'TIMEOUT',
    error: { code: 'timeout', message: 'The run exceeded its time limit.', nodeId: null },
  },
  broken: {
    status: 'FAILED',
    error: { code: 'internal_error', message: 'The results of the run could not be stored.', nodeId: null },
  },
  released: 'release',
  lost: undefined,
};

/** Writes the last steps and the outcome in one commit, which releases the lease. */
async function releaseRun(
  deps: RunDeps,
  run: LoadedRun,
  checkpoints: Checkpoints,
  leaseOutcome: LeaseOutcome,
  runningMs: number,
): Promise<void> {
  const outcome = describeOutcome(leaseOutcome);
  traceOutcome(outcome);
  deps.log.debug({ outcome }, 'run');
  if (leaseOutcome === undefined) return;
  if (leaseOutcome === 'release') return checkpoints.releaseLease({ kind: 'release', runningMs });
  const atMs = deps.now();
  if ('waitsFor' in leaseOutcome)
    return checkpoints.releaseLease({ kind: 'suspend', ...leaseOutcome, atMs, runningMs });
  const { status, error } = leaseOutcome;
  for (const step of cancelUnsettled(run.plan, checkpoints.steps, atMs)) checkpoints.add(step);
  const delivery = buildDelivery(run, status, checkpoints.steps, new Date(atMs).toISOString());
  const nodeType = run.plan.nodes.find(({ id }) => id === error?.nodeId)?.nodeType;
  const errorText = error === null ? null : JSON.stringify({ ...error, nodeType });
  await checkpoints.releaseLease({
    kind: 'end',
    ending: {
      status,
      error: errorText,
      runningMs,
      atMs,
      delivery,
      digest: createRunDigest(run.plan, checkpoints.steps),
    },
  });
}
