// Commits all changes of runs in groups: events that arrive during one commit share the next. The commit includes
// their effects: steps, jobs, deliveries and credits.
import { createBatcher } from '../../lib/batcher.ts';
import type { Timing } from '../../lib/timing.ts';
import type { WakeTimers } from '../../lib/wake-timers.ts';
import { toTeamId } from '../../services/accounts/access.ts';
import { chargeRuns } from '../../services/credits/charge-runs.ts';
import { type ClosedRow, closeApprovals, openApprovals } from '../../store/approvals.ts';
import { recordAuditAlone, SERVICE_CALLER } from '../../store/audit/record-audit.ts';
import { cancelCalls, saveCalls } from '../../store/calls.ts';
import { lockPoolsOfRuns, type NodeCharge, releaseRuns } from '../../store/credits.ts';
import type { Db, Transaction, Tx } from '../../store/db.ts';
import { isOutage } from '../../store/db.ts';
import type { RunRow, RunWrite } from '../../store/runs.ts';
import {
  countActiveRuns,
  listRuns,
  lockClaimableRuns,
  lockRuns,
  parkRuns,
  writeRuns,
} from '../../store/runs.ts';
import { LargeWrites } from '../slots/large-writes.ts';
import { createWorkspaceSlots, selectClaimable } from '../slots/policy.ts';
import type { AcceptResult, RunToAccept } from './accept-group.ts';
import { acceptGroup } from './accept-group.ts';
import type { Effect, LifecycleEvent, Transition } from './lifecycle.ts';
import { transition } from './lifecycle.ts';

export interface Claimant {
  /** The worker's id. The id may change, so it is read when the statement is sent. */
  readonly workerId: string;
  /** Lists workspaces whose runs the worker does not claim for now. */
  listSaturated(): readonly string[];
}

/** Returns the event for a locked run. Called again in a new transaction if another run of the group fails. */
export type DecideEvent = (
  run: RunRow,
  tx: Transaction,
) => Promise<LifecycleEvent | undefined> | LifecycleEvent | undefined;

export interface RunCommit {
  accept(run: RunToAccept): Promise<AcceptResult>;
  /** Claims the run. Returns undefined if the run has ended or was parked, or if a live worker holds the lease. */
  claim(id: string, claimant: Claimant): Promise<RunRow | undefined>;
  /**
   * Applies an event. Returns the new row, or undefined if the event no longer applies. A run must have at most one
   * event in flight. `recordedBytes`: the size of what the run has recorded so far.
   */
  write(run: RunRow, event: LifecycleEvent, recordedBytes?: number): Promise<RunRow | undefined>;
  /**
   * Changes runs that this process does not execute: locks each run and applies the event that `decideEvent` returns.
   */
  change(ids: readonly string[], decideEvent: DecideEvent): Promise<readonly RunRow[]>;
  /** The number of runs that writes of this process have ended, by status. */
  readonly endedCounts: ReadonlyMap<string, number>;
}

// Larger groups gain no throughput and make every member wait longer.
const GROUP = { maxItems: 200, concurrency: 1, isItemFault: (err: unknown) => !isOutage(err) } as const;
// Runs that have recorded more than this are written separately, so that they do not delay other runs.
const MAX_SHARED_BYTES = 256_000;
// How many times an event is applied to a row that other writers change in the meantime. A row that changes more often
// no longer belongs to this worker.
const MAX_TRIES = 5;

export interface CommitOptions {
  readonly db: Db;
  readonly timing: Timing;
  /** The limit for active runs per workspace. */
  readonly maxConcurrent: number;
  readonly timers: WakeTimers<'runs' | 'background'>;
}

export function createRunCommit({ db, timing, maxConcurrent, timers }: CommitOptions): RunCommit {
  // Accepting and claiming both check and increase the number of a workspace's active runs, so they must not overlap.
  const serialize = createSerializer();
  const endedCounts = new Map<string, number>();
  const onWritten = (row: RunRow, effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'queue') timers.set('runs', effect.at.getTime());
      if (effect.kind === 'deliver' || effect.kind === 'open approvals') timers.wake('background');
    }
    // The commit has queued a job for the run's origin.
    if (row.finished_at !== null && row.origin_id !== null) timers.wake('background');
    if (row.finished_at !== null) endedCounts.set(row.status, (endedCounts.get(row.status) ?? 0) + 1);
  };
  const accept = createBatcher<RunToAccept, AcceptResult>(
    items => serialize(() => acceptGroup(db, items, maxConcurrent)),
    GROUP,
  );
  const claim = createBatcher<{ id: string; claimant: Claimant }, RunRow | undefined>(
    claims => serialize(() => claimGroup(db, claims, { maxConcurrent, timing })),
    GROUP,
  );
  const writeChanges = (changes: readonly RunChange[]) => writeGroup(db, timing, changes, onWritten);
  const write = createBatcher(writeChanges, GROUP);
  const writeLarge = createBatcher(writeChanges, { ...GROUP, maxItems: 1 });
  const largeWrites = new LargeWrites();
  const change = createBatcher<RequestedChange, RunRow | undefined>(
    changes => db.transaction(tx => changeGroup(tx, timing, changes, onWritten)),
    GROUP,
  );
  return {
    accept,
    claim: (id, claimant) => claim({ id, claimant }),
    write: (run, event, recordedBytes = 0) => {
      largeWrites.record(run.workspace);
      if (recordedBytes <= MAX_SHARED_BYTES) return write({ run, event });
      return largeWrites.perform(run.workspace, () => writeLarge({ run, event }));
    },
    change: async (ids, decideEvent) => {
      const rows = await Promise.all(ids.map(id => change({ id, decideEvent })));
      return rows.filter(row => row !== undefined);
    },
    endedCounts,
  };
}

interface RunChange {
  readonly run: RunRow;
  readonly event: LifecycleEvent;
}

type OnWritten = (row: RunRow, effects: readonly Effect[]) => void;

async function claimGroup(
  db: Db,
  claims: readonly { readonly id: string; readonly claimant: Claimant }[],
  { maxConcurrent, timing }: Pick<CommitOptions, 'maxConcurrent' | 'timing'>,
): Promise<readonly (RunRow | undefined)[]> {
  // A process has one worker, so a group has one claimant.
  const claimant = claims[0]?.claimant;
  if (claimant === undefined) return [];
  return db.transaction(async tx => {
    const ids = claims.map(({ id }) => id);
    const runs = await lockClaimableRuns(tx, ids, timing.takeoverMs);
    const workspaces = new Set(runs.filter(run => !run.under_way).map(({ workspace }) => workspace));
    const loads = workspaces.size === 0 ? [] : await countActiveRuns(tx, [...workspaces], maxConcurrent);
    const admittedIds = selectClaimable(
      runs,
      createWorkspaceSlots(loads, maxConcurrent),
      claimant.listSaturated(),
    );
    const idsToPark = runs.filter(({ id }) => !admittedIds.has(id)).map(({ id }) => id);
    if (idsToPark.length > 0) await parkRuns(tx, idsToPark);
    const event = { kind: 'claim', workerId: claimant.workerId, atMs: Date.now() } as const;
    const claimedChanges = runs.filter(({ id }) => admittedIds.has(id)).map(run => ({ run, event }));
    const rows = new Map(
      (await applyLocked(tx, timing, claimedChanges, () => undefined)).map(row => [row?.id, row]),
    );
    return claims.map(({ id }) => {
      const row = rows.get(id);
      // A run that was claimed twice in one group is returned once.
      rows.delete(id);
      return row;
    });
  });
}

interface RequestedChange {
  readonly id: string;
  readonly decideEvent: DecideEvent;
}

/** Applies the changes in order. Each change of a run sees the row as the previous change left it. */
async function changeGroup(
  tx: Transaction,
  timing: Timing,
  requestedChanges: readonly RequestedChange[],
  onWritten: OnWritten,
): Promise<readonly (RunRow | undefined)[]> {
  const results: (RunRow | undefined)[] = requestedChanges.map(() => undefined);
  let remainingChanges = [...requestedChanges.entries()];
  while (remainingChanges.length > 0) {
    // The first remaining change of each run.
    const nextByRun = new Map(remainingChanges.toReversed().map(entry => [entry[1].id, entry]));
    const changes: RunChange[] = [];
    for (const run of await lockRuns(tx, [...nextByRun.keys()])) {
      const event = await nextByRun.get(run.id)?.[1].decideEvent(run, tx);
      if (event !== undefined) changes.push({ run, event });
    }
    for (const row of await applyLocked(tx, timing, changes, onWritten)) {
      const position = nextByRun.get(row?.id ?? '')?.[0];
      if (position !== undefined) results[position] = row;
    }
    remainingChanges = remainingChanges.filter(entry => nextByRun.get(entry[1].id) !== entry);
  }
  return results;
}

/**
 * Writes the changes. If another writer changed a row first (such as a cancel), reads the row and applies the event
 * again.
 */
async function writeGroup(
  db: Db,
  timing: Timing,
  changes: readonly RunChange[],
  onWritten: OnWritten,
): Promise<readonly (RunRow | undefined)[]> {
  const results = new Map<string, RunRow | undefined>();
  let remainingChanges = changes;
  for (let tries = 0; remainingChanges.length > 0 && tries < MAX_TRIES; tries++) {
    const appliedEvents = remainingChanges.flatMap(change => applyEvent(change, timing));
    const writtenIds = await writeTransitions(db, appliedEvents);
    for (const { transition, before } of appliedEvents) {
      if (!writtenIds.has(before.id)) continue;
      onWritten(transition.row, transition.effects);
      results.set(before.id, transition.row);
    }
    const appliedIds = new Set(appliedEvents.map(({ before }) => before.id));
    const outdatedChanges = remainingChanges.filter(
      ({ run }) => appliedIds.has(run.id) && !writtenIds.has(run.id),
    );
    if (outdatedChanges.length === 0) break;
    const ids = outdatedChanges.map(({ run }) => run.id);
    const currentRows = new Map((await listRuns(db, ids)).map(run => [run.id, run]));
    remainingChanges = outdatedChanges.flatMap(({ run, event }) => {
      const current = currentRows.get(run.id);
      return current === undefined ? [] : [{ run: current, event }];
    });
  }
  return changes.map(({ run }) => results.get(run.id));
}

/** Applies the same event to runs whose rows are locked. The caller sets the timers. */
export async function applyToLocked(
  tx: Tx,
  timing: Timing,
  runs: readonly RunRow[],
  event: LifecycleEvent,
): Promise<void> {
  const changes = runs.map(run => ({ run, event }));
  await applyLocked(tx, timing, changes, () => undefined);
}

/** Applies events to runs whose rows are locked. */
async function applyLocked(
  tx: Tx,
  timing: Timing,
  changes: readonly RunChange[],
  onWritten: OnWritten,
): Promise<readonly (RunRow | undefined)[]> {
  const appliedEvents = changes.flatMap(change => applyEvent(change, timing));
  if (appliedEvents.length === 0) return [];
  const writtenIds = await writeTransitionsIn(tx, appliedEvents);
  return appliedEvents
    .filter(({ before }) => writtenIds.has(before.id))
    .map(({ transition }) => {
      onWritten(transition.row, transition.effects);
      return transition.row;
    });
}

interface AppliedEvent {
  readonly before: RunRow;
  readonly transition: Transition;
}

function applyEvent({ run, event }: RunChange, timing: Timing): readonly AppliedEvent[] {
  const result = transition(run, event, timing);
  return result === undefined ? [] : [{ before: run, transition: result }];
}

/** Uses one statement if neither credits, calls nor approvals change, otherwise one transaction for the whole group. */
function writeTransitions(db: Db, events: readonly AppliedEvent[]): Promise<ReadonlySet<string>> {
  if (events.length === 0) return Promise.resolve(new Set());
  return events.some(event => changesCredits(event) || changesCalls(event) || changesApprovals(event))
    ? db.transaction(tx => writeTransitionsIn(tx, events))
    : writeTransitionsIn(db, events);
}

/** Returns whether the transition has an effect of one of these kinds. */
function hasEffect({ effects }: Transition, ...kinds: readonly Effect['kind'][]): boolean {
  return effects.some(({ kind }) => kinds.includes(kind));
}

const changesCredits = ({ transition }: AppliedEvent): boolean =>
  hasEffect(transition, 'charge', 'release credits');
const changesCalls = ({ transition }: AppliedEvent): boolean =>
  hasEffect(transition, 'save calls', 'cancel calls');
const changesApprovals = ({ transition }: AppliedEvent): boolean =>
  hasEffect(transition, 'open approvals', 'close approval');

async function writeTransitionsIn(tx: Tx, events: readonly AppliedEvent[]): Promise<ReadonlySet<string>> {
  const writtenIds = await writeRuns(tx, events.map(toRunWrite));
  const callEvents = events.filter(event => writtenIds.has(event.before.id) && changesCalls(event));
  if (callEvents.length > 0) await writeCalls(tx, callEvents);
  const approvalEvents = events.filter(event => writtenIds.has(event.before.id) && changesApprovals(event));
  if (approvalEvents.length > 0) await writeApprovals(tx, approvalEvents);
  // Credits come after calls, because active calls keep their reservations. If the row belongs to another worker, that
  // worker charges.
  const creditEvents = events.filter(event => writtenIds.has(event.before.id) && changesCredits(event));
  if (creditEvents.length > 0) await writeCredits(tx, creditEvents);
  return writtenIds;
}

async function writeCalls(tx: Tx, events: readonly AppliedEvent[]): Promise<void> {
  const nodes = events.flatMap(({ before: { id, workspace }, transition }) =>
    transition.effects
      .filter(effect => effect.kind === 'save calls')
      .map(({ nodeId, calls, endedItems }) => ({
        execution_id: id,
        workspace,
        node_id: nodeId,
        calls,
        ended_items: endedItems,
      })),
  );
  const endedIds = events
    .filter(({ transition }) => hasEffect(transition, 'cancel calls'))
    .map(({ before }) => before.id);
  if (nodes.length > 0) await saveCalls(tx, nodes);
  if (endedIds.length > 0) await cancelCalls(tx, endedIds);
}

async function writeApprovals(tx: Tx, events: readonly AppliedEvent[]): Promise<void> {
  const opened = events.flatMap(({ transition }) =>
    transition.effects.flatMap(effect => (effect.kind === 'open approvals' ? effect.approvals : [])),
  );
  const closed = events.flatMap(({ before, transition }) =>
    transition.effects.flatMap(effect =>
      effect.kind === 'close approval'
        ? [{ execution_id: before.id, node_id: effect.nodeId, status: effect.status }]
        : [],
    ),
  );
  if (opened.length > 0) await openApprovals(tx, opened);
  for (const approval of closed.length > 0 ? await closeApprovals(tx, closed) : [])
    await recordTimeoutDecision(tx, approval);
}

/** Records a decision that a node made after its time, in the transaction of the change. */
async function recordTimeoutDecision(tx: Tx, { id, label, workspace, status }: ClosedRow): Promise<void> {
  if (status !== 'approved' && status !== 'rejected') return;
  await recordAuditAlone(tx, SERVICE_CALLER, {
    action: 'approval.decided',
    target: id,
    name: label,
    teamId: toTeamId(workspace),
    after: { decision: status, via: 'timeout' },
  });
}

function toRunWrite({ before, transition }: AppliedEvent): RunWrite {
  const { row, effects } = transition;
  return {
    before,
    row,
    steps: effects.flatMap(effect => (effect.kind === 'save steps' ? effect.steps : [])),
    delivery: effects.find(effect => effect.kind === 'deliver')?.delivery ?? null,
    digest: effects.find(effect => effect.kind === 'save digest')?.digest ?? null,
    job_at: effects.find(effect => effect.kind === 'queue')?.at ?? null,
    frees_slot: hasEffect(transition, 'release slot'),
    notifies_cancel: hasEffect(transition, 'notify worker of cancel'),
    notifies_wake: hasEffect(transition, 'notify worker of wake'),
  };
}

async function writeCredits(tx: Tx, events: readonly AppliedEvent[]): Promise<void> {
  await lockPoolsOfRuns(
    tx,
    events.map(({ before }) => before.id),
  );
  const totals = new Map<string, NodeCharge>();
  const endedIds: string[] = [];
  for (const { before, transition } of events) {
    for (const effect of transition.effects) {
      if (effect.kind === 'release credits') endedIds.push(before.id);
      if (effect.kind !== 'charge') continue;
      const { kind: _, ...charge } = effect;
      // Totals are cumulative, so the last one counts.
      totals.set(`${before.id} ${charge.nodeId}`, { executionId: before.id, ...charge });
    }
  }
  if (totals.size > 0) await chargeRuns(tx, [...totals.values()]);
  if (endedIds.length > 0) await releaseRuns(tx, endedIds);
}

/** Returns a function that runs async functions one at a time, in order. */
function createSerializer(): <T>(work: () => Promise<T>) => Promise<T> {
  let previous: Promise<unknown> = Promise.resolve();
  return work => {
    const current = previous.then(work);
    previous = current.catch(() => undefined);
    return current;
  };
}
