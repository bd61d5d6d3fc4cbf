// Tests which statements count as sent when a connection is lost.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isWrite } from '../../src/store/connection/loss.ts';
import { enqueue } from '../../src/store/queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('isWrite', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  it('is true for every function that may change something', async () => {
    // A function is volatile unless it is declared otherwise. Triggers call their own functions, and those below.
    const ofTriggers = ['add_storage', 'note_media_reuses', 'recount_storage'];
    const { rows } = await test.db.query<{ name: string }>(
      `select proname as name from pg_proc
       where pronamespace = 'public'::regnamespace and provolatile = 'v' and prorettype <> 'trigger'::regtype
         and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
    );
    assert.ok(rows.some(({ name }) => name === 'queue_jobs'));
    assert.deepEqual(
      rows
        .map(({ name }) => name)
        .filter(name => !ofTriggers.includes(name) && !isWrite(`select ${name}(1)`)),
      [],
    );
  });

  it('is true for the statement that queues jobs', async () => {
    const statements: string[] = [];
    const tx = {
      query: async (statement: string) => {
        statements.push(statement);
        return { rows: [] };
      },
    };
    await enqueue(tx as never, 'run', ['a']);
    assert.deepEqual(statements.map(isWrite), [true]);
  });

  it('is false for a statement that only reads', () => {
    assert.deepEqual(
      ['select 1', '-- a comment\n with a as (select 1) select * from a', 'values (1)'].map(isWrite),
      [false, false, false],
    );
  });
});
