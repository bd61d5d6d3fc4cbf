// Tests list nodes and the nodes that collect values into lists.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runNode } from '../support/engine/node-context.ts';
import { listValue, numberValue, textValue } from '../support/engine/values.ts';

const [a, b, c] = [textValue('a'), textValue('b'), textValue('c')];

describe('utility:list_item', () => {
  it('returns the item at an index from the start or from the end', async () => {
    assert.deepEqual(await runNode('utility:list_item', { list: [a, b, c] }), { item: a });
    assert.deepEqual(await runNode('utility:list_item', { list: [a, b, c], index: -1 }), { item: c });
  });

  it('reports the length of the list if the item does not exist', async () => {
    await assert.rejects(runNode('utility:list_item', { list: [a], index: 1 }), {
      code: 'no_such_item',
      message: /has 1 item and no index/,
    });
  });
});

describe('utility:list_slice', () => {
  it('returns the items from start to end', async () => {
    assert.deepEqual(await runNode('utility:list_slice', { list: [a, b, c], start: 1 }), { list: [b, c] });
    assert.deepEqual(await runNode('utility:list_slice', { list: [a, b, c], start: -2, end: -1 }), {
      list: [b],
    });
    assert.deepEqual(await runNode('utility:list_slice', { list: [a], start: 5 }), { list: [] });
  });
});

describe('logic:collect and output:gallery', () => {
  const inputs = { input1: listValue([a, b]), input3: numberValue(1), input4: c };

  it('collect the connected values into one list, in the order of the ports', async () => {
    assert.deepEqual(await runNode('logic:collect', inputs), { list: [a, b, numberValue(1), c] });
    assert.deepEqual(await runNode('output:gallery', inputs), {
      input: listValue([a, b, numberValue(1), c]),
    });
  });
});

describe('output:preview', () => {
  it('shows its value unchanged', async () => {
    assert.deepEqual(await runNode('output:preview', { input: a }), { input: a });
  });
});
