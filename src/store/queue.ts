// Queues jobs in the same transaction as the change that needs them, and unlocks the jobs of dead processes.
import type { Tx } from './db.ts';
import { allValues } from './rows.ts';

/** The tasks that are queued with an id. All others are daily cleanups. */
export const TASK_NAMES = [
  'run',
  'deliver',
  'render',
  'batch',
  'automation',
  'app',
  'share',
  'mail',
  'forgotten_password',
  'approval',
] as const;
export type TaskName = (typeof TASK_NAMES)[number];

/** SQL: tasks with at most one waiting job for each id. */
const UNIQUE_TASKS = `('batch', 'automation', 'app', 'approval')`;

/**
 * Returns a select that queues one job for each row (task, id, run_at) of `rows`. A new job of a batch, automation,
 * app or approval replaces the waiting one. One call for fifty jobs is twenty times faster than fifty calls, because each call takes
 * a global lock when it commits. In a `with`, another part must read from this select, or PostgreSQL skips it.
 */
export function selectQueuedJobs(rows: string): string {
  return `select from (
    select array_agg((job.task, json_build_object('id', job.id), null, job.run_at, null,
      case when job.task in ${UNIQUE_TASKS} then job.task || ':' || job.id end, null, null)::graphile_worker.job_spec) as specs
    from (${rows}) as job having count(*) > 0
  ) as queued cross join lateral queue_jobs(queued.specs)`;
}

/** Queues one job per id, to run now or at a given time. */
export async function enqueue(
  tx: Tx,
  task: TaskName,
  ids: readonly string[],
  runAt: Date | null = null,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `select count(*) from (${selectQueuedJobs('select $1::text as task, id, $3::timestamptz as run_at from unnest($2::text[]) as id')}) as jobs`,
    [task, ids, runAt],
  );
}

export interface QueuedJob {
  readonly id: string;
  readonly runAt: Date;
}

/** Queues jobs, each to run at its own time. */
export async function enqueueAt(tx: Tx, task: TaskName, jobs: readonly QueuedJob[]): Promise<void> {
  await tx.query(
    `select count(*) from (${selectQueuedJobs('select $1::text as task, id, run_at from unnest($2::text[], $3::timestamptz[]) as queued(id, run_at)')}) as jobs`,
    [task, jobs.map(({ id }) => id), jobs.map(({ runAt }) => runAt)],
  );
}

// A process receives each job within this time after it has locked the job.
const MAX_RECEIVE_SECONDS = 20;

/** Lists the ids of jobs that these pools locked more than 20 seconds ago. */
export function listLockedJobs(tx: Tx, pools: readonly string[]): Promise<readonly string[]> {
  return allValues(
    tx,
    `select id::text from graphile_worker.jobs
     where locked_by = any ($1::text[]) and locked_at < now() - interval '${MAX_RECEIVE_SECONDS} seconds'`,
    [pools],
  );
}

/** Unlocks jobs that these pools have locked but did not receive. The attempt does not count. */
export async function unlockJobs(tx: Tx, pools: readonly string[], ids: readonly string[]): Promise<void> {
  await tx.query(
    `update graphile_worker._private_jobs set locked_by = null, locked_at = null, attempts = greatest(0, attempts - 1)
     where id = any ($2::bigint[]) and locked_by = any ($1::text[]) and locked_at < now() - interval '${MAX_RECEIVE_SECONDS} seconds'`,
    [pools, ids],
  );
}

/**
 * Deletes jobs that were replaced while running and whose process then died. graphile-worker marks replaced jobs as
 * having no attempts left, because the new job does their work.
 */
export async function deleteReplacedJobs(tx: Tx): Promise<void> {
  await tx.query(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier in ${UNIQUE_TASKS} and j.key is null and j.locked_at is null
       and j.attempts >= j.max_attempts`,
  );
}
