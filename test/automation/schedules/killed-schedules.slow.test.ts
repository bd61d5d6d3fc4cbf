// Tests that each due time of a schedule fires once, even if processes are killed or have wrong clocks.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ServiceChild, spawnService, startTestService, toDatabaseUrl } from '../../support/service.ts';
import { isNightly } from '../../support/tier.ts';
import { node } from '../../support/workflows.ts';

/** The number of times that all processes are killed at a due time. */
const KILL_COUNT = Number(process.env.KILLS ?? (isNightly ? 6 : 1));
const SCHEDULE_COUNT = 20;
const SKEW_MS = 5000;
const GRAPH = { nodes: [node('who', 'input:text', { value: 'a' })], edges: [] };
/** How long before their due time schedules are changed. A process with a fast clock would fire them immediately. */
const DUE_IN_MS = 500;

let database: TestDatabase;
let folder: string;
const children: ServiceChild[] = [];
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-schedules-'));
});
after(async () => {
  await Promise.all(children.map(child => child.end('SIGKILL')));
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const start = async (env: NodeJS.ProcessEnv = {}): Promise<ServiceChild> => {
  const child = await spawnService(folder, { DATABASE_URL: toDatabaseUrl(database.connection), ...env });
  children.push(child);
  return child;
};

const createSchedules = async (service: ServiceChild): Promise<readonly string[]> => {
  const workflow = await service.createWorkflow(GRAPH);
  const ids: string[] = [];
  for (let count = 0; count < SCHEDULE_COUNT; count++) {
    const { status, body } = await service.request<{ id: string }>(
      'POST',
      `/workflows/${workflow}/schedules`,
      {
        cron: '0 0 1 1 *',
        overlap: 'allow',
      },
    );
    assert.equal(status, 201, JSON.stringify(body));
    ids.push(body.id);
  }
  return ids;
};

/** Sets the due time of the schedules to `inMs` milliseconds from now. */
const setDue = async (ids: readonly string[], inMs: number): Promise<void> => {
  await database.db.query(
    `update schedules set next_run_at = now() + $2 * interval '1 millisecond' where id = any ($1::text[])`,
    [ids, inMs],
  );
  await database.db.query(`select pg_notify('graphwright_schedules', 'schedules')`);
};

const countRuns = async (ids: readonly string[]): Promise<number> => {
  const { rows } = await database.db.query<{ count: number }>(
    'select count(*) as count from executions where origin_id = any ($1::text[])',
    [ids],
  );
  return rows[0]?.count ?? 0;
};

/** Asserts that each schedule has fired `times` times, each time with one execution for its own due time. */
const assertFiredOnce = async (ids: readonly string[], times: number): Promise<void> => {
  // An execution is accepted before its firing is recorded as accepted.
  await waitUntil(
    'the records',
    async () => (await database.db.query(`select from firings where outcome = 'starting'`)).rowCount === 0,
  );
  const { rows } = await database.db.query<{ id: string; firings: number; runs: number; due: number }>(
    `select s.id,
       (select count(*) from firings f where f.schedule_id = s.id and f.outcome = 'accepted') as firings,
       (select count(*) from executions e where e.origin_id = s.id) as runs,
       (select count(distinct e.origin_key) from executions e where e.origin_id = s.id) as due
     from schedules s where s.id = any ($1::text[])`,
    [ids],
  );
  assert.equal(rows.length, ids.length);
  for (const row of rows) assert.deepEqual([row.firings, row.runs, row.due], [times, times, times], row.id);
};

describe('schedules whose processes are killed at due time', () => {
  it('start each run once', async () => {
    const ids = await createSchedules(await start());
    for (let kill = 1; kill <= KILL_COUNT; kill++) {
      // Two processes compete, and both are killed, each time at another moment.
      const otherService = await start();
      assert.ok(children.includes(otherService) && children.length === 2);
      await setDue(ids, 100);
      await sleep(100 + ((kill * 37) % 150));
      await Promise.all(children.splice(0).map(child => child.end('SIGKILL')));
      await start();
      await waitUntil(
        `the runs after kill ${kill}`,
        async () => (await countRuns(ids)) >= kill * SCHEDULE_COUNT,
      );
    }
    await assertFiredOnce(ids, KILL_COUNT);
  });
});

describe('a process that survives', () => {
  it('starts the run if another process died while starting the run', async t => {
    // The clock finds no due schedule and sleeps, so only a heartbeat can find the run.
    const survivor = await startTestService({}, { maxClockSleepMs: 600_000 });
    t.after(() => survivor.close());
    const workflow = await survivor.createWorkflow(GRAPH);
    const body = { cron: '0 0 1 1 *' };
    const { body: schedule } = await survivor.request<{ id: string }>(
      'POST',
      `/workflows/${workflow}/schedules`,
      body,
    );
    await survivor.db.query(
      `insert into firings (id, schedule_id, kind, due_at, outcome, execution_id, retry_at)
       values ($1, $2, 'scheduled', now() - interval '5 seconds', 'starting', $3, now())`,
      [newId('firing'), schedule.id, newId('execution')],
    );
    await waitUntil('the run', async () => {
      const { rowCount } = await survivor.db.query('select from executions where origin_id = $1', [
        schedule.id,
      ]);
      return rowCount === 1;
    });
  });
});

describe('processes with wrong clocks', { skip: !isNightly && 'runs at night' }, () => {
  it('start each run once, by the clock of the database', async () => {
    await Promise.all(children.splice(0).map(child => child.end('SIGKILL')));
    const [ahead] = await Promise.all(
      [SKEW_MS, -SKEW_MS, 0].map(skew =>
        start({
          NODE_OPTIONS: `--import ${join(import.meta.dirname, '../../support/skewed-clock.ts')}`,
          SKEW_MS: String(skew),
        }),
      ),
    );
    assert.ok(ahead);
    const ids = await createSchedules(ahead);
    for (let time = 1; time <= 3; time++) {
      await setDue(ids, DUE_IN_MS);
      await waitUntil('the runs', async () => (await countRuns(ids)) >= time * SCHEDULE_COUNT);
    }
    await assertFiredOnce(ids, 3);
    const { rowCount } = await database.db.query(
      'select from firings where schedule_id = any ($1::text[]) and accepted_at < due_at',
      [ids],
    );
    assert.equal(rowCount, 0, 'no schedule fires early');
  });
});
