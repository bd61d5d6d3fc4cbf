// The group commits of runs: calls that arrive while one statement is under way share the next.

import { createBatcher } from '../lib/batch.ts';
import type { WakeTimers } from '../lib/wake-timers.ts';
import type { Db } from '../store/db.ts';
import { isOutage } from '../store/db.ts';
import type { ClaimedRun, InsertedRun, NewRun, RunWrite, WrittenRun } from '../store/runs.ts';
import { claimRuns, findGivenRuns, insertRuns, writeRuns } from '../store/runs.ts';
import { writePaid } from './paid-writes.ts';
import type { RunHolder } from './run-holder.ts';

export interface Claimant {
  /** As it is when the statement is sent. */
  readonly workerId: string;
  /** Workspaces that the worker takes no more runs of for now. */
  crowded(): readonly string[];
}

/** The worker that runs are claimed for as they are accepted; one for all runs of a batch. */
export interface Taker {
  /** As it is when the statement is sent; undefined: none is there. */
  readonly workerId: string | undefined;
  /** Of one in another process, how many runs it may have in hand. */
  readonly most?: number;
}

export interface Accepted {
  /** False where another run of the last 24 hours holds the idempotency key. */
  readonly isStored: boolean;
  /** undefined: it is in the queue. */
  readonly claimed: ClaimedRun | undefined;
}

export interface RunWrites {
  /** A run with a taker is claimed for it by the same commit, where its workspace has room. */
  accept(run: NewRun, taker?: Taker): Promise<Accepted>;
  /** undefined: it is no longer that worker's, to which it was given as it was accepted. */
  findGiven(id: string, worker: Pick<Claimant, 'workerId'>): Promise<ClaimedRun | undefined>;
  /** undefined: the run has ended, has a live holder, or was parked. */
  claim(id: string, claimant: Claimant): Promise<ClaimedRun | undefined>;
  /** undefined: the lease number no longer stands, nothing was written. At most one write of a run at a time. */
  write(write: RunWrite): Promise<WrittenRun | undefined>;
  /** The same for a run that may cost, with its charges and its release; in a transaction of its own. */
  writePaid(write: RunWrite): Promise<WrittenRun | undefined>;
  /** The worker of this process; runs that are accepted may begin in its hands. */
  readonly host: { worker: RunHolder | undefined };
  /** The workers of other processes by turns, where this one has none by its role. */
  readonly others: Taker | undefined;
  /** Runs that ended by writes of this process, by status. */
  readonly finished: ReadonlyMap<string, number>;
}

// Larger batches no longer gain throughput and make every member wait longer.
const BATCH = { maxItems: 200, concurrency: 1, isItemFault: (err: unknown) => !isOutage(err) } as const;

export function createRunWrites(
  db: Db,
  maxConcurrent: number,
  wakeTimers: WakeTimers<'runs' | 'deliveries'>,
  others?: Taker,
): RunWrites {
  // Both count a workspace's runs and add to them: by turns, or together they would pass its number.
  const takeTurn = createTurns();
  const accept = createBatcher<Acceptance, Accepted>(async items => {
    const wanted = items.filter(({ taker }) => taker !== undefined);
    const runs = items.map(({ run }) => run);
    const insert = () => {
      const { workerId = '', most = null } = wanted[0]?.taker ?? {};
      return insertRuns(db, runs, { ids: wanted.map(({ run }) => run.id), workerId, most, maxConcurrent });
    };
    const stored = await (wanted.length === 0 ? insert() : takeTurn(insert));
    return items.map(({ run }) => acceptedAs(run, stored.get(run.id)));
  }, BATCH);
  const claim = createBatcher<{ id: string; claimant: Claimant }, ClaimedRun | undefined>(async claims => {
    // A process has one worker, so a batch has one claimant.
    const claimant = claims[0]?.claimant;
    const rows = await takeTurn(() =>
      claimRuns(db, {
        ids: claims.map(c => c.id),
        workerId: claimant?.workerId ?? '',
        maxConcurrent,
        crowded: claimant?.crowded() ?? [],
      }),
    );
    return pick(claims, rows);
  }, BATCH);
  const findGiven = createBatcher<{ id: string; worker: Pick<Claimant, 'workerId'> }, ClaimedRun | undefined>(
    async asked => {
      const ids = asked.map(({ id }) => id);
      return pick(asked, await findGivenRuns(db, asked[0]?.worker.workerId ?? '', ids));
    },
    BATCH,
  );
  const finished = new Map<string, number>();
  const note = ({ leave }: RunWrite, written: WrittenRun | undefined): void => {
    if (written === undefined || leave === null) return;
    if (leave.wake_at !== null) wakeTimers.set('runs', Date.parse(leave.wake_at));
    if (leave.delivery !== null) wakeTimers.set('deliveries', 0);
    if (leave.finished_at !== null) finished.set(leave.status, (finished.get(leave.status) ?? 0) + 1);
  };
  const write = createBatcher<RunWrite, WrittenRun | undefined>(async writes => {
    const written = pick(writes, await writeRuns(db, writes));
    for (const [index, write] of writes.entries()) note(write, written[index]);
    return written;
  }, BATCH);
  return {
    accept: (run, taker) => accept({ run, taker }),
    findGiven: (id, worker) => findGiven({ id, worker }),
    claim: (id, claimant) => claim({ id, claimant }),
    write,
    async writePaid(write) {
      const written = await writePaid(db, write);
      note(write, written);
      return written;
    },
    host: { worker: undefined },
    others,
    finished,
  };
}

interface Acceptance {
  readonly run: NewRun;
  readonly taker: Taker | undefined;
}

function acceptedAs(run: NewRun, inserted: InsertedRun | undefined): Accepted {
  const { started_at } = inserted ?? { started_at: null };
  if (started_at === null) return { isStored: inserted !== undefined, claimed: undefined };
  const { id, workflow_id, workflow_version, user_id, workspace, request, webhook, nodes_total } = run;
  const sent = { id, workflow_id, workflow_version, user_id, workspace, request, webhook, nodes_total };
  return {
    isStored: true,
    claimed: {
      ...sent,
      resumed_from_id: run.resumed_from_id,
      lease: 1,
      status: 'RUNNING',
      running_ms: 0,
      decisions: null,
      created_at: new Date(run.created_at),
      started_at,
    },
  };
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

function pick<R extends { readonly id: string }>(
  asked: readonly { readonly id: string }[],
  rows: readonly R[],
): (R | undefined)[] {
  const byId = new Map(rows.map(row => [row.id, row]));
  return asked.map(({ id }) => {
    const row = byId.get(id);
    // The same run asked for twice in one batch is given once.
    byId.delete(id);
    return row;
  });
}
