// Tests that accepted runs wait for the decoder: however many arrive at once, none fails for lack of capacity.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import {
  modelGraph,
  type PaidService,
  PRICE,
  readBalance,
  startPaidService,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';

// More than twice the waiting limit of a decoder for unaccepted work.
const RUNS = 440;

let paid: PaidService;
let user: Client;
before(async () => {
  paid = await startPaidService({ WORKER_CONCURRENCY: '1000', MAX_CONCURRENT_RUNS: '1000' });
  user = await paid.newUser(RUNS * PRICE);
});
after(() => paid.close());

const countByStatus = async (): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await paid.service.db.query<{ status: string; count: number }>(
    'select status, count(*) from executions group by 1',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

it(`${RUNS} runs whose calls end together all complete and are paid once each`, async () => {
  paid.reset();
  paid.fal.polls = 1e9;
  const workflow = await user.createWorkflow(modelGraph());
  const ids = await Promise.all(Array.from({ length: RUNS }, () => user.startRun(workflow)));
  await waitUntil('all submissions', () => paid.fal.accepted.length === RUNS);
  paid.fal.polls = 0;
  await paid.service.db.query('update calls set due_at = now()');
  // Slow on a busy machine; the test's own timeout bounds it.
  for (let left = RUNS; left > 0; await delay(100)) {
    const { rows } = await paid.service.db.query('select from executions where finished_at is null');
    left = rows.length;
  }
  assert.deepEqual(await countByStatus(), { COMPLETED: RUNS });
  assert.equal(new Set(ids).size, RUNS);
  assert.equal(paid.fal.accepted.length, RUNS);
  assert.deepEqual(await readBalance(user), [0, 0]);
  await assertLedgerBalanced(paid.service.db);
});
