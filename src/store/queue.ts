// The job queue's enqueue, as part of whatever statement or transaction gives rise to the job.
// graphile-worker's tables belong to jobs/worker.ts; here only its documented function add_jobs is called.
import type { Tx } from './db.ts';

const TASKS = ['run', 'deliver', 'render'] as const;
export type Task = (typeof TASKS)[number];

/**
 * A select that queues one job for each row (task, id, run_at) of `rows`, in one call: `add_jobs` of fifty is twenty
 * times faster than fifty `add_job`, whose every commit takes a global lock to notify.
 * In a `with`, something must read from it, or PostgreSQL skips it.
 */
export function jobSpecs(rows: string): string {
  return `select queued.id from (
    select array_agg((job.task, json_build_object('id', job.id), null, job.run_at, null, null, null, null)::graphile_worker.job_spec) as specs
    from (${rows}) as job having count(*) > 0
  ) as batch cross join lateral graphile_worker.add_jobs(batch.specs) as queued`;
}

/** Queues one job an id, to run now or at a time. */
export async function enqueue(
  tx: Tx,
  task: Task,
  ids: readonly string[],
  runAt: Date | null = null,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `select count(*) from (${jobSpecs('select $1::text as task, id, $3::timestamptz as run_at from unnest($2::text[]) as id')}) as jobs`,
    [task, ids, runAt],
  );
}
