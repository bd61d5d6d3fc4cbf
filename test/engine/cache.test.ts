// Tests the node cache: which calls share a cache key, and which results are not stored.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeCacheKey } from '../../src/engine/cache.ts';
import type { NodeCache } from '../../src/engine/types.ts';
import type { JsonObject, MediaRef, Values } from '../../src/graph/types.ts';
import { any, defineNode, image, list, NodeError, number, Suspend, text } from '../../src/nodes/define.ts';
import type { Pricing } from '../../src/nodes/models/pricing.ts';
import {
  createFlatPricing,
  NODE_SETTINGS,
  planGraph,
  runRecorded,
  sketchGraph,
} from '../support/engine/engine.ts';
import { textValue } from '../support/engine/values.ts';
import { listSource, textSource } from './nodes.ts';

let runs = 0;
const define = (changes: { version?: number; pricing?: Pricing; nodeType?: string; cache?: boolean } = {}) =>
  defineNode({
    nodeType: 't:costly',
    label: 'Costly',
    category: 'utility',
    inputs: { a: text('A'), picture: image('Picture'), whole: list('Whole'), value: any('Value') },
    config: { seed: number('Seed'), outcome: text('Outcome', { default: 'success' }) },
    outputs: { text: text('Text') },
    cache: true,
    run: ({ a, outcome }, ctx) => {
      runs++;
      if (outcome === 'failure') throw new NodeError('no', 'No.');
      if (outcome === 'suspend') return new Suspend('time', ctx.now() + 1e6);
      return { text: `made of ${a}` };
    },
    ...changes,
  });

const picture = (sha256: string, url = 'http://a'): MediaRef => ({
  mediaId: `med_${url}`,
  url,
  contentType: 'image/png',
  sha256,
  bytes: 1,
  width: 1,
  height: 1,
  duration: null,
});

const getKey = (values: Readonly<Record<string, unknown>>, definition = define()): string | undefined => {
  const [node] = planGraph([definition], sketchGraph({ c: { type: definition.entry.nodeType } }, [])).nodes;
  assert.ok(node);
  return computeCacheKey(definition, node, values, {
    providers: {},
    settings: NODE_SETTINGS,
  });
};

describe('computeCacheKey', () => {
  it('returns the same key for values in another order', () => {
    assert.equal(getKey({ a: 'x', extra: { p: 1, q: 2 } }), getKey({ extra: { q: 2, p: 1 }, a: 'x' }));
    assert.match(getKey({ a: 'x' }) ?? '', /^[0-9a-f]{64}$/);
  });

  it('identifies media at any depth by their bytes instead of their URL', () => {
    const toInputs = (media: MediaRef) => [
      { picture: media },
      { whole: [{ type: 'IMAGE', media }] },
      { value: { type: 'IMAGE', media } },
      { value: { type: 'LIST', items: [{ type: 'IMAGE', media }] } },
    ];
    const getKeys = (media: MediaRef) => toInputs(media).map(values => getKey(values));
    assert.deepEqual(getKeys(picture('s1')), getKeys(picture('s1', 'http://elsewhere')));
    assert.equal(new Set([...getKeys(picture('s1')), ...getKeys(picture('s2'))]).size, 8);
  });

  it('returns another key for another value, setting, node type or version', () => {
    const keys = [
      getKey({ a: 'x' }),
      getKey({ a: 'y' }),
      getKey({ a: 'x', seed: 1 }),
      getKey({ value: { type: 'TEXT', text: '1' } }),
      getKey({ value: { type: 'NUMBER', number: 1 } }),
      getKey({ a: 'x' }, define({ version: 2 })),
      getKey({ a: 'x' }, define({ nodeType: 't:other' })),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });

  it('returns no key if the definition does not allow caching', () => {
    assert.equal(getKey({}, define({ cache: false })), undefined);
  });

  it('returns no key if a setting uses a secret at any depth', () => {
    assert.equal(getKey({ headers: [{ auth: 'Bearer {{secrets.TOKEN}}' }] }), undefined);
    assert.equal(getKey({ a: '{{ secrets.TOKEN }}' }), undefined);
  });

  it('returns no key for a paid model without a fixed seed', () => {
    const paid = define({ pricing: createFlatPricing(0.04, 'price list') });
    assert.equal(getKey({ a: 'x' }, paid), undefined);
    assert.notEqual(getKey({ a: 'x', seed: 0 }, paid), undefined);
  });
});

describe('a run with a cache', () => {
  const createMemoryCache = () => {
    const outputsByKey = new Map<string, Values>();
    const cache: NodeCache = {
      find: async key => outputsByKey.get(key),
      store: (key, outputs) => void outputsByKey.set(key, outputs),
    };
    return { outputsByKey, cache };
  };
  const definitions = [textSource, listSource, define()];
  const run = (cache: NodeCache, config: JsonObject = {}, items?: string) => {
    const source =
      items === undefined
        ? { type: 't:text', config: { value: 'x' } }
        : { type: 't:list', config: { items } };
    const graph = sketchGraph({ s: source, c: { type: 't:costly', config } }, ['s > c.a']);
    return runRecorded(definitions, planGraph(definitions, graph), { cache });
  };

  it('runs a node once and then reports the cached result', async () => {
    const { cache } = createMemoryCache();
    runs = 0;
    const first = (await run(cache)).steps.get('c');
    const second = (await run(cache)).steps.get('c');
    assert.equal(runs, 1);
    assert.equal(first?.cached, undefined);
    assert.equal(second?.cached, true);
    assert.deepEqual(second?.outputs, first?.outputs);
  });

  it('stores no results of nodes that fail or wait', async () => {
    const { cache, outputsByKey } = createMemoryCache();
    await run(cache, { outcome: 'failure' });
    await run(cache, { outcome: 'suspend' });
    assert.equal(outputsByKey.size, 0);
  });

  it('stores each item of a list separately', async () => {
    const { cache } = createMemoryCache();
    runs = 0;
    await run(cache, {}, 'x y');
    const partlyCached = (await run(cache, {}, 'y z')).steps.get('c');
    assert.equal(runs, 3);
    assert.equal(partlyCached?.cached, undefined);
    const fullyCached = (await run(cache, {}, 'z x')).steps.get('c');
    assert.equal(runs, 3);
    assert.equal(fullyCached?.cached, true);
    assert.deepEqual(fullyCached?.outputs?.text, {
      type: 'LIST',
      items: [textValue('made of z'), textValue('made of x')],
    });
  });
});
