// Tests what batches of paid rows cost, and when they stop for lack of credits.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { Client } from '../../support/client.ts';
import { assertLedgerBalanced } from '../../support/credits/ledger.ts';
import {
  modelNode,
  type PaidService,
  PRICE,
  readBalance,
  startPaidService,
} from '../../support/credits/paid.ts';
import { waitUntil } from '../../support/processes.ts';
import { edge, node } from '../../support/workflows.ts';
import { type Batch, createBatchClient } from './support.ts';

/** Enough for exactly seven runs. */
const GRANTED_CREDITS = 21;
const GRAPH = {
  nodes: [node('what', 'input:text', { value: 'a fox' }), modelNode('m'), node('end', 'output:preview')],
  edges: [edge('what.text > m.prompt'), edge('m.image > end.input')],
};
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ inputs: { what: `fox ${index + 1} ${Math.random()}` } }));

let paid: PaidService;
let user: Client;
let workflow: string;
before(async () => {
  paid = await startPaidService();
});
after(() => paid.close());
beforeEach(async () => {
  paid.reset();
  user = await paid.newUser(GRANTED_CREDITS);
  workflow = await user.createWorkflow(GRAPH);
});

const { create, waitForStatus } = createBatchClient(() => user);
const start = (body: object): Promise<Batch> => create(workflow, body);
const waitForBalancedStatus = async (id: string, status: string): Promise<Batch> => {
  const batch = await waitForStatus(id, status);
  await assertLedgerBalanced(paid.service.db);
  return batch;
};

it('a paid batch costs what was estimated, and each row its part', async () => {
  const [named, ...others] = rows(3);
  const { batchId, estimate } = await start({ rows: [{ ...named, key: 'named' }, ...others] });
  assert.deepEqual(estimate, { rows: 3, credits: 3 * PRICE, exact: true, perRow: PRICE });
  const batch = await waitForBalancedStatus(batchId, 'COMPLETED');
  assert.deepEqual([batch.counts.completed, batch.credits.charged], [3, 3 * PRICE]);
  assert.deepEqual(await readBalance(user), [GRANTED_CREDITS - 3 * PRICE, 0]);
  // The rows of a second batch have the same numbers, but do not count for the first.
  await waitForBalancedStatus((await start({ rows: rows(2) })).batchId, 'COMPLETED');
  const { body } = await user.request<{ data: { row: number; credits: number }[] }>(
    'GET',
    `/batches/${batchId}/rows`,
  );
  assert.deepEqual(
    body.data.map(({ credits }) => credits),
    [PRICE, PRICE, PRICE],
  );
});

it('a paid batch stops at maxCredits and continues with a higher limit', async () => {
  const { batchId } = await start({ rows: rows(4), maxCredits: 2 * PRICE + 1 });
  const batch = await waitForBalancedStatus(batchId, 'STOPPED');
  assert.deepEqual(
    [batch.reason, batch.counts.completed, batch.counts.waiting, batch.credits.charged],
    ['max_credits', 2, 2, 2 * PRICE],
  );
  const resume = (body: object) => user.request<Batch>('POST', `/batches/${batchId}/resume`, body);
  assert.equal((await resume({})).status, 400);
  assert.equal((await resume({ maxCredits: 2 * PRICE })).status, 400);
  assert.equal((await resume({ maxCredits: 4 * PRICE })).status, 200);
  assert.equal((await waitForBalancedStatus(batchId, 'COMPLETED')).credits.charged, 4 * PRICE);
});

it('the estimate of a paid batch warns of credits and budgets that do not suffice', async () => {
  const readWarnings = async (count: number) => {
    const path = `/workflows/${workflow}/batches/estimate`;
    const { body } = await user.request<{ meta?: { warnings: readonly string[] } }>('POST', path, {
      rows: rows(count),
    });
    return body.meta?.warnings ?? [];
  };
  assert.deepEqual(await readWarnings(7), []);
  assert.deepEqual(await readWarnings(8), ['All rows cost 24 credits, but 21 are available.']);
  const { status } = await user.request('PUT', `/workflows/${workflow}/budget`, { dailyCreditBudget: 10 });
  assert.equal(status, 200);
  assert.deepEqual(await readWarnings(4), [
    'All rows cost 12 credits, but the workflow has spent or reserved 0 of its daily budget of 10 (UTC).',
  ]);
});

it('a paid batch stops without failed rows when the balance is used up', async () => {
  const { batchId, estimate } = await start({ rows: rows(8), concurrency: 2 });
  assert.deepEqual(estimate.meta, { warnings: ['All rows cost 24 credits, but 21 are available.'] });
  const batch = await waitForBalancedStatus(batchId, 'STOPPED');
  const affordable = Math.floor(GRANTED_CREDITS / PRICE);
  assert.deepEqual(
    [batch.reason, batch.counts.completed, batch.counts.failed, batch.counts.waiting],
    ['insufficient_credits', affordable, 0, 8 - affordable],
  );
  const { body } = await user.request<{ data: { kind: string; link: string; text: string }[] }>(
    'GET',
    '/notices',
  );
  assert.deepEqual(body.data.map(({ kind, link }) => [kind, link]).sort(), [
    ['batch_stopped', `/batches/${batchId}`],
    // The charge that left less than a tenth of the grant created this notice.
    ['credits_low', '/settings/credits'],
  ]);
  assert.match(
    body.data.find(({ kind }) => kind === 'batch_stopped')?.text ?? '',
    new RegExp(`${affordable} of 8 rows .* too few credits`),
  );
});

it('a paid batch charges retried rows only once', async () => {
  const failingGraph = {
    nodes: [...GRAPH.nodes, node('call', 'utility:http_request', { url: 'http://127.0.0.1:9/' })],
    edges: GRAPH.edges,
  };
  workflow = await user.createWorkflow(failingGraph);
  const { batchId } = await start({ rows: rows(2), stopAfterFailures: 0 });
  const batch = await waitForBalancedStatus(batchId, 'COMPLETED');
  assert.deepEqual([batch.counts.failed, batch.credits.charged], [2, 2 * PRICE]);
  await user.request('POST', `/batches/${batchId}/retry`, {});
  await waitUntil('the second attempts', async () => {
    const { rows: failedRuns } = await paid.service.db.query(
      `select from executions where origin_id = $1 and status = 'FAILED'`,
      [batchId],
    );
    return failedRuns.length === 4;
  });
  assert.equal((await waitForBalancedStatus(batchId, 'COMPLETED')).credits.charged, 2 * PRICE);
});
