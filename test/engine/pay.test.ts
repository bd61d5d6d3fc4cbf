// Tests when paid calls are reserved and charged, and that only the function of a node receives secrets.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunOptions } from '../../src/engine/types.ts';
import type { Values } from '../../src/graph/types.ts';
import { list, NodeError, type RunSecrets, text } from '../../src/nodes/define.ts';
import { createFlatPricing, planGraph, runRecorded, sketchGraph } from '../support/engine/engine.ts';
import { textValue } from '../support/engine/values.ts';
import { defineTestNode } from './nodes.ts';

const PRICE = createFlatPricing(0.04, 'price list');

const words = defineTestNode({
  nodeType: 'test:words',
  category: 'input',
  outputs: { list: list('Words') },
  run: () => ({ list: ['a', 'bad', 'c'].map(textValue) }),
});

/** Defines a paid node that fails for 'bad' and records its prompts in `calls`. */
function definePaidNode(calls: string[]) {
  return defineTestNode({
    nodeType: 'test:paid',
    category: 'model',
    inputs: { prompt: text('Prompt', { default: 'a' }) },
    config: { seed: text('Seed') },
    outputs: { text: text('Text') },
    pricing: PRICE,
    cache: true,
    secrets: true,
    run: async ({ prompt }, ctx) => {
      calls.push(prompt);
      ctx.task.use({ tokens: 7 });
      if (prompt === 'bad') throw new NodeError('refused', 'The model refused.');
      return { text: prompt };
    },
  });
}

const createSingleGraph = (config = {}) => sketchGraph({ m: { type: 'test:paid', config } }, []);
const mapped = sketchGraph({ w: { type: 'test:words' }, m: { type: 'test:paid' } }, ['w.list > m.prompt']);
const payFour: RunOptions['pay'] = async () => ({ credits: 4, settle: () => 4, refund: () => undefined });

const createSecrets = (replace: RunSecrets['replace']): RunSecrets => ({
  replace,
  valueFor: () => 'hush',
  mayRedirect: () => false,
  scrub: words => words.replaceAll('hush', '…'),
  conceal: data => data,
});

describe('a paid call', () => {
  it('is reserved before it is made and reported with its cost in the step', async () => {
    const order: string[] = [];
    const paid = definePaidNode(order);
    const { steps } = await runRecorded([paid], planGraph([paid], createSingleGraph()), {
      pay: async call => {
        order.push(`pay ${call.node.id}`);
        return { credits: 4, settle: () => 4, refund: () => undefined };
      },
    });
    assert.deepEqual(order, ['pay m', 'a']);
    assert.equal(steps.get('m')?.credits, 4);
  });

  it('is not made if its payment is refused', async () => {
    const calls: string[] = [];
    const paid = definePaidNode(calls);
    const { outcome, steps } = await runRecorded([paid], planGraph([paid], createSingleGraph()), {
      pay: async () => {
        throw new NodeError('insufficient_credits', 'There are too few credits.');
      },
    });
    assert.deepEqual(calls, []);
    assert.equal(outcome.kind, 'failed');
    assert.equal(steps.get('m')?.error?.code, 'insufficient_credits');
    assert.equal(steps.get('m')?.credits, undefined);
  });

  it('costs what `settle` returns for its usage', async () => {
    const reported: unknown[] = [];
    const paid = definePaidNode([]);
    const { steps } = await runRecorded([paid], planGraph([paid], createSingleGraph()), {
      pay: async () => ({
        credits: 4,
        settle: usage => {
          reported.push(usage);
          return 3;
        },
        refund: () => undefined,
      }),
    });
    assert.deepEqual(reported, [{ tokens: 7 }]);
    assert.equal(steps.get('m')?.credits, 3);
  });

  it('costs nothing if it fails', async () => {
    const paid = definePaidNode([]);
    const { steps } = await runRecorded([paid], planGraph([paid], createSingleGraph({ prompt: 'bad' })), {
      pay: payFour,
    });
    assert.equal(steps.get('m')?.status, 'FAILED');
    assert.equal(steps.get('m')?.credits, undefined);
  });

  it('costs nothing if its result comes from the cache', async () => {
    const outputsByKey = new Map<string, Values>();
    const cache: RunOptions['cache'] = {
      find: async key => outputsByKey.get(key),
      store: (key, outputs) => outputsByKey.set(key, outputs),
    };
    const calls: string[] = [];
    const paid = definePaidNode(calls);
    const plan = planGraph([paid], createSingleGraph({ seed: '7' }));
    await runRecorded([paid], plan, { pay: payFour, cache });
    const { steps } = await runRecorded([paid], plan, { pay: payFour, cache });
    assert.deepEqual(calls, ['a']);
    assert.equal(steps.get('m')?.cached, true);
    assert.equal(steps.get('m')?.credits, undefined);
  });

  it('costs only its failed items when the run is resumed', async () => {
    const paid = definePaidNode([]);
    const plan = planGraph([words, paid], mapped);
    const first = await runRecorded([words, paid], plan, { pay: payFour });
    const failedStep = first.steps.get('m');
    assert.equal(failedStep?.status, 'FAILED');
    assert.equal(failedStep?.credits, 8);
    let payments = 0;
    const pending = { ...failedStep, status: 'PENDING' as const };
    await runRecorded([words, paid], plan, {
      steps: new Map([...first.steps, ['m', pending]]),
      pay: async () => {
        payments++;
        return { credits: 4, settle: () => 4, refund: () => undefined };
      },
    });
    assert.equal(payments, 1);
  });
});

describe('a secret', () => {
  it('reaches the function of a node but no step and no cache', async () => {
    const calls: string[] = [];
    const paid = definePaidNode(calls);
    const cacheKeys: string[] = [];
    const cache: RunOptions['cache'] = {
      find: async key => void cacheKeys.push(key) as undefined,
      store: key => void cacheKeys.push(key),
    };
    const plan = planGraph([paid], createSingleGraph({ prompt: 'bad {{secrets.WORD}}', seed: '7' }));
    const { reported } = await runRecorded([paid], plan, {
      cache,
      secrets: createSecrets(setting => String(setting).replace('{{secrets.WORD}}', 'hush')),
    });
    assert.deepEqual(calls, ['bad hush']);
    assert.deepEqual(cacheKeys, []);
    assert.ok(!JSON.stringify(reported.map(({ outputs: _, ...step }) => step)).includes('hush'));
  });

  it('is not inserted into values from edges or into nodes that do not declare secrets', async () => {
    const calls: string[] = [];
    const paid = definePaidNode(calls);
    const leak = defineTestNode({
      nodeType: 'test:leak',
      config: { value: text('Value', { default: '' }) },
      outputs: { text: text('Text') },
      run: ({ value }) => ({ text: value }),
    });
    const graph = sketchGraph(
      { l: { type: 'test:leak', config: { value: '{{secrets.WORD}}' } }, m: { type: 'test:paid' } },
      ['l.text > m.prompt'],
    );
    const { steps } = await runRecorded([leak, paid], planGraph([leak, paid], graph), {
      secrets: createSecrets(() => 'hush'),
    });
    assert.deepEqual(calls, ['{{secrets.WORD}}']);
    assert.deepEqual(steps.get('l')?.outputs?.text, textValue('{{secrets.WORD}}'));
  });
});
