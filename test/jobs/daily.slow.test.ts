// Tests daily jobs, which any worker may run.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { newId } from '../../src/lib/ids.ts';
import { WorkerSlots } from '../../src/runs/worker-slots.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let worker: Worker;

before(async () => {
  app = await createTestApp();
  worker = await startWorker(app.deps, new WorkerSlots(4, Date.now));
});
after(async () => {
  await worker.stop(1000);
  await app.close();
});

async function waitFor(isMet: () => Promise<boolean>): Promise<void> {
  while (!(await isMet())) await delay(20);
}

test('schedules the sweep of media, which deletes old files', async () => {
  const { db, storage } = app.deps;
  await waitFor(async () => {
    const { rows } = await db.query<{ identifier: string }>(
      'select identifier from graphile_worker._private_known_crontabs',
    );
    return ['sweep_media', 'sweep_outputs', 'sweep_runs'].every(name =>
      rows.some(({ identifier }) => identifier === name),
    );
  });
  const id = newId('media');
  await storage.put(id, Buffer.from('x'), { contentType: 'image/png', maxBytes: 1 });
  await db.query(`insert into media_strays values ($1, now() - interval '2 days')`, [id]);
  await db.query(`select graphile_worker.add_job('sweep_media', '{}')`);
  await waitFor(async () => (await storage.stat(id)) === undefined);
  await waitFor(async () => (await db.query('select from media_strays')).rowCount === 0);
  assert.equal(await storage.stat(id), undefined);
});
