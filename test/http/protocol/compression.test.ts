// Tests that long text responses are compressed with a coding that the client accepts, with correct ETag, Vary and 304.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { chooseCoding } from '../../../src/http/compression/content-coding.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow } from '../../support/workflows.ts';

const DECODE = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync } as const;
type Coding = keyof typeof DECODE;

let test: TestApp;
let user: ApiUser;
let workflowPath: string;
before(async () => {
  test = await openTestApp();
  user = await test.createUser();
  workflowPath = `/api/v1/workflows/${(await createWorkflow(user)).id}`;
});
after(() => test.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  test.app.inject({ url, headers: { authorization: `Bearer ${user.key}`, ...headers } });

describe('chooseCoding', () => {
  const CASES: readonly (readonly [accepted: string | undefined, coding: string | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', 'zstd'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['deflate', undefined],
    ['gzip;q=nonsense', undefined],
  ];
  for (const [accepted, coding] of CASES)
    it(`returns ${coding} for Accept-Encoding: ${accepted}`, () =>
      assert.equal(chooseCoding(accepted), coding));
});

describe('a long response', () => {
  const listUrls = () => [
    workflowPath,
    '/api/v1/nodes',
    '/api/v1/renderer/scene-graph',
    '/openapi.json',
    '/',
    '/sign-in',
  ];

  for (const coding of Object.keys(DECODE) as Coding[])
    it(`is compressed with ${coding} if the client accepts ${coding}`, async () => {
      for (const url of listUrls()) {
        const uncompressed = await get(url);
        assert.equal(uncompressed.headers['content-encoding'], undefined);
        assert.match(String(uncompressed.headers.vary), /Accept-Encoding/, url);
        // The second response comes from the cache.
        for (const _ of [1, 2]) {
          const response = await get(url, { 'accept-encoding': coding });
          assert.equal(response.headers['content-encoding'], coding, url);
          assert.equal(response.headers['content-length'], String(response.rawPayload.length));
          assert.ok(response.rawPayload.length < uncompressed.rawPayload.length / 1.5, url);
          assert.equal(DECODE[coding](response.rawPayload).toString(), uncompressed.body, url);
        }
      }
    });

  it('is compressed if the response is streamed', async () => {
    const url = `${workflowPath}/export`;
    const uncompressed = await get(url);
    assert.deepEqual(
      [uncompressed.headers['content-encoding'], uncompressed.headers.vary],
      [undefined, 'Accept-Encoding'],
    );
    for (const coding of Object.keys(DECODE) as Coding[]) {
      const response = await get(url, { 'accept-encoding': coding });
      assert.deepEqual(
        [response.headers['content-encoding'], response.headers.vary],
        [coding, 'Accept-Encoding'],
      );
      const [actual, expected] = [DECODE[coding](response.rawPayload).toString(), uncompressed.body].map(
        text => {
          const { exportedAt: _, ...rest } = JSON.parse(text);
          return rest;
        },
      );
      assert.deepEqual(actual, expected);
    }
  });

  it('has an ETag per coding that is valid in If-None-Match and If-Match', async () => {
    const tags = new Set<string>();
    for (const accepted of ['identity', 'gzip', 'br', 'zstd']) {
      const etag = String((await get(workflowPath, { 'accept-encoding': accepted })).headers.etag);
      assert.match(etag, /^"/);
      tags.add(etag);
      const unchanged = await get(workflowPath, { 'accept-encoding': accepted, 'if-none-match': etag });
      assert.deepEqual([unchanged.statusCode, unchanged.body, unchanged.headers.etag], [304, '', etag]);
      assert.match(String(unchanged.headers.vary), /Accept-Encoding/);
      const { name } = (await get(workflowPath)).json() as { name: string };
      const writeResponse = await test.app.inject({
        method: 'PUT',
        url: workflowPath,
        headers: { authorization: `Bearer ${user.key}`, 'if-match': etag },
        payload: { name },
      });
      assert.equal(writeResponse.statusCode, 200, writeResponse.body);
    }
    assert.equal(tags.size, 4);
    assert.equal((await get(workflowPath, { 'if-none-match': '"other"' })).statusCode, 200);
    assert.equal((await get(workflowPath, { 'if-none-match': '*' })).statusCode, 304);
  });

  it('is not a cached response after a change', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    await get(workflowPath, headers);
    await user.request('PUT', workflowPath, { name: 'Another name' });
    const { name } = JSON.parse(gunzipSync((await get(workflowPath, headers)).rawPayload).toString());
    assert.equal(name, 'Another name');
  });

  it('has the same headers for HEAD as for GET', async () => {
    const headers = { authorization: `Bearer ${user.key}`, 'accept-encoding': 'gzip' };
    const wholeResponse = await get('/api/v1/nodes', headers);
    const head = await test.app.inject({ method: 'HEAD', url: '/api/v1/nodes', headers });
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      assert.equal(head.headers[name], wholeResponse.headers[name], name);
    assert.equal(head.rawPayload.length, 0);
  });
});

describe('a short response', () => {
  it('is not compressed', async () => {
    const response = await get('/healthz', { 'accept-encoding': 'gzip' });
    assert.equal(response.headers['content-encoding'], undefined);
  });
});

describe('Cache-Control', () => {
  it('is private in responses to requests with credentials', async () => {
    for (const path of [
      '/workflows',
      '/me',
      '/folders',
      '/keys',
      '/templates',
      '/executions',
      '/workflows?limit=0',
    ])
      assert.equal((await user.request('GET', path)).headers['cache-control'], 'private, no-cache', path);
    assert.equal((await test.anonymous.request('GET', '/me')).headers['cache-control'], 'private, no-cache');
    assert.equal(
      (await user.request('POST', '/folders', { name: 'F' })).headers['cache-control'],
      'private, no-cache',
    );
  });

  it('keeps the value that a route sets', async () => {
    assert.equal(
      (await test.anonymous.request('GET', '/nodes')).headers['cache-control'],
      'public, max-age=3600',
    );
    const key = await user.request('POST', '/keys', { name: 'K', scopes: ['workflows:read'] });
    assert.equal(key.headers['cache-control'], 'no-store');
  });
});
