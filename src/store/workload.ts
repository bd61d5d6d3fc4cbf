// How much there is to do, counted for the metrics.
import type { Tx } from './db.ts';

export interface JobCount {
  readonly task: string;
  /** ready: waits for a worker; scheduled: for its time; running: a worker executes it; failed: given up. */
  readonly state: 'ready' | 'scheduled' | 'running' | 'failed';
  readonly count: number;
}

// A longer queue is reported as this long: to count all of it would cost the database too much.
const MAX_COUNTED = 100_000;

export async function countJobs(tx: Tx): Promise<readonly JobCount[]> {
  const { rows } = await tx.query<JobCount>(
    `select task, state, count(*) from (
       select task_identifier as task, case
         when locked_at is not null then 'running'
         when attempts >= max_attempts then 'failed'
         when run_at > now() then 'scheduled'
         else 'ready' end as state
       from graphile_worker.jobs limit ${MAX_COUNTED}) as job
     group by task, state`,
  );
  return rows;
}

/** Runs that a worker executes. */
export async function countHeldRuns(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*) from executions where worker_id is not null and under_way',
  );
  return rows[0]?.count ?? 0;
}
