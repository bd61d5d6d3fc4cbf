// Tests GET /nodes and GET /models: filters, caching, and stable responses.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, type TestResponse } from '../../support/app.ts';

interface CatalogResponse {
  readonly version: number;
  readonly generatedAt: string;
  readonly count: number;
  readonly nodes?: readonly Entry[];
  readonly models?: readonly Entry[];
}
interface Entry {
  readonly nodeType: string;
  readonly category: string;
  readonly source: string;
  readonly hidden?: boolean;
  readonly isAvailable?: boolean;
  readonly estimatedCredits: number | null;
}

let test: TestApp;
before(async () => {
  test = await openTestApp();
});
after(() => test.close());

const sendRequest = (
  path: string,
  headers: Record<string, string> = {},
): Promise<TestResponse<CatalogResponse>> =>
  test.anonymous.request<CatalogResponse>('GET', path, undefined, headers);

describe('GET /nodes', () => {
  it('lists visible node types without authentication, cacheable for an hour', async () => {
    const { status, headers, body } = await sendRequest('/nodes');
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'public, max-age=3600');
    assert.match(headers['content-type'] ?? '', /^application\/json/);
    assert.equal(body.version, 1);
    assert.equal(body.count, body.nodes?.length);
    assert.ok(!Number.isNaN(Date.parse(body.generatedAt)));
    assert.ok(body.nodes?.some(({ nodeType }) => nodeType === 'utility:math'));
    assert.ok(body.nodes?.every(({ hidden }) => hidden !== true));
  });

  it('filters by category and source', async () => {
    for (const [filter, member, value] of [
      ['category=utility', 'category', 'utility'],
      ['category=input', 'category', 'input'],
      ['source=non-vendor', 'source', 'non-vendor'],
    ] as const) {
      const { body } = await sendRequest(`/nodes?${filter}`);
      assert.ok(body.count > 0, filter);
      assert.ok(
        body.nodes?.every(entry => entry[member] === value),
        filter,
      );
    }
    const filtered = await sendRequest('/nodes?category=utility&source=non-vendor');
    assert.ok(
      filtered.body.nodes?.every(entry => entry.category === 'utility' && entry.source === 'non-vendor'),
    );
  });

  it('includes hidden entries if includeHidden is 1', async () => {
    const visible = await sendRequest('/nodes');
    const all = await sendRequest('/nodes?includeHidden=1');
    const isFluxDev = ({ nodeType }: Entry): boolean => nodeType === 'generate:fal_flux_dev';
    assert.ok(!visible.body.nodes?.some(isFluxDev));
    assert.ok(all.body.count > visible.body.count);
    assert.equal(all.body.nodes?.find(isFluxDev)?.hidden, true);
    assert.ok(visible.body.nodes?.every(entry => entry.isAvailable === undefined));
    assert.equal(all.body.nodes?.find(isFluxDev)?.source, 'vendor');
  });

  it('includes models of unconfigured providers with prices if includeHidden is 1', async () => {
    const visible = await sendRequest('/models');
    const all = await sendRequest('/models?includeHidden=1');
    const unavailable = all.body.models?.filter(({ isAvailable }) => isAvailable === false) ?? [];
    assert.ok(unavailable.length > 200, String(unavailable.length));
    assert.ok(!visible.body.models?.some(({ isAvailable }) => isAvailable === false));
    const flux = unavailable.find(({ nodeType }) => nodeType === 'generate:fal_flux_dev');
    assert.deepEqual([flux?.estimatedCredits, flux?.hidden], [3, true]);
    const sandbox = all.body.models?.find(({ nodeType }) => nodeType === 'generate:sandbox');
    assert.equal(sandbox?.isAvailable, undefined);
  });

  it('returns 304 if the ETag of the same query matches', async () => {
    const { etag } = (await sendRequest('/nodes')).headers;
    assert.match(etag ?? '', /^"[\w-]{22}"$/);
    for (const tag of [etag ?? '', `W/${etag}`, `"other", ${etag}`, '*'])
      assert.equal((await sendRequest('/nodes', { 'if-none-match': tag })).status, 304, tag);
    assert.equal((await sendRequest('/nodes', { 'if-none-match': '"other"' })).status, 200);
    assert.notEqual((await sendRequest('/nodes?category=utility')).headers.etag, etag);
  });

  it('rejects unknown filter values with the valid values', async () => {
    for (const query of [
      'category=none',
      'source=none',
      'includeHidden=yes',
      'category=',
      'category=input&category=output',
    ]) {
      const { status, body } = await sendRequest(`/nodes?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.code, 'invalid_request', query);
    }
    assert.match(
      (await sendRequest('/nodes?source=none')).body.error ?? '',
      /one of "vendor", "non-vendor", "registry-shell"/,
    );
  });
});

describe('GET /models', () => {
  it('lists exactly the models of GET /nodes', async () => {
    const { status, body } = await sendRequest('/models');
    assert.equal(status, 200);
    assert.equal(body.count, body.models?.length);
    assert.ok(body.count > 0);
    const { body: all } = await sendRequest('/nodes');
    const models = all.nodes?.filter(
      ({ category, source }) => category === 'model' || (category === 'video' && source === 'vendor'),
    );
    assert.deepEqual(
      body.models?.map(({ nodeType }) => nodeType),
      models?.map(({ nodeType }) => nodeType),
    );
    assert.ok(!Number.isNaN(Date.parse(body.generatedAt)));
    assert.equal(body.version, 1);
  });
});

describe('POST /models/prices', () => {
  it('returns what models cost with their settings, in the order of the request', async () => {
    const user = await test.createUser();
    const models = [
      { nodeType: 'generate:fal_flux_dev' },
      { nodeType: 'video:fal_veo3_1_lite', config: { duration: '4s' } },
      { nodeType: 'video:fal_veo3_1', config: { duration: 'a while' } },
      { nodeType: 'generate:openai_gpt_image', config: { maxCredits: 5 } },
      { nodeType: 'generate:sandbox' },
      { nodeType: 'generate:unknown' },
    ];
    const { status, body } = await user.request<{ prices: unknown }>('POST', '/models/prices', { models });
    assert.equal(status, 200);
    const prices = [3, 20, null, null, 0, null];
    assert.deepEqual(
      body.prices,
      models.map(({ nodeType }, index) => ({ nodeType, credits: prices[index] })),
    );
    assert.equal((await user.request('POST', '/models/prices', { models: [] })).status, 400);
    const { status: anonymous } = await test.anonymous.request('POST', '/models/prices', { models });
    assert.equal(anonymous, 401);
  });
});
