// Tests the default limits of each plan in headers and errors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { assertRateRefusal } from '../../support/http/rate-refusal.ts';
import { createWorkflow } from '../../support/workflows.ts';

const PLANS = [
  ['free', 10, 10, 50],
  ['starter', 20, 10, 200],
  ['pro', 60, 10, 1000],
  ['enterprise', 200, 10, null],
] as const;
const MINUTE_MS = 60_000;

let test: TestApp;
let nowMs = Date.parse('2026-03-04T00:00:00Z');
before(async () => {
  test = await createTestApp({ now: () => nowMs });
});
after(() => test.close());

describe('the default plan', () => {
  for (const [plan, requests, executions, daily] of PLANS)
    it(`${plan} allows ${requests} requests and ${executions} executions a minute, ${daily ?? 'any number of'} runs a day`, async () => {
      nowMs += MINUTE_MS;
      const caller = await test.createUser({ plan });
      const { id } = await createWorkflow(caller);
      // Leaves ten executions for this minute and one for the next.
      await insertDailyUse(caller.userId, (daily ?? 1_000_000) - 11);
      const execute = () => caller.request('POST', `/workflows/${id}/execute`);
      const { headers: listHeaders } = await caller.request('GET', '/workflows');
      assert.deepEqual(
        [listHeaders['x-ratelimit-limit'], listHeaders['x-ratelimit-remaining']],
        [String(requests), String(requests - 2)],
      );
      for (let remaining = executions - 1; remaining >= 0; remaining--) {
        const { status, headers } = await execute();
        assert.deepEqual(
          [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']],
          [202, String(executions), String(remaining)],
        );
      }
      assertRateRefusal(await execute(), { code: 'rate_limited', limit: executions, nowMs });
      // Other requests are counted separately.
      assert.equal(
        (await caller.request('GET', '/workflows')).headers['x-ratelimit-remaining'],
        String(requests - 3),
      );
      nowMs += MINUTE_MS;
      assert.equal((await execute()).status, 202);
      const { status, body } = await execute();
      assert.deepEqual(
        [status, body.code],
        daily === null ? [202, undefined] : [429, 'daily_execution_limit'],
      );
    });
});

/** Records that the user has started this many runs earlier in the day. */
const insertDailyUse = (userId: number, used: number) =>
  test.deps.db.query('insert into rate_windows (key, window_start, used) values ($1, $2, $3)', [
    `daily:user:${userId}`,
    Date.parse('2026-03-04T00:00:00Z') / 1000,
    used,
  ]);
