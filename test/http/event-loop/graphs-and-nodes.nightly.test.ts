// Tests that no graph or node of one account blocks the event loop. Another process sends the largest requests to the
// routes for graphs and runs each node with the longest values. The test measures how long this process computes
// between two turns of its event loop.
import { after, before, it } from 'node:test';
import { CONFIGURED_NODES, type Harness, startHarness } from './harness.ts';
import { createNodeProbes, GRAPH_PROBES } from './probes.ts';

let harness: Harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.close());

for (const name of Object.keys({ ...GRAPH_PROBES, ...createNodeProbes(CONFIGURED_NODES) }))
  it(`${name} does not block the event loop`, async t => void (await harness.probe(name, t)));
