// Tests that accepted runs wait for the media decoder instead of failing when it is busy.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countRows, modelGraph, PRICE, readBalance, setUpPaidService } from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';

// More than twice the number of requests that may wait for the decoder.
const RUN_COUNT = 440;

// The test itself makes the polls due. Before that, frequent polls of all calls would load the machine.
const paid = setUpPaidService({
  WORKER_CONCURRENCY: '1000',
  MAX_CONCURRENT_RUNS: '1000',
  TIMING_DIVISOR: '1',
});

const countByStatus = async (): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await paid.service.db.query<{ status: string; count: number }>(
    'select status, count(*) from executions group by 1',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

it(`completes and charges ${RUN_COUNT} runs whose calls end at the same time`, async () => {
  const user = await paid.newUser(RUN_COUNT * PRICE);
  paid.fal.polls = 1e9;
  const workflow = await user.createWorkflow(modelGraph());
  const ids = await Promise.all(Array.from({ length: RUN_COUNT }, () => user.startRun(workflow)));
  await waitUntil('all submissions', () => paid.fal.accepted.length === RUN_COUNT);
  paid.fal.polls = 0;
  await paid.service.db.query('update calls set due_at = now()');
  await waitUntil(
    'all runs to end',
    async () => (await countRows(paid, 'executions where finished_at is null')) === 0,
  );
  assert.deepEqual(await countByStatus(), { COMPLETED: RUN_COUNT });
  assert.equal(new Set(ids).size, RUN_COUNT);
  assert.equal(paid.fal.accepted.length, RUN_COUNT);
  assert.deepEqual(await readBalance(user), [0, 0]);
});
