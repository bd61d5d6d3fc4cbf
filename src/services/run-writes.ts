// The group commits of runs: calls that arrive while one statement is under way share the next.
import type { Alarms } from '../lib/alarms.ts';
import { createBatcher } from '../lib/batch.ts';
import type { Db } from '../store/db.ts';
import { isOutage } from '../store/db.ts';
import type { ClaimedRun, NewRun, RunWrite, WrittenRun } from '../store/runs.ts';
import { claimRuns, insertRuns, writeRuns } from '../store/runs.ts';
import { writePaid } from './paid-writes.ts';

export interface Claimant {
  readonly workerId: string;
  /** Workspaces that the worker takes no more runs of for now. */
  crowded(): readonly string[];
}

export interface RunWrites {
  /** Resolves to false where another run of the last 24 hours holds the idempotency key. */
  accept(run: NewRun): Promise<boolean>;
  /** undefined: the run has ended, has a live holder, or was parked. */
  claim(id: string, claimant: Claimant): Promise<ClaimedRun | undefined>;
  /** undefined: the lease number no longer stands, nothing was written. At most one write of a run at a time. */
  write(write: RunWrite): Promise<WrittenRun | undefined>;
  /** The same for a run that may cost, with its charges and its release; in a transaction of its own. */
  writePaid(write: RunWrite): Promise<WrittenRun | undefined>;
  /** Runs that ended by writes of this process, by status. */
  readonly finished: ReadonlyMap<string, number>;
}

// Larger batches no longer gain throughput and make every member wait longer.
const BATCH = { maxItems: 200, concurrency: 1, isItemFault: (err: unknown) => !isOutage(err) } as const;

export function createRunWrites(
  db: Db,
  maxConcurrent: number,
  alarms: Alarms<'runs' | 'deliveries'>,
): RunWrites {
  const accept = createBatcher<NewRun, boolean>(async runs => {
    const stored = await insertRuns(db, runs);
    return runs.map(run => stored.has(run.id));
  }, BATCH);
  const claim = createBatcher<{ id: string; claimant: Claimant }, ClaimedRun | undefined>(async claims => {
    // A process has one worker, so a batch has one claimant.
    const claimant = claims[0]?.claimant;
    const rows = await claimRuns(db, {
      ids: claims.map(c => c.id),
      workerId: claimant?.workerId ?? '',
      maxConcurrent,
      crowded: claimant?.crowded() ?? [],
    });
    return pick(claims, rows);
  }, BATCH);
  const finished = new Map<string, number>();
  const note = ({ leave }: RunWrite, written: WrittenRun | undefined): void => {
    if (written === undefined || leave === null) return;
    if (leave.wake_at !== null) alarms.set('runs', Date.parse(leave.wake_at));
    if (leave.delivery !== null) alarms.set('deliveries', 0);
    if (leave.finished_at !== null) finished.set(leave.status, (finished.get(leave.status) ?? 0) + 1);
  };
  const write = createBatcher<RunWrite, WrittenRun | undefined>(async writes => {
    const written = pick(writes, await writeRuns(db, writes));
    for (const [index, write] of writes.entries()) note(write, written[index]);
    return written;
  }, BATCH);
  return {
    accept,
    claim: (id, claimant) => claim({ id, claimant }),
    write,
    async writePaid(write) {
      const written = await writePaid(db, write);
      note(write, written);
      return written;
    },
    finished,
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
