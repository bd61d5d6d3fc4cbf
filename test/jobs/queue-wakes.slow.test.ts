// Tests that jobs that are queued right after others start without waiting until the queue is polled.
import { after, before, it } from 'node:test';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { WorkerSlots } from '../../src/runs/slots/worker-slots.ts';
import { enqueue } from '../../src/store/queue.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { waitUntil } from '../support/processes.ts';

let app: TestApp;
let worker: Worker;
before(async () => {
  app = await createTestApp({ timing: { queuePollMs: 3_600_000 } });
  worker = await startWorker(app.deps, new WorkerSlots(4, Date.now));
});
after(async () => {
  await worker.stop(0);
  await app.close();
});

it('a job that is queued while the pool ignores notifications starts without a poll', async () => {
  const { db } = app.deps;
  const hasEnded = async (): Promise<boolean> =>
    (await db.query('select from graphile_worker.jobs')).rowCount === 0;
  // After each job the pool finds no other one, and ignores notifications for a moment.
  for (let count = 1; count <= 10; count++) {
    await enqueue(db, 'deliver', [`unknown-${count}`]);
    await waitUntil(`job ${count} to end`, hasEnded);
  }
});
