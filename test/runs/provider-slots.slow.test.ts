// Tests the slots of a provider with two services: the operator's limit, the limit learned from 429 responses, and fair
// shares for workspaces.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type Client, createClient, mapStates } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import {
  countRows,
  keepCallsActive,
  mappedGraph,
  modelGraph,
  type PaidService,
  readBalance,
  startPaidService,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import type { LocalService } from '../support/service.ts';

/** Two services on one database, both of which execute runs. */
interface Pair {
  readonly paid: PaidService;
  readonly other: LocalService;
  close(): Promise<void>;
}

async function startPair(settings: Readonly<Record<string, string>>): Promise<Pair> {
  const paid = await startPaidService(settings);
  const otherService = await paid.service.startAnother();
  return {
    paid,
    other: otherService,
    close: async () => {
      await otherService.close();
      await paid.close();
    },
  };
}

const POLL = /^GET .*\/status$/;

/** Waits until active calls were polled. A process grants free slots before each poll. */
async function waitForPolls({ paid: { fal } }: Pair, count: number): Promise<void> {
  const before = fal.count(POLL);
  await waitUntil(`${count} polls`, () => fal.count(POLL) >= before + count);
}

const countCalls = ({ paid }: Pair, condition: string): Promise<number> =>
  countRows(paid, `calls where ${condition}`);

function resetBeforeEach(getPair: () => Pair): void {
  const getPaid = () => getPair().paid;
  beforeEach(() => getPaid().reset());
  keepCallsActive(getPaid);
  afterEach(() => assertLedgerBalanced(getPaid().service.db));
}

describe('a call to a provider with PROVIDER_CONCURRENCY', () => {
  let pair: Pair;
  let user: Client;
  before(async () => {
    pair = await startPair({ PROVIDER_CONCURRENCY: '{"fal": 3}', MAX_CONCURRENT_RUNS: '1000' });
  });
  after(() => pair.close());
  resetBeforeEach(() => pair);
  beforeEach(async () => {
    user = await pair.paid.newUser(10_000);
  });
  const connectToOther = (client: Client): Client => createClient(pair.other.url, client.key);

  it('waits if all processes together have reached the limit', async () => {
    const { fal } = pair.paid;
    const workflow = await user.createWorkflow(modelGraph());
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? user : connectToOther(user)).startRun(workflow),
      ),
    );
    await waitUntil('nine calls to wait', async () => (await countCalls(pair, 'slot_at is null')) === 9);
    await waitUntil('three submissions', async () => (await countCalls(pair, 'job_id is not null')) === 3);
    await waitForPolls(pair, 9);
    assert.deepEqual([fal.accepted.length, await countCalls(pair, 'job_id is not null')], [3, 3]);
    fal.polls = 0;
    for (const id of ids) assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
    assert.equal(fal.accepted.length, 12);
  });

  it('gets the next slot if its workspace has no slot and another workspace has many waiting calls', async () => {
    const { fal } = pair.paid;
    const texts = Array.from({ length: 30 }, (_, index) => `picture ${index}`);
    const runWithManyCalls = await user.startRun(await user.createWorkflow(mappedGraph(texts)));
    await waitUntil('27 calls to wait', async () => (await countCalls(pair, 'slot_at is null')) === 27);
    const otherUser = await pair.paid.newUser(10);
    const id = await otherUser.startRun(await otherUser.createWorkflow(modelGraph()));
    await waitUntil(
      'the call of the other workspace to wait',
      async () => (await countCalls(pair, 'slot_at is null')) === 28,
    );
    // Only the three active calls end, and one of their slots goes to the call of the other workspace.
    const working = { status: 202, body: { status: 'IN_PROGRESS', logs: [] } };
    fal.failRequests(/\/req-(?![123]\/)\d+\/status$/, working, 1e9);
    fal.polls = 0;
    await waitUntil('three more submissions', () => fal.accepted.length === 6);
    const nextIds = fal.accepted.slice(3);
    fal.clearFaults();
    const record = await otherUser.waitForStatus(id);
    const jobId = mapStates(record).m?.provider?.jobId ?? '';
    assert.deepEqual([record.status, nextIds.includes(jobId)], ['COMPLETED', true], `${jobId}: ${nextIds}`);
    assert.equal((await user.waitForStatus(runWithManyCalls)).status, 'COMPLETED');
    assert.equal(fal.accepted.length, 31);
  });

  it('is not submitted if its run is cancelled while the call waits', async () => {
    const { fal } = pair.paid;
    const workflow = await user.createWorkflow(modelGraph());
    const ids = await Promise.all(Array.from({ length: 5 }, () => user.startRun(workflow)));
    await waitUntil('two calls to wait', async () => (await countCalls(pair, 'slot_at is null')) === 2);
    await waitUntil('three submissions', async () => (await countCalls(pair, 'job_id is not null')) === 3);
    // The end of an active call grants its slot to a waiting call, so the waiting calls are cancelled first.
    const { rows } = await pair.paid.service.db.query<{ id: string }>(
      'select execution_id as id from calls order by slot_at nulls first',
    );
    assert.equal(rows.length, ids.length);
    for (const { id } of rows) await user.request('POST', `/executions/${id}/cancel`);
    for (const id of ids) assert.equal((await user.waitForStatus(id)).status, 'CANCELLED');
    await waitUntil('no call to be left', async () => (await countCalls(pair, 'true')) === 0);
    assert.deepEqual([fal.accepted.length, fal.cancelled.length], [3, 3]);
    assert.deepEqual(await readBalance(user), [10_000, 0]);
  });

  it('lets its run time out while the call waits', async () => {
    const workflow = await user.createWorkflow(modelGraph());
    await Promise.all(Array.from({ length: 3 }, () => user.startRun(workflow)));
    await waitUntil('three submissions', async () => (await countCalls(pair, 'job_id is not null')) === 3);
    const lateRun = await user.startRun(workflow, { timeoutMs: 1500 });
    assert.equal((await user.waitForStatus(lateRun)).status, 'TIMEOUT');
    assert.equal(pair.paid.fal.accepted.length, 3);
    pair.paid.fal.polls = 0;
  });
});

describe('a provider that answers 429', () => {
  let pair: Pair;
  before(async () => {
    pair = await startPair({ MAX_CONCURRENT_RUNS: '1000' });
  });
  after(() => pair.close());
  resetBeforeEach(() => pair);
  const readLimit = async (): Promise<number | undefined> =>
    (
      await pair.paid.service.db.query<{ calls: number }>(
        'select calls from provider_limits where provider = $1',
        ['fal'],
      )
    ).rows[0]?.calls;

  it('gets fewer concurrent calls from all processes until it accepts calls again', async () => {
    const { fal } = pair.paid;
    const user = await pair.paid.newUser(1000);
    const workflow = await user.createWorkflow(modelGraph());
    const ids = await Promise.all(Array.from({ length: 8 }, () => user.startRun(workflow)));
    await waitUntil('all to be in flight', async () => (await countCalls(pair, 'job_id is not null')) === 8);
    fal.failRequests(/^POST .*flux|^POST .*seedream/, { status: 429, headers: { 'retry-after': '0' } });
    ids.push(await user.startRun(workflow));
    await waitUntil('the rejected call to be accepted', () => fal.accepted.length === 9);
    let loweredLimit = 0;
    await waitUntil('the lowered limit', async () => {
      loweredLimit = (await readLimit()) ?? 0;
      return loweredLimit > 0;
    });
    assert.ok(loweredLimit >= 4 && loweredLimit <= 6, String(loweredLimit));
    // The other process knows the lowered limit too.
    ids.push(await createClient(pair.other.url, user.key).startRun(workflow));
    await waitUntil(
      'the new call to wait for a slot',
      async () => (await countCalls(pair, 'slot_at is null')) === 1,
    );
    await waitForPolls(pair, 9);
    assert.equal(fal.accepted.length, 9);
    fal.polls = 0;
    for (const id of ids) assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
    assert.equal(fal.accepted.length, 10);
    for (let count = 0; count < loweredLimit; count++) await user.runWorkflow(workflow);
    await waitUntil('the limit to increase', async () => ((await readLimit()) ?? 0) > loweredLimit);
  });
});
