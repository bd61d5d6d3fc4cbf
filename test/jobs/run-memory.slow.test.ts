// Tests that runs of a user that need more memory than a process has do not affect runs of other users.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../support/client.ts';
import { type ServiceChild, spawnService } from '../support/service.ts';
import { createJoinGraph, PAIR } from '../support/workflows.ts';

const RUN_COUNT = 50;
/** The number of runs that are active during a kill, which is more than one process has memory for. */
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

  it('fails these runs while runs of other users complete', async t => {
    const [largeWorkflow, smallWorkflow] = await Promise.all([
      connectLargeUser().createWorkflow(LARGE_GRAPH),
      service.createWorkflow(PAIR),
    ]);
    const timesBefore = await measureRuns(service, smallWorkflow, 20);
    const largeRuns = Promise.all(
      Array.from({ length: RUN_COUNT }, () => connectLargeUser().startRun(largeWorkflow)),
    );
    const timesDuring = await measureRuns(service, smallWorkflow, 60);
    await assertTooLarge(await largeRuns);
    t.diagnostic(
      `a run of another user: ${timesBefore} before the load, ${timesDuring} during the load; peak memory ${readPeakMegabytes(service.pid)} MB`,
    );
  });

  it('fails these runs after a kill and a restart too', async t => {
    const largeWorkflow = await connectLargeUser().createWorkflow(LARGE_GRAPH);
    const ids = await Promise.all(
      Array.from({ length: RUN_COUNT_AT_KILL }, () => connectLargeUser().startRun(largeWorkflow)),
    );
    await sleep(50);
    await service.end('SIGKILL');
    await start();
    const smallWorkflow = await service.createWorkflow(PAIR);
    const during = await measureRuns(service, smallWorkflow, 20);
    await assertTooLarge(ids);
    t.diagnostic(`a run of another user: ${during}; peak memory ${readPeakMegabytes(service.pid)} MB`);
  });
});

/** Executes runs one after the other, and returns a text with their median and 95th percentile durations. */
async function measureRuns(service: Client, workflow: string, count: number): Promise<string> {
  const durationsMs: number[] = [];
  for (let run = 0; run < count; run++) {
    const startMs = performance.now();
    assert.equal((await service.runWorkflow(workflow)).status, 'COMPLETED');
    durationsMs.push(performance.now() - startMs);
  }
  const [p50, p95] = [0.5, 0.95].map(
    share => durationsMs.toSorted((a, b) => a - b)[Math.floor(share * count)] ?? 0,
  );
  return `p50 ${p50?.toFixed(0)} ms, p95 ${p95?.toFixed(0)} ms`;
}

function readPeakMegabytes(pid: number): string {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) / 1024).toFixed(0);
}
