// The inbound trigger, which is not available: 401 for every method, then 429 after 100 requests per hour from an
// address.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp } from '../../support/app.ts';

const PATH = '/api/v1/workflow/wh_1/trigger';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'] as const;

describe('the inbound trigger', () => {
  let test: TestApp;
  let nowMs = Date.UTC(2026, 0, 1, 12, 30);
  before(async () => {
    test = await createTestApp({ now: () => nowMs });
  });
  after(() => test.close());

  const ask = (method: string, headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') =>
    test.app.inject({ method: method as 'GET', url: PATH, headers, remoteAddress });

  it('answers 401 to every method, including preflights, whatever the secret or key', async () => {
    const caller = await test.createCaller();
    for (const method of METHODS) assert.equal((await ask(method)).statusCode, 401, method);
    const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
    assert.equal((await ask('OPTIONS', preflight)).statusCode, 401);
    const answer = await ask('POST', { 'x-webhook-secret': 'x', authorization: `Bearer ${caller.key}` });
    assert.deepEqual([answer.statusCode, answer.json().code], [401, 'unauthorized']);
    assert.equal(answer.headers['x-ratelimit-limit'], '100');
    assert.ok(answer.headers['x-request-id']);
  });

  it('answers 429 after 100 requests an hour from an address, before checking the key', async () => {
    const from = '192.0.2.2';
    for (let count = 0; count < 100; count++) assert.equal((await ask('POST', {}, from)).statusCode, 401);
    for (const method of METHODS) assert.equal((await ask(method, {}, from)).statusCode, 429, method);
    const answer = await ask('POST', { authorization: 'nonsense' }, from);
    const reset = Date.UTC(2026, 0, 1, 13) / 1000;
    assert.deepEqual(
      [answer.statusCode, answer.json().code, answer.json().retryAfter, answer.headers['retry-after']],
      [429, 'rate_limited', reset, String(30 * 60)],
    );
    assert.equal((await ask('POST', {}, '192.0.2.3')).statusCode, 401);
    nowMs += 30 * 60_000;
    assert.equal((await ask('POST', {}, from)).statusCode, 401);
  });

  it('counts an IPv6 caller by its /64', async () => {
    for (let count = 0; count < 100; count++)
      assert.equal((await ask('POST', {}, `2001:db8:1:2::${count.toString(16)}`)).statusCode, 401);
    assert.equal((await ask('POST', {}, '2001:db8:1:2:ffff::1')).statusCode, 429);
    assert.equal((await ask('POST', {}, '2001:db8:1:3::1')).statusCode, 401);
  });
});
