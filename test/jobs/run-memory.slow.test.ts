// Tests that runs of a user that need more memory than a process has do not affect runs of other users.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../support/client.ts';
import { type ServiceChild, spawnService } from '../support/service.ts';
import { isNightly, NIGHTLY_ONLY } from '../support/tier.ts';
import { createJoinGraph, PAIR } from '../support/workflows.ts';

/** More than one process has memory for. */
const RUN_COUNT = isNightly ? 50 : 20;
const SMALL_RUNS = isNightly ? 60 : 10;
/** The number of runs that are active during a kill, more than one process has memory for. */
const RUN_COUNT_AT_KILL = 20;
/** A graph with 40 nodes, each of which outputs 99 MB of text. */
const LARGE_GRAPH = createJoinGraph(100, 40);

describe('a service with a user whose runs exceed the memory', () => {
  let folder: string;
  let service: ServiceChild;
  let largeUserKey: string;

  const start = async (): Promise<void> => {
    service = await spawnService(folder, {
      PLANS_FILE: join(folder, 'plans.json'),
      // V8 aborts a process that needs more memory.
      NODE_OPTIONS: '--max-old-space-size=1000',
    });
  };
  const connectLargeUser = (): Client => createClient(service.url, largeUserKey);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-memory-'));
    const free = { requestsPerMinute: 60_000, executionsPerMinute: 60_000, executionsPerDay: null };
    await writeFile(join(folder, 'plans.json'), JSON.stringify({ free }));
    await start();
    largeUserKey = (await service.createUser({ plan: 'free' })).key;
  });
  after(async () => {
    await service.end('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  });

  const assertTooLarge = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      const record = await connectLargeUser().waitForStatus(id);
      assert.equal(record.status, 'FAILED');
      assert.equal(record.error?.code, 'run_output_too_large');
      assert.equal(record.nodeStates.length, LARGE_GRAPH.nodes.length);
    }
  };

  it('fails these runs while runs of other users complete', async () => {
    const [largeWorkflow, smallWorkflow] = await Promise.all([
      connectLargeUser().createWorkflow(LARGE_GRAPH),
      service.createWorkflow(PAIR),
    ]);
    const largeRuns = Promise.all(
      Array.from({ length: RUN_COUNT }, () => connectLargeUser().startRun(largeWorkflow)),
    );
    await completeRuns(service, smallWorkflow);
    await assertTooLarge(await largeRuns);
  });

  it('fails these runs after a kill and a restart too', NIGHTLY_ONLY, async () => {
    const largeWorkflow = await connectLargeUser().createWorkflow(LARGE_GRAPH);
    const ids = await Promise.all(
      Array.from({ length: RUN_COUNT_AT_KILL }, () => connectLargeUser().startRun(largeWorkflow)),
    );
    await sleep(50);
    await service.end('SIGKILL');
    await start();
    await completeRuns(service, await service.createWorkflow(PAIR));
    await assertTooLarge(ids);
  });
});

/** Executes runs one after the other. */
async function completeRuns(service: Client, workflow: string): Promise<void> {
  for (let run = 0; run < SMALL_RUNS; run++)
    assert.equal((await service.runWorkflow(workflow)).status, 'COMPLETED');
}
