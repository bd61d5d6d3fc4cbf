// Defines the lifecycle of a run as a pure function from a row and an event to the new row and the effects to commit.
import type { Decision, ProviderTask, Step } from '../../engine/types.ts';
import { isSettled } from '../../engine/types.ts';
import type { NewApproval, UndecidedStatus } from '../../store/approvals.ts';
import type { NewCall } from '../../store/calls.ts';
import type { TerminalStatus } from '../../store/executions.ts';
import type { NewDelivery, RunDigest, RunRow, RunSpec, RunState } from '../../store/runs.ts';
import { computeFirstPollMs, type PollTiming } from './pace.ts';

/** A report about nodes by the worker that holds the lease. */
interface WorkerReport {
  readonly lease: number;
  /** The new steps, oldest first. */
  readonly steps: readonly Step[];
  readonly nodesDone: number;
  /** When the run exceeds its time limit. */
  readonly timeoutAtMs: number;
  /** The approvals of nodes that begin to wait for a decision. */
  readonly approvals?: readonly NewApproval[];
}

export type LifecycleEvent =
  /** A worker claims the run. */
  | { readonly kind: 'claim'; readonly workerId: string; readonly atMs: number }
  | ({ readonly kind: 'checkpoint' } & WorkerReport)
  /** The run waits for a time, a user's decision, or the end of a call. */
  | ({ readonly kind: 'suspend'; readonly atMs: number; readonly runningMs: number } & WorkerReport &
      Suspension)
  /** The worker stops, and another should continue immediately. */
  | ({ readonly kind: 'release'; readonly runningMs: number } & WorkerReport)
  | ({ readonly kind: 'end'; readonly ending: Ending } & WorkerReport)
  /** Ends a run that no worker executes: cancelled or abandoned. */
  | { readonly kind: 'end without worker'; readonly ending: Ending; readonly steps: readonly Step[] }
  /** A user cancels the run; its worker ends it. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'decide'; readonly decisions: string; readonly atMs: number }
  /** The event that the run waited for has occurred. */
  | { readonly kind: 'wake'; readonly atMs: number }
  /** After the end of the run, a provider has billed calls that were cancelled with it. `steps` contain the cost. */
  | { readonly kind: 'bill'; readonly steps: readonly Step[] }
  /** The run's worker is dead or does not know the run. */
  | { readonly kind: 'reassign'; readonly workerId: string; readonly lease?: number };

export interface Suspension {
  readonly waitsFor: 'time' | 'decision' | 'call';
  /** null if the wait has no time limit. */
  readonly wakeAtMs: number | null;
}

export interface Ending {
  readonly status: TerminalStatus;
  readonly error: string | null;
  readonly runningMs: number;
  readonly atMs: number;
  readonly delivery: NewDelivery | null;
  /** What lists show of the run; absent if no worker executed it to its end. */
  readonly digest?: RunDigest | null;
}

/** A change that is committed together with the new row. */
export type Effect =
  | { readonly kind: 'save steps'; readonly steps: readonly Step[] }
  /** Queues a job, so that a worker claims the run. */
  | { readonly kind: 'queue'; readonly at: Date }
  | { readonly kind: 'deliver'; readonly delivery: NewDelivery }
  | { readonly kind: 'save digest'; readonly digest: RunDigest }
  /** The total cost of a node so far. */
  | {
      readonly kind: 'charge';
      readonly nodeId: string;
      readonly nodeType: string | null;
      readonly provider?: string;
      readonly credentialId?: string;
      readonly total: number;
    }
  | { readonly kind: 'release credits' }
  /** Stores the active provider calls of a node, and deletes those that have ended. */
  | {
      readonly kind: 'save calls';
      readonly nodeId: string;
      readonly calls: readonly NewCall[];
      /** null if all calls of the node have ended. */
      readonly endedItems: readonly number[] | null;
    }
  | { readonly kind: 'open approvals'; readonly approvals: readonly NewApproval[] }
  /** The node no longer waits for a decision, although no user decided. */
  | { readonly kind: 'close approval'; readonly nodeId: string; readonly status: UndecidedStatus }
  /** The results of the run's calls are no longer needed. */
  | { readonly kind: 'cancel calls' }
  /** A parked run of the workspace may start. */
  | { readonly kind: 'release slot' }
  | { readonly kind: 'notify worker of cancel' }
  | { readonly kind: 'notify worker of wake' };

export interface Transition {
  readonly row: RunRow;
  readonly effects: readonly Effect[];
}

export interface Acceptance {
  readonly spec: RunSpec;
  /** Steps reused from earlier runs. */
  readonly steps: readonly Step[];
  /** The worker that executes the run immediately; null if the run is queued. */
  readonly workerId: string | null;
}

/** Returns the first row of an accepted run. With a worker, the run is claimed immediately. */
export function createInitialTransition({ spec, steps, workerId }: Acceptance): Transition {
  const queued: RunRow = { ...spec, ...NEW_STATE, seq: steps.length };
  const saveEffects: readonly Effect[] = steps.length === 0 ? [] : [{ kind: 'save steps', steps }];
  if (workerId === null)
    return { row: queued, effects: [...saveEffects, { kind: 'queue', at: spec.created_at }] };
  return { row: toClaimed(queued, workerId, spec.created_at.getTime()), effects: saveEffects };
}

const NEW_STATE: RunState = {
  status: 'QUEUED',
  lease: 0,
  worker_id: null,
  parked: false,
  under_way: false,
  seq: 0,
  nodes_done: 0,
  running_ms: 0,
  running_since: null,
  wake_at: null,
  error: null,
  decisions: null,
  started_at: null,
  finished_at: null,
};

/**
 * Returns the new row and its effects, or undefined if the event no longer applies, because the run has ended or another
 * worker holds the lease of the run.
 */
export function transition(run: RunRow, event: LifecycleEvent, timing: PollTiming): Transition | undefined {
  if (event.kind === 'bill') return run.finished_at === null ? undefined : toBilled(run, event.steps);
  if (run.finished_at !== null) return undefined;
  return 'nodesDone' in event ? applyWorkerEvent(run, event, timing) : applyExternalEvent(run, event, timing);
}

/** Saves steps whose credits the caller has charged. */
function toBilled(run: RunRow, steps: readonly Step[]): Transition {
  return { row: { ...run, seq: run.seq + steps.length }, effects: [{ kind: 'save steps', steps }] };
}

type WorkerEvent = Extract<LifecycleEvent, { readonly nodesDone: number }>;

function applyWorkerEvent(run: RunRow, event: WorkerEvent, timing: PollTiming): Transition | undefined {
  if (run.worker_id === null || run.lease !== event.lease) return undefined;
  const saved = toSaved(run, event, timing);
  switch (event.kind) {
    case 'checkpoint':
      return saved;
    case 'suspend':
      return toSuspended(saved, event);
    case 'release':
      return toReleased(saved, { running_ms: event.runningMs, under_way: false }, [createQueueEffect(0)]);
    case 'end':
      return toEnded(saved, event.ending);
  }
}

type ExternalEvent = Exclude<LifecycleEvent, WorkerEvent | { readonly kind: 'bill' }>;

function applyExternalEvent(run: RunRow, event: ExternalEvent, timing: PollTiming): Transition | undefined {
  const isLeased = run.worker_id !== null;
  switch (event.kind) {
    case 'claim':
      return { row: toClaimed(run, event.workerId, event.atMs), effects: [] };
    case 'end without worker':
      if (isLeased) return undefined;
      return toEnded(
        toSaved(run, { steps: event.steps, nodesDone: run.nodes_total, timeoutAtMs: 0 }, timing),
        event.ending,
      );
    case 'cancel':
      if (!isLeased) return undefined;
      return {
        row: run.status === 'CANCELLING' ? run : { ...run, status: 'CANCELLING', seq: run.seq + 1 },
        effects: [{ kind: 'notify worker of cancel' }],
      };
    case 'decide': {
      if (run.status === 'CANCELLING') return undefined;
      const decided: RunRow = { ...run, decisions: event.decisions, seq: run.seq + 1 };
      // Other nodes of the run are still active. The run is woken, so that it continues with the decision.
      if (isLeased || run.status !== 'WAITING') return toWoken(decided, event.atMs);
      return { row: { ...decided, status: 'QUEUED', wake_at: null }, effects: [createQueueEffect(0)] };
    }
    case 'wake':
      return toWoken(run, event.atMs);
    case 'reassign':
      if (run.worker_id !== event.workerId || (event.lease ?? run.lease) !== run.lease) return undefined;
      return {
        row: { ...run, worker_id: null, under_way: false, wake_at: null },
        effects: [createQueueEffect(0)],
      };
  }
}

function toClaimed(run: RunRow, workerId: string, atMs: number): RunRow {
  // While the run waited for a call, its clock kept running.
  const waitedMs = run.running_since === null ? 0 : Math.max(0, atMs - run.running_since.getTime());
  return {
    ...run,
    status: run.status === 'CANCELLING' ? 'CANCELLING' : 'RUNNING',
    lease: run.lease + 1,
    seq: run.seq + 1,
    worker_id: workerId,
    parked: false,
    under_way: true,
    running_ms: clampMs(run.running_ms + waitedMs),
    running_since: null,
    wake_at: null,
    started_at: run.started_at ?? new Date(atMs),
  };
}

function toSaved(run: RunRow, change: Omit<WorkerReport, 'lease'>, timing: PollTiming): Transition {
  const { steps, nodesDone } = change;
  const charges = steps.flatMap(({ nodeId, nodeType = null, credits, provider, payer }): Effect[] =>
    credits === undefined || !run.is_paid
      ? []
      : [
          {
            kind: 'charge',
            nodeId,
            nodeType,
            ...(provider === undefined ? {} : { provider: provider.name }),
            ...(payer?.credentialId == null ? {} : { credentialId: payer.credentialId }),
            total: credits,
          },
        ],
  );
  return {
    row: { ...run, seq: run.seq + steps.length, nodes_done: nodesDone },
    effects:
      steps.length === 0
        ? []
        : [
            { kind: 'save steps', steps },
            ...charges,
            ...toCallEffects(change, timing),
            ...toApprovalEffects(change),
          ],
  };
}

/** Returns the approvals that open, and those that end without a user's decision. A user's decision closes its approval. */
function toApprovalEffects({ steps, approvals = [] }: Omit<WorkerReport, 'lease'>): readonly Effect[] {
  const closeEffects = steps.flatMap(({ nodeId, status, approval }): Effect[] => {
    if (approval === undefined || !isSettled(status)) return [];
    const { decision } = approval;
    if (decision !== undefined && decision.by?.via !== 'timeout') return [];
    return [{ kind: 'close approval', nodeId, status: toUndecidedStatus(status, decision) }];
  });
  return approvals.length === 0 ? closeEffects : [{ kind: 'open approvals', approvals }, ...closeEffects];
}

function toUndecidedStatus(status: Step['status'], decision: Decision | undefined): UndecidedStatus {
  if (decision !== undefined) return decision.approved ? 'approved' : 'rejected';
  return status === 'CANCELLED' ? 'cancelled' : 'expired';
}

/** Returns the changes of provider calls. The last step of each node says which of its calls are active. */
function toCallEffects(
  { steps, timeoutAtMs }: Omit<WorkerReport, 'lease'>,
  timing: PollTiming,
): readonly Effect[] {
  const byNode = new Map<string, Effect>();
  for (const step of steps) {
    const { nodeId, provider, status, jobs = {} } = step;
    // Calls of cancelled nodes are cancelled when the run ends.
    if (provider === undefined || status === 'CANCELLED') continue;
    const tasks = isSettled(status) ? [] : Object.entries(jobs);
    byNode.set(nodeId, {
      kind: 'save calls',
      nodeId,
      calls: tasks.flatMap(([item, task]) => toNewCalls(Number(item), task, timeoutAtMs, timing)),
      endedItems: isSettled(status) ? null : listEndedItems(step),
    });
  }
  return [...byNode.values()];
}

function listEndedItems({ items = [], failures = {} }: Step): readonly number[] {
  return [...items.keys()].filter(index => items[index] !== null || failures[index] !== undefined);
}

/** Returns the row of the task, or none if the worker itself tracks the task. */
function toNewCalls(
  item: number,
  task: ProviderTask,
  timeoutAtMs: number,
  timing: PollTiming,
): readonly NewCall[] {
  const { id, submittedAtMs, deadlineAtMs, queued = false, slot = false } = task;
  if (submittedAtMs === undefined || deadlineAtMs === undefined) return [];
  // A task that is still being submitted gets a row only if it occupies a slot or uses a stored credential, whose value is
  // kept as long as a row refers to it.
  if (id === null && !queued && !slot && task.valueId === undefined) return [];
  const asks = task.asks ?? 0;
  const deadlineMs = Math.min(deadlineAtMs, timeoutAtMs);
  return [
    {
      item,
      provider: task.provider,
      credential_id: task.credentialId ?? null,
      value_id: task.valueId ?? null,
      model: task.model ?? null,
      job_id: id,
      state: task.state ?? null,
      token: task.token ?? null,
      asks,
      has_slot: !queued,
      credits: task.credits ?? 0,
      terms: task.terms ?? null,
      pool: task.pool ?? null,
      moves: task.moves ?? 0,
      submitted_at: new Date(submittedAtMs),
      // A call to ComfyUI that is being submitted would seem lost, and its server free. A worker that takes over polls it.
      due_at: new Date(
        id === null || (task.pool !== undefined && task.isSubmitting === true)
          ? deadlineMs
          : computeFirstPollMs(submittedAtMs, asks, task.usualMs, timing),
      ),
      deadline_at: new Date(deadlineMs),
    },
  ];
}

function toSuspended(
  saved: Transition,
  event: Extract<LifecycleEvent, { readonly kind: 'suspend' }>,
): Transition {
  const { row } = saved;
  const keepsDeadline = event.waitsFor === 'call';
  // A run that is being cancelled or was just woken continues immediately.
  const isDue = row.status === 'CANCELLING' || row.wake_at !== null;
  const wakeAtMs = isDue ? 0 : event.wakeAtMs;
  const change: Partial<RunState> = {
    status: row.status === 'CANCELLING' ? row.status : event.waitsFor === 'decision' ? 'WAITING' : 'RUNNING',
    running_ms: event.runningMs,
    running_since: keepsDeadline ? new Date(event.atMs) : null,
    wake_at: wakeAtMs === null ? null : new Date(wakeAtMs),
    under_way: keepsDeadline,
  };
  return toReleased(saved, change, wakeAtMs === null ? [] : [createQueueEffect(wakeAtMs)]);
}

function toWoken(run: RunRow, atMs: number): Transition {
  const row = { ...run, wake_at: new Date(atMs) };
  // A worker that holds the run notices the changed row before it releases the run.
  return {
    row,
    effects: [run.worker_id === null ? createQueueEffect(0) : { kind: 'notify worker of wake' }],
  };
}

function toEnded(saved: Transition, ending: Ending): Transition {
  const change = {
    status: ending.status,
    error: ending.error,
    running_ms: ending.runningMs,
    running_since: null,
    wake_at: null,
    under_way: false,
    finished_at: new Date(ending.atMs),
  };
  const effects: Effect[] = [];
  if (ending.delivery !== null) effects.push({ kind: 'deliver', delivery: ending.delivery });
  if (ending.digest) effects.push({ kind: 'save digest', digest: ending.digest });
  if (saved.row.is_paid) effects.push({ kind: 'release credits' });
  // A completed run has no active calls.
  if (ending.status !== 'COMPLETED') effects.push({ kind: 'cancel calls' });
  return toReleased(saved, change, effects);
}

/** Releases the lease: no worker executes the run anymore. */
function toReleased(
  { row, effects }: Transition,
  change: Partial<RunState>,
  releaseEffects: readonly Effect[],
): Transition {
  const nextRow = { ...row, parked: false, ...change, worker_id: null, seq: row.seq + 1 };
  const slotEffects: readonly Effect[] =
    row.under_way && !nextRow.under_way ? [{ kind: 'release slot' }] : [];
  return {
    row: { ...nextRow, running_ms: clampMs(nextRow.running_ms) },
    effects: [...effects, ...releaseEffects, ...slotEffects],
  };
}

function createQueueEffect(atMs: number): Effect {
  return { kind: 'queue', at: new Date(Math.max(0, atMs)) };
}

// About 23 days; below the maximum of the integer column.
const MAX_RUNNING_MS = 2_000_000_000;

function clampMs(ms: number): number {
  return Math.min(Math.max(0, Math.round(ms)), MAX_RUNNING_MS);
}
