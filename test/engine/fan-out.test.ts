// Tests nodes that are mapped over lists: zipped lists, repeated items, products, limits, and items that fail or resume.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunOptions, Step } from '../../src/engine/types.ts';
import type { Value } from '../../src/graph/types.ts';
import { NodeError, Suspend, text } from '../../src/nodes/define.ts';
import type { NodeSketch } from '../support/engine/engine.ts';
import { listValue, numberValue, textValue } from '../support/engine/values.ts';
import { defineTestNode } from './nodes.ts';
import { run as runSketch } from './run-sketch.ts';

const calls: string[] = [];
let failingTexts = 'xz';

/** A node that fails for the texts in `failingTexts` and records every text in `calls`. */
const fragile = defineTestNode({
  nodeType: 't:fragile',
  inputs: { a: text('A', { required: true }) },
  outputs: { text: text('Text') },
  run: async ({ a }) => {
    calls.push(a);
    if (failingTexts.includes(a)) throw new NodeError('broken', `${a} broke.`);
    return { text: a.toUpperCase() };
  },
});

const suspending = defineTestNode({
  nodeType: 't:suspend',
  inputs: { a: text('A') },
  run: () => new Suspend('time', 1),
});

const texts = (...items: readonly string[]): Value => listValue(items.map(textValue));
const listNode = (items: string): NodeSketch => ({ type: 't:list', config: { items } });

const run = (
  nodes: Readonly<Record<string, NodeSketch>>,
  edges: readonly string[],
  options?: Partial<RunOptions>,
) => runSketch(nodes, edges, options, [fragile, suspending]);

/** Runs a join node with the given lists at its ports a, b and c, and returns its step. */
async function joinLists(
  lists: readonly string[],
  config: NodeSketch['config'] = {},
): Promise<Step | undefined> {
  const ports = ['a', 'b', 'c'].slice(0, lists.length);
  const nodes = Object.fromEntries(ports.map((port, index) => [`l_${port}`, listNode(lists[index] ?? '')]));
  const { steps } = await run(
    { ...nodes, j: { type: 't:join', config } },
    ports.map(port => `l_${port}.list > j.${port}`),
  );
  return steps.get('j');
}

describe('a list at a single-value port', () => {
  it('maps the node over the list in order', async () => {
    assert.deepEqual((await joinLists(['x y z']))?.outputs, { text: texts('(x)', '(y)', '(z)') });
  });

  it('is zipped with lists of the same length', async () => {
    assert.deepEqual((await joinLists(['x y', '1 2']))?.outputs, { text: texts('(x,1)', '(y,2)') });
  });

  it('is repeated for every item of another list if it has one item', async () => {
    assert.deepEqual((await joinLists(['x', '1 2', 'k l']))?.outputs, { text: texts('(x,1,k)', '(x,2,l)') });
  });

  it('results in a list even if it has one item', async () => {
    assert.deepEqual((await joinLists(['x']))?.outputs, { text: texts('(x)') });
  });

  it('fails the node and names the ports if the lengths differ', async () => {
    assert.deepEqual((await joinLists(['x y', '1 2 3']))?.error, {
      code: 'unequal_lists',
      message:
        'The lists differ in length: "A" (a) has 2, "B" (b) has 3. Give them the same length, or one item.',
    });
  });

  it('is combined with other lists as a product if `fanOut` is product', async () => {
    const step = await joinLists(['x y', '1 2 3', 'k'], { fanOut: 'product' });
    assert.deepEqual(step?.outputs, {
      text: texts('(x,1,k)', '(x,2,k)', '(x,3,k)', '(y,1,k)', '(y,2,k)', '(y,3,k)'),
    });
  });

  it('results in an empty list if it has no items', async () => {
    assert.deepEqual((await joinLists(['']))?.outputs, { text: listValue([]) });
    assert.deepEqual((await joinLists(['', 'x']))?.outputs, { text: listValue([]) });
    assert.equal((await joinLists(['', 'x y']))?.error?.code, 'unequal_lists');
    assert.deepEqual((await joinLists(['', 'x y'], { fanOut: 'product' }))?.outputs, { text: listValue([]) });
  });

  it('fails the node if there are more than 100 items', async () => {
    const createItems = (length: number) => Array.from({ length }, (_, index) => index).join(' ');
    assert.equal((await joinLists([createItems(100)]))?.status, 'COMPLETED');
    assert.deepEqual((await joinLists([createItems(101)]))?.error, {
      code: 'too_many_items',
      message: 'The lists result in 101 items, but a node can run for at most 100. Shorten the lists.',
    });
    assert.equal(
      (await joinLists([createItems(11), createItems(10)], { fanOut: 'product' }))?.error?.code,
      'too_many_items',
    );
  });

  it('results in a list that later nodes can map over or take whole', async () => {
    const { steps } = await run(
      {
        l: listNode('x y'),
        j: { type: 't:join' },
        again: { type: 't:join', config: { isAsync: 'yes' } },
        c: { type: 't:count' },
      },
      ['l.list > j.a', 'j.text > again.a', 'j.text > c.list'],
    );
    assert.deepEqual(steps.get('again')?.outputs, { text: texts('((x))', '((y))') });
    assert.deepEqual(steps.get('c')?.outputs, { number: numberValue(2) });
  });

  it('reports progress as the share of finished items', async () => {
    const shares: number[] = [];
    await run({ l: listNode('x y'), j: { type: 't:join' } }, ['l.list > j.a'], {
      onProgress: (_, share) => shares.push(share),
    });
    assert.deepEqual(shares, [0.5, 1]);
  });

  it('fails a node that suspends for an item', async () => {
    const { steps } = await run({ l: listNode('x'), s: { type: 't:suspend' } }, ['l.list > s.a']);
    assert.equal(steps.get('s')?.error?.code, 'cannot_wait');
  });
});

describe('an item that fails', () => {
  const nodes = { l: listNode('v x y z'), f: { type: 't:fragile' } };

  it('fails the node with the index of the item and keeps the results of other items', async () => {
    failingTexts = 'xz';
    const { steps, outcome } = await run(nodes, ['l.list > f.a']);
    assert.deepEqual(steps.get('f')?.error, {
      code: 'broken',
      message: 'Item 1, counted from 0: x broke. (2 of 4 items failed.)',
    });
    assert.deepEqual(steps.get('f')?.items, [{ text: textValue('V') }, null, { text: textValue('Y') }, null]);
    assert.equal(outcome.kind, 'failed');
  });

  it('runs again without the completed items', async () => {
    failingTexts = 'xz';
    const first = await run(nodes, ['l.list > f.a']);
    const { items } = first.steps.get('f') ?? {};
    assert.ok(items);
    failingTexts = '';
    calls.length = 0;
    const steps = new Map(first.steps).set('f', { nodeId: 'f', status: 'PENDING', attempt: 1, items });
    const second = await run(nodes, ['l.list > f.a'], { steps });
    assert.deepEqual(calls, ['x', 'z']);
    assert.deepEqual(second.steps.get('f')?.outputs, { text: texts('V', 'X', 'Y', 'Z') });
    assert.equal(second.steps.get('f')?.attempt, 2);
    assert.equal(second.steps.get('f')?.items, undefined);
  });

  it('runs again with all items if the length of the list has changed', async () => {
    calls.length = 0;
    const outdatedStep: Step = {
      nodeId: 'f',
      status: 'RUNNING',
      attempt: 1,
      items: [{ text: textValue('old') }, null],
    };
    await run(nodes, ['l.list > f.a'], { steps: new Map([['f', outdatedStep]]) });
    assert.deepEqual(calls, ['v', 'x', 'y', 'z']);
  });
});
