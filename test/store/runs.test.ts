// The commit that makes runs exist: which of them a worker has in hand at once, and which wait in the queue.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { CHANNELS } from '../../src/store/channels.ts';
import { findGivenRuns, type InsertedRun, insertRuns, type NewRun } from '../../src/store/runs.ts';
import { insertWorker } from '../../src/store/workers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const WORKER = 'wrk_here';

let count = 0;
// Ids that sort as they are made, also within a millisecond.
const runOf = (workspace: string, more: Partial<NewRun> = {}): NewRun => ({
  id: `exe_${String(count++).padStart(4, '0')}`,
  workflow_id: 'wf',
  workflow_version: 1,
  user_id: 1,
  workspace,
  trigger: 'api',
  request: '{}',
  webhook: null,
  watched: false,
  nodes_total: 1,
  resumed_from_id: null,
  created_at: new Date().toISOString(),
  steps: [],
  idempotency: null,
  ...more,
});

describe('runs that a worker takes as they are accepted', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
    await insertWorker(test.db, { id: WORKER, pools: [], hostname: 'h', pid: 1, pid_started: '' });
  });
  after(() => test.drop());
  beforeEach(() =>
    test.db.query('truncate executions, execution_steps, idempotency_keys, graphile_worker._private_jobs'),
  );

  const take = (
    runs: readonly NewRun[],
    maxConcurrent = 100,
    workerId = WORKER,
    most: number | null = null,
  ) => insertRuns(test.db, runs, { ids: runs.map(({ id }) => id), workerId, maxConcurrent, most });
  const startedOf = (runs: readonly NewRun[], inserted: ReadonlyMap<string, InsertedRun>) =>
    runs.filter(({ id }) => inserted.get(id)?.started_at).map(({ id }) => id);
  const jobs = async (): Promise<number> => {
    const { rows } = await test.db.query<{ count: number }>(
      'select count(*) from graphile_worker._private_jobs',
    );
    return rows[0]?.count ?? 0;
  };
  const columns = async (id: string) => {
    const { rows } = await test.db.query<Record<string, unknown>>(
      'select status, lease, seq, worker_id from executions where id = $1',
      [id],
    );
    return Object.values(rows[0] ?? {});
  };

  it('are in its hands by lease number 1, without a job', async () => {
    const run = runOf('a');
    assert.deepEqual(startedOf([run], await take([run])), [run.id]);
    assert.deepEqual([await columns(run.id), await jobs()], [['RUNNING', 1, 1, WORKER], 0]);
  });

  it('are QUEUED with a job past the number of their workspace', async () => {
    const runs = [runOf('a'), runOf('a'), runOf('a'), runOf('b')];
    const inserted = await take(runs, 2);
    assert.deepEqual(
      startedOf(runs, inserted),
      [runs[0], runs[1], runs[3]].map(run => run?.id),
    );
    assert.deepEqual([await columns(runs[2]?.id ?? ''), await jobs()], [['QUEUED', 0, 0, null], 1]);
    const later = runOf('a');
    assert.deepEqual(startedOf([later], await take([later], 2)), []);
  });

  it('do not pass one of their workspace that waits for its turn', async () => {
    const [first, second] = [runOf('a'), runOf('a')];
    await insertRuns(test.db, [first]);
    await test.db.query('update executions set parked = true');
    assert.deepEqual(startedOf([second], await take([second])), []);
  });

  it('are QUEUED where the others have declared the worker dead', async () => {
    const run = runOf('a');
    assert.deepEqual(startedOf([run], await take([run], 100, 'wrk_gone')), []);
    assert.equal(await jobs(), 1);
  });

  it('are told to a worker of another process, as many as it may have in hand', async () => {
    const heard = Promise.withResolvers<string>();
    const close = await test.db.listen([CHANNELS.assigned], (_, payload) => heard.resolve(payload));
    const runs = [runOf('a'), runOf('b'), runOf('c')] as const;
    const [first, second] = runs;
    assert.deepEqual(startedOf(runs, await take(runs, 100, WORKER, 2)), [first.id, second.id]);
    assert.equal(await heard.promise, `${WORKER} ${first.id},${second.id}`);
    await close();
    const found = await findGivenRuns(
      test.db,
      WORKER,
      runs.map(({ id }) => id),
    );
    assert.deepEqual(
      found.map(({ id, lease, status }) => [id, lease, status]),
      [first, second].map(({ id }) => [id, 1, 'RUNNING']),
    );
  });

  it('are stored once for an idempotency key', async () => {
    const idempotency = { route: 'run', key: 'k', body_hash: '00' };
    const runs = [runOf('a', { idempotency }), runOf('a', { idempotency })];
    const inserted = await take(runs);
    assert.deepEqual([...inserted.keys()], [runs[0]?.id]);
    assert.deepEqual(startedOf(runs, inserted), [runs[0]?.id]);
  });

  it('keep the states that they go on from before the change of their status', async () => {
    const run = runOf('a', { steps: [{ nodeId: 'x' }, { nodeId: 'y' }], resumed_from_id: 'exe' });
    await take([run]);
    const { rows } = await test.db.query('select seq from execution_steps where execution_id = $1', [run.id]);
    assert.deepEqual([await columns(run.id), rows], [['RUNNING', 1, 3, WORKER], [{ seq: 2 }]]);
  });
});
