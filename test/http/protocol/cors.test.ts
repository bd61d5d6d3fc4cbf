// Tests that pages of every origin can call the API and read its errors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp } from '../../support/app.ts';

/** The clock stands still, so that all requests count in the same window. */
const NOW = Date.now();
const origin = 'https://app.example.com';
let test: TestApp;
before(async () => {
  test = await createTestApp({
    now: () => NOW,
    plans: { tiny: { requestsPerMinute: 1, executionsPerMinute: 1, executionsPerDay: 1 } },
  });
});
after(() => test.close());

describe('CORS headers', () => {
  it('allow every method and header of the API for a day', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await test.app.inject({
        method: 'OPTIONS',
        url: '/api/v1/workflows/x',
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization, content-type, idempotency-key, if-match, prefer',
        },
      });
      assert.equal(response.statusCode, 204);
      assert.equal(response.headers['access-control-allow-origin'], '*');
      assert.match(String(response.headers['access-control-allow-methods']), new RegExp(`\\b${method}\\b`));
      assert.match(
        String(response.headers['access-control-allow-headers']),
        /authorization.*idempotency-key.*prefer/,
      );
      assert.equal(response.headers['access-control-max-age'], '86400');
    }
  });

  it('are sent for preflights without counting a request', async () => {
    const sendRequest = () =>
      test.app.inject({
        method: 'OPTIONS',
        url: '/',
        headers: { origin, 'access-control-request-method': 'PUT' },
      });
    const first = await sendRequest();
    const second = await sendRequest();
    assert.equal(second.headers['x-ratelimit-remaining'], first.headers['x-ratelimit-remaining']);
  });

  it('are sent with every error', async () => {
    const caller = await test.createUser({ plan: 'tiny' });
    const limitedHeaders = { authorization: `Bearer ${caller.key}` };
    await test.app.inject({ url: '/api/v1/workflows', headers: limitedHeaders });
    for (const [url, headers, status] of [
      ['/api/v1/workflows', {}, 401],
      ['/api/v1/workflows', { authorization: 'Bearer sk-wrong' }, 401],
      ['/api/v1/workflows', limitedHeaders, 429],
      ['/nothing', {}, 404],
      ['/%zz', {}, 400],
    ] as const) {
      const response = await test.app.inject({ url, headers: { origin, ...headers } });
      assert.equal(response.statusCode, status, url);
      assert.equal(response.headers['access-control-allow-origin'], '*', url);
      assert.equal(response.headers['access-control-allow-credentials'], undefined);
      if (status !== 400)
        assert.match(
          String(response.headers['access-control-expose-headers']),
          /Retry-After.*X-Request-Id.*X-RateLimit-Reset/,
        );
    }
  });
});

describe('a response with 401', () => {
  const readChallenge = async (authorization?: string): Promise<string> => {
    const response = await test.app.inject({
      url: '/api/v1/workflows',
      headers: authorization === undefined ? {} : { authorization },
    });
    assert.equal(response.statusCode, 401);
    return String(response.headers['www-authenticate']);
  };

  it('has a WWW-Authenticate header', async () => {
    assert.equal(await readChallenge(), 'Bearer');
    assert.equal(await readChallenge('Bearer sk-wrong'), 'Bearer error="invalid_token"');
    assert.equal(await readChallenge('Basic dXNlcjpwYXNz'), 'Bearer error="invalid_token"');
    const { key } = await test.createUser({ scopes: ['account:admin'] });
    assert.equal(
      await readChallenge(`Bearer ${key}`),
      'Bearer error="insufficient_scope", scope="workflows:read"',
    );
  });
});
