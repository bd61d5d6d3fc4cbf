// Tests copying rows with COPY: chunks that can be restored separately, with any content and length.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findSchemaVersion } from '../../src/store/backup.ts';
import { type Session, withSession } from '../../src/store/copy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const MB = 1_048_576;
const FROM = { table: 'rows_from', columns: ['n', 'text'] };
const TO = { table: 'rows_to', columns: ['n', 'text'] };

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
  for (const { table } of [FROM, TO])
    await database.db.query(`create table ${table} (n integer primary key, text text storage external)`);
});
after(() => database.drop());

const insert = (n: number, text: string | null): Promise<unknown> =>
  database.db.query(`insert into ${FROM.table} values ($1, $2)`, [n, text]);

/** The reader frees each chunk, so it is copied here. */
async function partsOf(session: Session): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const part of session.copyOut(FROM)) {
    parts.push(Buffer.from(part));
    part.fill(0);
  }
  return parts;
}

const digest = async (table: string): Promise<unknown> => {
  const { rows } = await database.db.query(
    `select count(*) as count, md5(string_agg(n || ':' || coalesce(md5(text), 'none'), ',' order by n)) as md5 from ${table}`,
  );
  return rows[0];
};

describe('a table that is copied out', () => {
  it('has no chunk if it is empty', async () => {
    assert.deepEqual(await withSession(database.db, partsOf), []);
  });

  it('has one chunk if it is small, with characters that COPY escapes', async () => {
    for (const [n, text] of ['a\nb', 'tab\t', '\\.', '\\', '', null, '😀'].entries()) await insert(n, text);
    const parts = await withSession(database.db, partsOf);
    assert.equal(parts.length, 1);
    assert.equal(parts[0]?.filter(byte => byte === 10).length, 7, 'a row a line');
  });

  it('has chunks of complete rows, even if one row is longer than a chunk', async () => {
    // Rows of 2.6 MB, which do not end at chunk boundaries, and one of 16 MB.
    for (let n = 10; n < 14; n++) await insert(n, 'é'.repeat(1_300_000 + n));
    await insert(14, 'x'.repeat(16 * MB));
    await insert(15, 'the last\n');
    await withSession(database.db, async session => {
      const parts = await partsOf(session);
      assert.ok(parts.length >= 2, `${parts.length} parts`);
      for (const part of parts) assert.equal(part.at(-1), 10);
      // Each chunk alone, as in a restore.
      for (const part of parts)
        await session.copyIn(
          TO,
          (async function* () {
            yield part;
          })(),
        );
    });
    assert.deepEqual(await digest(TO.table), await digest(FROM.table));
  });

  it('reports which row is refused when copied in', async () => {
    const copied = withSession(database.db, session =>
      session.copyIn(
        TO,
        (async function* () {
          yield Buffer.from('nothing\tx\n');
        })(),
      ),
    );
    await assert.rejects(copied, /invalid input syntax for type integer: "nothing"/);
  });
});

describe('the schema version of a backup', () => {
  it('includes the last migration of this service and of the queue', async () => {
    const version = await findSchemaVersion(database.db);
    assert.ok((version?.migrations.length ?? 0) > 0);
    assert.ok((version?.queue ?? 0) > 10);
  });
});
