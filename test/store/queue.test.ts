// Tests that the queue loses no job that another one starts beside, and what it keeps of jobs whose process died.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteReplacedJobs, enqueue, type Task } from '../../src/store/queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

const lockAll = (): Promise<unknown> =>
  database.db.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead', attempts = 1`,
  );
const unlockAll = (): Promise<unknown> =>
  database.db.query('update graphile_worker._private_jobs set locked_at = null, locked_by = null');
const list = async (): Promise<readonly unknown[]> =>
  (
    await database.db.query<{ task: string; left: number }>(
      'select task_identifier as task, max_attempts - attempts as left from graphile_worker.jobs order by 1, 2',
    )
  ).rows.map(({ task, left }) => [task, left]);

it('deletes a job that was replaced while it ran, once its process is known to be dead, and no other', async () => {
  const tasks: readonly Task[] = ['automation', 'batch', 'run'];
  for (const task of tasks) await enqueue(database.db, task, ['id_1']);
  await lockAll();
  for (const task of tasks) await enqueue(database.db, task, ['id_1']);
  await deleteReplacedJobs(database.db);
  assert.equal((await list()).length, 6, 'while they are locked, they may still run');
  await unlockAll();
  await deleteReplacedJobs(database.db);
  assert.deepEqual(await list(), [
    ['automation', 25],
    ['batch', 25],
    ['run', 24],
    ['run', 25],
  ]);
});

it('queues the next job of a batch although the waiting one starts at the same time', async () => {
  await database.db.query('delete from graphile_worker._private_jobs');
  const { promise: blocked, resolve: onBlocked } = Promise.withResolvers<void>();
  const first = database.db.transaction(async tx => {
    await enqueue(tx, 'batch', ['id_2']);
    await tx.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'`);
    onBlocked();
    await untilWaiting();
  });
  await blocked;
  await Promise.all([first, enqueue(database.db, 'batch', ['id_2'])]);
  assert.deepEqual(await list(), [
    ['batch', 0],
    ['batch', 25],
  ]);
});

/** Resolves when a statement of this database waits for a lock. */
async function untilWaiting(): Promise<void> {
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await database.db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };
  while (!(await isWaiting())) await sleep(10);
}
