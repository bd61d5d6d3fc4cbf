// Tests fal's list and prices against a fake server: page limits, batches with an unknown endpoint, and refusals.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createGuardedFetch, type GuardedFetch } from '../../../src/lib/fetch.ts';
import type { ListingQuery } from '../../../src/nodes/models/listing/listing.ts';
import { readListing } from '../../../src/nodes/models/listing/read-listing.ts';
import { type FalDouble, startFal } from '../../support/providers/fal.ts';
import { createOpenApi } from './published.ts';

let fal: FalDouble;
let client: GuardedFetch;
before(async () => {
  fal = await startFal(Buffer.from('x'));
  client = createGuardedFetch({ allowPrivate: true, trustedUrls: [fal.url] });
});
after(async () => {
  await client.close();
  await fal.close();
});

const createModelRow = (endpoint_id: string) => ({
  endpoint_id,
  metadata: { display_name: endpoint_id, category: 'text-to-video', status: 'active' },
  openapi: createOpenApi(endpoint_id, { prompt: { type: 'string' } }),
});
const createPriceRow = (endpoint_id: string) => ({
  endpoint_id,
  unit_price: 0.5,
  unit: 'videos',
  currency: 'USD',
});

const list = (query: ListingQuery) =>
  readListing('fal', query, {
    endpoint: { baseUrl: fal.url, key: 'fal-key' },
    fetch: client.fetch,
    date: '2026-11-23',
    signal: AbortSignal.timeout(60_000),
  });

const ENDPOINTS = Array.from({ length: 23 }, (_, index) => `fal-ai/m${index}`);
beforeEach(() => {
  fal.clearFaults();
  fal.pageSize = 100;
  fal.maxPageSizeWithSchemas = 10;
  fal.models = ENDPOINTS.map(createModelRow);
  fal.prices = ENDPOINTS.map(createPriceRow);
});

describe('the model list of fal', () => {
  it('is read in pages of ten to the end of 1,400 endpoints', async () => {
    const endpoints = Array.from({ length: 1400 }, (_, index) => `fal-ai/n${index}`);
    fal.models = endpoints.map(createModelRow);
    fal.prices = endpoints.map(createPriceRow);
    const countBefore = fal.count(/v1\/models\?/);
    const rows = await list({ isFull: true });
    assert.equal(rows.filter(({ model }) => model?.price?.usd === 0.5).length, 1400);
    assert.equal(fal.count(/v1\/models\?/) - countBefore, 140);
  });

  it('is requested in smaller pages if fal refuses a page of ten', async () => {
    fal.maxPageSizeWithSchemas = 4;
    const [smallPagesBefore, largePagesBefore] = [fal.count(/limit=4/), fal.count(/limit=10/)];
    assert.equal((await list({ isFull: true })).length, ENDPOINTS.length);
    assert.deepEqual(
      [fal.count(/limit=4/) - smallPagesBefore, fal.count(/limit=10/) - largePagesBefore],
      [6, 1],
    );
    assert.equal((await list({ isFull: true, endpoints: ENDPOINTS })).length, ENDPOINTS.length);
  });

  it('contains all other models if one endpoint is unknown', async () => {
    const rows = await list({ isFull: true, endpoints: [...ENDPOINTS, 'fal-ai/unknown'] });
    assert.deepEqual(
      rows.map(({ endpoint }) => endpoint),
      ENDPOINTS,
    );
  });

  it('has no price for an endpoint without one', async () => {
    fal.prices = ENDPOINTS.filter((_, index) => index !== 7).map(createPriceRow);
    const rows = await list({ isFull: true });
    assert.deepEqual(
      rows.filter(({ model }) => model?.price === null).map(({ endpoint }) => endpoint),
      ['fal-ai/m7'],
    );
    fal.failRequests(/pricing/, { status: 422, body: { detail: 'no price' } }, 1);
    assert.equal((await list({ isFull: true })).filter(({ model }) => model?.price === null).length, 1);
  });

  it('is requested again if fal is busy', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: { detail: 'slow down' } };
    fal.failRequests(/v1\/models/, busy, 3);
    assert.equal((await list({ isFull: true })).length, ENDPOINTS.length);
    fal.failRequests(/v1\/models/, busy, 5);
    await assert.rejects(list({ isFull: true }), /status 429; it is rate limiting requests; try again/);
  });

  it('explains a refusal by its status', async () => {
    for (const [status, message] of [
      [401, /status 401; check its key/],
      [403, /status 403; check its key/],
      [500, /status 500; it is not available; try again later/],
      [418, /status 418; its message: .*teapot/],
    ] as const) {
      fal.failRequests(/v1\/models/, { status, body: { detail: 'a teapot' } }, 1);
      await assert.rejects(list({ isFull: true }), message);
    }
  });
});
