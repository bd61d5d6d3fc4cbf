// No request or node of one account holds the event loop: the largest that each takes is sent by another process, and
// what this process computes without a turn of its loop is measured.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { readSettings } from '../../../src/lib/settings.ts';
import { makeCatalog } from '../../../src/nodes/catalog.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { STORABLE } from './graphs.ts';
import { ELSEWHERE, NODES } from './nodes.ts';
import type { Answered, Asked } from './prober.ts';
import { type NodePort, nodeProbes, PROBES, type World } from './probes.ts';

/**
 * The contract is 200 ms without an answer of /healthz. Compared is processor time of this thread, which other processes
 * hardly change, and the bound leaves room for the collector and for slow machines.
 */
const LIMIT_MS = 400;
/** What /healthz may take in all, on a machine that does much else. */
const HEALTH_LIMIT_MS = 5_000;

const FEEDS = new Set(['TEXT', 'NUMBER', 'JSON', 'LIST', 'ANY']);
const catalog = makeCatalog(readSettings({ SANDBOX_MODELS: 'true' }));
const nodes = Object.entries(NODES).flatMap(([nodeType, configs]) =>
  configs.map((config): NodePort => {
    const { inputs } = catalog.ports(nodeType, config as never);
    const ports = inputs.filter(({ isPort, type }) => isPort && FEEDS.has(type));
    return { nodeType, config, ports: ports.map(({ id, type }) => [id, type] as const) };
  }),
);

let service: TestService;
let world: World;
const prober = fork(join(import.meta.dirname, 'prober.ts'), { serialization: 'advanced' });

before(async () => {
  service = await startTestService({ LOG_LEVEL: 'error', SANDBOX_MODELS: 'true' });
  const stored: Record<string, string> = {};
  for (const [name, make] of Object.entries(STORABLE)) {
    const { body, status } = await service.request('POST', '/workflows', { name: 'w', ...make() });
    assert.equal(status, 201, name);
    stored[name] = String(body.id);
    await service.request('POST', `/workflows/${body.id}/visibility`, {
      linkPermission: 'CAN_VIEW_AND_DUPLICATE',
    });
  }
  world = { url: service.url, key: KEY, stored };
});
after(async () => {
  prober.kill();
  await service.close();
});

it('has a row for every node', () => {
  const types = catalog.entries.filter(({ hidden, source }) => !hidden && source !== 'vendor');
  const rows = [...Object.keys(NODES), ...Object.values(ELSEWHERE).flat()];
  assert.deepEqual(types.map(({ nodeType }) => nodeType).sort(), rows.sort());
});

for (const probe of Object.keys({ ...PROBES, ...nodeProbes(nodes) })) {
  it(probe, async t => {
    prober.send({ probe, world, nodes } satisfies Asked);
    const [ready] = (await once(prober, 'message')) as ['ready'];
    assert.equal(ready, 'ready');
    const { result, longestMs } = await measure(async () => {
      const [answer] = (await once(prober, 'message')) as [Answered];
      return answer;
    });
    t.diagnostic(`${Math.round(longestMs)} ms`);
    assert.equal(result.error, undefined);
    assert.ok(!result.statuses.some(status => status >= 500), `${result.statuses}`);
    assert.ok(longestMs < LIMIT_MS, `${Math.round(longestMs)} ms without a turn of the event loop`);
    assert.ok(result.healthMs < HEALTH_LIMIT_MS, `${Math.round(result.healthMs)} ms until /healthz answered`);
  });
}

/** The longest that this thread computed between two turns of its event loop. */
async function measure<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly longestMs: number }> {
  let last = process.threadCpuUsage();
  let longestMs = 0;
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1000);
  }, 1);
  try {
    return { result: await work(), longestMs };
  } finally {
    clearInterval(timer);
  }
}
