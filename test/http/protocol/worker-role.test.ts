// Tests that a worker process only serves health checks and metrics.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
before(async () => {
  test = await createTestApp({ env: { ROLE: 'worker', DATABASE_URL: 'postgres://unused' } });
});
after(() => test.close());

describe('ROLE=worker', () => {
  it('serves /healthz, /readyz and /metrics', async () => {
    for (const url of ['/healthz', '/readyz', '/metrics'])
      assert.equal((await test.app.inject(url)).statusCode, 200, url);
  });

  it('reports at /readyz that the database has another secrets key', async () => {
    const { db } = test.deps;
    await db.query(`update instance set value = 'other' where key = 'secrets_key_fingerprint'`);
    const response = await test.app.inject('/readyz');
    assert.equal(response.statusCode, 503);
    assert.equal(response.json().secretsKey, 'not the key of the database; set SECRETS_KEY to that key');
  });

  it('returns 404 with rate limit headers for other routes', async () => {
    for (const url of ['/api/v1/nodes', '/api/v1/workflows', '/openapi.json', '/docs/', '/cdn/x/y']) {
      const response = await test.app.inject(url);
      assert.equal(response.statusCode, 404, url);
      assert.ok(response.headers['x-ratelimit-limit'], url);
    }
  });
});
