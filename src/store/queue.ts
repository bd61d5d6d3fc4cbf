// Enqueues jobs within the statement or transaction that causes them. Also unlocks lost jobs, for which graphile-worker has no function.
import type { Tx } from './db.ts';
import { allValues } from './rows.ts';

const TASKS = ['run', 'deliver', 'render', 'batch', 'automation', 'app'] as const;
export type Task = (typeof TASKS)[number];

/** SQL: the tasks of which an id has at most one waiting job. */
const UNIQUE_TASKS = `('batch', 'automation', 'app')`;

/**
 * Returns a select that queues one job for each row (task, id, run_at) of `rows` in one call: fifty jobs at once are
 * twenty times faster than fifty calls, each of which takes a global lock at commit to notify. In a `with`, something
 * must read from it, or PostgreSQL skips it. A batch, automation or app has at most one waiting job, which the next one
 * replaces.
 */
export function toJobSpecs(rows: string): string {
  return `select from (
    select array_agg((job.task, json_build_object('id', job.id), null, job.run_at, null,
      case when job.task in ${UNIQUE_TASKS} then job.task || ':' || job.id end, null, null)::graphile_worker.job_spec) as specs
    from (${rows}) as job having count(*) > 0
  ) as queued cross join lateral queue_jobs(queued.specs)`;
}

/** Queues one job per id, to run now or at a given time. */
export async function enqueue(
  tx: Tx,
  task: Task,
  ids: readonly string[],
  runAt: Date | null = null,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `select count(*) from (${toJobSpecs('select $1::text as task, id, $3::timestamptz as run_at from unnest($2::text[]) as id')}) as jobs`,
    [task, ids, runAt],
  );
}

// Longer than a job takes to reach the process that locked it.
const LOCKED_SECONDS = 20;

/** Lists ids of jobs that these pools have locked for a while. */
export function listLockedJobs(tx: Tx, pools: readonly string[]): Promise<readonly string[]> {
  return allValues(
    tx,
    `select id::text from graphile_worker.jobs
     where locked_by = any ($1::text[]) and locked_at < now() - interval '${LOCKED_SECONDS} seconds'`,
    [pools],
  );
}

/** Returns jobs that these pools have locked but do not know; the attempt is not counted. */
export async function unlockJobs(tx: Tx, pools: readonly string[], ids: readonly string[]): Promise<void> {
  await tx.query(
    `update graphile_worker._private_jobs set locked_by = null, locked_at = null, attempts = greatest(0, attempts - 1)
     where id = any ($2::bigint[]) and locked_by = any ($1::text[]) and locked_at < now() - interval '${LOCKED_SECONDS} seconds'`,
    [pools, ids],
  );
}

/**
 * Deletes jobs that were replaced while they ran, and whose process died. graphile-worker marks them as given up,
 * because the job that replaced them does their work.
 */
export async function deleteReplacedJobs(tx: Tx): Promise<void> {
  await tx.query(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier in ${UNIQUE_TASKS} and j.key is null and j.locked_at is null
       and j.attempts >= j.max_attempts`,
  );
}
