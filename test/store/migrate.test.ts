// Tests that each migration runs once, and that an unsuitable database is refused.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { listPendingMigrations, migrate } from '../../src/store/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const open = (connection: TestDatabase['connection'], database: string): Db =>
  openDb({
    connection: { ...connection, database },
    maxConnections: 2,
    onError: err => process.emitWarning(err),
  });

const file = (version: number, name: string, checksum = `sum ${version}`) => ({
  version,
  name,
  checksum,
  sql: '',
});

describe('migrate', () => {
  let test: TestDatabase;
  let empty: string;

  before(async () => {
    test = await createTestDatabase();
    empty = `${test.connection.database}_empty`;
    await test.db.query(`create database ${empty} template template0`);
  });
  after(async () => {
    await test.db.query(`drop database ${empty} with (force)`);
    await test.drop();
  });

  it('runs each file once if four processes start on an empty database', async () => {
    const pools = Array.from({ length: 4 }, () => open(test.connection, empty));
    let active = 0;
    const migrateQueue = async (): Promise<void> => {
      assert.equal(++active, 1, 'only one process holds the lock');
      await pools[0]?.query('select pg_sleep(0.05)');
      active--;
    };
    try {
      await Promise.all(pools.map(pool => migrate(pool, migrateQueue)));
      const { rows } = await (pools[0] as Db).query<{ count: number; distinct: number }>(
        'select count(*), count(distinct version) as distinct from schema_migrations',
      );
      assert.ok((rows[0]?.count ?? 0) >= 1);
      assert.equal(rows[0]?.count, rows[0]?.distinct);
    } finally {
      await Promise.all(pools.map(pool => pool.close()));
    }
  });

  it('releases the lock if the migration of the queue throws', async () => {
    const pool = open(test.connection, empty);
    try {
      await assert.rejects(
        migrate(pool, async () => {
          throw new Error('no');
        }),
        /^Error: no$/,
      );
      await migrate(pool);
    } finally {
      await pool.close();
    }
  });

  it('refuses a database that a newer program has migrated', async () => {
    const pool = open(test.connection, empty);
    try {
      await pool.query("insert into schema_migrations (version, name, checksum) values (9999, 'future', '')");
      await assert.rejects(migrate(pool), /newer than this program: it has migration 9999_future/);
    } finally {
      await pool.close();
    }
  });
});

describe('listPendingMigrations', () => {
  it('lists pending migrations, in order', () => {
    const files = [file(1, 'init'), file(2, 'b'), file(3, 'c')];
    assert.deepEqual(
      listPendingMigrations(files, [file(1, 'init')]).map(({ version }) => version),
      [2, 3],
    );
  });

  it('refuses an applied file that has changed', () => {
    assert.throws(
      () => listPendingMigrations([file(1, 'init', 'new')], [file(1, 'init', 'old')]),
      (err: unknown) => err instanceof AppError && /0001_init was applied .* has changed/.test(err.message),
    );
  });
});
