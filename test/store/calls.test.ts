// Tests the calls table, which is written both when a slot is granted and when node states are saved.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { claimSlots } from '../../src/store/call-slots.ts';
import { type NewCall, saveCalls } from '../../src/store/calls.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const MAX_CONCURRENT = 3;
const DEADLINE = new Date(Date.now() + 60_000);
const KEY = { execution_id: 'ex_1', node_id: 'm', workspace: 'user:1' } as const;

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** Claims slots for the items, and returns the items that got a slot. */
async function claimItems(...items: readonly number[]): Promise<readonly number[]> {
  const calls = items.map(item => ({
    ...KEY,
    item,
    credential_id: null,
    value_id: null,
    deadline_at: DEADLINE,
  }));
  const slots = await database.db.transaction(tx =>
    claimSlots(tx, { provider: 'fal', limiter: 'fal' }, calls, MAX_CONCURRENT),
  );
  return items.filter((_, index) => slots.has(index));
}

const listItems = async (where = 'true'): Promise<readonly number[]> => {
  const { rows } = await database.db.query<{ item: number }>(
    `select item from calls where ${where} order by item`,
  );
  return rows.map(({ item }) => item);
};

const createCall = (item: number): NewCall => ({
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
  pool: null,
  moves: 0,
  submitted_at: new Date(),
  due_at: DEADLINE,
  deadline_at: DEADLINE,
});

it('keeps the new slot of a call when an older state of its node is saved', async () => {
  assert.deepEqual(await claimItems(0), [0]);
  assert.deepEqual(await claimItems(1, 2), [1, 2]);
  // The state of the node before the second and third calls.
  await saveCalls(database.db, [{ ...KEY, calls: [createCall(0)], ended_items: [] }]);
  assert.deepEqual(await listItems('slot_at is not null'), [0, 1, 2]);
  assert.deepEqual(await claimItems(3, 4), []);
  assert.deepEqual(await listItems('slot_at is null'), [3, 4]);
});

it('deletes the calls of items and nodes that have ended', async () => {
  await saveCalls(database.db, [{ ...KEY, calls: [createCall(1)], ended_items: [0] }]);
  assert.deepEqual(await listItems(), [1, 2, 3, 4]);
  await saveCalls(database.db, [{ ...KEY, calls: [], ended_items: null }]);
  assert.deepEqual(await listItems(), []);
});
