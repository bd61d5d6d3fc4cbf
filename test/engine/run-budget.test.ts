// Tests the memory and output limits of mapped nodes, which count each item before the next item starts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OUTPUT_TOO_LARGE } from '../../src/engine/output-size.ts';
import type { Value } from '../../src/graph/types.ts';
import { list, text } from '../../src/nodes/define.ts';
import { RunMemoryPool } from '../../src/runs/slots/memory.ts';
import { textValue } from '../support/engine/values.ts';
import { defineTestNode } from './nodes.ts';
import { run } from './run-sketch.ts';

const LENGTH = 200_000;
const ITEM_COUNT = 40;

const ITEMS_NODE = {
  nodeType: 't:items',
  outputs: { list: list('List') },
  run: () => ({ list: Array.from({ length: ITEM_COUNT }, (_, index): Value => textValue(`${index}`)) }),
} as const;
const items = defineTestNode(ITEMS_NODE);

/** Defines a node that returns a long text of the given character. */
const defineGrowingNode = (character: string, onRun: () => void = () => undefined, length = LENGTH) =>
  defineTestNode({
    nodeType: 't:grow',
    inputs: { a: text('A') },
    outputs: { text: text('Text') },
    run: () => {
      onRun();
      return { text: character.repeat(length) };
    },
  });

const GRAPH = [{ list: { type: 't:items' }, grow: { type: 't:grow' } }, ['list.list > grow.a']] as const;

describe('a mapped node', () => {
  it('starts no item if the previous items have used up the memory', async () => {
    const pool = new RunMemoryPool(LENGTH * 5);
    const older = pool.track('account', () => undefined);
    const memory = pool.track('account', () => undefined);
    const stop = new AbortController();
    let startedItems = 0;
    const stopWhenFull = setInterval(() => {
      if (!memory.canStart()) stop.abort('released');
    }, 1);
    const grower = defineGrowingNode('x', () => startedItems++);
    await run(...GRAPH, { budget: memory, signal: stop.signal, graceMs: 0 }, [items, grower]);
    clearInterval(stopWhenFull);
    // An item takes 0.4 MB of the 1 MB, and a workspace may use no more memory than is left for other workspaces.
    assert.equal(startedItems, 2);
    older.close();
  });

  it('completes if its texts are within the limit', async () => {
    const memory = new RunMemoryPool(1e9).track('account', () => undefined);
    const { outcome, statuses } = await run(...GRAPH, { budget: memory }, [items, defineGrowingNode('"')]);
    assert.deepEqual([outcome.kind, statuses.grow], ['completed', 'COMPLETED']);
    assert.ok(memory.outputBytes > 2 * LENGTH * ITEM_COUNT, 'escapes count');
  });

  it('fails if its texts exceed the limit only by their escapes', async () => {
    const stop = new AbortController();
    const memory = new RunMemoryPool(1e9).track('account', () => stop.abort('cancelled'));
    const { steps } = await run(...GRAPH, { budget: memory, signal: stop.signal }, [
      items,
      defineGrowingNode('\u0001'),
    ]);
    const { status, error, items: storedItems, outputs } = steps.get('grow') ?? {};
    assert.deepEqual(
      [status, error?.code, storedItems, outputs],
      ['FAILED', OUTPUT_TOO_LARGE, undefined, undefined],
    );
    assert.equal(memory.exceededBy, 'grow');
  });
});

describe('several mapped nodes', () => {
  const JOINS = Array.from({ length: 40 }, (_, index) => `join${index}`);
  const wide = [
    { list: { type: 't:one' }, ...Object.fromEntries(JOINS.map(id => [id, { type: 't:grow' }])) },
    JOINS.map(id => `list.list > ${id}.a`),
  ] as const;
  const oneItem = defineTestNode({
    ...ITEMS_NODE,
    nodeType: 't:one',
    run: () => ({ list: [textValue('0')] }),
  });

  it('complete until one of them exceeds the limit', async () => {
    const stop = new AbortController();
    const memory = new RunMemoryPool(1e9).track('account', () => stop.abort('cancelled'));
    const grower = defineGrowingNode('x', () => undefined, 1_000_000);
    const { statuses } = await run(...wide, { budget: memory, signal: stop.signal }, [oneItem, grower]);
    const count = (status: string) => JOINS.filter(id => statuses[id] === status).length;
    assert.deepEqual([count('COMPLETED'), count('FAILED')], [33, 1]);
  });
});
