// Tests runs that wait for a provider call: no worker executes such a run until its call ends or is cancelled.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Client, mapStates } from '../support/client.ts';
import {
  keepCallsActive,
  mappedGraph,
  modelGraph,
  modelNode,
  PRICE,
  readBalance,
  runPastLimit,
  setUpPaidService,
  waitForSuspension,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService({ WORKER_CONCURRENCY: '2', MAX_CONCURRENT_RUNS: '20' });
let user: Client;
keepCallsActive(() => paid);
beforeEach(async () => {
  user = await paid.newUser(300);
});

/** Starts a run and waits until no worker executes it. */
const startWaiting = async (graph: object, body: object = {}): Promise<string> => {
  const id = await user.startRun(await user.createWorkflow(graph), body);
  await waitForSuspension(paid, id);
  return id;
};

describe('a run that waits for a call', () => {
  it('has the status RUNNING and continues when the call has ended', async () => {
    const id = await startWaiting(modelGraph());
    const waitingRun = await user.readExecution(id);
    assert.deepEqual([waitingRun.status, mapStates(waitingRun).m?.status], ['RUNNING', 'RUNNING']);
    paid.fal.polls = 0;
    const record = await user.waitForStatus(id);
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
    assert.deepEqual([mapStates(record).m?.attempt, paid.fal.accepted.length], [1, 1]);
    assert.deepEqual(await readBalance(user), [300 - PRICE, 0]);
  });

  it('occupies no worker slot', async () => {
    const workflow = await user.createWorkflow(modelGraph());
    const ids = await Promise.all(Array.from({ length: 12 }, () => user.startRun(workflow)));
    await waitUntil('all submissions', () => paid.fal.accepted.length === 12);
    paid.fal.polls = 0;
    for (const id of ids) assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
    assert.equal(paid.fal.accepted.length, 12);
    assert.deepEqual(await readBalance(user), [300 - 12 * PRICE, 0]);
  });

  it('counts toward the limit of active runs of its workspace', async () => {
    const workflow = await user.createWorkflow(modelGraph());
    const ids = await Promise.all(Array.from({ length: 23 }, () => user.startRun(workflow)));
    await waitUntil('as many submissions as allowed', () => paid.fal.accepted.length === 20);
    // A later run of another workspace starts before the three that exceed the limit.
    const other = await paid.newUser(PRICE);
    await waitForSuspension(paid, await other.startRun(await other.createWorkflow(modelGraph())));
    assert.equal(paid.fal.accepted.length, 21);
    const records = await Promise.all(ids.map(id => user.readExecution(id)));
    assert.equal(records.filter(({ status }) => status === 'QUEUED').length, 3);
    paid.fal.polls = 0;
    for (const id of ids) assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
  });

  it('cancels its call at the provider if it is cancelled', async () => {
    const id = await startWaiting(modelGraph());
    const { body } = await user.request<{ status: string }>('POST', `/executions/${id}/cancel`);
    assert.equal(body.status, 'CANCELLED');
    await waitUntil('the cancel at the provider', () => paid.fal.cancelled.length > 0);
    await waitUntil('the credits to be released', async () => (await readBalance(user))[1] === 0);
    assert.deepEqual(new Set(paid.fal.cancelled), new Set(paid.fal.accepted));
    assert.deepEqual(await readBalance(user), [300, 0]);
  });

  it('times out although no worker executes it', async () => {
    assert.equal((await runPastLimit(paid, user, modelGraph())).status, 'TIMEOUT');
    await waitUntil('the cancel at the provider', () => paid.fal.cancelled.length > 0);
    await waitUntil('the credits to be released', async () => (await readBalance(user))[1] === 0);
    assert.deepEqual(await readBalance(user), [300, 0]);
  });

  it('continues when the call ends while another branch is active', async () => {
    const graph = {
      nodes: [
        modelNode('m'),
        node('shown', 'output:preview'),
        node('t', 'input:text', { value: 'x' }),
        node('d', 'logic:delay', { ms: 60_000 }),
      ],
      edges: [edge('m.image > shown.input'), edge('t.text > d.input')],
    };
    const id = await startWaiting(graph);
    paid.fal.polls = 0;
    await waitUntil(
      'the picture',
      async () => mapStates(await user.readExecution(id)).shown?.status === 'COMPLETED',
    );
    await user.request('POST', `/executions/${id}/cancel`);
    assert.deepEqual(await readBalance(user), [300 - PRICE, 0]);
  });

  it('waits again if it is woken before its call has ended', async () => {
    const id = await startWaiting(modelGraph());
    await paid.service.db.query('update calls set ended_at = now() where execution_id = $1', [id]);
    await paid.service.db.query(`select graphile_worker.add_job('run', json_build_object('id', $1::text))`, [
      id,
    ]);
    await waitUntil('a poll without a result', async () => {
      const { rows } = await paid.service.db.query<{ asks: number }>(
        'select asks from calls where execution_id = $1 and ended_at is null',
        [id],
      );
      return rows[0]?.asks === 1;
    });
    paid.fal.polls = 0;
    assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
    assert.equal(paid.fal.accepted.length, 1);
  });
});

describe('a waiting run that no event would wake', () => {
  it('is found by a worker that starts', async () => {
    const id = await startWaiting(modelGraph());
    await paid.service.db.query('delete from calls where execution_id = $1', [id]);
    await paid.service.db.query(
      `update executions set running_since = now() - interval '2 minutes' where id = $1`,
      [id],
    );
    paid.fal.polls = 0;
    // Each worker looks for such runs when it starts, and periodically.
    const otherWorker = await paid.service.startAnother({ ROLE: 'worker' });
    try {
      assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
      assert.equal(paid.fal.accepted.length, 1);
    } finally {
      await otherWorker.close();
    }
  });

  it('fails with a message if its request cannot be read', async () => {
    const id = await startWaiting(modelGraph());
    const { db } = paid.service;
    const { rows } = await db.query<{ request: string }>('select request from executions where id = $1', [
      id,
    ]);
    await db.query(`update executions set request = 'no JSON' where id = $1`, [id]);
    await db.query(`select graphile_worker.add_job('run', json_build_object('id', $1::text))`, [id]);
    await waitUntil('the run to end', async () => {
      const run = await db.query<{ status: string }>('select status from executions where id = $1', [id]);
      return run.rows[0]?.status === 'FAILED';
    });
    await db.query('update executions set request = $2 where id = $1', [id, rows[0]?.request]);
    assert.match((await user.readExecution(id)).error?.message ?? '', /could not be read/);
    // The cost of the call stays reserved until the provider has cancelled it.
    await waitUntil('the call to be settled', async () => (await readBalance(user))[1] === 0);
    assert.deepEqual(await readBalance(user), [300, 0]);
  });
});

describe('a mapped node that waits for its calls', () => {
  it('submits all calls concurrently', async () => {
    const id = await startWaiting(mappedGraph(['a', 'b', 'c', 'd']));
    await waitUntil('all submissions', () => paid.fal.accepted.length === 4);
    paid.fal.polls = 0;
    const record = await user.waitForStatus(id);
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
    assert.equal(paid.fal.accepted.length, 4);
    assert.deepEqual(await readBalance(user), [300 - 4 * PRICE, 0]);
  });

  it('does not submit a failed item again while other items wait', async () => {
    paid.fal.failRequests(/^POST/, {
      status: 422,
      body: { detail: [{ loc: ['body'], msg: 'no foxes', type: 'x' }] },
    });
    const id = await startWaiting(mappedGraph(['a', 'b', 'c']));
    await waitUntil('the other items to be submitted', () => paid.fal.accepted.length === 2);
    paid.fal.polls = 0;
    const record = await user.waitForStatus(id);
    assert.equal(record.status, 'FAILED');
    assert.match(record.error?.message ?? '', /no foxes.*1 of 3 items failed/s);
    assert.equal(paid.fal.accepted.length, 2);
    assert.deepEqual(await readBalance(user), [300 - 2 * PRICE, 0]);
  });
});

describe('polling a provider', () => {
  for (const [label, fault] of [
    ['429', { status: 429, body: { detail: 'slow down' } }],
    ['500', { status: 500, body: {} }],
    ['an HTML page', { status: 503, body: Buffer.from('<html>busy</html>') }],
    ['a connection reset', 'reset'],
  ] as const)
    it(`continues after ${label}`, async () => {
      paid.fal.failRequests(/^GET .*\/status$/, fault, 2);
      paid.fal.polls = 0;
      const id = await user.startRun(await user.createWorkflow(modelGraph()));
      assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
      assert.equal(paid.fal.accepted.length, 1);
    });

  it('fails the node without a charge if the provider does not know the call', async () => {
    const id = await startWaiting(modelGraph());
    paid.fal.forget();
    const record = await user.waitForStatus(id);
    assert.deepEqual([record.status, record.error?.code], ['FAILED', 'provider_lost']);
    assert.deepEqual(await readBalance(user), [300, 0]);
  });
});
