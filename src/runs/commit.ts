// The one writer of runs: events that arrive while a commit is under way share the next, and with each new row commits
// what follows: node states, jobs, deliveries, credits.
import { createBatcher } from '../lib/batch.ts';
import type { WakeTimers } from '../lib/wake-timers.ts';
import { cancelCalls, keepCalls } from '../store/calls.ts';
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
  /** As it is when the statement is sent. */
  readonly workerId: string;
  /** Workspaces that the worker takes no more runs of for now. */
  saturated(): readonly string[];
}

/** What happens to a run that is locked. Asked again, in another transaction, where one of its neighbours failed. */
export type EventOf = (run: RunRow, tx: Tx) => Promise<RunEvent | undefined> | RunEvent | undefined;

export interface RunCommit {
  accept(acceptance: NewAcceptance): Promise<Accepted>;
  /** undefined: the run has ended, a live worker has its lease, or it was deferred. */
  claim(id: string, claimant: Claimant): Promise<RunRow | undefined>;
  /**
   * The run as it is then; undefined: the event no longer concerns it. At most one event of a run at a time.
   * `recordedBytes`: what the run has recorded so far.
   */
  write(run: RunRow, event: RunEvent, recordedBytes?: number): Promise<RunRow | undefined>;
  /** The same for runs that this process does not execute: each is read and locked, and `eventOf` says what happens to it. */
  change(ids: readonly string[], eventOf: EventOf): Promise<readonly RunRow[]>;
  /** Runs that ended by writes of this process, by status. */
  readonly finished: ReadonlyMap<string, number>;
}

// Larger batches no longer gain throughput and make every member wait longer.
const BATCH = { maxItems: 200, concurrency: 1, isItemFault: (err: unknown) => !isOutage(err) } as const;
// What a run has recorded that shares its writes with others. Larger ones are written one at a time, and keep no other waiting.
const MAX_SHARED_BYTES = 256_000;
// A row that has changed meanwhile is read again; who changes it more often than this has lost its worker long since.
const MAX_TRIES = 5;

export interface CommitOptions {
  readonly db: Db;
  /** A workspace's runs under way at once. */
  readonly maxConcurrent: number;
  readonly timers: WakeTimers<'runs' | 'deliveries'>;
}

export function createRunCommit({ db, maxConcurrent, timers }: CommitOptions): RunCommit {
  // Both count a workspace's runs and add to them: one after the other, or together they would pass its number.
  const takeTurn = createTurns();
  const finished = new Map<string, number>();
  const note = (row: RunRow, effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'queue') timers.set('runs', effect.at.getTime());
      if (effect.kind === 'deliver') timers.set('deliveries', 0);
    }
    if (row.finished_at !== null) finished.set(row.status, (finished.get(row.status) ?? 0) + 1);
  };
  const accept = createBatcher<NewAcceptance, Accepted>(
    items => takeTurn(() => acceptBatch(db, items, maxConcurrent)),
    BATCH,
  );
  const claim = createBatcher<{ id: string; claimant: Claimant }, RunRow | undefined>(
    claims => takeTurn(() => claimBatch(db, claims, maxConcurrent)),
    BATCH,
  );
  const write = createBatcher<RunChange, RunRow | undefined>(changes => writeBatch(db, changes, note), BATCH);
  const writeLarge = createBatcher<RunChange, RunRow | undefined>(changes => writeBatch(db, changes, note), {
    ...BATCH,
    maxItems: 1,
  });
  const change = createBatcher<AskedChange, RunRow | undefined>(
    asked => db.transaction(tx => changeBatch(tx, asked, note)),
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

type Note = (row: RunRow, effects: readonly Effect[]) => void;

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
    const taken = runs.filter(({ id }) => admitted.has(id)).map(run => ({ run, event }));
    const rows = new Map((await applyAll(tx, taken, () => undefined)).map(row => [row?.id, row]));
    return claims.map(({ id }) => {
      const row = rows.get(id);
      // The same run asked for twice in one batch is given once.
      rows.delete(id);
      return row;
    });
  });
}

interface AskedChange {
  readonly id: string;
  readonly eventOf: EventOf;
}

/** Each as its run then is: what is asked twice of a run happens in the order of asking. */
async function changeBatch(
  tx: Tx,
  asked: readonly AskedChange[],
  note: Note,
): Promise<readonly (RunRow | undefined)[]> {
  const results: (RunRow | undefined)[] = asked.map(() => undefined);
  let open = [...asked.entries()];
  while (open.length > 0) {
    const firsts = new Map(open.toReversed().map(entry => [entry[1].id, entry]));
    const changes: RunChange[] = [];
    for (const run of await lockRuns(tx, [...firsts.keys()])) {
      const event = await firsts.get(run.id)?.[1].eventOf(run, tx);
      if (event !== undefined) changes.push({ run, event });
    }
    for (const row of await applyAll(tx, changes, note)) {
      const place = firsts.get(row?.id ?? '')?.[0];
      if (place !== undefined) results[place] = row;
    }
    open = open.filter(entry => firsts.get(entry[1].id) !== entry);
  }
  return results;
}

/** Tried again with the rows as they are, where somebody else was faster: a cancel, a call that ended. */
async function writeBatch(
  db: Db,
  changes: readonly RunChange[],
  note: Note,
): Promise<readonly (RunRow | undefined)[]> {
  const results = new Map<string, RunRow | undefined>();
  let open = changes;
  for (let tries = 0; open.length > 0 && tries < MAX_TRIES; tries++) {
    const moves = open.flatMap(move);
    const written = await store(db, moves);
    for (const { next, before } of moves) {
      if (!written.has(before.id)) continue;
      note(next.row, next.effects);
      results.set(before.id, next.row);
    }
    const moved = new Set(moves.map(({ before }) => before.id));
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

/** The same event for runs whose rows are locked; timers are the caller's to set. */
export async function applyToAll(tx: Tx, runs: readonly RunRow[], event: RunEvent): Promise<void> {
  const changes = runs.map(run => ({ run, event }));
  await applyAll(tx, changes, () => undefined);
}

/** For rows that are locked: what is decided is written. */
async function applyAll(
  tx: Tx,
  changes: readonly RunChange[],
  note: Note,
): Promise<readonly (RunRow | undefined)[]> {
  const moves = changes.flatMap(move);
  if (moves.length === 0) return [];
  const written = await storeIn(tx, moves);
  return moves
    .filter(({ before }) => written.has(before.id))
    .map(({ next }) => {
      note(next.row, next.effects);
      return next.row;
    });
}

interface Move {
  readonly before: RunRow;
  readonly next: Transition;
}

function move({ run, event }: RunChange): readonly Move[] {
  const next = transition(run, event);
  return next === undefined ? [] : [{ before: run, next }];
}

/** One statement where neither credits nor calls change, else one transaction; the same for all runs of a batch. */
function store(db: Db, moves: readonly Move[]): Promise<ReadonlySet<string>> {
  if (moves.length === 0) return Promise.resolve(new Set());
  return moves.some(one => movesCredits(one) || movesCalls(one))
    ? db.transaction(tx => storeIn(tx, moves))
    : storeIn(db, moves);
}

/** Whether one of these comes of it. */
function has({ effects }: Transition, ...kinds: readonly Effect['kind'][]): boolean {
  return effects.some(({ kind }) => kinds.includes(kind));
}

const movesCredits = ({ next }: Move): boolean => has(next, 'charge', 'release credits');
const movesCalls = ({ next }: Move): boolean => has(next, 'keep calls', 'cancel calls');

async function storeIn(tx: Tx, moves: readonly Move[]): Promise<ReadonlySet<string>> {
  const written = await writeRuns(tx, moves.map(toWrite));
  const calling = moves.filter(one => written.has(one.before.id) && movesCalls(one));
  if (calling.length > 0) await moveCalls(tx, calling);
  // Of a run that another worker executes, that worker charges what it writes. After the calls, which say what stays reserved.
  const paid = moves.filter(one => written.has(one.before.id) && movesCredits(one));
  if (paid.length > 0) await moveCredits(tx, paid);
  return written;
}

async function moveCalls(tx: Tx, moves: readonly Move[]): Promise<void> {
  const nodes = moves.flatMap(({ before: { id, workspace }, next }) =>
    next.effects
      .filter(effect => effect.kind === 'keep calls')
      .map(({ nodeId, calls, over }) => ({ execution_id: id, workspace, node_id: nodeId, calls, over })),
  );
  const ended = moves.filter(({ next }) => has(next, 'cancel calls')).map(({ before }) => before.id);
  if (nodes.length > 0) await keepCalls(tx, nodes);
  if (ended.length > 0) await cancelCalls(tx, ended);
}

function toWrite({ before, next }: Move): RunWrite {
  const { row, effects } = next;
  return {
    before,
    row,
    steps: effects.flatMap(effect => (effect.kind === 'keep steps' ? effect.steps : [])),
    delivery: effects.find(effect => effect.kind === 'deliver')?.delivery ?? null,
    job_at: effects.find(effect => effect.kind === 'queue')?.at ?? null,
    frees: has(next, 'free place'),
    cancels: has(next, 'notify worker of cancel'),
    wakes: has(next, 'notify worker of wake'),
  };
}

async function moveCredits(tx: Tx, moves: readonly Move[]): Promise<void> {
  await lockPools(tx, [...new Set(moves.map(({ before }) => before.workspace))]);
  const totals = new Map<string, NodeCharge>();
  const ended: string[] = [];
  for (const { before, next } of moves) {
    for (const effect of next.effects) {
      if (effect.kind === 'release credits') ended.push(before.id);
      if (effect.kind !== 'charge') continue;
      const { nodeId, nodeType, total } = effect;
      // The last one of a node is what it has cost.
      totals.set(`${before.id} ${nodeId}`, { executionId: before.id, nodeId, nodeType, total });
    }
  }
  if (totals.size > 0) await chargeNodes(tx, [...totals.values()]);
  if (ended.length > 0) await releaseRuns(tx, ended);
}

/** One piece of work at a time. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
