// Tests that pages of lists are limited by the size of their rows where they are read.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Db } from '../../src/store/db.ts';
import { limitPageBytes } from '../../src/store/rows.ts';
import { createTestDatabase } from '../support/database.ts';

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  ({ db, drop } = await createTestDatabase());
});
after(() => drop());

/** Selects rows whose long texts have these sizes, in this order. */
async function select(sizes: readonly (number | null)[]) {
  const statement = `select number, repeat('a', size) as a, repeat('ä', size / 2) as b
    from unnest($1::int[]) with ordinality as s (size, number) order by number desc limit 100`;
  const { rows } = await db.query<{ number: number; is_beyond: boolean }>(
    limitPageBytes(statement, ['a', 'b']),
    [sizes.toReversed()],
  );
  return rows.map(({ is_beyond }) => is_beyond);
}

it('a page has the rows that fit, the first row even if it does not, and one row of the next page', async () => {
  assert.deepEqual(await select([]), []);
  assert.deepEqual(await select([10, null, 10]), [false, false, false]);
  assert.deepEqual(await select([2_000_000, 2_000_000]), [false, false]);
  assert.deepEqual(await select([1_000_000, 1_000_000, 2, 10]), [false, false, false, true]);
  assert.deepEqual(await select([1_000_002, 1_000_000, 10, 10]), [false, false, true]);
  assert.deepEqual(await select([5_000_000, 10, 10]), [false, true]);
});
