// Workers on one PostgreSQL: when one is killed, another goes on where it was; when it starts again, it does so at once.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { statesOf } from '../support/client.ts';
import { waitUntil } from '../support/processes.ts';
import { type Stage, setStage, twoSteps } from '../support/runs/dying-workers.ts';
import { type ServiceChild, spawnService } from '../support/service.ts';

const RUNS = 4;

describe('a worker that is killed', () => {
  let stage: Stage;
  let folder: string;
  let services: ServiceChild[] = [];

  const serve = async (): Promise<ServiceChild> => {
    const service = await spawnService(folder, stage.env);
    services.push(service);
    return service;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-takeover-'));
  });
  beforeEach(async () => {
    services = [];
    stage = await setStage();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const killAmidRuns = async (victim: ServiceChild): Promise<readonly string[]> => {
    const workflow = await victim.create(twoSteps(stage.receiver.url));
    const webhook = { url: `${stage.receiver.url}/event` };
    const ids = await Promise.all(Array.from({ length: RUNS }, () => victim.start(workflow, { webhook })));
    await waitUntil('the second step of each run', () => stage.hanging.length === RUNS);
    for (const id of ids) await stage.kept(id, 'first');
    return ids;
  };
  const assertWentOn = async (on: ServiceChild, ids: readonly string[]): Promise<void> => {
    await waitUntil('the second step again', () => stage.hanging.length === 2 * RUNS);
    for (const res of stage.hanging) res.end('done');
    for (const id of ids) {
      const execution = await on.until(id);
      assert.equal(execution.status, 'COMPLETED');
      const { first, second } = statesOf(execution);
      assert.deepEqual([first?.attempt, second?.attempt, second?.text], [1, 2, 'done']);
    }
    assert.equal(stage.count('/first'), RUNS);
    await waitUntil('an event of each run', () => stage.count('/event') === RUNS);
  };
  afterEach(async () => {
    for (const service of services) await service.end('SIGKILL');
    await stage.close();
  });

  it('is replaced by another: its runs go on from their last completed node', async () => {
    const victim = await serve();
    const ids = await killAmidRuns(victim);
    const other = await serve();
    await victim.end('SIGKILL');
    await assertWentOn(other, ids);
  });

  it('goes on with its runs as soon as it is started again', async () => {
    const victim = await serve();
    const ids = await killAmidRuns(victim);
    await victim.end('SIGKILL');
    const again = await serve();
    await assertWentOn(again, ids);
  });
});
