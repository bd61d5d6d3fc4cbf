// Tests that no graph or node of one account blocks the event loop. Another process sends the largest requests to the
// routes for graphs and runs each node with the longest values. The test measures how long this process computes
// between two turns of its event loop.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { CONFIGURED_NODES, catalog, type Harness, startHarness } from './harness.ts';
import { NODES, UNPROBED_NODES } from './nodes.ts';
import { createNodeProbes, GRAPH_PROBES } from './probes.ts';

let harness: Harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.close());

it('NODES and UNPROBED_NODES list every node type', () => {
  const types = catalog.entries.filter(({ hidden, source }) => !hidden && source !== 'vendor');
  const listedTypes = [...Object.keys(NODES), ...Object.values(UNPROBED_NODES).flat()];
  assert.deepEqual(types.map(({ nodeType }) => nodeType).sort(), listedTypes.sort());
});

for (const name of Object.keys({ ...GRAPH_PROBES, ...createNodeProbes(CONFIGURED_NODES) }))
  it(`${name} does not block the event loop`, async t => void (await harness.probe(name, t)));
