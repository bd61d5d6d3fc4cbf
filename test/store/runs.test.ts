// Tests each part of the statement that writes runs, which changes only runs that are still in the expected state.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { CHANNELS } from '../../src/store/db.ts';
import { insertRuns, type NewDelivery, type RunRow, type RunWrite, writeRuns } from '../../src/store/runs.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { RUNNING } from '../support/runs/written-runs.ts';

const STEPS = [{ nodeId: 'a' }, { nodeId: 'b' }];
const DELIVERY: NewDelivery = {
  id: 'dlv_1',
  event_id: '00000000-0000-4000-8000-000000000001',
  event: 'execution.completed',
  url: 'https://example.com/hook',
  secret: Buffer.from('sealed').toString('base64'),
  body: '{}',
};

describe('writeRuns', () => {
  let database: TestDatabase;
  let number = 0;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(() => database.db.query('truncate executions, execution_steps, deliveries cascade'));

  const list = async <T>(sql: string, values: readonly unknown[] = []): Promise<readonly T[]> =>
    (await database.db.query<{ value: T }>(sql, [...values])).rows.map(({ value }) => value);

  /** Inserts a run that a worker executes. */
  const insert = async (spec: Partial<RunRow> = {}): Promise<RunRow> => {
    const row: RunRow = {
      ...RUNNING,
      id: `ex_${++number}`,
      created_at: new Date(),
      started_at: new Date(),
      ...spec,
    };
    await insertRuns(database.db, [{ row, trigger: 'api', steps: [], idempotency: null, has_job: false }]);
    return row;
  };
  /** Inserts a run that waits for another run of its workspace. */
  const insertParked = async (workspace: string): Promise<string> => {
    const { id } = await insert({ workspace, worker_id: null, under_way: false, status: 'QUEUED' });
    await database.db.query('update executions set parked = true where id = $1', [id]);
    return id;
  };
  /** Creates a write of two node states and nothing else. */
  const createWrite = (row: RunRow, more: Partial<RunWrite> = {}): RunWrite => ({
    before: row,
    row: { ...row, seq: row.seq + STEPS.length, nodes_done: 2 },
    steps: STEPS,
    delivery: null,
    digest: null,
    job_at: null,
    frees_slot: false,
    notifies_cancel: false,
    notifies_wake: false,
    ...more,
  });
  const listJobs = (...ids: readonly string[]): Promise<readonly string[]> =>
    list(
      `select t.identifier || ' ' || (payload->>'id') as value from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id where payload->>'id' = any ($1::text[]) order by 1`,
      [ids],
    );

  describe('for the row of a run', () => {
    it('updates an unchanged row', async () => {
      const row = await insert();
      assert.deepEqual(await writeRuns(database.db, [createWrite(row)]), new Set([row.id]));
      assert.deepEqual(await list("select seq || ' ' || nodes_done as value from executions"), ['3 2']);
    });

    const changes: Readonly<Record<string, string>> = {
      'sequence number': 'seq = seq + 1',
      lease: 'lease = lease + 1',
      worker: "worker_id = 'wrk_other'",
      'wake-up time': 'wake_at = now()',
      status: "status = 'CANCELLED', finished_at = now()",
    };
    for (const [name, change] of Object.entries(changes)) {
      it(`writes nothing if the ${name} has changed`, async () => {
        const row = await insert({ watched: true });
        const parked = await insertParked(row.workspace);
        await database.db.query(`update executions set ${change} where id = $1`, [row.id]);
        const write = createWrite(row, { delivery: DELIVERY, job_at: new Date(), frees_slot: true });
        assert.deepEqual(await writeRuns(database.db, [write]), new Set());
        assert.deepEqual(await list('select execution_id as value from execution_steps'), []);
        assert.deepEqual(await list('select id as value from deliveries'), []);
        assert.deepEqual(await list('select id as value from executions where parked'), [parked]);
        assert.deepEqual(await listJobs(row.id, parked, DELIVERY.id), []);
      });
    }

    it('updates the unchanged rows of a batch in which another row has changed', async () => {
      const [changedRun, unchangedRun] = [await insert(), await insert()];
      await database.db.query('update executions set lease = lease + 1 where id = $1', [changedRun.id]);
      const writtenIds = await writeRuns(database.db, [createWrite(changedRun), createWrite(unchangedRun)]);
      assert.deepEqual(writtenIds, new Set([unchangedRun.id]));
    });
  });

  it('stores the node states as one row under the number of the last state', async () => {
    const row = await insert();
    await writeRuns(database.db, [createWrite(row)]);
    const unwatched = await insert();
    await writeRuns(database.db, [createWrite(unwatched, { steps: [] })]);
    const rows = await list(
      'select json_build_array(execution_id, seq, steps::json) as value from execution_steps',
    );
    assert.deepEqual(rows, [[row.id, row.seq + STEPS.length, STEPS]]);
  });

  it('stores the node states of each run of a batch, including multibyte characters', async () => {
    const texts = ['ä€😀', '', '\u0000 and half a pair \ud83d', 'plain'];
    const stepLists = texts.map(text => (text === '' ? [] : [{ nodeId: 'a', status: 'COMPLETED', text }]));
    const writes = await Promise.all(stepLists.map(async steps => createWrite(await insert(), { steps })));
    await writeRuns(database.db, writes);
    const storedRows = await list<readonly [string, string]>(
      'select json_build_array(execution_id, steps) as value from execution_steps',
    );
    assert.deepEqual(
      new Map(storedRows),
      new Map(
        writes.flatMap(({ row, steps }) => (steps.length === 0 ? [] : [[row.id, JSON.stringify(steps)]])),
      ),
    );
  });

  it('stores the delivery with its decoded secret and queues a job', async () => {
    const row = await insert();
    await writeRuns(database.db, [createWrite(row, { delivery: DELIVERY })]);
    const sql = `select json_build_array(id, execution_id, user_id, url, convert_from(secret, 'UTF8'), state) as value from deliveries`;
    assert.deepEqual(await list(sql), [
      [DELIVERY.id, row.id, row.user_id, DELIVERY.url, 'sealed', 'pending'],
    ]);
    assert.deepEqual(await listJobs(row.id, DELIVERY.id), [`deliver ${DELIVERY.id}`]);
  });

  it('unparks the oldest parked run for each slot that its workspace gets back', async () => {
    const endedRuns = [
      await insert({ workspace: 'w' }),
      await insert({ workspace: 'w' }),
      await insert({ workspace: 'x' }),
    ];
    const parked = [await insertParked('w'), await insertParked('w'), await insertParked('w')];
    const otherRun = await insertParked('y');
    await writeRuns(
      database.db,
      endedRuns.map(row => createWrite(row, { frees_slot: true })),
    );
    const stillParked = await list('select id as value from executions where parked order by id');
    assert.deepEqual(stillParked, [parked[2], otherRun]);
    assert.deepEqual(await listJobs(...parked, otherRun), [`run ${parked[0]}`, `run ${parked[1]}`]);
  });

  it('skips a parked run that another transaction has locked', async () => {
    const endedRun = await insert();
    const parked = [await insertParked(endedRun.workspace), await insertParked(endedRun.workspace)];
    await database.db.transaction(async tx => {
      await tx.query('select from executions where id = $1 for update', [parked[0]]);
      await writeRuns(database.db, [createWrite(endedRun, { frees_slot: true })]);
    });
    assert.deepEqual(await list('select id as value from executions where parked'), [parked[0]]);
  });

  it('queues a run for the time at which a worker should claim it', async () => {
    const [immediateRun, laterRun] = [await insert(), await insert()];
    const laterTime = new Date(Date.now() + 3_600_000);
    await writeRuns(database.db, [
      createWrite(immediateRun, { job_at: new Date() }),
      createWrite(laterRun, { job_at: laterTime }),
    ]);
    const sql = `select run_at as value from graphile_worker._private_jobs where payload->>'id' = $1`;
    assert.deepEqual(await list(sql, [laterRun.id]), [laterTime]);
    assert.deepEqual(await listJobs(immediateRun.id, laterRun.id), [
      `run ${immediateRun.id}`,
      `run ${laterRun.id}`,
    ]);
  });

  it('notifies of watched, cancelled and woken runs on separate channels', async () => {
    const notifications: string[] = [];
    const close = await database.db.listen(
      Object.values(CHANNELS),
      (channel, ids) => notifications.push(`${channel} ${ids}`),
      1000,
    );
    try {
      const watched = [await insert({ watched: true }), await insert({ watched: true })];
      const [cancelled, woken, unwatched] = [await insert(), await insert(), await insert()];
      await writeRuns(database.db, [
        ...watched.map(row => createWrite(row)),
        createWrite(cancelled, { notifies_cancel: true }),
        createWrite(woken, { notifies_wake: true }),
        createWrite(unwatched),
      ]);
      const expected = [
        `${CHANNELS.changed} ${watched[0]?.id},${watched[1]?.id}`,
        `${CHANNELS.cancel} ${cancelled.id}`,
        `${CHANNELS.woken} ${woken.id}`,
      ];
      await waitUntil('the notifications', () => notifications.length >= expected.length);
      assert.deepEqual(notifications.toSorted(), expected.toSorted());
    } finally {
      await close();
    }
  });
});
