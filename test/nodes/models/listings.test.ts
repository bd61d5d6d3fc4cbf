// Listings of providers that are wrong, huge, endless or hostile: what can be used of them is, and nothing else happens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  ListedModel,
  ListingProvider,
  ListingQuery,
} from '../../../src/nodes/models/listing/listing.ts';
import { readListing } from '../../../src/nodes/models/listing/read-listing.ts';
import { openApiOf, VIDEO_INPUT } from './published.ts';

const KEY = 'secret';
const PROVIDERS = {
  fal: { baseUrl: 'https://fal.test', key: KEY },
  replicate: { baseUrl: 'https://replicate.test/v1', key: KEY },
  openai: { baseUrl: 'https://openai.test/v1', key: KEY },
  comfyui: { baseUrl: 'https://comfy.test', key: KEY },
};
const SCRIPT = '<script>alert(1)</script>';

/** Reads the listing of a provider that answers so; the addresses that were asked are kept. */
async function listed(
  provider: ListingProvider,
  answer: (url: URL) => unknown,
  query: ListingQuery = { isFull: true },
) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    const body = answer(new URL(url));
    return {
      status: 200,
      headers: {},
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    };
  };
  const signal = AbortSignal.timeout(10_000);
  const rows = await readListing(provider, query, {
    providers: PROVIDERS,
    fetch,
    date: '2026-11-22',
    signal,
  });
  return { rows, asked };
}

/** A model of Replicate with these fields. */
const predictor = (properties: unknown, more: object = {}) => ({
  owner: 'acme',
  name: 'clip',
  is_official: false,
  latest_version: {
    id: 'a'.repeat(64),
    openapi_schema: {
      components: {
        schemas: {
          Input: { type: 'object', required: ['prompt'], properties },
          Output: { type: 'string', format: 'uri', title: 'Output' },
          ...more,
        },
      },
    },
  },
});
const one = { endpoints: ['acme/clip'], isFull: true };
const only = ({ rows }: { readonly rows: readonly ListedModel[] }): ListedModel => {
  assert.equal(rows.length, 1);
  return rows[0] as ListedModel;
};

describe('a listing', () => {
  for (const provider of ['fal', 'replicate', 'openai', 'comfyui'] as const) {
    for (const [name, body] of [
      ['HTML', '<html>busy</html>'],
      ['half a list', '{"data": [{"id": "x'],
    ] as const)
      it(`of ${provider} that is ${name} is said to be no JSON`, async () => {
        await assert.rejects(
          listed(provider, () => body),
          /no JSON/,
        );
      });

    for (const body of [null, [], 7, 'text', { data: 7, models: 'x', results: null, __proto__: 1 }])
      it(`of ${provider} that is ${JSON.stringify(body)} gives no model`, async () => {
        const rows = await listed(provider, () => JSON.stringify(body)).then(
          found => found.rows,
          (err: Error) => {
            assert.match(err.message, /no list of models/);
            return [];
          },
        );
        assert.deepEqual(
          rows.filter(({ model }) => model !== undefined),
          [],
        );
      });
  }
});

describe("Replicate's listing", () => {
  it('gives the version that its schema is of, and an official model by its name', async () => {
    const versioned = only(await listed('replicate', () => predictor({ prompt: { type: 'string' } }), one));
    assert.equal(versioned.model?.endpoint, `acme/clip:${'a'.repeat(64)}`);
    const official = { ...predictor({ prompt: { type: 'string' } }), is_official: true };
    assert.equal(only(await listed('replicate', () => official, one)).model?.endpoint, 'acme/clip');
  });

  it('is followed to twenty pages of its own address and no further, wherever it points', async () => {
    const { asked, rows } = await listed('replicate', () => ({
      results: [predictor({ prompt: { type: 'string' } })],
      next: 'http://169.254.169.254/latest/models?cursor=x',
    }));
    assert.equal(asked.length, 20);
    assert.ok(asked.every(url => url.startsWith('https://replicate.test/v1/models')));
    assert.equal(rows.length, 20);
  });

  it('is asked for no name that leads elsewhere', async () => {
    const { asked, rows } = await listed('replicate', () => ({}), {
      endpoints: ['../account', 'a/b/c', 'acme/clip?x', `${SCRIPT}/x`],
      isFull: true,
    });
    assert.deepEqual([asked, rows], [[], []]);
  });

  it('with a schema that goes in circles ends', async () => {
    const properties = {
      prompt: { $ref: '#/components/schemas/A' },
      more: { $ref: '#/components/schemas/A' },
    };
    const A = { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/A' }] };
    const { model, problem } = only(await listed('replicate', () => predictor(properties, { A }), one));
    assert.ok(model !== undefined || (problem ?? '').length > 0);
  });

  it('with a hundred alternatives inside each other ends, and soon', async () => {
    let nested: object = { type: 'string' };
    for (let depth = 0; depth < 100; depth++) nested = { allOf: Array.from({ length: 2 }, () => nested) };
    const parts = { allOf: Array.from({ length: 100 }, () => ({ type: 'string', default: 'x' })) };
    const started = performance.now();
    const body = predictor({ prompt: { type: 'string' }, parts });
    assert.ok(only(await listed('replicate', () => body, one)).model);
    // As JSON it would be of 2^100 parts: it is given as it would be after parsing.
    const { SchemaDocument } = await import('../../../src/nodes/models/json-schema.ts');
    new SchemaDocument({}).resolve(nested);
    assert.ok(performance.now() - started < 2_000);
  });

  it('with fields that mean something to JavaScript leaves them out', async () => {
    const text = JSON.stringify(
      predictor({ prompt: { type: 'string' }, constructor: { type: 'string' }, fine: { type: 'number' } }),
    ).replace('"fine"', '"__proto__": {"type": "string", "default": "polluted"}, "fine"');
    const { model } = only(await listed('replicate', () => text, one));
    assert.deepEqual(
      model?.fields.map(({ id }) => id),
      ['prompt', 'fine'],
    );
    assert.equal(({} as { default?: string }).default, undefined);
  });

  it('keeps markup out of every text that is shown', async () => {
    const body = {
      ...predictor({
        prompt: { type: 'string', title: SCRIPT, enum: undefined },
        style: { enum: [SCRIPT, 'plain'] },
      }),
      name: 'clip',
      description: SCRIPT,
    };
    const row = only(await listed('replicate', () => body, one));
    assert.equal(JSON.stringify(row).includes('<script'), false);
  });
});

describe("fal's listing", () => {
  const endpoint = 'fal-ai/x1';
  const rows =
    (price: unknown, display_name = 'X1') =>
    (url: URL) =>
      url.pathname.endsWith('/pricing')
        ? { prices: [{ endpoint_id: endpoint, unit_price: price, unit: 'seconds', currency: 'USD' }] }
        : {
            models: [
              {
                endpoint_id: endpoint,
                metadata: { display_name, category: 'text-to-video', status: 'active' },
                openapi: openApiOf(endpoint, VIDEO_INPUT),
              },
            ],
            has_more: false,
          };
  const asked = { endpoints: [endpoint], isFull: true };

  for (const price of [-1, 0, 1e9, '0.1', null, 1001])
    it(`does not believe a price of ${JSON.stringify(price)}`, async () => {
      const { model } = only(await listed('fal', rows(price), asked));
      assert.equal(model?.price, null);
    });

  it('believes one that a provider can ask', async () => {
    const { model } = only(await listed('fal', rows(0.25), asked));
    assert.equal(model?.price?.usd, 0.25);
  });

  it('shows a name without its markup', async () => {
    const row = only(await listed('fal', rows(0.1, `${SCRIPT}\u0007 Veo`), asked));
    assert.equal(row.label, 'script alert(1) /script Veo');
  });

  it('that never ends is given up on', async () => {
    let page = 0;
    const endless = () => ({ models: [], has_more: true, next_cursor: String(page++) });
    await assert.rejects(listed('fal', endless, { isFull: false }), /more than 500 pages/);
  });
});

describe('the listing of a server that speaks OpenAI', () => {
  it('gives each model as a chat, and says which name no node can have', async () => {
    const data = [
      { id: 'llama3.2:3b' },
      { id: 'qwen/qwen3-8b' },
      { id: `${SCRIPT}` },
      { id: '../../v1/admin' },
      { id: '__proto__' },
      { id: 7 },
      null,
    ];
    const { rows } = await listed('openai', () => ({ data }));
    const usable = rows.filter(({ model }) => model !== undefined).map(({ endpoint }) => endpoint);
    assert.deepEqual(usable, ['llama3.2:3b', 'qwen/qwen3-8b']);
    assert.equal(rows.length, 5);
    assert.ok(rows.every(({ label }) => !label.includes('<')));
  });

  it('of 20,000 models is read in a second', async () => {
    const data = Array.from({ length: 20_000 }, (_, index) => ({ id: `model-${index}` }));
    const started = performance.now();
    const { rows } = await listed('openai', () => ({ data }));
    assert.equal(rows.length, 20_000);
    assert.ok(performance.now() - started < 3_000);
  });
});

describe('the listing of a ComfyUI server', () => {
  it('can be searched in, and gives no node: a graph is the workflow of one', async () => {
    const info = `{"KSampler": {"display_name": "KSampler", "category": "sampling"},
      "__proto__": {"display_name": "x"}, "Bad": {"display_name": "${SCRIPT}", "category": ["x"]}, "None": null}`;
    const { rows } = await listed('comfyui', () => info);
    assert.ok(rows.every(({ model, problem }) => model === undefined && problem !== undefined));
    assert.equal(JSON.stringify(rows).includes('<script'), false);
    const found = await listed('comfyui', () => info, { words: 'sampler', isFull: false });
    assert.deepEqual(
      found.rows.map(({ endpoint }) => endpoint),
      ['KSampler'],
    );
  });
});
