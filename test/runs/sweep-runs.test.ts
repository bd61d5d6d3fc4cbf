// Tests the daily cleanup, which deletes expired rows with everything that belongs to them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { sweepRuns } from '../../src/runs/sweep-runs.ts';
import { createStepPartitions, listStepPartitions } from '../../src/store/retention/step-partitions.ts';
import { type ApiUser, createTestApp, type TestApp } from '../support/app.ts';
import { assertRefused, createWorkflow, node } from '../support/workflows.ts';

const DAY_MS = 86_400_000;
const RUN_TABLES = [
  'executions',
  'execution_steps',
  'deliveries',
  'delivery_attempts',
  'idempotency_keys',
] as const;

describe('the cleanup', () => {
  let test: TestApp;
  let user: ApiUser;
  let workflow: string;
  before(async () => {
    test = await createTestApp({
      env: { KEEP_EXECUTIONS_DAYS: '10', KEEP_DELIVERIES_DAYS: '5', KEEP_VERSIONS: '3' },
    });
    user = await test.createUser();
  });
  after(() => test.close());
  beforeEach(async () => {
    for (const table of [...RUN_TABLES, 'node_cache', 'rate_windows', 'execution_counts'])
      await test.deps.db.query(`truncate ${table} cascade`);
    workflow = (await createWorkflow(user)).id;
  });

  /** Inserts runs of the given age with everything that belongs to them. */
  const insertRuns = async (count: number, ageDays: number, hasEnded = true): Promise<readonly string[]> => {
    const createdAt = new Date(Date.now() - ageDays * DAY_MS);
    const ids = Array.from({ length: count }, () => newId('execution', createdAt.getTime()));
    const values = [ids, workflow, user.userId, createdAt, hasEnded ? createdAt : null];
    const { query } = test.deps.db;
    await query(
      `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, nodes_total,
         created_at, finished_at)
       select id, $2, 1, $3, 'w', case when $5::timestamptz is null then 'WAITING' else 'COMPLETED' end, 'api', '{}', 2, $4, $5
       from unnest($1::text[]) as id`,
      values,
    );
    await query(`insert into execution_steps select id, 1, '[]' from unnest($1::text[]) as id`, [ids]);
    await query(
      `insert into idempotency_keys select $2, $3, 'run', id, '\\x00', id, $4 from unnest($1::text[]) as id`,
      [ids, user.userId, workflow, createdAt],
    );
    await query(
      `insert into deliveries (id, execution_id, user_id, event_id, event, url, body, state, created_at)
       select id, id, $2, gen_random_uuid(), 'execution.completed', 'u', 'b', 'delivered', $3 from unnest($1::text[]) as id`,
      [ids, user.userId, createdAt],
    );
    await query(
      `insert into delivery_attempts select id, 1, now(), 1, 200, null, '' from unnest($1::text[]) as id`,
      [ids],
    );
    return ids;
  };
  const countRows = async (): Promise<readonly number[]> =>
    Promise.all(
      RUN_TABLES.map(async table => {
        const { rows } = await test.deps.db.query<{ count: number }>(`select count(*) from ${table}`);
        return rows[0]?.count ?? 0;
      }),
    );
  const sweep = () => sweepRuns(test.deps, new AbortController().signal);

  it('deletes more expired runs than fit into one batch', async () => {
    await insertRuns(4100, 11);
    await insertRuns(3, 6);
    await insertRuns(2, 0.5);
    await sweep();
    assert.deepEqual(await countRows(), [5, 5, 2, 2, 2]);
  });

  it('keeps runs that have not ended and the counts of deleted runs', async () => {
    await insertRuns(2, 400, false);
    await insertRuns(3, 11);
    await sweep();
    assert.equal((await countRows())[0], 2);
    const { body } = await user.request<{ executionCount: number }[]>('GET', '/workflows');
    assert.equal(body.find(item => (item as { id?: string }).id === workflow)?.executionCount, 5);
  });

  it('keeps the node states of an active run when it drops their partition', async () => {
    const { db } = test.deps;
    await createStepPartitions(db, Date.now(), 1);
    const createdNames = (await listStepPartitions(db)).map(({ name }) => name);
    await insertRuns(600, -2.5);
    const [activeRun] = await insertRuns(1, -2.5, false);
    const depsInTwentyDays = { ...test.deps, now: () => Date.now() + 20 * DAY_MS };
    await sweepRuns(depsInTwentyDays, new AbortController().signal);
    const { rows } = await db.query('select execution_id from execution_steps');
    assert.deepEqual(rows, [{ execution_id: activeRun }]);
    assert.deepEqual(await countRows(), [1, 1, 0, 0, 0]);
    const remaining = (await listStepPartitions(db)).map(({ name }) => name);
    assert.ok(
      remaining.length > 0 && remaining.every(name => !createdNames.includes(name)),
      'only new partitions are left',
    );
    const { body } = await user.request<{ executionCount: number }[]>('GET', '/workflows');
    assert.equal(body.find(item => (item as { id?: string }).id === workflow)?.executionCount, 601);
  });

  describe('of deleted workflows', () => {
    const change = (value: string) =>
      user.request('PUT', `/workflows/${workflow}`, {
        nodes: [node('a', 'input:text', { value })],
        edges: [],
      });
    const listVersions = async (): Promise<readonly number[]> => {
      const { rows } = await test.deps.db.query<{ version: number }>(
        'select version from workflow_versions where workflow_id = $1 order by version',
        [workflow],
      );
      return rows.map(({ version }) => version);
    };
    const readUsage = async (): Promise<number> =>
      (await user.request<{ storage: { usedBytes: number } }>('GET', '/me')).body.storage.usedBytes;
    const setDeletedAt = (daysAgo: number) =>
      test.deps.db.query('update workflows set deleted_at = $2 where id = $1', [
        workflow,
        new Date(Date.now() - daysAgo * DAY_MS),
      ]);
    const deleteWorkflow = async (daysAgo: number): Promise<void> => {
      assert.equal((await user.request('DELETE', `/workflows/${workflow}`)).status, 200);
      await setDeletedAt(daysAgo);
    };
    const restore = async (): Promise<number> => {
      const admin = await test.createUser({ scopes: ['instance:admin'] });
      return (await admin.request('POST', `/admin/workflows/${workflow}/restore`)).status;
    };

    it('deletes the earlier versions a day after the deletion, and gives back their storage', async () => {
      const before = await readUsage();
      await change('x'.repeat(10_000));
      await change('y');
      await deleteWorkflow(0.9);
      await sweep();
      assert.deepEqual(await listVersions(), [1, 2, 3]);
      assert.ok((await readUsage()) > before + 10_000);
      await setDeletedAt(1.1);
      await sweep();
      assert.deepEqual(await listVersions(), [3]);
      assert.ok((await readUsage()) <= before);
      assert.equal(await restore(), 200);
      assert.equal((await user.request('GET', `/workflows/${workflow}`)).status, 200);
    });

    it('deletes the last version after 30 days', async () => {
      const before = await readUsage();
      await deleteWorkflow(30.1);
      await sweep();
      assert.deepEqual(await listVersions(), []);
      assert.ok((await readUsage()) < before);
      assert.equal(await restore(), 404);
    });

    it('keeps the versions of kept runs', async () => {
      await insertRuns(1, 1);
      await change('x');
      await deleteWorkflow(30.1);
      await sweep();
      assert.deepEqual(await listVersions(), [1]);
      assert.equal(await restore(), 404);
    });

    it('keeps the last version if a kept run used it, so that an administrator can restore the workflow', async () => {
      await insertRuns(1, 1);
      await deleteWorkflow(30.1);
      await sweep();
      assert.deepEqual(await listVersions(), [1]);
      assert.equal(await restore(), 200);
    });
  });

  it('deletes old cache entries and rate windows', async () => {
    await test.deps.db.query(
      `insert into node_cache values ('w', '\\x01', '{}', '{}', now() - interval '11 days'), ('w', '\\x02', '{}', '{}', now())`,
    );
    await test.deps.db.query(
      `insert into rate_windows select 'old', extract(epoch from now())::bigint - 3 * 86400, 1
       union all select 'new', extract(epoch from now())::bigint, 1`,
    );
    await sweep();
    const { rows } = await test.deps.db.query(
      `select (select count(*) from node_cache) as results, (select count(*) from rate_windows where key in ('old', 'new')) as windows`,
    );
    assert.deepEqual(rows, [{ results: 1, windows: 1 }]);
  });

  it('keeps the newest versions, the published version and versions of existing runs', async () => {
    const { query } = test.deps.db;
    await query(
      `insert into workflow_versions (workflow_id, version, graph, user_id, created_at)
       select $1, n, '"nodes":[],"edges":[]', $2, now() - (20 - n) * interval '1 day' from generate_series(2, 20) n`,
      [workflow, user.userId],
    );
    await query('update workflows set version = 20, published_version = 4 where id = $1', [workflow]);
    const [run] = await insertRuns(1, 1);
    await query('update executions set workflow_version = 7 where id = $1', [run]);
    await sweep();
    const { body } = await user.request<{ data: { version: number }[] }>(
      'GET',
      `/workflows/${workflow}/versions`,
    );
    assert.deepEqual(
      body.data.map(({ version }) => version),
      [20, 19, 18, 7, 4],
    );
  });

  it('keeps all versions of the last day', async () => {
    await test.deps.db.query(
      `insert into workflow_versions (workflow_id, version, graph, user_id) select $1, n, '', $2 from generate_series(2, 9) n`,
      [workflow, user.userId],
    );
    await sweep();
    const { rows } = await test.deps.db.query<{ count: number }>(
      'select count(*) from workflow_versions where workflow_id = $1',
      [workflow],
    );
    assert.equal(rows[0]?.count, 9);
  });

  it('deletes as much as DELETE /executions/{id} does for an ended run', async () => {
    const [activeRun] = await insertRuns(1, 0, false);
    const [endedRun] = await insertRuns(1, 0);
    assertRefused(await user.request('DELETE', `/executions/${activeRun}`), 409, 'conflict');
    assertRefused(
      await (await test.createUser()).request('DELETE', `/executions/${endedRun}`),
      403,
      'forbidden',
    );
    assert.deepEqual((await user.request('DELETE', `/executions/${endedRun}`)).body, { success: true });
    assertRefused(await user.request('GET', `/executions/${endedRun}`), 404, 'not_found');
    assert.deepEqual(await countRows(), [1, 1, 1, 1, 1]);
  });
});
