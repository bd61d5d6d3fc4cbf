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

  it('returns 404 with rate limit headers for other routes', async () => {
    for (const url of ['/api/v1/nodes', '/api/v1/workflows', '/openapi.json', '/docs/', '/cdn/x/y']) {
      const response = await test.app.inject(url);
      assert.equal(response.statusCode, 404, url);
      assert.ok(response.headers['x-ratelimit-limit'], url);
    }
  });
});
