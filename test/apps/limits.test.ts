// Tests what limits the visitors of an app: runs per visitor, and many starts at once.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createApp,
  createVisitor,
  runAsVisitor,
  SECRET_GRAPH,
  toCode,
  type Visitor,
} from '../support/apps/visitors.ts';
import { waitUntil } from '../support/processes.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ TRUST_PROXY: 'true' });
});
after(() => service.close());

describe('the limit of runs of a visitor', () => {
  it('holds for a network and for a cookie, also in parallel', async () => {
    const slug = await createApp(service, { runsPerVisitor: 2 });
    const parallel = async (visitors: readonly Visitor[]) => {
      const answers = await Promise.all(visitors.map(visitor => runAsVisitor(visitor, slug)));
      return answers.map(({ status }) => status).sort();
    };
    const one = createVisitor(service);
    assert.deepEqual(await parallel([one, one, one, one]), [202, 202, 429, 429]);
    const cookie = { cookie: 'app-visitor=0123456789abcdefghijkl' };
    assert.deepEqual(
      await parallel([
        createVisitor(service, cookie),
        createVisitor(service, cookie),
        createVisitor(service, cookie),
      ]),
      [202, 202, 429],
    );
    const sameSubnet = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3'];
    assert.deepEqual(
      await parallel(sameSubnet.map(address => createVisitor(service, {}, address))),
      [202, 202, 429],
    );
    const refused = await runAsVisitor(one, slug);
    assert.deepEqual(toCode(refused), [429, 'app_limit_reached']);
    assert.match(
      refused.body.error ?? '',
      /2 runs .* for today\. Try again (?:after \d{4}-\d\d-\d\d 00:00 UTC|in \d+ s)\.$/,
    );
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });

  it('does not count runs that were refused', async () => {
    const graph = { ...SECRET_GRAPH, isActive: false };
    const slug = await createApp(service, { runsPerVisitor: 1 }, graph);
    const visitor = createVisitor(service);
    for (let tries = 0; tries < 3; tries++)
      assert.deepEqual(toCode(await runAsVisitor(visitor, slug)), [503, 'app_out_of_order']);
  });
});

describe('a crowd of visitors', () => {
  it('leaves database connections to other requests', async () => {
    const slug = await createApp(service, { runsPerVisitor: 100 });
    const starts = await service.db.transaction(async tx => {
      // Each start waits for this row.
      await tx.query('select from apps where slug = $1 for update', [slug]);
      const started = Array.from({ length: 40 }, () =>
        service.request('POST', `/apps/${slug}/run`, { inputs: {} }),
      );
      await waitUntil('the starts to wait', async () => {
        const { rows } = await service.db.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return rows.length >= 5;
      });
      for (let index = 0; index < 20; index++) {
        const signal = AbortSignal.timeout(20_000);
        const headers = { authorization: `Bearer ${KEY}` };
        const response = await fetch(`${service.url}/api/v1/notices?limit=1`, { headers, signal });
        assert.equal(response.status, 200);
      }
      return started;
    });
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)], [202]);
  });
});
