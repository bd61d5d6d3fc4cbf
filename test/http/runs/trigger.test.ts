// Tests the unavailable inbound trigger: 401 for every method, and 429 after 100 requests per hour from
// an address.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp } from '../../support/app.ts';

const PATH = '/api/v1/workflow/wh_1/trigger';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'] as const;

describe('/api/v1/workflow/{webhookId}/trigger', () => {
  let test: TestApp;
  let nowMs = Date.UTC(2026, 0, 1, 12, 30);
  before(async () => {
    test = await createTestApp({ now: () => nowMs });
  });
  after(() => test.close());

  const sendRequest = (method: string, headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') =>
    test.app.inject({ method: method as 'GET', url: PATH, headers, remoteAddress });

  it('returns 401 for every method, secret and key', async () => {
    const caller = await test.createUser();
    for (const method of METHODS) assert.equal((await sendRequest(method)).statusCode, 401, method);
    const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
    assert.equal((await sendRequest('OPTIONS', preflight)).statusCode, 401);
    const response = await sendRequest('POST', {
      'x-webhook-secret': 'x',
      authorization: `Bearer ${caller.key}`,
    });
    assert.deepEqual([response.statusCode, response.json().code], [401, 'unauthorized']);
    assert.equal(response.headers['x-ratelimit-limit'], '100');
    assert.ok(response.headers['x-request-id']);
  });

  it('returns 429 after 100 requests an hour from an address', async () => {
    const address = '192.0.2.2';
    for (let count = 0; count < 100; count++)
      assert.equal((await sendRequest('POST', {}, address)).statusCode, 401);
    for (const method of METHODS)
      assert.equal((await sendRequest(method, {}, address)).statusCode, 429, method);
    const response = await sendRequest('POST', { authorization: 'nonsense' }, address);
    const reset = Date.UTC(2026, 0, 1, 13) / 1000;
    assert.deepEqual(
      [
        response.statusCode,
        response.json().code,
        response.json().retryAfter,
        response.headers['retry-after'],
      ],
      [429, 'rate_limited', reset, String(30 * 60)],
    );
    assert.equal((await sendRequest('POST', {}, '192.0.2.3')).statusCode, 401);
    nowMs += 30 * 60_000;
    assert.equal((await sendRequest('POST', {}, address)).statusCode, 401);
  });

  it('counts IPv6 callers by /64 network', async () => {
    for (let count = 0; count < 100; count++)
      assert.equal((await sendRequest('POST', {}, `2001:db8:1:2::${count.toString(16)}`)).statusCode, 401);
    assert.equal((await sendRequest('POST', {}, '2001:db8:1:2:ffff::1')).statusCode, 429);
    assert.equal((await sendRequest('POST', {}, '2001:db8:1:3::1')).statusCode, 401);
  });
});
