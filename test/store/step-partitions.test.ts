// Tests how partitions of steps are created and removed, and how steps move into partitions while runs are written.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { migrateQueue } from '../../src/jobs/queue-tables.ts';
import { getFirstIdAt, newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import {
  choosePartitionDays,
  createStepPartitions,
  dropStepPartitions,
  getFirstPartitionEnd,
  listStepPartitions,
} from '../../src/store/retention/step-partitions.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { insertManyExecutions } from '../support/runs/many-executions.ts';
import { extendOldSchema, writeRun } from '../support/runs/written-runs.ts';

const DAY_MS = 86_400_000;
const LAST_UNPARTITIONED_MIGRATION = 104;

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

const listNames = async (db: Db): Promise<readonly string[]> =>
  (await listStepPartitions(db)).map(({ name }) => name);

/** Returns the number of rows of each partition, by name. */
async function countByPartition(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ name: string; count: number }>(
    'select tableoid::regclass::text as name, count(*) from execution_steps group by 1 order by 1',
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

async function insertSteps(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(`insert into execution_steps select id, 1, '[]' from unnest($1::text[]) as id`, [ids]);
}

describe('the migration to partitions', () => {
  it('moves the table into its first partition while runs start and end', async () => {
    const database = `${test.connection.database}_old`;
    await test.db.query(`create database ${database} template template0`);
    const connection = { ...test.connection, database };
    const onError = (err: Error) => process.emitWarning(err);
    const db = openDb({ connection, maxConnections: 4, onError });
    const runDb = openDb({ connection, maxConnections: 4, plans: 'pinned', onError });
    try {
      const queue = () => migrateQueue({ db, log: createLogger('silent') });
      await migrate(db, queue, LAST_UNPARTITIONED_MIGRATION);
      await extendOldSchema(db);
      const existing = { count: 5000, userId: 1, workflowIds: ['wf_a', 'wf_b'] as const, endMs: Date.now() };
      await insertManyExecutions(db, existing);
      await db.query(`insert into execution_steps select id, 1, '[]' from executions`);
      const stop = new AbortController();
      const writers = [1, 2, 3].map(() => writeUntil(runDb, stop.signal));
      await new Promise(resolve => setTimeout(resolve, 100));
      await migrate(db, queue);
      await createStepPartitions(db, Date.now(), 8);
      await new Promise(resolve => setTimeout(resolve, 100));
      stop.abort();
      const writtenRuns = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
      assert.ok(writtenRuns > 0);
      assert.deepEqual(
        await countByPartition(db),
        new Map([['execution_steps_before', existing.count + writtenRuns]]),
      );
    } finally {
      await runDb.close();
      await db.close();
      await test.db.query(`drop database ${database} with (force)`);
    }
  });
});

/** Inserts and ends runs one after the other until the signal fires, and returns the number of runs. */
async function writeUntil(db: Db, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count++) await writeRun(db, newId('execution'));
  return count;
}

describe('partitions of node states', () => {
  it('cover a twelfth of the days that runs are kept, at most a month', () => {
    assert.deepEqual([1, 7, 90, 365, 36_500].map(choosePartitionDays), [1, 1, 8, 31, 31]);
  });

  it('are created once if several processes create partitions', async () => {
    const nowMs = Date.now();
    await Promise.all([1, 2, 3].map(() => createStepPartitions(test.db, nowMs, 8)));
    const [first, ...created] = await listStepPartitions(test.db);
    assert.equal(first?.name, 'execution_steps_before');
    assert.equal(created.length, 2);
    assert.deepEqual(
      created.map(({ from }) => from),
      [first?.to, created[0]?.to],
    );
    assert.ok((created.at(-1)?.to ?? '') >= getFirstIdAt('execution', nowMs + 16 * DAY_MS));
    assert.equal(await createStepPartitions(test.db, nowMs, 8), 0);
  });

  it('take over rows of the default partition', async () => {
    const laterMs = Date.now() + 300 * DAY_MS;
    const namesBefore = await listNames(test.db);
    const idWithoutPartition = newId('execution', laterMs - 100 * DAY_MS);
    const newestId = newId('execution', laterMs);
    await insertSteps(test.db, [idWithoutPartition, newestId]);
    assert.equal((await countByPartition(test.db)).get('execution_steps_rest'), 2);
    assert.ok((await createStepPartitions(test.db, laterMs, 8)) > 0);
    const counts = await countByPartition(test.db);
    const day = new Date(laterMs).toISOString().slice(0, 10).replaceAll('-', '');
    assert.equal(counts.get(`execution_steps_${day}`), 1);
    assert.equal(counts.get('execution_steps_rest'), 1);
    assert.equal((await listNames(test.db)).length, namesBefore.length + 3);
  });

  it('are dropped without the states of runs that still exist', async () => {
    const partition = (await listStepPartitions(test.db))[1];
    assert.ok(partition);
    const ids = Array.from({ length: 3 }, (_, n) => `${partition.from}${String(n).padStart(16, '0')}`);
    await insertSteps(test.db, ids);
    const [remainingId = ''] = ids;
    await test.db.query(
      `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, nodes_total, created_at)
       values ($1, 'wf_a', 1, 1, 'w', 'WAITING', 'api', '{}', 1, now())`,
      [remainingId],
    );
    const firstPartitionEnd = await getFirstPartitionEnd(test.db);
    assert.equal(partition.from, firstPartitionEnd);
    assert.deepEqual(await dropStepPartitions(test.db, partition.to), [
      'execution_steps_before',
      partition.name,
    ]);
    const { rows } = await test.db.query(
      'select execution_id, tableoid::regclass::text as partition from execution_steps where execution_id = any ($1::text[])',
      [ids],
    );
    assert.deepEqual(rows, [{ execution_id: remainingId, partition: 'execution_steps_rest' }]);
    assert.equal(await getFirstPartitionEnd(test.db), '');
    await insertSteps(test.db, [ids[1] ?? '']);
  });

  it('lose only the states of deleted runs if too many runs still exist', async () => {
    const partition = (await listStepPartitions(test.db))[0];
    assert.ok(partition);
    const toId = (n: number): string => `${partition.from}${String(n).padStart(16, '0')}`;
    await test.db.query(
      `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, nodes_total, created_at)
       select $1 || lpad(n::text, 16, '0'), 'wf_a', 1, 1, 'w', 'COMPLETED', 'sample', '{}', 1, now()
       from generate_series(1, 10001) n`,
      [partition.from],
    );
    const states = [toId(1), toId(10_001), ...Array.from({ length: 2500 }, (_, n) => toId(20_000 + n))];
    await insertSteps(test.db, states);
    assert.deepEqual(await dropStepPartitions(test.db, partition.to), []);
    const { rows } = await test.db.query<{ execution_id: string }>(
      `select execution_id from ${partition.name} order by 1`,
    );
    assert.deepEqual(
      rows.map(({ execution_id: id }) => id),
      [toId(1), toId(10_001)],
    );
  });

  it('are not dropped while a long read uses them', async () => {
    const namesBefore = await listNames(test.db);
    await test.db.transaction(async tx => {
      await tx.query('lock table execution_steps in access share mode');
      await assert.rejects(dropStepPartitions(test.db, getFirstIdAt('execution', Number.POSITIVE_INFINITY)), {
        code: '55P03',
      });
    });
    assert.deepEqual(await listNames(test.db), namesBefore);
  });
});
