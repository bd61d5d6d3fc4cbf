// Tests that the runs of a killed worker are continued by another worker, or by the same worker after a restart.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getPool, type Pool } from '../../src/store/credits.ts';
import { type Client, mapStates } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startImageFal } from '../support/providers/fal.ts';
import { startTakeoverSetup, type TakeoverSetup, twoSteps } from '../support/runs/dying-workers.ts';
import { type LocalService, type ServiceChild, spawnService, startLocalService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const RUN_COUNT = 4;
/** Credits for one call of generate:fal_seedream. */
const PRICE = 3;
const PARALLEL_CALLS = {
  nodes: [
    node('first', 'generate:fal_seedream', { prompt: 'a fox' }),
    node('list', 'input:list', { items: ['a cat', 'a dog'] }),
    node('each', 'generate:fal_seedream'),
  ],
  edges: [edge('list.list > each.prompt')],
};

describe('after a worker was killed', () => {
  let setup: TakeoverSetup;
  let fal: FalDouble;
  let folder: string;
  /** The next worker to kill. */
  let victim: ServiceChild;
  const services: ServiceChild[] = [];

  const getEnv = (): NodeJS.ProcessEnv => ({ ...setup.env, FAL_KEY: 'fal-key', FAL_BASE_URL: fal.url });
  const serve = async (): Promise<ServiceChild> => {
    const service = await spawnService(folder, getEnv());
    services.push(service);
    return service;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-takeover-'));
    setup = await startTakeoverSetup();
    fal = await startImageFal();
    fal.polls = 1e9;
    victim = await serve();
  });
  after(async () => {
    for (const service of services) await service.end('SIGKILL');
    await setup.close();
    await fal.close();
    await rm(folder, { recursive: true, force: true });
  });

  const listHanging = () => setup.hanging.filter(res => !res.writableEnded);
  /** Starts runs of the victim and waits for their second steps. `round` is a part of the requested URLs. */
  const startRuns = async (round: string): Promise<readonly string[]> => {
    const workflow = await victim.createWorkflow(twoSteps(`${setup.receiver.url}/${round}`));
    const webhook = { url: `${setup.receiver.url}/${round}/event` };
    const ids = await Promise.all(
      Array.from({ length: RUN_COUNT }, () => victim.startRun(workflow, { webhook })),
    );
    await waitUntil('the second step of each run', () => listHanging().length === RUN_COUNT);
    for (const id of ids) await setup.waitUntilStored(id, 'first');
    return ids;
  };
  const assertContinued = async (successor: Client, ids: readonly string[], round: string): Promise<void> => {
    await waitUntil('the second step again', () => listHanging().length === 2 * RUN_COUNT);
    for (const res of listHanging()) res.end('done');
    for (const id of ids) {
      const execution = await successor.waitForStatus(id);
      assert.equal(execution.status, 'COMPLETED');
      const { first, second } = mapStates(execution);
      assert.deepEqual([first?.attempt, second?.attempt, second?.text], [1, 2, 'done']);
    }
    assert.equal(setup.count(`/${round}/first`), RUN_COUNT);
    await waitUntil('an event of each run', () => setup.count(`/${round}/event`) === RUN_COUNT);
  };

  it('another worker continues its runs after their last completed nodes', async () => {
    const ids = await startRuns('replaced');
    const otherService = await serve();
    await victim.end('SIGKILL');
    await assertContinued(otherService, ids, 'replaced');
    victim = otherService;
  });

  describe('and was restarted', () => {
    let ids: readonly string[];
    let paidRun: string;
    let balance: number;
    let successor: LocalService;
    const readPool = (): Promise<Pool> => getPool(setup.db, 'user:1');
    before(async () => {
      ({ balance } = await readPool());
      paidRun = await victim.startRun(await victim.createWorkflow(PARALLEL_CALLS));
      ids = await startRuns('restarted');
      const listPolls = () =>
        fal.requests.filter(({ path }) => path.endsWith('/status')).map(({ path }) => path);
      // The calls that were polled are stored.
      await waitUntil('three calls to be polled', () => new Set(listPolls()).size === 3);
      await victim.end('SIGKILL');
      assert.deepEqual(await readPool(), { balance: balance - 3 * PRICE, held: 3 * PRICE });
      await assertLedgerBalanced(setup.db);
      fal.polls = 0;
      successor = await startLocalService(folder, getEnv());
    });
    after(() => successor.close());

    it('the worker continues its runs immediately', () => assertContinued(successor, ids, 'restarted'));

    it('each call of a paid run is charged once', async () => {
      const execution = await successor.waitForStatus(paidRun);
      assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
      const { first, each } = mapStates(execution);
      assert.deepEqual([first?.credits, each?.credits], [PRICE, 2 * PRICE]);
      assert.equal(fal.accepted.length, 3);
      assert.deepEqual(await readPool(), { balance: balance - 3 * PRICE, held: 0 });
      await assertLedgerBalanced(setup.db);
    });
  });
});
