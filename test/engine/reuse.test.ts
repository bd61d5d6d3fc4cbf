// Tests that results are compared by hashes, which are computed in slices.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashUpstream, type PlannedRun, reuseSteps } from '../../src/engine/reuse.ts';
import type { Step } from '../../src/engine/types.ts';
import type { PlanNode } from '../../src/graph/plan.ts';
import type { JsonObject } from '../../src/graph/types.ts';

const createNode = (id: string, config: JsonObject, sourceIndex?: number): PlanNode =>
  ({
    id,
    nodeType: 'input:json',
    config,
    inputs: sourceIndex === undefined ? [] : [{ port: 'in', sourceIndex, sourcePort: 'out' }],
  }) as unknown as PlanNode;

const createRun = (config: JsonObject, overrides: PlannedRun['overrides'] = new Map()): PlannedRun => ({
  plan: { nodes: [createNode('a', config), createNode('b', { x: 1 }, 0)] },
  overrides,
});

it('a hash changes with the config of the node and of the nodes before it', async () => {
  const hashes = await hashUpstream(createRun({ x: 1, y: 2 }));
  assert.deepEqual(await hashUpstream(createRun({ y: 2, x: 1 })), hashes);
  for (const run of [createRun({ x: 1 }), createRun({ x: 1, y: 2 }, new Map([['a', { y: 3 }]]))]) {
    const others = await hashUpstream(run);
    for (const id of ['a', 'b']) assert.notEqual(others.get(id), hashes.get(id));
  }
});

it('large configs are hashed and compared while the event loop turns', async () => {
  const run = createRun({ value: Array.from({ length: 100_000 }, () => ({ a: 1 })) });
  const steps = new Map<string, Step>([['a', { nodeId: 'a', status: 'COMPLETED', attempt: 1 }]]);
  let isDone = false;
  let turns = 0;
  const counting = (async () => {
    while (!isDone) {
      await nextTurn();
      turns++;
    }
  })();
  await hashUpstream(run);
  const turnsOfHashes = turns;
  assert.ok(turnsOfHashes > 2, `${turnsOfHashes} turns`);
  assert.deepEqual(
    (await reuseSteps({ ...run, steps }, run, [])).map(({ nodeId }) => nodeId),
    ['a'],
  );
  assert.ok(turns > turnsOfHashes + 2, `${turns - turnsOfHashes} turns`);
  isDone = true;
  await counting;
});
