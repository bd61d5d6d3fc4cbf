// Tests the daily job that deletes old media files.
import { after, before, test } from 'node:test';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { newId } from '../../src/lib/ids.ts';
import { WorkerSlots } from '../../src/runs/slots/worker-slots.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { waitUntil } from '../support/processes.ts';

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

test('a worker schedules sweep_media, which deletes old files', async () => {
  const { db, storage } = app.deps;
  await waitUntil('the crontab', async () => {
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
  await waitUntil('the file to be deleted', async () => (await storage.stat(id)) === undefined);
  await waitUntil(
    'its record to be deleted',
    async () => (await db.query('select from media_strays')).rowCount === 0,
  );
});
