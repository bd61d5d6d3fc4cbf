// Tests rate limits per plan, address and day, across processes and at the end of a window.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createServer } from '../../../src/http/server.ts';
import { createKeyAuthenticator } from '../../../src/services/accounts/key-authenticator.ts';
import { RateLimiter } from '../../../src/services/accounts/rate-limits.ts';
import { updateUser } from '../../../src/store/users.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { assertRateRefusal } from '../../support/http/rate-refusal.ts';
import { createWorkflow } from '../../support/workflows.ts';

const MINUTE_MS = 60_000;
const plans = {
  anonymous: { requestsPerMinute: 5, executionsPerMinute: 1, executionsPerDay: 0 },
  small: { requestsPerMinute: 30, executionsPerMinute: 3, executionsPerDay: 4 },
  large: { requestsPerMinute: 90, executionsPerMinute: 50, executionsPerDay: 10 },
  huge: { requestsPerMinute: 900, executionsPerMinute: 900, executionsPerDay: 1000 },
  endless: { requestsPerMinute: 900, executionsPerMinute: 900, executionsPerDay: null },
};

const SECRET = 'content-secret-0123456789';

/** Each test starts at the start of a new minute. The clock advances only if the test sets it. */
let nowMs = Date.parse('2026-05-04T10:00:00Z');
let test: TestApp;
before(async () => {
  test = await createTestApp({
    plans,
    now: () => nowMs,
    env: { TRUST_PROXY: '127.0.0.0/8', CONTENT_WEBHOOK_SECRET: SECRET },
  });
});
after(() => test.close());
beforeEach(() => {
  nowMs += MINUTE_MS;
});

const list = (user: Pick<ApiUser, 'request'>): Promise<TestResponse> => user.request('GET', '/workflows');
const getRemaining = (response: TestResponse): number => Number(response.headers['x-ratelimit-remaining']);

function assertRejected(response: TestResponse, code: string): void {
  const limit = Number(response.headers['x-ratelimit-limit']);
  assertRateRefusal(response, { code, limit, nowMs });
}

describe('requests per minute', () => {
  it('are accepted up to the limit of the plan', async () => {
    const user = await test.createUser({ plan: 'small' });
    for (let remaining = 29; remaining >= 0; remaining--) {
      const response = await list(user);
      assert.equal(response.status, 200);
      assert.equal(response.headers['x-ratelimit-limit'], '30');
      assert.equal(getRemaining(response), remaining);
      assert.equal(response.headers['x-ratelimit-reset'], String(nowMs / 1000 + 60));
    }
    assertRejected(await list(user), 'rate_limited');
  });

  it('are accepted again in the next minute', async () => {
    const user = await test.createUser({ plan: 'small' });
    for (let count = 0; count < 31; count++) await list(user);
    nowMs += 59_999;
    assertRejected(await list(user), 'rate_limited');
    nowMs += 1;
    assert.equal(getRemaining(await list(user)), 29);
  });

  it('are counted together for all keys of a user', async () => {
    const user = await test.createUser({ plan: 'small' });
    const otherKey = await test.withScopes(user, ['workflows:read']);
    await list(user);
    assert.equal(getRemaining(await list(otherKey)), 28);
  });

  it('are limited by a new plan within the same minute', async () => {
    const user = await test.createUser({ plan: 'small' });
    for (let count = 0; count < 31; count++) await list(user);
    await updateUser(test.deps.db, user.userId, { plan: 'large', isAuthor: null, disabled: null });
    nowMs += 5001;
    const response = await list(user);
    assert.equal(response.status, 200);
    assert.equal(getRemaining(response), 59);
  });

  it('do not include requests for health, reference and media', async () => {
    const user = await test.createUser({ plan: 'small' });
    await user.request('GET', '/nothing');
    await user.request('POST', '/workflows', { nodes: 7 });
    assert.equal(getRemaining(await list(user)), 27);
    for (const url of ['/healthz', '/openapi.json', '/docs/', '/cdn/med_x/y.png'])
      await test.app.inject({ url, headers: { authorization: `Bearer ${user.key}` } });
    assert.equal(getRemaining(await list(user)), 26);
  });
});

describe('clients without a valid key', () => {
  const sendFrom = (address: string, authorization?: string) =>
    test.app.inject({
      url: '/api/v1/nodes',
      headers: { 'x-forwarded-for': address, ...(authorization && { authorization }) },
    });
  const exhaust = async (address: string, authorization?: string): Promise<void> => {
    for (let count = 0; count < 5; count++) await sendFrom(address, authorization);
  };

  it('are counted by the address that a trusted proxy forwards', async () => {
    await exhaust('203.0.113.7');
    assert.equal((await sendFrom('203.0.113.7')).statusCode, 429);
    assert.equal((await sendFrom('203.0.113.8')).statusCode, 200);
  });

  it('are counted by address if their keys are invalid', async () => {
    assert.equal((await sendFrom('203.0.113.9', 'Bearer sk-wrong')).statusCode, 401);
    await exhaust('203.0.113.9', 'Bearer sk-wrong');
    assert.equal((await sendFrom('203.0.113.9', 'Basic x')).statusCode, 429);
    assert.equal((await sendFrom('203.0.113.9')).statusCode, 429);
  });

  it('are counted by IPv6 network and by IPv4 address', async () => {
    await exhaust('2001:db8:1:2::1');
    assert.equal((await sendFrom('2001:db8:1:2:ffff::9')).statusCode, 429);
    assert.equal((await sendFrom('2001:db8:1:3::1')).statusCode, 200);
    await exhaust('203.0.113.10');
    assert.equal((await sendFrom('::ffff:203.0.113.10')).statusCode, 429);
  });

  it("are counted by the proxy's address if the forwarded address is invalid", async () => {
    const remainingBefore = Number((await sendFrom('nonsense')).headers['x-ratelimit-remaining']);
    assert.equal(
      Number((await sendFrom('other nonsense')).headers['x-ratelimit-remaining']),
      remainingBefore - 1,
    );
  });

  it('are counted by address at every route of apps, also of unknown ones', async () => {
    const routes = [
      ['GET', '/a/nowhere'],
      ['POST', '/a/nowhere'],
      ['GET', '/a/nowhere/runs/run_x'],
      ['GET', '/api/v1/apps/nowhere'],
      ['GET', '/api/v1/apps/nowhere/challenge'],
      ['GET', '/api/v1/apps/nowhere/gallery'],
      ['POST', '/api/v1/apps/nowhere/run'],
      ['POST', '/api/v1/apps/nowhere/media'],
      ['GET', '/api/v1/apps/nowhere/runs/run_x/events'],
    ] as const;
    for (const [index, [method, url]] of routes.entries()) {
      const headers = { 'x-forwarded-for': `203.0.113.${100 + index}` };
      for (let count = 0; count < 5; count++)
        assert.notEqual((await test.app.inject({ method, url, headers })).statusCode, 429, url);
      assert.equal((await test.app.inject({ method, url, headers })).statusCode, 429, url);
    }
  });

  it('do not use up the limit of clients with a valid key', async () => {
    const user = await test.createUser({ plan: 'small' });
    await exhaust('203.0.113.11');
    assert.equal((await sendFrom('203.0.113.11', `Bearer ${user.key}`)).statusCode, 200);
  });

  it('are counted by the socket address if no proxy is trusted', async () => {
    const { app, close } = await createTestApp({ plans, now: () => nowMs });
    for (let last = 0; last < 5; last++)
      await app.inject({ url: '/api/v1/nodes', headers: { 'x-forwarded-for': `203.0.113.${last}` } });
    const response = await app.inject({
      url: '/api/v1/nodes',
      headers: { 'x-forwarded-for': '203.0.113.99' },
    });
    await close();
    assert.equal(response.statusCode, 429);
  });

  it('are counted by the first forwarded address if every proxy is trusted', async () => {
    const { app, close } = await createTestApp({ plans, now: () => nowMs, env: { TRUST_PROXY: 'true' } });
    const sendRequest = (chain: string) =>
      app.inject({ url: '/api/v1/nodes', headers: { 'x-forwarded-for': chain } });
    for (let last = 0; last < 5; last++) await sendRequest(`198.51.100.1, 203.0.113.${last}`);
    assert.equal((await sendRequest('198.51.100.1, 203.0.113.99')).statusCode, 429);
    assert.equal((await sendRequest('198.51.100.2, 203.0.113.99')).statusCode, 200);
    await close();
  });
});

describe('the content webhook', () => {
  const send = async (secret: string, address: string): Promise<TestResponse> => {
    const { statusCode, headers, json } = await test.app.inject({
      method: 'PUT',
      url: '/api/content/webhook',
      headers: { authorization: `Bearer ${secret}`, 'x-forwarded-for': address },
      payload: { slug: 'nowhere' },
    });
    return { status: statusCode, headers: headers as TestResponse['headers'], body: json() };
  };

  it('has one limit for all addresses', async () => {
    for (let count = 0; count < 600; count++) {
      const response = await send(SECRET, `198.51.100.${count % 2}`);
      assert.equal(response.status, 404);
      assert.equal(response.headers['x-ratelimit-limit'], '600');
      assert.equal(getRemaining(response), 599 - count);
    }
    assertRejected(await send(SECRET, '198.51.100.7'), 'rate_limited');
  });

  it('counts an invalid secret as a failed authentication of the address', async () => {
    for (let count = 0; count < 5; count++)
      assert.equal((await send('wrong-secret', '198.51.100.20')).status, 401);
    assertRejected(await send('wrong-secret', '198.51.100.20'), 'rate_limited');
    assert.equal((await send(SECRET, '198.51.100.20')).status, 404);
    const { statusCode } = await test.app.inject({
      url: '/api/v1/nodes',
      headers: { 'x-forwarded-for': '198.51.100.20' },
    });
    assert.equal(statusCode, 429);
  });
});

describe('executions', () => {
  const run = (user: ApiUser, id: string, action: string, headers = {}): Promise<TestResponse> =>
    user.request('POST', `/workflows/${id}/${action}`, {}, headers);

  it('are limited by executionsPerMinute for /execute and by requestsPerMinute for /run', async () => {
    const user = await test.createUser({ plan: 'large' });
    const { id } = await createWorkflow(user);
    assert.equal((await run(user, id, 'execute')).headers['x-ratelimit-limit'], '50');
    const response = await run(user, id, 'run');
    assert.equal(response.headers['x-ratelimit-limit'], '90');
    // This request and the one that created the workflow were counted.
    assert.equal(getRemaining(response), 88);
  });

  it('are rejected over executionsPerMinute', async () => {
    const user = await test.createUser({ plan: 'small' });
    const { id } = await createWorkflow(user);
    for (let count = 0; count < 3; count++) assert.equal((await run(user, id, 'execute')).status, 202);
    assertRejected(await run(user, id, 'execute'), 'rate_limited');
    assert.equal((await list(user)).status, 200);
  });

  it('are rejected over executionsPerDay until midnight UTC', async () => {
    const user = await test.createUser({ plan: 'large' });
    const { id } = await createWorkflow(user);
    for (let count = 0; count < 10; count++)
      assert.equal((await run(user, id, count % 2 === 0 ? 'execute' : 'run')).status, 202);
    for (const action of ['execute', 'run']) {
      const response = await run(user, id, action);
      assertRejected(response, 'daily_execution_limit');
      assert.equal(Number(response.headers['x-ratelimit-reset']) % 86_400, 0);
    }
    nowMs += 86_400_000;
    assert.equal((await run(user, id, 'execute')).status, 202);
  });

  it('that a batch needs and the day does not have are a warning of its estimate', async () => {
    const user = await test.createUser({ plan: 'large' });
    const { id } = await createWorkflow(user);
    for (let count = 0; count < 3; count++) assert.equal((await run(user, id, 'run')).status, 202);
    const readMeta = async (count: number) => {
      const rows = Array.from({ length: count }, () => ({ inputs: {} }));
      const path = `/workflows/${id}/batches/estimate`;
      return (await user.request<{ meta?: object }>('POST', path, { rows })).body.meta;
    };
    assert.equal(await readMeta(7), undefined);
    assert.deepEqual(await readMeta(8), {
      warnings: ['Only 7 of 8 rows can start today (UTC), because your plan allows 10 executions a day.'],
    });
  });

  for (const plan of ['huge', 'endless'])
    it(`count toward the daily limit of a smaller plan after a change from ${plan}`, async () => {
      const user = await test.createUser({ plan });
      const { id } = await createWorkflow(user);
      for (let count = 0; count < 3; count++) assert.equal((await run(user, id, 'run')).status, 202);
      await updateUser(test.deps.db, user.userId, { plan: 'small', isAuthor: null, disabled: null });
      nowMs += 5001;
      assert.equal((await run(user, id, 'run')).status, 202);
      assertRejected(await run(user, id, 'run'), 'daily_execution_limit');
      const otherLimiter = new RateLimiter(test.deps.db, () => nowMs);
      const day = await otherLimiter.consume(`daily:user:${user.userId}`, 4, 86_400);
      assert.equal(day.isAllowed, false);
    });

  it('are not counted if the request was rejected or repeated', async () => {
    const user = await test.createUser({ plan: 'large' });
    const { id } = await createWorkflow(user);
    for (let count = 0; count < 20; count++) {
      const rejections = [
        await run(user, 'wf_00000000000000000000000000', 'execute'),
        await user.request('POST', `/workflows/${id}/execute`, { inputs: 7 }),
      ];
      for (const { status } of rejections) assert.ok(status === 400 || status === 404, String(status));
    }
    nowMs += MINUTE_MS;
    const key = { 'idempotency-key': 'once' };
    for (let count = 0; count < 5; count++) assert.equal((await run(user, id, 'run', key)).status, 202);
    for (let count = 0; count < 9; count++) assert.equal((await run(user, id, 'run')).status, 202);
    assertRejected(await run(user, id, 'run'), 'daily_execution_limit');
  });
});

describe('RateLimiter in several processes', () => {
  const countAllowed = async (
    limit: number,
    limiterCount: number,
    tries: number,
    key: string,
  ): Promise<number> => {
    const limiters = Array.from({ length: limiterCount }, () => new RateLimiter(test.deps.db, () => nowMs));
    const allowances = await Promise.all(
      Array.from({ length: tries }, async (_, index) =>
        limiters[index % limiterCount]?.consume(key, limit, 60),
      ),
    );
    return allowances.filter(allowance => allowance?.isAllowed).length;
  };

  it('never allows more than the limit', async () => {
    for (const limit of [1, 7, 20, 21, 100, 1000]) {
      const count = await countAllowed(limit, 4, limit * 3 + 40, `race:${limit}`);
      assert.ok(count <= limit, `${count} of ${limit}`);
      // Each other process may reserve unused requests, at most 10 % of the limit.
      assert.ok(count >= (limit <= 20 ? limit : limit * 0.6), `${count} of ${limit}`);
    }
  });

  it('reserves little of a large limit when many processes start', async () => {
    assert.equal(await countAllowed(60_000, 100, 100, 'restarts'), 100);
  });

  it('allows exactly the last twenty requests', async () => {
    for (let round = 0; round < 20; round++)
      assert.equal(await countAllowed(20, 5, 100, `last:${round}`), 20);
  });

  it('keeps a window that processes with a slower clock have not reached', async () => {
    const ahead = new RateLimiter(test.deps.db, () => nowMs + MINUTE_MS);
    const behind = new RateLimiter(test.deps.db, () => nowMs);
    for (let count = 0; count < 5; count++) assert.ok((await ahead.consume('skew', 10, 60)).isAllowed);
    for (let count = 0; count < 5; count++) await behind.consume('skew', 10, 60);
    const otherAhead = new RateLimiter(test.deps.db, () => nowMs + MINUTE_MS);
    assert.equal((await otherAhead.consume('skew', 10, 60)).isAllowed, false);
  });

  it('applies one limit to a user of two servers', async () => {
    const user = await test.createUser({ plan: 'small' });
    const { db, now, timing } = test.deps;
    const keys = createKeyAuthenticator(db, now, timing.credentialCacheMs);
    const deps = { ...test.deps, limiter: new RateLimiter(db, now), keys };
    const second = await createServer(deps, test.mounts);
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async (_, index) => {
        const app = index % 2 === 0 ? test.app : second;
        const headers = { authorization: `Bearer ${user.key}` };
        return (await app.inject({ url: '/api/v1/workflows', headers })).statusCode;
      }),
    );
    await second.close();
    const acceptedCount = statuses.filter(status => status === 200).length;
    assert.ok(acceptedCount <= 30 && acceptedCount >= 27, String(acceptedCount));
  });
});

describe('RateLimiter', () => {
  it('shares windows with limiters that start later', async () => {
    const limiter = new RateLimiter(test.deps.db, () => nowMs);
    for (let count = 0; count < 3; count++) assert.ok((await limiter.consume('kept', 3, 60)).isAllowed);
    const laterLimiter = new RateLimiter(test.deps.db, () => nowMs);
    assert.equal((await laterLimiter.consume('kept', 3, 60)).isAllowed, false);
  });

  it('takes a token back only within the same window', async () => {
    const limiter = new RateLimiter(test.deps.db, () => nowMs);
    const allowance = await limiter.consume('returned', 1, 60);
    assert.equal((await limiter.consume('returned', 1, 60)).isAllowed, false);
    limiter.returnToken('returned', 60, allowance);
    assert.ok((await limiter.consume('returned', 1, 60)).isAllowed);
    nowMs += MINUTE_MS;
    assert.ok((await limiter.consume('returned', 1, 60)).isAllowed);
    limiter.returnToken('returned', 60, allowance);
    assert.equal((await limiter.consume('returned', 1, 60)).isAllowed, false);
  });
});
