// Kills all processes including PostgreSQL during runs, and checks that every accepted run ends once, with one event.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../support/client.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { type ServiceChild, spawnService } from '../support/service.ts';
import { edge, node, PAIR } from '../support/workflows.ts';

const KILL_COUNT = 5;
const RUNS_PER_ROUND = 10;

// Runs of PAIR end before the kill. Runs of the following workflows are killed while they wait or draw an image.
const DELAY_GRAPH = {
  nodes: [
    node('a', 'input:text', { value: 'x' }),
    node('d1', 'logic:delay', { ms: 400 }),
    node('d2', 'logic:delay', { ms: 400 }),
    node('b', 'output:preview'),
  ],
  edges: [edge('a.text > d1.input'), edge('d1.output > d2.input'), edge('d2.output > b.input')],
};
const IMAGE_GRAPH = {
  nodes: [
    node('a', 'input:text', { value: 'a hill' }),
    node('p', 'generate:sandbox', { width: 640, height: 640 }),
    node('b', 'output:preview'),
  ],
  edges: [edge('a.text > p.prompt'), edge('p.image > b.input')],
};

describe('a service whose processes are all killed', () => {
  let receiver: Receiver;
  let folder: string;
  let service: ServiceChild | undefined;

  before(async () => {
    receiver = await startReceiver();
    folder = await mkdtemp(join(tmpdir(), 'graphwright-kill-'));
  });
  after(async () => {
    await service?.end('SIGKILL');
    await receiver.close();
    // PostgreSQL takes a moment to exit after its parent.
    await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  });

  it('completes every accepted run with one event after five kills', async () => {
    const acceptedIds: string[] = [];
    let workflows: readonly string[] = [];
    for (let round = 0; round < KILL_COUNT; round++) {
      service = await spawnService(folder, { WEBHOOK_BACKOFF_BASE_MS: '100' });
      if (round === 0)
        workflows = await Promise.all([PAIR, DELAY_GRAPH, IMAGE_GRAPH].map(service.createWorkflow));
      acceptedIds.push(...(await startRuns(service, workflows, `${receiver.url}/${round}`, round)));
      await sleep(50 + 130 * round);
      await service.end('SIGKILL');
    }
    service = await spawnService(folder, { WEBHOOK_BACKOFF_BASE_MS: '100' });
    assert.equal(acceptedIds.length, KILL_COUNT * RUNS_PER_ROUND);
    for (const id of acceptedIds) assert.equal((await service.waitForStatus(id)).status, 'COMPLETED', id);

    const listRunsWithEvent = (): ReadonlySet<unknown> =>
      new Set(receiver.received.map(({ body }) => body.executionId));
    await waitUntil('an event of each run', () => listRunsWithEvent().size === acceptedIds.length);
    assert.deepEqual([...listRunsWithEvent()].sort(), [...acceptedIds].sort());
    // An event may be delivered several times, each time with the same id.
    assert.equal(new Set(receiver.received.map(({ body }) => body.eventId)).size, acceptedIds.length);
  });
});

function startRuns(
  service: Client,
  workflows: readonly string[],
  url: string,
  round: number,
): Promise<string[]> {
  return Promise.all(
    Array.from({ length: RUNS_PER_ROUND }, (_, index) =>
      service.startRun(workflows[index % workflows.length] ?? '', {
        webhook: { url },
        // A new text for each run, so that the image does not come from the cache.
        inputs: { a: `${round}/${index}` },
      }),
    ),
  );
}
