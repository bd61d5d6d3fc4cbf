// Tests that the queue loses no job, and deletes replaced jobs of dead processes.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteReplacedJobs, enqueue, type TaskName } from '../../src/store/queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

const lockAllJobs = (): Promise<unknown> =>
  database.db.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead', attempts = 1`,
  );
const unlockAllJobs = (): Promise<unknown> =>
  database.db.query('update graphile_worker._private_jobs set locked_at = null, locked_by = null');
/** Lists the task and the remaining attempts of each job. */
const listJobs = async (): Promise<readonly unknown[]> =>
  (
    await database.db.query<{ task: string; remaining: number }>(
      'select task_identifier as task, max_attempts - attempts as remaining from graphile_worker.jobs order by 1, 2',
    )
  ).rows.map(({ task, remaining }) => [task, remaining]);

it('deletes replaced jobs of dead processes except runs', async () => {
  const tasks: readonly TaskName[] = ['automation', 'batch', 'run'];
  for (const task of tasks) await enqueue(database.db, task, ['id_1']);
  await lockAllJobs();
  for (const task of tasks) await enqueue(database.db, task, ['id_1']);
  await deleteReplacedJobs(database.db);
  assert.equal((await listJobs()).length, 6, 'locked jobs may still run');
  await unlockAllJobs();
  await deleteReplacedJobs(database.db);
  assert.deepEqual(await listJobs(), [
    ['automation', 25],
    ['batch', 25],
    ['run', 24],
    ['run', 25],
  ]);
});

it('queues the next job of a batch if the previous job starts at the same time', async () => {
  await database.db.query('delete from graphile_worker._private_jobs');
  const { promise: blocked, resolve: onBlocked } = Promise.withResolvers<void>();
  const first = database.db.transaction(async tx => {
    await enqueue(tx, 'batch', ['id_2']);
    await tx.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'`);
    onBlocked();
    await waitForLock();
  });
  await blocked;
  await Promise.all([first, enqueue(database.db, 'batch', ['id_2'])]);
  assert.deepEqual(await listJobs(), [
    ['batch', 0],
    ['batch', 25],
  ]);
});

/** Waits until a statement waits for a lock. */
async function waitForLock(): Promise<void> {
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await database.db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };
  while (!(await isWaiting())) await sleep(10);
}
