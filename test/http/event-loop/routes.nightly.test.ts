// Tests that no request to a route of the OpenAPI document blocks the event loop. Another process sends each route the
// largest body that it accepts. The test measures how long this process computes between two turns of its event loop.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Harness, startHarness } from './harness.ts';
import {
  CONCURRENT_PROBES,
  createRouteProbes,
  LARGE_BODY_PROBES,
  LARGE_RUN_PROBES,
  SCIM_PROBES,
  toRoute,
} from './probes.ts';
import { REJECTING_ROUTES } from './routes.ts';

let harness: Harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.close());

for (const name of Object.keys({
  ...LARGE_BODY_PROBES,
  ...SCIM_PROBES,
  ...LARGE_RUN_PROBES,
  ...CONCURRENT_PROBES,
}))
  it(`${name} does not block the event loop`, async t => void (await harness.probe(name, t)));

const STEP_TIMEOUT_MS = 240_000;

// The steps are known only after the start. Each has the limit of a test, and all together have none.
for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
  it(`no ${method} request blocks the event loop`, { timeout: Number.POSITIVE_INFINITY }, async t => {
    const names = Object.keys(createRouteProbes(harness.routes)).filter(name =>
      name.startsWith(`${method} `),
    );
    assert.ok(names.length > 0);
    for (const name of names) {
      await t.test(name, { timeout: STEP_TIMEOUT_MS }, async step => {
        const statuses = await harness.probe(name, step);
        if (!name.endsWith(': the largest body') || name.includes(' as a visitor')) return;
        assert.equal(
          statuses.includes(400),
          toRoute(name) in REJECTING_ROUTES,
          'If the route rejects the largest body with 400, add a row to REQUIRED_MEMBERS.',
        );
      });
    }
  });
