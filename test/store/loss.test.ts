// Tests which statements count as sent when a connection is lost.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isWrite } from '../../src/store/connection/loss.ts';
import { enqueue } from '../../src/store/queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const SRC = join(import.meta.dirname, '../../src');

/** Functions that PostgreSQL does not promise to be free of effects, but that change nothing that a commit keeps. */
const HARMLESS = [
  'clock_timestamp',
  'pg_advisory_xact_lock',
  'pg_control_system',
  'pg_current_wal_lsn',
  'pg_database_size',
  'pg_is_in_recovery',
  'pg_try_advisory_lock',
  'random',
  // Runs in a `do` block.
  'recount_storage',
  'set_config',
];

describe('isWrite', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  it('is true for each call of a function that may change something', async () => {
    // Only volatile functions may write. A function is volatile unless it is declared otherwise.
    const { rows } = await test.db.query<{ name: string }>(
      `select distinct proname as name from pg_proc where provolatile = 'v' and prorettype <> 'trigger'::regtype`,
    );
    const volatile = new Set(rows.map(({ name }) => name));
    const called = new Set<string>();
    for (const file of globSync('**/*.ts', { cwd: SRC }))
      for (const [, name = ''] of readFileSync(join(SRC, file), 'utf8').matchAll(/\b([a-z_]\w*)\(/g))
        if (volatile.has(name)) called.add(name);
    assert.ok(called.has('queue_jobs'));
    assert.deepEqual([...called].filter(name => !isWrite(`select ${name}(1)`)).sort(), HARMLESS);
  });

  it('is true for a common table expression that writes', () => {
    const statements = [
      'insert into t values (1)',
      'update t set a = 1',
      'delete from t',
      'merge into t using u on true',
    ];
    for (const statement of statements)
      assert.equal(isWrite(`with w as (${statement} returning 1) select 1 from w`), true);
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
