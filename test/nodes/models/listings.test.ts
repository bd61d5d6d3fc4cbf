// Tests malformed, huge, endless and hostile model lists: the valid part is used, and nothing else happens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  ListedModel,
  ListingProvider,
  ListingQuery,
} from '../../../src/nodes/models/listing/listing.ts';
import { readListing } from '../../../src/nodes/models/listing/read-listing.ts';
import { createOpenApi, VIDEO_INPUT } from './published.ts';

const KEY = 'secret';
const ENDPOINTS = {
  fal: { baseUrl: 'https://fal.test', key: KEY },
  replicate: { baseUrl: 'https://replicate.test/v1', key: KEY },
  openai: { baseUrl: 'https://openai.test/v1', key: KEY },
  comfyui: { baseUrl: 'https://comfy.test', key: KEY },
};
const SCRIPT = '<script>alert(1)</script>';

/** Reads the list of a provider with these responses, and records the requested URLs. */
async function readModelList(
  provider: ListingProvider,
  response: (url: URL) => unknown,
  query: ListingQuery = { isFull: true },
) {
  const requestedUrls: string[] = [];
  const fetch = async (url: string) => {
    requestedUrls.push(url);
    const body = response(new URL(url));
    return {
      status: 200,
      headers: {},
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    };
  };
  const signal = AbortSignal.timeout(600_000);
  const rows = await readListing(provider, query, {
    endpoint: ENDPOINTS[provider],
    fetch,
    date: '2026-11-22',
    signal,
  });
  return { rows, requestedUrls };
}

/** Creates a Replicate model with these fields. */
const createReplicateModel = (properties: unknown, more: object = {}) => ({
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
const clipQuery = { endpoints: ['acme/clip'], isFull: true };
const getOnlyRow = ({ rows }: { readonly rows: readonly ListedModel[] }): ListedModel => {
  assert.equal(rows.length, 1);
  return rows[0] as ListedModel;
};

describe('readListing', () => {
  for (const provider of ['fal', 'replicate', 'openai', 'comfyui'] as const) {
    for (const [name, body] of [
      ['HTML', '<html>busy</html>'],
      ['half a list', '{"data": [{"id": "x'],
    ] as const)
      it(`reports that the list is not JSON if ${provider} sends ${name}`, async () => {
        await assert.rejects(
          readModelList(provider, () => body),
          /not JSON/,
        );
      });

    for (const body of [null, [], 7, 'text', { data: 7, models: 'x', results: null, __proto__: 1 }])
      it(`returns no model if ${provider} sends ${JSON.stringify(body)}`, async () => {
        const rows = await readModelList(provider, () => JSON.stringify(body)).then(
          result => result.rows,
          (err: Error) => {
            assert.match(err.message, /not a list of models/);
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

describe('readListing for Replicate', () => {
  it('returns the version of a model, or only the name of an official model', async () => {
    const versioned = getOnlyRow(
      await readModelList('replicate', () => createReplicateModel({ prompt: { type: 'string' } }), clipQuery),
    );
    assert.equal(versioned.model?.endpoint, `acme/clip:${'a'.repeat(64)}`);
    const official = { ...createReplicateModel({ prompt: { type: 'string' } }), is_official: true };
    assert.equal(
      getOnlyRow(await readModelList('replicate', () => official, clipQuery)).model?.endpoint,
      'acme/clip',
    );
  });

  it('requests at most twenty pages, all from the configured host', async () => {
    const { requestedUrls, rows } = await readModelList('replicate', () => ({
      results: [createReplicateModel({ prompt: { type: 'string' } })],
      next: 'http://169.254.169.254/latest/models?cursor=x',
    }));
    assert.equal(requestedUrls.length, 20);
    assert.ok(requestedUrls.every(url => url.startsWith('https://replicate.test/v1/models')));
    assert.equal(rows.length, 20);
  });

  it('sends no request for an endpoint that is not a model name', async () => {
    const { requestedUrls, rows } = await readModelList('replicate', () => ({}), {
      endpoints: ['../account', 'a/b/c', 'acme/clip?x', `${SCRIPT}/x`],
      isFull: true,
    });
    assert.deepEqual([requestedUrls, rows], [[], []]);
  });

  it('ends for a circular schema', async () => {
    const properties = {
      prompt: { $ref: '#/components/schemas/A' },
      more: { $ref: '#/components/schemas/A' },
    };
    const A = { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/A' }] };
    const { model, problem } = getOnlyRow(
      await readModelList('replicate', () => createReplicateModel(properties, { A }), clipQuery),
    );
    assert.ok(model !== undefined || (problem ?? '').length > 0);
  });

  it('ends quickly for a hundred nested alternatives', async () => {
    let nested: object = { type: 'string' };
    for (let depth = 0; depth < 100; depth++) nested = { allOf: Array.from({ length: 2 }, () => nested) };
    const parts = { allOf: Array.from({ length: 100 }, () => ({ type: 'string', default: 'x' })) };
    const started = performance.now();
    const body = createReplicateModel({ prompt: { type: 'string' }, parts });
    assert.ok(getOnlyRow(await readModelList('replicate', () => body, clipQuery)).model);
    // The JSON text of this schema would have 2^100 parts, so the parsed schema is passed.
    const { SchemaDocument } = await import('../../../src/nodes/models/json-schema.ts');
    new SchemaDocument({}).resolve(nested);
    assert.ok(performance.now() - started < 20_000);
  });

  it('omits fields with names that are special in JavaScript', async () => {
    const text = JSON.stringify(
      createReplicateModel({
        prompt: { type: 'string' },
        constructor: { type: 'string' },
        fine: { type: 'number' },
      }),
    ).replace('"fine"', '"__proto__": {"type": "string", "default": "polluted"}, "fine"');
    const { model } = getOnlyRow(await readModelList('replicate', () => text, clipQuery));
    assert.deepEqual(
      model?.fields.map(({ id }) => id),
      ['prompt', 'fine'],
    );
    assert.equal(({} as { default?: string }).default, undefined);
  });

  it('removes markup from every displayed text', async () => {
    const body = {
      ...createReplicateModel({
        prompt: { type: 'string', title: SCRIPT, enum: undefined },
        style: { enum: [SCRIPT, 'plain'] },
      }),
      name: 'clip',
      description: SCRIPT,
    };
    const row = getOnlyRow(await readModelList('replicate', () => body, clipQuery));
    assert.equal(JSON.stringify(row).includes('<script'), false);
  });
});

describe('readListing for fal', () => {
  const endpoint = 'fal-ai/x1';
  const createFalResponse =
    (price: unknown, display_name = 'X1') =>
    (url: URL) =>
      url.pathname.endsWith('/pricing')
        ? { prices: [{ endpoint_id: endpoint, unit_price: price, unit: 'seconds', currency: 'USD' }] }
        : {
            models: [
              {
                endpoint_id: endpoint,
                metadata: { display_name, category: 'text-to-video', status: 'active' },
                openapi: createOpenApi(endpoint, VIDEO_INPUT),
              },
            ],
            has_more: false,
          };
  const query = { endpoints: [endpoint], isFull: true };

  for (const price of [-1, 0, 1e9, '0.1', null, 1001])
    it(`rejects a price of ${JSON.stringify(price)}`, async () => {
      const { model } = getOnlyRow(await readModelList('fal', createFalResponse(price), query));
      assert.equal(model?.price, null);
    });

  it('accepts a plausible price', async () => {
    const { model } = getOnlyRow(await readModelList('fal', createFalResponse(0.25), query));
    assert.equal(model?.price?.usd, 0.25);
  });

  it('removes markup from a name', async () => {
    const row = getOnlyRow(await readModelList('fal', createFalResponse(0.1, `${SCRIPT}\u0007 Veo`), query));
    assert.equal(row.label, 'script alert(1) /script Veo');
  });

  it('stops after 500 pages', async () => {
    let page = 0;
    const endless = () => ({ models: [], has_more: true, next_cursor: String(page++) });
    await assert.rejects(readModelList('fal', endless, { isFull: false }), /more than 500 pages/);
  });
});

describe('readListing for an OpenAI-compatible server', () => {
  it('returns a chat model for each name that can be a node name', async () => {
    const data = [
      { id: 'llama3.2:3b' },
      { id: 'qwen/qwen3-8b' },
      { id: `${SCRIPT}` },
      { id: '../../v1/admin' },
      { id: '__proto__' },
      { id: 7 },
      null,
    ];
    const { rows } = await readModelList('openai', () => ({ data }));
    const modelEndpoints = rows.filter(({ model }) => model !== undefined).map(({ endpoint }) => endpoint);
    assert.deepEqual(modelEndpoints, ['llama3.2:3b', 'qwen/qwen3-8b']);
    assert.equal(rows.length, 5);
    assert.ok(rows.every(({ label }) => !label.includes('<')));
  });

  it('reads 20,000 models with little processor time', async () => {
    const data = Array.from({ length: 20_000 }, (_, index) => ({ id: `model-${index}` }));
    // Measures the processor time of this thread, because the machine may be busy.
    const before = process.threadCpuUsage();
    const { rows } = await readModelList('openai', () => ({ data }));
    const { user, system } = process.threadCpuUsage(before);
    assert.equal(rows.length, 20_000);
    assert.ok(user + system < 3_000_000, `${user + system} µs`);
  });
});

describe('readListing for ComfyUI', () => {
  it('returns no models, because ComfyUI runs only graphs', async () => {
    const info = `{"KSampler": {"display_name": "KSampler", "category": "sampling"},
      "__proto__": {"display_name": "x"}, "Bad": {"display_name": "${SCRIPT}", "category": ["x"]}, "None": null}`;
    const { rows } = await readModelList('comfyui', () => info);
    assert.ok(rows.every(({ model, problem }) => model === undefined && problem !== undefined));
    assert.equal(JSON.stringify(rows).includes('<script'), false);
    const searched = await readModelList('comfyui', () => info, { searchText: 'sampler', isFull: false });
    assert.deepEqual(
      searched.rows.map(({ endpoint }) => endpoint),
      ['KSampler'],
    );
  });
});
