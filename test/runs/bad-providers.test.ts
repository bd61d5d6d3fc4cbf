// Tests providers that misbehave and runs that are cancelled at every stage of a call: each run ends properly, nothing
// undelivered is charged, and no call is left behind.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import {
  modelGraph,
  type PaidService,
  PRICE,
  readBalance,
  runPastLimit,
  startPaidService,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import type { Fault } from '../support/providers/double.ts';

const NEVER = 1e9;
/** Far less than a request may take. */
const MOST_MS = 30_000;
const ALWAYS = 1e9;
const CREDITS = 10_000;
const STATUS = /^GET .*\/status$/;
const MANY = 250;

let paid: PaidService;
let user: Client;
before(async () => {
  paid = await startPaidService({ MAX_CONCURRENT_RUNS: '20000', WORKER_CONCURRENCY: '500' });
});
after(() => paid.close());
beforeEach(async () => {
  paid.reset();
  paid.fal.polls = NEVER;
  paid.fal.accepted.length = 0;
  paid.fal.cancelled.length = 0;
  user = await paid.newUser(CREDITS);
});
afterEach(async () => {
  paid.fal.clearFaults();
  await assertLedgerBalanced(paid.service.db);
  await waitUntil('no call to be left', async () => (await count('calls')) === 0);
});

const count = async (table: string): Promise<number> => {
  const { rows } = await paid.service.db.query<{ count: number }>(`select count(*) from ${table}`);
  return rows[0]?.count ?? 0;
};
const waiting = async (id: string): Promise<void> => {
  await waitUntil('the run to wait in nobody’s hands', async () => {
    const { rows } = await paid.service.db.query(
      'select from executions e join calls c on c.execution_id = e.id where e.id = $1 and e.worker_id is null',
      [id],
    );
    return rows.length === 1;
  });
};
const cancel = async (id: string): Promise<void> => {
  const { status } = await user.request('POST', `/executions/${id}/cancel`);
  assert.equal(status, 200);
};

describe('a provider that answers every request so', () => {
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
    'HTML as if all were well': {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<html>welcome</html>'),
    },
    nothing: 'hang',
  };
  for (const [name, fault] of Object.entries(faults))
    it(`${name}: receives the work once, and the run ends in time, free of charge`, async () => {
      paid.fal.failRequests(STATUS, fault, ALWAYS);
      const record = await runPastLimit(paid, user, modelGraph(), 2000);
      assert.ok(['TIMEOUT', 'FAILED'].includes(record.status), JSON.stringify(record.error));
      assert.equal(paid.fal.accepted.length, 1);
      // The call is polled until its outcome is known.
      paid.fal.clearFaults();
      await waitUntil('its credits to be back', async () => (await readBalance(user))[1] === 0);
      assert.deepEqual(await readBalance(user), [CREDITS, 0]);
    });
});

it('a provider clock that is an hour off delays nothing', async () => {
  const date = new Date(Date.now() - 3_600_000).toUTCString();
  paid.fal.polls = 0;
  paid.fal.failRequests(STATUS, { status: 202, headers: { date }, body: { status: 'IN_QUEUE' } }, 2);
  const record = await user.waitForStatus(await user.startRun(await user.createWorkflow(modelGraph())));
  assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
});

it('a provider that finishes a cancelled call is paid, and its result is not fetched', async () => {
  const [fetched, stopped] = [paid.fal.count(/^GET \/files\//), paid.fal.count(/\/cancel$/)];
  const id = await user.startRun(await user.createWorkflow(modelGraph()));
  await waiting(id);
  paid.fal.failRequests(/^PUT .*\/cancel$/, { status: 400, body: { status: 'ALREADY_COMPLETED' } }, ALWAYS);
  paid.fal.polls = 0;
  await cancel(id);
  await waitUntil('the provider to be asked', () => paid.fal.count(/\/cancel$/) > stopped);
  assert.equal((await user.readExecution(id)).status, 'CANCELLED');
  await waitUntil('the call to be settled', async () => (await readBalance(user))[1] === 0);
  assert.deepEqual(await readBalance(user), [CREDITS - PRICE, 0]);
  assert.equal(paid.fal.count(/^GET \/files\//), fetched);
});

describe('a run that is cancelled', () => {
  /** Brings a run into the state. Resolves once it is there. */
  const states: Readonly<Record<string, (start: () => Promise<string>) => Promise<string>>> = {
    'while its call is turned away': async start => {
      const before = paid.fal.count(/^POST/);
      paid.fal.failRequests(/^POST/, { status: 429, headers: { 'retry-after': '1' }, body: {} }, ALWAYS);
      const id = await start();
      await waitUntil('a refusal', () => paid.fal.count(/^POST/) > before);
      return id;
    },
    'while its call is being asked for': async start => {
      const before = paid.fal.count(/^POST/);
      paid.fal.failResponses(/^POST/, 'late', ALWAYS);
      const id = await start();
      await waitUntil('the request', () => paid.fal.count(/^POST/) > before);
      return id;
    },
    'while its call is asked for and no answer comes': async start => {
      const before = paid.fal.count(/^POST/);
      paid.fal.failRequests(/^POST/, 'hang', ALWAYS);
      const id = await start();
      await waitUntil('the request', () => paid.fal.count(/^POST/) > before);
      return id;
    },
    'while its call goes on': async start => {
      const id = await start();
      await waiting(id);
      return id;
    },
    'while the provider cannot say how its call does': async start => {
      paid.fal.failRequests(STATUS, 'hang', ALWAYS);
      const id = await start();
      await waiting(id);
      return id;
    },
    'while its result is read': async start => {
      paid.fal.polls = 0;
      const before = paid.fal.count(/^GET .*\/requests\/[^/]+$/);
      paid.fal.failRequests(/^GET .*\/requests\/[^/]+$/, 'hang', ALWAYS);
      const id = await start();
      await waitUntil('the question', () => paid.fal.count(/^GET .*\/requests\/[^/]+$/) > before);
      return id;
    },
    'while its file is fetched': async start => {
      paid.fal.polls = 0;
      const before = paid.fal.count(/^GET \/files\//);
      paid.fal.failRequests(/^GET \/files\//, 'hang', ALWAYS);
      const id = await start();
      await waitUntil('the request', () => paid.fal.count(/^GET \/files\//) > before);
      return id;
    },
  };
  /** fal received the call and never confirmed a stop, or the call had ended. */
  const paidFor: ReadonlySet<string> = new Set([
    'while its call is asked for and no answer comes',
    'while its result is read',
    'while its file is fetched',
  ]);
  for (const [name, reach] of Object.entries(states))
    it(`${name} ends, and ${paidFor.has(name) ? 'is charged' : 'is not charged'} for the call`, async () => {
      const workflow = await user.createWorkflow(modelGraph());
      const id = await reach(() => user.startRun(workflow));
      await cancel(id);
      const beganMs = performance.now();
      assert.equal((await user.waitForStatus(id)).status, 'CANCELLED');
      assert.ok(performance.now() - beganMs < MOST_MS);
      paid.fal.clearFaults();
      await waitUntil('its credits to be settled', async () => (await readBalance(user))[1] === 0);
      assert.deepEqual(await readBalance(user), [CREDITS - (paidFor.has(name) ? PRICE : 0), 0]);
      await delay(200);
      assert.equal((await user.readExecution(id)).status, 'CANCELLED');
    });

  it(`is one of ${MANY} that are cancelled at once: all end, and each call is cancelled at least once`, async () => {
    const workflow = await user.createWorkflow(modelGraph());
    const ids = await Promise.all(Array.from({ length: MANY }, () => user.startRun(workflow)));
    await waitUntil('all submissions', () => paid.fal.accepted.length === MANY);
    await Promise.all(ids.map(cancel));
    await waitUntil(
      'all to have ended',
      async () => (await count('executions where finished_at is null')) === 0,
    );
    for (const id of ids.slice(0, 20)) assert.equal((await user.readExecution(id)).status, 'CANCELLED');
    await waitUntil('no call to be left', async () => (await count('calls')) === 0);
    assert.deepEqual(new Set(paid.fal.cancelled), new Set(paid.fal.accepted));
    assert.deepEqual(await readBalance(user), [CREDITS, 0]);
    assert.ok(MANY * PRICE <= CREDITS);
  });
});
