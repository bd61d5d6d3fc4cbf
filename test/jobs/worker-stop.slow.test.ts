// Tests that a stopped worker leaves no row in the database.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker } from '../../src/jobs/worker.ts';
import { WorkerSlots } from '../../src/runs/slots/worker-slots.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { waitUntil } from '../support/processes.ts';

const LOCK_ID = 4711;
/** An idle worker stops in a fraction of this time. */
const STOP_MS = 500;

let app: TestApp;
before(async () => {
  app = await createTestApp();
});
after(() => app.close());

it('a stopped worker is not registered again by a heartbeat in progress', async () => {
  const { db } = app.deps;
  await db.query(
    `create function wait_for_test() returns trigger language plpgsql as
     $$ begin perform pg_advisory_xact_lock(${LOCK_ID}); return null; end $$`,
  );
  const worker = await startWorker(app.deps, new WorkerSlots(4, Date.now));
  const isHeartbeatBlocked = async (): Promise<boolean> => {
    const { rowCount } = await db.query(
      `select from pg_locks where locktype = 'advisory' and objid = ${LOCK_ID} and not granted`,
    );
    return rowCount !== 0;
  };
  let stopping = Promise.resolve();
  await db.withOwnConnection(async client => {
    await client.query(`select pg_advisory_lock(${LOCK_ID})`);
    // The trigger fires before the heartbeat statement looks for the row.
    await client.query(
      'create trigger wait before update on workers for each statement execute function wait_for_test()',
    );
    await waitUntil('a heartbeat', isHeartbeatBlocked);
    stopping = worker.stop(0);
    await Promise.race([stopping, sleep(STOP_MS)]);
  });
  await stopping;
  await waitUntil('the heartbeat to continue', async () => !(await isHeartbeatBlocked()));
  // A heartbeat that registers the worker again would do so within milliseconds.
  await sleep(200);
  assert.equal((await db.query('select from workers')).rowCount, 0);
});
