// Tests the rows of calls, which are written both when a slot is granted and when node states are saved.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { claimSlots } from '../../src/store/call-slots.ts';
import { type NewCall, saveCalls } from '../../src/store/calls.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const MOST = 3;
const DEADLINE = new Date(Date.now() + 60_000);
const KEY = { execution_id: 'ex_1', node_id: 'm', workspace: 'user:1' } as const;

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** Returns which of the items have a slot. */
async function take(...items: readonly number[]): Promise<readonly number[]> {
  const calls = items.map(item => ({
    ...KEY,
    item,
    credential_id: null,
    value_id: null,
    deadline_at: DEADLINE,
  }));
  const places = await database.db.transaction(tx =>
    claimSlots(tx, { provider: 'fal', limiter: 'fal' }, calls, MOST),
  );
  return items.filter((_, index) => places.has(index));
}

const listItems = async (where = 'true'): Promise<readonly number[]> => {
  const { rows } = await database.db.query<{ item: number }>(
    `select item from calls where ${where} order by item`,
  );
  return rows.map(({ item }) => item);
};

const submitted = (item: number): NewCall => ({
  item,
  provider: 'fal',
  credential_id: null,
  value_id: null,
  model: null,
  job_id: `job-${item}`,
  state: null,
  token: null,
  asks: 0,
  has_slot: true,
  credits: 0,
  terms: null,
  submitted_at: new Date(),
  due_at: DEADLINE,
  deadline_at: DEADLINE,
});

it('a call with a new slot keeps it when an older state of its node is stored', async () => {
  assert.deepEqual(await take(0), [0]);
  assert.deepEqual(await take(1, 2), [1, 2]);
  // The node's state when the first call had been submitted.
  await saveCalls(database.db, [{ ...KEY, calls: [submitted(0)], over: [] }]);
  assert.deepEqual(await listItems('slot_at is not null'), [0, 1, 2]);
  assert.deepEqual(await take(3, 4), []);
  assert.deepEqual(await listItems('slot_at is null'), [3, 4]);
});

it('the row of an item is deleted with the item, and all rows with the node', async () => {
  await saveCalls(database.db, [{ ...KEY, calls: [submitted(1)], over: [0] }]);
  assert.deepEqual(await listItems(), [1, 2, 3, 4]);
  await saveCalls(database.db, [{ ...KEY, calls: [], over: null }]);
  assert.deepEqual(await listItems(), []);
});
