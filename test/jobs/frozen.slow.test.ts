// Tests a worker that is frozen until another worker has completed its run.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { mapStates } from '../support/client.ts';
import { waitUntil } from '../support/processes.ts';
import { startTakeoverSetup, type TakeoverSetup, twoSteps } from '../support/runs/dying-workers.ts';
import { type ServiceChild, spawnService, startLocalService } from '../support/service.ts';

describe('a worker frozen until its run has ended', () => {
  let setup: TakeoverSetup;
  let folder: string;
  const services: ServiceChild[] = [];

  const serve = async (): Promise<ServiceChild> => {
    const service = await spawnService(folder, setup.env);
    services.push(service);
    return service;
  };
  /** Reads all rows of a run. */
  const readStoredRun = async (id: string): Promise<unknown> => {
    const tables = ['executions', 'execution_steps', 'deliveries'];
    const results = tables.map(table =>
      setup.db.query(
        `select * from ${table} where ${table === 'executions' ? 'id' : 'execution_id'} = $1 order by 1, 2`,
        [id],
      ),
    );
    return (await Promise.all(results)).map(({ rows }) => rows);
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-frozen-'));
    setup = await startTakeoverSetup();
  });
  after(async () => {
    for (const service of services) await service.end('SIGKILL');
    await setup.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('does not change the run that its successor completed', async () => {
    const frozen = await serve();
    const workflow = await frozen.createWorkflow(twoSteps(setup.receiver.url));
    const id = await frozen.startRun(workflow, { webhook: { url: `${setup.receiver.url}/event` } });
    await waitUntil('the second step', () => setup.hanging.length === 1);
    await setup.waitUntilStored(id, 'first');
    const successor = await startLocalService(folder, setup.env);
    frozen.signal('SIGSTOP');

    await waitUntil('the second step by the successor', () => setup.hanging.length === 2);
    setup.hanging[1]?.end('by the successor');
    const execution = await successor.waitForStatus(id);
    assert.deepEqual([execution.status, mapStates(execution).second?.attempt], ['COMPLETED', 2]);
    await waitUntil('the event', () => setup.count('/event') === 1);
    await waitUntil(
      'the delivery',
      async () => (await successor.readExecution(id)).webhook?.state === 'delivered',
    );
    const rowsBefore = await readStoredRun(id);

    setup.hanging[0]?.end('by the frozen worker');
    frozen.signal('SIGCONT');
    await waitUntil('the resumed worker to register again', async () => {
      const { rows } = await setup.db.query('select from workers');
      return rows.length === 2;
    });
    assert.deepEqual(await readStoredRun(id), rowsBefore);
    assert.deepEqual([setup.count('/first'), setup.count('/second'), setup.count('/event')], [1, 2, 1]);

    await successor.close();
    const nextRun = await frozen.startRun(workflow);
    await waitUntil('the next run', () => setup.hanging.length === 3);
    setup.hanging[2]?.end();
    assert.equal((await frozen.waitForStatus(nextRun)).status, 'COMPLETED');
  });
});
