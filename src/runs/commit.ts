// Writes all changes of runs. Events that arrive during a commit share the next one, which also writes what follows
// from them: node states, jobs, deliveries, credits.
import { createBatcher } from '../lib/batch.ts';
import type { WakeTimers } from '../lib/wake-timers.ts';
import { cancelCalls, saveCalls } from '../store/calls.ts';
import { chargeNodes, lockPools, type NodeCharge, releaseRuns } from '../store/credits.ts';
import type { Db, Tx } from '../store/db.ts';
import { isOutage } from '../store/db.ts';
import type { RunRow, RunWrite } from '../store/runs.ts';
import { countUnderWay, deferRuns, findRuns, lockClaimableRuns, lockRuns, writeRuns } from '../store/runs.ts';
import type { Accepted, NewAcceptance } from './accept-batch.ts';
import { acceptBatch } from './accept-batch.ts';
import type { Effect, RunEvent, Transition } from './lifecycle.ts';
import { transition } from './lifecycle.ts';
import { admitClaims, createAdmission } from './policy.ts';

export interface Claimant {
  /** Read when the statement is sent. */
  readonly workerId: string;
  /** Workspaces whose runs the worker does not claim for now. */
  saturated(): readonly string[];
}

/** Decides the event for a locked run. Called again in another transaction if another run of the batch failed. */
export type EventOf = (run: RunRow, tx: Tx) => Promise<RunEvent | undefined> | RunEvent | undefined;

export interface RunCommit {
  accept(acceptance: NewAcceptance): Promise<Accepted>;
  /** Returns undefined if the run has ended, a live worker holds its lease, or it was deferred. */
  claim(id: string, claimant: Claimant): Promise<RunRow | undefined>;
  /**
   * Applies an event. Returns the new row, or undefined if the event no longer applies. A run must have at most one
   * event in flight. `recordedBytes`: the size of what the run has recorded so far.
   */
  write(run: RunRow, event: RunEvent, recordedBytes?: number): Promise<RunRow | undefined>;
  /** Changes runs that this process does not execute: locks each run and asks `eventOf` for the event. */
  change(ids: readonly string[], eventOf: EventOf): Promise<readonly RunRow[]>;
  /** Runs that ended by writes of this process, by status. */
  readonly finished: ReadonlyMap<string, number>;
}

// Larger batches gain no throughput and make every member wait longer.
const BATCH = { maxItems: 200, concurrency: 1, isItemFault: (err: unknown) => !isOutage(err) } as const;
// Runs that have recorded more than this are written alone, so that they delay no others.
const MAX_SHARED_BYTES = 256_000;
// A changed row is read again up to this often. A row that changes more often no longer belongs to this worker.
const MAX_TRIES = 5;

export interface CommitOptions {
  readonly db: Db;
  /** The limit for active runs per workspace. */
  readonly maxConcurrent: number;
  readonly timers: WakeTimers<'runs' | 'deliveries'>;
}

export function createRunCommit({ db, maxConcurrent, timers }: CommitOptions): RunCommit {
  // Both count a workspace's runs and add to them. They run one after the other, because together they would exceed the
  // limit.
  const serialize = createSerializer();
  const finished = new Map<string, number>();
  const onWritten = (row: RunRow, effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'queue') timers.set('runs', effect.at.getTime());
      if (effect.kind === 'deliver') timers.set('deliveries', 0);
    }
    if (row.finished_at !== null) finished.set(row.status, (finished.get(row.status) ?? 0) + 1);
  };
  const accept = createBatcher<NewAcceptance, Accepted>(
    items => serialize(() => acceptBatch(db, items, maxConcurrent)),
    BATCH,
  );
  const claim = createBatcher<{ id: string; claimant: Claimant }, RunRow | undefined>(
    claims => serialize(() => claimBatch(db, claims, maxConcurrent)),
    BATCH,
  );
  const write = createBatcher<RunChange, RunRow | undefined>(
    changes => writeBatch(db, changes, onWritten),
    BATCH,
  );
  const writeLarge = createBatcher<RunChange, RunRow | undefined>(
    changes => writeBatch(db, changes, onWritten),
    {
      ...BATCH,
      maxItems: 1,
    },
  );
  const change = createBatcher<RequestedChange, RunRow | undefined>(
    requested => db.transaction(tx => changeBatch(tx, requested, onWritten)),
    BATCH,
  );
  return {
    accept,
    claim: (id, claimant) => claim({ id, claimant }),
    write: (run, event, recordedBytes = 0) =>
      (recordedBytes > MAX_SHARED_BYTES ? writeLarge : write)({ run, event }),
    change: async (ids, eventOf) => {
      const rows = await Promise.all(ids.map(id => change({ id, eventOf })));
      return rows.filter(row => row !== undefined);
    },
    finished,
  };
}

interface RunChange {
  readonly run: RunRow;
  readonly event: RunEvent;
}

type OnWritten = (row: RunRow, effects: readonly Effect[]) => void;

async function claimBatch(
  db: Db,
  claims: readonly { readonly id: string; readonly claimant: Claimant }[],
  maxConcurrent: number,
): Promise<readonly (RunRow | undefined)[]> {
  // A process has one worker, so a batch has one claimant.
  const claimant = claims[0]?.claimant;
  if (claimant === undefined) return [];
  return db.transaction(async tx => {
    const ids = claims.map(({ id }) => id);
    const runs = await lockClaimableRuns(tx, ids);
    const workspaces = new Set(runs.filter(run => !run.under_way).map(({ workspace }) => workspace));
    const loads = workspaces.size === 0 ? [] : await countUnderWay(tx, [...workspaces], maxConcurrent);
    const admitted = admitClaims(runs, createAdmission(loads, maxConcurrent), claimant.saturated());
    const deferred = runs.filter(({ id }) => !admitted.has(id)).map(({ id }) => id);
    if (deferred.length > 0) await deferRuns(tx, deferred);
    const event = { kind: 'claim', workerId: claimant.workerId, atMs: Date.now() } as const;
    const claimedChanges = runs.filter(({ id }) => admitted.has(id)).map(run => ({ run, event }));
    const rows = new Map((await applyLocked(tx, claimedChanges, () => undefined)).map(row => [row?.id, row]));
    return claims.map(({ id }) => {
      const row = rows.get(id);
      // A run that was claimed twice in one batch is returned once.
      rows.delete(id);
      return row;
    });
  });
}

interface RequestedChange {
  readonly id: string;
  readonly eventOf: EventOf;
}

/** Applies the changes in order. Several changes of the same run each see the row that the previous one left. */
async function changeBatch(
  tx: Tx,
  requested: readonly RequestedChange[],
  onWritten: OnWritten,
): Promise<readonly (RunRow | undefined)[]> {
  const results: (RunRow | undefined)[] = requested.map(() => undefined);
  let open = [...requested.entries()];
  while (open.length > 0) {
    const firsts = new Map(open.toReversed().map(entry => [entry[1].id, entry]));
    const changes: RunChange[] = [];
    for (const run of await lockRuns(tx, [...firsts.keys()])) {
      const event = await firsts.get(run.id)?.[1].eventOf(run, tx);
      if (event !== undefined) changes.push({ run, event });
    }
    for (const row of await applyLocked(tx, changes, onWritten)) {
      const place = firsts.get(row?.id ?? '')?.[0];
      if (place !== undefined) results[place] = row;
    }
    open = open.filter(entry => firsts.get(entry[1].id) !== entry);
  }
  return results;
}

/**
 * Writes the changes. If another writer was faster (a cancel, a call that ended), reads the row and applies the event
 * again.
 */
async function writeBatch(
  db: Db,
  changes: readonly RunChange[],
  onWritten: OnWritten,
): Promise<readonly (RunRow | undefined)[]> {
  const results = new Map<string, RunRow | undefined>();
  let open = changes;
  for (let tries = 0; open.length > 0 && tries < MAX_TRIES; tries++) {
    const applied = open.flatMap(applyEvent);
    const written = await writeTransitions(db, applied);
    for (const { next, before } of applied) {
      if (!written.has(before.id)) continue;
      onWritten(next.row, next.effects);
      results.set(before.id, next.row);
    }
    const moved = new Set(applied.map(({ before }) => before.id));
    const missed = open.filter(({ run }) => moved.has(run.id) && !written.has(run.id));
    if (missed.length === 0) break;
    const ids = missed.map(({ run }) => run.id);
    const fresh = new Map((await findRuns(db, ids)).map(run => [run.id, run]));
    open = missed.flatMap(({ run, event }) => {
      const now = fresh.get(run.id);
      return now === undefined ? [] : [{ run: now, event }];
    });
  }
  return changes.map(({ run }) => results.get(run.id));
}

/** Applies the same event to runs whose rows are locked. The caller sets the timers. */
export async function applyToLocked(tx: Tx, runs: readonly RunRow[], event: RunEvent): Promise<void> {
  const changes = runs.map(run => ({ run, event }));
  await applyLocked(tx, changes, () => undefined);
}

/** Applies events to runs whose rows are locked. */
async function applyLocked(
  tx: Tx,
  changes: readonly RunChange[],
  onWritten: OnWritten,
): Promise<readonly (RunRow | undefined)[]> {
  const applied = changes.flatMap(applyEvent);
  if (applied.length === 0) return [];
  const written = await writeTransitionsIn(tx, applied);
  return applied
    .filter(({ before }) => written.has(before.id))
    .map(({ next }) => {
      onWritten(next.row, next.effects);
      return next.row;
    });
}

interface AppliedEvent {
  readonly before: RunRow;
  readonly next: Transition;
}

function applyEvent({ run, event }: RunChange): readonly AppliedEvent[] {
  const next = transition(run, event);
  return next === undefined ? [] : [{ before: run, next }];
}

/** Uses one statement if neither credits nor calls change, otherwise one transaction for the whole batch. */
function writeTransitions(db: Db, applied: readonly AppliedEvent[]): Promise<ReadonlySet<string>> {
  if (applied.length === 0) return Promise.resolve(new Set());
  return applied.some(one => changesCredits(one) || changesCalls(one))
    ? db.transaction(tx => writeTransitionsIn(tx, applied))
    : writeTransitionsIn(db, applied);
}

/** Whether the transition has an effect of one of these kinds. */
function has({ effects }: Transition, ...kinds: readonly Effect['kind'][]): boolean {
  return effects.some(({ kind }) => kinds.includes(kind));
}

const changesCredits = ({ next }: AppliedEvent): boolean => has(next, 'charge', 'release credits');
const changesCalls = ({ next }: AppliedEvent): boolean => has(next, 'save calls', 'cancel calls');

async function writeTransitionsIn(tx: Tx, applied: readonly AppliedEvent[]): Promise<ReadonlySet<string>> {
  const written = await writeRuns(tx, applied.map(toWrite));
  const calling = applied.filter(one => written.has(one.before.id) && changesCalls(one));
  if (calling.length > 0) await writeCalls(tx, calling);
  // Credits come after calls, because active calls keep their reservations. If the row belongs to another worker, that
  // worker charges.
  const paid = applied.filter(one => written.has(one.before.id) && changesCredits(one));
  if (paid.length > 0) await writeCredits(tx, paid);
  return written;
}

async function writeCalls(tx: Tx, applied: readonly AppliedEvent[]): Promise<void> {
  const nodes = applied.flatMap(({ before: { id, workspace }, next }) =>
    next.effects
      .filter(effect => effect.kind === 'save calls')
      .map(({ nodeId, calls, over }) => ({ execution_id: id, workspace, node_id: nodeId, calls, over })),
  );
  const ended = applied.filter(({ next }) => has(next, 'cancel calls')).map(({ before }) => before.id);
  if (nodes.length > 0) await saveCalls(tx, nodes);
  if (ended.length > 0) await cancelCalls(tx, ended);
}

function toWrite({ before, next }: AppliedEvent): RunWrite {
  const { row, effects } = next;
  return {
    before,
    row,
    steps: effects.flatMap(effect => (effect.kind === 'save steps' ? effect.steps : [])),
    delivery: effects.find(effect => effect.kind === 'deliver')?.delivery ?? null,
    job_at: effects.find(effect => effect.kind === 'queue')?.at ?? null,
    frees: has(next, 'release slot'),
    cancels: has(next, 'notify worker of cancel'),
    wakes: has(next, 'notify worker of wake'),
  };
}

async function writeCredits(tx: Tx, applied: readonly AppliedEvent[]): Promise<void> {
  await lockPools(tx, [...new Set(applied.map(({ before }) => before.workspace))]);
  const totals = new Map<string, NodeCharge>();
  const ended: string[] = [];
  for (const { before, next } of applied) {
    for (const effect of next.effects) {
      if (effect.kind === 'release credits') ended.push(before.id);
      if (effect.kind !== 'charge') continue;
      const { nodeId, nodeType, total } = effect;
      // The last total of a node is its cost.
      totals.set(`${before.id} ${nodeId}`, { executionId: before.id, nodeId, nodeType, total });
    }
  }
  if (totals.size > 0) await chargeNodes(tx, [...totals.values()]);
  if (ended.length > 0) await releaseRuns(tx, ended);
}

/** Runs one piece of work at a time. */
function createSerializer(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
