// Tests that no request to a route of the OpenAPI document blocks the event loop. Another process sends each route the
// largest body that it accepts. The test measures how long this process computes between two turns of its event loop.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Harness, startHarness } from './harness.ts';
import { LARGEST_PROBES, routeProbes } from './probes.ts';
import { OTHER_BODIES, REFUSING } from './routes.ts';

let harness: Harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.close());
const toName = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;
const getRoute = (probe: string): string => probe.replace(/: .*$/, '');

it('sends a request to every route, or lists why not', () => {
  const { routes } = harness;
  const sent = new Set(Object.keys(routeProbes(routes)).map(getRoute));
  assert.ok(routes.length > 100, String(routes.length));
  const unsent = routes.map(toName).filter(name => !sent.has(name) && !(name in OTHER_BODIES));
  assert.deepEqual(unsent, []);
});

it('lists every route that accepts other bodies than JSON', () => {
  const others = harness.routes.filter(({ accepts }) => accepts.some(type => type !== 'application/json'));
  assert.deepEqual(others.map(toName).sort(), Object.keys(OTHER_BODIES).sort());
});

for (const name of Object.keys(LARGEST_PROBES)) it(name, async t => void (await harness.probe(name, t)));

// One test for each method, because the time limit applies to a test with its steps.
for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
  it(`is not blocked by ${method} requests to any route`, async t => {
    const names = Object.keys(routeProbes(harness.routes)).filter(name => name.startsWith(`${method} `));
    assert.ok(names.length > 0);
    for (const name of names) {
      await t.test(name, async step => {
        const statuses = await harness.probe(name, step);
        if (!name.endsWith(': the largest body')) return;
        const isRefused = statuses.includes(400);
        assert.equal(
          isRefused,
          getRoute(name) in REFUSING,
          'A body that is refused as 400 needs a row in MEMBERS.',
        );
      });
    }
  });
