// Tests copying tables with COPY in chunks, each of which can be restored separately.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findSchemaVersion } from '../../../src/services/backups/store/backup.ts';
import { type Session, withSession } from '../../../src/services/backups/store/copy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const MB = 1_048_576;
const SOURCE = { table: 'rows_from', columns: ['n', 'text'] };
const TARGET = { table: 'rows_to', columns: ['n', 'text'] };

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
  for (const { table } of [SOURCE, TARGET])
    await database.db.query(`create table ${table} (n integer primary key, text text storage external)`);
});
after(() => database.drop());

const insert = (n: number, text: string | null): Promise<unknown> =>
  database.db.query(`insert into ${SOURCE.table} values ($1, $2)`, [n, text]);

/** Returns copies of the chunks and overwrites the originals, whose memory a reader may reuse. */
async function copyOutChunks(session: Session): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of session.copyOut(SOURCE)) {
    chunks.push(Buffer.from(chunk));
    chunk.fill(0);
  }
  return chunks;
}

const digest = async (table: string): Promise<unknown> => {
  const { rows } = await database.db.query(
    `select count(*) as count, md5(string_agg(n || ':' || coalesce(md5(text), 'none'), ',' order by n)) as md5 from ${table}`,
  );
  return rows[0];
};

describe('copyOut and copyIn', () => {
  it('return no chunk for an empty table', async () => {
    assert.deepEqual(await withSession(database.db, copyOutChunks), []);
  });

  it('return one chunk for a small table with characters that COPY escapes', async () => {
    for (const [n, text] of ['a\nb', 'tab\t', '\\.', '\\', '', null, '😀'].entries()) await insert(n, text);
    const chunks = await withSession(database.db, copyOutChunks);
    assert.equal(chunks.length, 1);
    assert.equal(chunks[0]?.filter(byte => byte === 10).length, 7, 'one line per row');
  });

  it('copy chunks of complete rows, even if one row is longer than a chunk', async () => {
    // The table has four rows of 2.6 MB, which do not end at chunk boundaries, and a row of 16 MB.
    for (let n = 10; n < 14; n++) await insert(n, 'é'.repeat(1_300_000 + n));
    await insert(14, 'x'.repeat(16 * MB));
    await insert(15, 'the last\n');
    await withSession(database.db, async session => {
      const chunks = await copyOutChunks(session);
      assert.ok(chunks.length >= 2, `${chunks.length} chunks`);
      for (const chunk of chunks) assert.equal(chunk.at(-1), 10);
      // Each chunk is copied separately, as in a restore.
      for (const chunk of chunks)
        await session.copyIn(
          TARGET,
          (async function* () {
            yield chunk;
          })(),
        );
    });
    assert.deepEqual(await digest(TARGET.table), await digest(SOURCE.table));
  });

  it('report the value that PostgreSQL refuses', async () => {
    const copying = withSession(database.db, session =>
      session.copyIn(
        TARGET,
        (async function* () {
          yield Buffer.from('nothing\tx\n');
        })(),
      ),
    );
    await assert.rejects(copying, /invalid input syntax for type integer: "nothing"/);
  });
});

describe('findSchemaVersion', () => {
  it('returns the last migrations of the service and of the queue', async () => {
    const version = await findSchemaVersion(database.db);
    assert.ok((version?.migrations.length ?? 0) > 0);
    assert.ok((version?.queue ?? 0) > 10);
  });
});
