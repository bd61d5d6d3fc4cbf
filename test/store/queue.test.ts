// Tests what the queue keeps of jobs whose process died.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
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
