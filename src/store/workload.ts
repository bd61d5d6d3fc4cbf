// Counts jobs, runs, calls and workers for the metrics.
import type { Tx } from './db.ts';
import { all, first, firstNumber, firstValue } from './rows.ts';

export const JOB_STATES = ['ready', 'scheduled', 'running', 'failed'] as const;

export interface JobCount {
  readonly task: string;
  /** ready: waits for a worker; scheduled: waits for its time; running: on a worker; failed: has no attempts left. */
  readonly state: (typeof JOB_STATES)[number];
  readonly count: number;
  /** Seconds since the oldest job became due; negative if no job is due. */
  readonly oldest_seconds: number;
}

// Counting stops here, because counting a longer queue takes too long.
const MAX_COUNTED = 100_000;

export function countJobs(tx: Tx): Promise<readonly JobCount[]> {
  return all(
    tx,
    `select task, state, count(*), extract(epoch from now() - min(run_at))::float8 as oldest_seconds from (
       select task_identifier as task, run_at, case
         when locked_at is not null then 'running'
         when attempts >= max_attempts then 'failed'
         when run_at > now() then 'scheduled'
         else 'ready' end as state
       from graphile_worker.jobs limit ${MAX_COUNTED}) as job
     group by task, state`,
  );
}

/** Counts the runs on workers and the runs that wait for a provider task. */
export async function countRunsUnderWay(
  tx: Tx,
): Promise<{ readonly running: number; readonly waiting: number }> {
  const counts = await first<{ running: number; waiting: number }>(
    tx,
    `select count(worker_id)::int as running, (count(*) - count(worker_id))::int as waiting
     from executions where under_way`,
  );
  return counts ?? { running: 0, waiting: 0 };
}

/** Counts the runs that wait for another run of their workspace to end. */
export function countParkedRuns(tx: Tx): Promise<number> {
  return firstNumber(tx, 'select count(*)::int from executions where parked');
}

export interface CallCount {
  readonly provider: string;
  /** queued: the calls wait for a slot at the provider. */
  readonly state: 'working' | 'queued';
  readonly count: number;
  /** Seconds since the oldest call. */
  readonly oldest_seconds: number;
}

/** Counts provider tasks that runs wait for. */
export function countCalls(tx: Tx): Promise<readonly CallCount[]> {
  return all(
    tx,
    `select provider, case when slot_at is null then 'queued' else 'working' end as state, count(*)::int,
       extract(epoch from now() - min(submitted_at))::float8 as oldest_seconds
     from (select provider, slot_at, submitted_at from calls where ended_at is null limit ${MAX_COUNTED}) as call
     group by 1, 2`,
  );
}

/** Returns the credits reserved in all workspaces. */
export function sumReserved(tx: Tx): Promise<number> {
  return firstNumber(
    tx,
    'select coalesce(sum(held), 0)::float8 as reserved from credit_pools where held > 0',
  );
}

/** Returns when the longest-waiting ready run became ready. */
export function findOldestReadyRun(tx: Tx): Promise<Date | undefined> {
  return firstValue(
    tx,
    `select min(run_at) as since from graphile_worker.jobs
     where task_identifier = 'run' and locked_at is null and run_at <= now() and attempts < max_attempts`,
  );
}

export interface ListedWorker {
  readonly id: string;
  readonly hostname: string;
  readonly pid: number;
  readonly started_at: Date;
  readonly heartbeat_at: Date;
  readonly is_alive: boolean;
  /** The number of runs on the worker. */
  readonly runs: number;
}

/** Lists the workers by start time. A worker whose last heartbeat is older than `takeoverMs` is dead. */
export function listWorkers(tx: Tx, takeoverMs: number): Promise<readonly ListedWorker[]> {
  return all(
    tx,
    `select w.id, w.hostname, w.pid, w.started_at, w.heartbeat_at,
       w.heartbeat_at > now() - $1::float8 * interval '1 millisecond' as is_alive,
       (select count(*)::int from executions e where e.under_way and e.worker_id = w.id) as runs
     from workers w order by w.started_at, w.id limit 500`,
    [takeoverMs],
  );
}
