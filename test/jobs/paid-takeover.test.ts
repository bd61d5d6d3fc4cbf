// Paid runs whose worker is killed: the next one goes on with the same reservation, and charges each delivery once.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findPool, type Pool } from '../../src/store/credits.ts';
import { statesOf } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { type ServiceChild, spawnService, urlOf } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

/** Credits of one call of generate:fal_seedream. */
const PRICE = 3;
const SIDE_BY_SIDE = {
  nodes: [
    node('first', 'generate:fal_seedream', { prompt: 'a fox' }),
    node('list', 'input:list', { items: ['a cat', 'a dog'] }),
    node('each', 'generate:fal_seedream'),
  ],
  edges: [edge('list.list > each.prompt')],
};

describe('a paid run whose worker is killed', () => {
  let folder: string;
  let database: TestDatabase;
  let fal: FalDouble;
  let services: ServiceChild[];

  const serve = async (): Promise<ServiceChild> => {
    const service = await spawnService(folder, {
      DATABASE_URL: urlOf(database.connection),
      FAL_KEY: 'fal-key',
      FAL_BASE_URL: fal.url,
    });
    services.push(service);
    return service;
  };
  const polled = (): ReadonlySet<string> =>
    new Set(fal.asked.filter(({ path }) => path.endsWith('/status')).map(({ path }) => path));
  const readPool = async (): Promise<Pool> => findPool(database.db, 'user:1');
  beforeEach(async () => {
    services = [];
    folder = await mkdtemp(join(tmpdir(), 'graphwright-paid-'));
    database = await createTestDatabase();
    fal = await startFal(await plainImage(8, 8, '#336699'));
    fal.polls = 1e9;
    fal.result = { status: 200, body: { images: [{ url: `${fal.url}/files/a.png` }] } };
  });
  afterEach(async () => {
    for (const service of services) await service.end('SIGKILL');
    await database.drop();
    await fal.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps its reservation, is charged once for each call, and gives the rest back', async () => {
    const victim = await serve();
    const { balance } = await readPool();
    const id = await victim.start(await victim.create(SIDE_BY_SIDE));
    // Polled, and so stored.
    await waitUntil('three calls to be polled', () => polled().size === 3);
    await victim.end('SIGKILL');
    assert.deepEqual(await readPool(), { balance: balance - 3 * PRICE, held: 3 * PRICE });
    await assertLedgerBalanced(database.db);
    fal.polls = 0;
    const again = await serve();
    const execution = await again.until(id);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    const { first, each } = statesOf(execution);
    assert.deepEqual([first?.credits, each?.credits], [PRICE, 2 * PRICE]);
    assert.equal(fal.accepted.length, 3);
    assert.deepEqual(await readPool(), { balance: balance - 3 * PRICE, held: 0 });
    await assertLedgerBalanced(database.db);
  });
});
