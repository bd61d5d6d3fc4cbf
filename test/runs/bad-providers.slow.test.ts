// Tests providers that misbehave and runs that are cancelled at every stage of a call: each run ends properly, nothing
// undelivered is charged, and no call is left behind.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../support/client.ts';
import {
  countRows,
  keepCallsActive,
  modelGraph,
  PRICE,
  readBalance,
  runPastLimit,
  setUpPaidService,
  waitForSuspension,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import type { Fault } from '../support/providers/double.ts';
import { isNightly } from '../support/tier.ts';

/** A cancelled run ends within this time, which is far less than the timeout of a request. */
const MAX_CANCEL_MS = 30_000;
const ALWAYS = 1e9;
const CREDITS = 10_000;
const STATUS_REQUEST = /^GET .*\/status$/;
const RUN_COUNT = isNightly ? 250 : 50;

const paid = setUpPaidService({ MAX_CONCURRENT_RUNS: '20000', WORKER_CONCURRENCY: '500' });
let user: Client;
keepCallsActive(() => paid);
beforeEach(async () => {
  user = await paid.newUser(CREDITS);
  // A limit learned from a 429 of the test before grows only when calls end.
  await paid.service.db.query('delete from provider_limits');
});

const cancel = async (id: string): Promise<void> => {
  const { status } = await user.request('POST', `/executions/${id}/cancel`);
  assert.equal(status, 200);
};

describe('a provider that breaks after a submission', () => {
  const hourAhead = new Date(Date.now() + 3_600_000).toUTCString();
  const faults: Readonly<Record<string, Fault>> = {
    '429': { status: 429, body: { detail: 'slow down' } },
    '429, with a clock that is an hour off': {
      status: 429,
      headers: { date: hourAhead, 'retry-after': hourAhead },
      body: { detail: 'slow down' },
    },
    '500': { status: 500, body: {} },
    HTML: { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>no</html>') },
    'HTML and status 200': {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<html>welcome</html>'),
    },
    missing: 'hang',
  };
  for (const [name, fault] of Object.entries(faults))
    it(`receives one submission and charges nothing if the response to every poll is ${name}`, async () => {
      paid.fal.failRequests(STATUS_REQUEST, fault, ALWAYS);
      const record = await runPastLimit(paid, user, modelGraph(), 2000);
      assert.ok(['TIMEOUT', 'FAILED'].includes(record.status), JSON.stringify(record.error));
      assert.equal(paid.fal.accepted.length, 1);
      // The call is polled until the provider reports its outcome.
      paid.fal.clearFaults();
      await waitUntil('the reserved credits to be released', async () => (await readBalance(user))[1] === 0);
      assert.deepEqual(await readBalance(user), [CREDITS, 0]);
    });
});

it('a run completes in time if the clock of the provider is an hour off', async () => {
  const date = new Date(Date.now() - 3_600_000).toUTCString();
  paid.fal.polls = 0;
  paid.fal.failRequests(STATUS_REQUEST, { status: 202, headers: { date }, body: { status: 'IN_QUEUE' } }, 2);
  const record = await user.waitForStatus(await user.startRun(await user.createWorkflow(modelGraph())));
  assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
});

it('a cancelled call that the provider finishes anyway is charged without fetching its result', async () => {
  const [fetchCount, cancelCount] = [paid.fal.count(/^GET \/files\//), paid.fal.count(/\/cancel$/)];
  const id = await user.startRun(await user.createWorkflow(modelGraph()));
  await waitForSuspension(paid, id);
  paid.fal.failRequests(/^PUT .*\/cancel$/, { status: 400, body: { status: 'ALREADY_COMPLETED' } }, ALWAYS);
  await cancel(id);
  await waitUntil('the request to cancel', () => paid.fal.count(/\/cancel$/) > cancelCount);
  paid.fal.polls = 0;
  assert.equal((await user.readExecution(id)).status, 'CANCELLED');
  await waitUntil('the call to be settled', async () => (await readBalance(user))[1] === 0);
  assert.deepEqual(await readBalance(user), [CREDITS - PRICE, 0]);
  assert.equal(paid.fal.count(/^GET \/files\//), fetchCount);
});

describe('cancelling a run', () => {
  /** Functions that start a run and resolve once its call is in the named state. */
  const states: Readonly<Record<string, (start: () => Promise<string>) => Promise<string>>> = {
    'while it is rate-limited': async start => {
      const before = paid.fal.count(/^POST/);
      paid.fal.failRequests(/^POST/, { status: 429, headers: { 'retry-after': '1' }, body: {} }, ALWAYS);
      const id = await start();
      await waitUntil('a rejected submission', () => paid.fal.count(/^POST/) > before);
      return id;
    },
    'while it is being submitted': async start => {
      const before = paid.fal.count(/^POST/);
      paid.fal.failResponses(/^POST/, 'late', ALWAYS);
      const id = await start();
      await waitUntil('the request', () => paid.fal.count(/^POST/) > before);
      return id;
    },
    'while its submission gets no response': async start => {
      const before = paid.fal.count(/^POST/);
      paid.fal.failRequests(/^POST/, 'hang', ALWAYS);
      const id = await start();
      await waitUntil('the request', () => paid.fal.count(/^POST/) > before);
      return id;
    },
    'while it is active': async start => {
      const id = await start();
      await waitForSuspension(paid, id);
      return id;
    },
    'while its polls get no response': async start => {
      paid.fal.failRequests(STATUS_REQUEST, 'hang', ALWAYS);
      const id = await start();
      await waitForSuspension(paid, id);
      return id;
    },
    'while its result is fetched': async start => {
      paid.fal.polls = 0;
      const before = paid.fal.count(/^GET .*\/requests\/[^/]+$/);
      paid.fal.failRequests(/^GET .*\/requests\/[^/]+$/, 'hang', ALWAYS);
      const id = await start();
      await waitUntil(
        'the request for the result',
        () => paid.fal.count(/^GET .*\/requests\/[^/]+$/) > before,
      );
      return id;
    },
    'while its file is downloaded': async start => {
      paid.fal.polls = 0;
      const before = paid.fal.count(/^GET \/files\//);
      paid.fal.failRequests(/^GET \/files\//, 'hang', ALWAYS);
      const id = await start();
      await waitUntil('the request', () => paid.fal.count(/^GET \/files\//) > before);
      return id;
    },
  };
  /** The states in which fal has received the call and never confirms the cancel, or the call has ended. */
  const charged: ReadonlySet<string> = new Set([
    'while its submission gets no response',
    'while its result is fetched',
    'while its file is downloaded',
  ]);
  for (const [name, startInState] of Object.entries(states))
    it(`${charged.has(name) ? 'charges' : 'does not charge'} the call ${name}`, async () => {
      const workflow = await user.createWorkflow(modelGraph());
      const id = await startInState(() => user.startRun(workflow));
      await cancel(id);
      const startedMs = performance.now();
      assert.equal((await user.waitForStatus(id)).status, 'CANCELLED');
      assert.ok(performance.now() - startedMs < MAX_CANCEL_MS);
      paid.fal.clearFaults();
      await waitUntil('the call to be settled', async () => (await readBalance(user))[1] === 0);
      assert.deepEqual(await readBalance(user), [CREDITS - (charged.has(name) ? PRICE : 0), 0]);
      await delay(200);
      assert.equal((await user.readExecution(id)).status, 'CANCELLED');
    });

  it(`cancels the calls of ${RUN_COUNT} runs that are cancelled concurrently`, async () => {
    const workflow = await user.createWorkflow(modelGraph());
    const ids = await Promise.all(Array.from({ length: RUN_COUNT }, () => user.startRun(workflow)));
    await waitUntil('all submissions', () => paid.fal.accepted.length === RUN_COUNT);
    await Promise.all(ids.map(cancel));
    await waitUntil(
      'all runs to end',
      async () => (await countRows(paid, 'executions where finished_at is null')) === 0,
    );
    for (const id of ids.slice(0, 20)) assert.equal((await user.readExecution(id)).status, 'CANCELLED');
    await waitUntil('no call to be left', async () => (await countRows(paid, 'calls')) === 0);
    assert.deepEqual(new Set(paid.fal.cancelled), new Set(paid.fal.accepted));
    assert.deepEqual(await readBalance(user), [CREDITS, 0]);
    assert.ok(RUN_COUNT * PRICE <= CREDITS);
  });
});
