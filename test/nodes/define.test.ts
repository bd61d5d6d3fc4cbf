// Tests node declarations: the derived entry, and the types that `run` receives.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { MediaRef, Value } from '../../src/graph/types.ts';
import {
  any,
  choice,
  defineNode,
  image,
  list,
  type NodeContext,
  number,
  text,
} from '../../src/nodes/define.ts';
import { createFlatPricing, NODE_SETTINGS } from '../support/engine/engine.ts';

// Fails at compile time if the two types differ.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const assertType = <T extends true>(_: T): void => undefined;

const sample = defineNode({
  nodeType: 'utility:sample',
  label: 'Sample',
  category: 'utility',
  inputs: {
    prompt: text('Prompt', { required: true }),
    picture: image('Picture'),
    all: list('All'),
    either: any('Either'),
  },
  config: {
    size: number('Size', { default: 3, min: 1 }),
    limit: number('Limit'),
    mode: choice('Mode', ['fast', 'fine']),
  },
  outputs: { text: text('Text') },
  dynamicPorts: { note: 'one', resolve: () => ({ inputs: { extra: text('Extra') }, outputs: {} }) },
  pricing: createFlatPricing(0.04, 'price list'),
  run: values => {
    assertType<Same<typeof values.prompt, string>>(true);
    assertType<Same<typeof values.picture, MediaRef | undefined>>(true);
    assertType<Same<typeof values.all, readonly Value[] | undefined>>(true);
    assertType<Same<typeof values.either, Value | undefined>>(true);
    assertType<Same<typeof values.size, number>>(true);
    assertType<Same<typeof values.limit, number | undefined>>(true);
    assertType<Same<typeof values.mode, 'fast' | 'fine'>>(true);
    return { text: values.prompt };
  },
});

describe('defineNode', () => {
  it('derives ports and fields from the declaration', () => {
    assert.deepEqual(sample.entry.inputs, [
      { id: 'prompt', type: 'TEXT', label: 'Prompt', required: true, isPort: true },
      { id: 'picture', type: 'IMAGE', label: 'Picture', isPort: true },
      { id: 'all', type: 'LIST', label: 'All', isPort: true },
      { id: 'either', type: 'ANY', label: 'Either', isPort: true },
      { id: 'size', type: 'NUMBER', label: 'Size', default: 3, min: 1, isPort: false },
      { id: 'limit', type: 'NUMBER', label: 'Limit', isPort: false },
      { id: 'mode', type: 'TEXT', label: 'Mode', enum: ['fast', 'fine'], default: 'fast', isPort: false },
    ]);
    assert.deepEqual(sample.entry.outputs, [{ id: 'text', label: 'Text', type: 'TEXT', isPort: true }]);
  });

  it('marks a node with a price as paid', () => {
    const { executionCost, pricingModel, estimatedCredits, costUsd, priceSource } = sample.entry;
    assert.deepEqual(
      [executionCost, pricingModel, estimatedCredits, costUsd, priceSource],
      ['paid', 'flat-usd', 4, 0.04, 'price list'],
    );
  });

  it('replaces the declared ports with those derived from the config', () => {
    const { inputs, outputs } = sample.ports({});
    assert.deepEqual(
      inputs.map(input => input.id),
      ['extra', 'size', 'limit', 'mode'],
    );
    assert.deepEqual(outputs, []);
    assert.equal(sample.entry.dynamicPorts, true);
  });

  it('uses version 1 and no cache by default', () => {
    assert.deepEqual(
      [sample.version, sample.cache({}, NODE_SETTINGS), sample.requires({})],
      [1, false, undefined],
    );
  });
});

describe('the limit of concurrent runs of a node', () => {
  it('is the limit of the provider that the config requires', async () => {
    let running = 0;
    let maxRunning = 0;
    const node = defineNode({
      nodeType: 'utility:paid',
      label: 'Paid',
      category: 'utility',
      inputs: {},
      config: { engine: choice('Engine', ['local', 'elevenlabs']) },
      outputs: { text: text('Text') },
      requires: ({ engine }) => (engine === 'local' ? 'speech-command' : 'elevenlabs'),
      run: async () => {
        maxRunning = Math.max(maxRunning, ++running);
        await setImmediate();
        running--;
        return { text: 'done' };
      },
    });
    const runMany = async (engine: string): Promise<number> => {
      maxRunning = 0;
      const ctx = { signal: new AbortController().signal } as NodeContext;
      await Promise.all(Array.from({ length: 12 }, () => node.run({ engine }, ctx)));
      return maxRunning;
    };
    assert.equal(await runMany('elevenlabs'), 4);
    assert.equal(await runMany('local'), 12);
  });
});
