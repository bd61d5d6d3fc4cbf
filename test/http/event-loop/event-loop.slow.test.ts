// Tests that no graph or node of one account blocks the event loop. Another process sends the largest requests to the
// routes for graphs and runs each node with the longest values. The test measures how long this process computes
// between two turns of its event loop.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { catalog, type Harness, NODE_PORTS, startHarness } from './harness.ts';
import { ELSEWHERE, NODES } from './nodes.ts';
import { GRAPH_PROBES, nodeProbes } from './probes.ts';

let harness: Harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.close());

it('has a row for every node', () => {
  const types = catalog.entries.filter(({ hidden, source }) => !hidden && source !== 'vendor');
  const rows = [...Object.keys(NODES), ...Object.values(ELSEWHERE).flat()];
  assert.deepEqual(types.map(({ nodeType }) => nodeType).sort(), rows.sort());
});

for (const name of Object.keys({ ...GRAPH_PROBES, ...nodeProbes(NODE_PORTS) }))
  it(name, async t => void (await harness.probe(name, t)));
