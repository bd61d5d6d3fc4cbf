// Tests how rows are added to the audit log, what refuses to change them, and its partitions.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { getFirstIdAt, newId } from '../../../src/lib/ids.ts';
import { workFor } from '../../../src/lib/work.ts';
import {
  createAuditPartitions,
  dropAuditPartitions,
  listAuditPartitions,
} from '../../../src/store/audit/partitions.ts';
import { type AuditEntry, recordAudit, SERVICE_CALLER } from '../../../src/store/audit/record-audit.ts';
import { type Db, openDb } from '../../../src/store/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const DAY_MS = 86_400_000;
const ENTRY: AuditEntry = { action: 'key.created', target: newId('key'), name: 'CI' };

/** Returns the statements with which operators give the table to another role. */
async function readDocumentedSql(): Promise<string> {
  const text = await readFile(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
  return /```sql\n(?<sql>.*?)```/s.exec(text)?.groups?.sql ?? '';
}

const countRows = async (db: Db): Promise<number> =>
  (await db.query<{ count: number }>('select count(*) from audit_events')).rows[0]?.count ?? 0;

const record = (db: Db, entry: AuditEntry = ENTRY): Promise<void> =>
  db.transaction(async tx => recordAudit(tx, SERVICE_CALLER, entry));

const insertAt = (db: Db, ms: number) =>
  db.query(`insert into audit_events (id, at, via, action) values ($1, $2, 'service', 'key.created')`, [
    newId('audit', ms),
    new Date(ms),
  ]);

describe('rows', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  it('are committed with their transaction, and only with it', async () => {
    const { db } = test;
    const count = await countRows(db);
    await assert.rejects(
      db.transaction(async tx => {
        recordAudit(tx, SERVICE_CALLER, ENTRY);
        throw new Error('no');
      }),
      /no/,
    );
    assert.equal(await countRows(db), count);
    await db.transaction(async tx => {
      recordAudit(tx, SERVICE_CALLER, ENTRY);
      recordAudit(tx, SERVICE_CALLER, ENTRY);
      assert.equal(await countRows(db), count, 'another connection sees no row before the commit');
    });
    assert.equal(await countRows(db), count + 2);
  });

  it('undo their transaction if they cannot be stored', async () => {
    const { db } = test;
    await db.query('create table changes (id integer)');
    await assert.rejects(
      db.transaction(async tx => {
        await tx.query('insert into changes values (1)');
        tx.appendToCommit('insert into audit_events (id) values ($1)', [newId('audit')]);
      }),
      /null value/,
    );
    assert.equal((await db.query('select from changes')).rowCount, 0);
  });

  it('say who acted, how and from where', async () => {
    const { db } = test;
    const origin = { address: '192.0.2.7', requestId: 'r-1' };
    const work = { account: 'user:7', signal: new AbortController().signal, isAccepted: false, origin };
    const key = { kind: 'key', id: newId('key') } as const;
    await workFor(work, () =>
      db.transaction(async tx =>
        recordAudit(
          tx,
          { kind: 'user', userId: 7, credential: key },
          { ...ENTRY, before: { role: 'VIEWER', name: 'Sam' }, after: { role: 'EDITOR', name: 'Sam' } },
        ),
      ),
    );
    const { rows } = await db.query(`select user_id, via, key_id, action, target, target_name, before, after,
      address, request_id from audit_events where user_id = 7`);
    assert.deepEqual(rows, [
      {
        user_id: 7,
        via: 'key',
        key_id: key.id,
        action: 'key.created',
        target: ENTRY.target,
        target_name: 'CI',
        before: { role: 'VIEWER' },
        after: { role: 'EDITOR' },
        address: '192.0.2.7',
        request_id: 'r-1',
      },
    ]);
  });

  it('store every text, without letting it end the statement', async () => {
    const { db } = test;
    const texts = ["'; drop table users; --", '$1 $2', "\\'", 'a\0b', '\ud800', '🎬'.repeat(300), '%s'];
    for (const text of texts)
      await record(db, { action: 'folder.deleted', target: text, name: text, after: { text } });
    const { rows } = await db.query<{ target: string; after: string }>(
      `select target, after::text as after from audit_events where action = 'folder.deleted'`,
    );
    const cut = texts.map(text => text.slice(0, 200).toWellFormed().replaceAll('\0', '�'));
    assert.deepEqual(rows.map(({ target }) => target).sort(), cut.sort());
    for (const row of rows) assert.ok(JSON.parse(row.after).text.length <= 300);
  });

  it('have limited sizes and no secrets', async () => {
    const { db } = test;
    const deep = JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`);
    const fields = {
      password: 'hunter2',
      webhookSecret: 'hunter2',
      apiKey: 'hunter2',
      url: 'https://hooks.example.com/hunter2',
      items: Array.from({ length: 100_000 }, (_, i) => i),
      deep,
    };
    await record(db, { ...ENTRY, name: 'fields', after: fields });
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 'x'.repeat(1000)]));
    await record(db, { ...ENTRY, name: 'many', after: many });
    const { rows } = await db.query<{ text: string }>(
      `select after::text as text from audit_events where target_name in ('fields', 'many')`,
    );
    assert.equal(rows.length, 2);
    for (const { text } of rows) {
      assert.ok(text.length <= 8000, `${text.length} characters`);
      assert.ok(!text.includes('hunter2'));
    }
  });
});

describe('the table', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
    await createAuditPartitions(test.db, Date.now());
    await record(test.db);
  });
  after(() => test.drop());

  const CHANGES = [
    "update audit_events set target = 'x'",
    'delete from audit_events',
    'truncate audit_events',
    "update audit_events_rest set target = 'x'",
    'delete from audit_events_rest',
    'truncate audit_events_rest',
    `insert into audit_events select * from audit_events on conflict (id) do update set target = 'x'`,
  ];

  it('refuses changes even by a superuser', async () => {
    const { db } = test;
    await insertAt(db, Date.now() + 1000 * DAY_MS);
    const [partition] = await listAuditPartitions(db);
    const all = [...CHANGES, `truncate ${partition?.name}`, `delete from ${partition?.name}`];
    for (const statement of all) await assert.rejects(db.query(statement), /append-only/, statement);
  });

  it('can belong to another role, so that the service may only add and read rows', async () => {
    const { db, connection } = test;
    const suffix = connection.database;
    const [owner, service] = [`owner_${suffix}`, `service_${suffix}`];
    await db.query(`create role ${service} login`);
    await db.query(`grant usage on schema public to ${service}`);
    const statements = (await readDocumentedSql())
      .replaceAll('audit_owner', owner)
      .replaceAll('to graphwright;', `to ${service};`);
    await db.withOwnConnection(client => client.query(statements));
    const { rows: tables } = await db.query<{ owner: string }>(
      `select distinct pg_get_userbyid(relowner) as owner from pg_class
       where relname like 'audit_events%' and relkind in ('r', 'p')`,
    );
    assert.deepEqual(tables, [{ owner }]);
    const onError = (err: Error) => process.emitWarning(err);
    const restricted = openDb({ connection: { ...connection, user: service }, maxConnections: 2, onError });
    try {
      await record(restricted);
      assert.ok((await countRows(restricted)) > 0);
      const ddl = ['drop table audit_events', 'alter table audit_events disable trigger all'];
      for (const statement of [...CHANGES, ...ddl])
        await assert.rejects(restricted.query(statement), { code: '42501' }, statement);
      assert.ok((await createAuditPartitions(restricted, Date.now() + 1100 * DAY_MS)) > 0);
      const count = await countRows(db);
      await dropAuditPartitions(restricted, Date.now() + 600 * DAY_MS, 400);
      assert.equal(await countRows(db), count, 'rows of the last 30 days stay');
    } finally {
      await restricted.close();
      await db.query(`reassign owned by ${owner} to current_user`);
      for (const role of [owner, service]) {
        await db.query(`drop owned by ${role}`);
        await db.query(`drop role ${role}`);
      }
    }
  });

  it('has no rights of its own owner to change rows', async () => {
    const { rows } = await test.db.query<{ name: string; rights: string }>(
      `select c.relname as name, c.relacl::text as rights from pg_class c
       where c.relname like 'audit_events%' and c.relkind in ('r', 'p')`,
    );
    // The letters of PostgreSQL: a append, r read, w write, d delete, D truncate.
    for (const { name, rights } of rows) {
      const [, own = ''] = /=(\w+)\//.exec(rights) ?? [];
      assert.ok(own.includes('a') && own.includes('r') && !/[wdD]/.test(own), `${name}: ${rights}`);
    }
  });
});

describe('partitions', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  it('take over the rows for which there was no partition', async () => {
    const { db } = test;
    const nowMs = Date.UTC(2026, 4, 20);
    await insertAt(db, nowMs - 400 * DAY_MS);
    assert.equal(await createAuditPartitions(db, nowMs), 3);
    const names = (await listAuditPartitions(db)).map(({ name }) => name);
    assert.deepEqual(names, ['audit_events_202605', 'audit_events_202606', 'audit_events_202607']);
    assert.equal((await db.query('select from audit_events_202605')).rowCount, 1);
    assert.equal(await createAuditPartitions(db, nowMs), 0);
    // The service was off, or could not create partitions, for eight months.
    await insertAt(db, Date.UTC(2026, 8, 1));
    await insertAt(db, Date.UTC(2027, 0, 3));
    assert.equal(await createAuditPartitions(db, Date.UTC(2027, 0, 4)), 3);
    assert.equal((await db.query('select from audit_events_202608')).rowCount, 2);
    assert.equal((await db.query('select from audit_events_rest')).rowCount, 0);
    await assert.rejects(db.query('truncate audit_events_rest'), /append-only/);
    await assert.rejects(db.query('delete from audit_events_202608'), /append-only/);
  });

  it('take over a row of a process whose clock was ahead', async () => {
    const { db, drop } = await createTestDatabase();
    try {
      await insertAt(db, Date.UTC(2026, 10, 30));
      assert.equal(await createAuditPartitions(db, Date.UTC(2026, 1, 3)), 1);
      assert.equal((await db.query('select from audit_events_202602')).rowCount, 1);
      assert.equal(await createAuditPartitions(db, Date.UTC(2026, 10, 30)), 2);
    } finally {
      await drop();
    }
  });

  it('are created once by several processes', async () => {
    const counts = await Promise.all(
      [1, 2, 3, 4].map(() => createAuditPartitions(test.db, Date.UTC(2028, 0, 4))),
    );
    assert.equal(
      Math.max(...counts),
      counts.reduce((a, b) => a + b),
    );
  });

  it('are dropped when all of their rows are older than the setting, but not if one is newer than 30 days', async () => {
    const { db } = test;
    const old = await createTestDatabase();
    try {
      await insertAt(old.db, Date.now() - 500 * DAY_MS);
      await createAuditPartitions(old.db, Date.now() - 450 * DAY_MS);
      await createAuditPartitions(old.db, Date.now());
      const [first] = await listAuditPartitions(old.db);
      assert.deepEqual(await dropAuditPartitions(old.db, Date.now(), 400), [first?.name]);
      assert.equal(await countRows(old.db), 0);
      await record(old.db);
      const later = Date.now() + 2000 * DAY_MS;
      const dropped = await dropAuditPartitions(old.db, later, 400);
      assert.equal(await countRows(old.db), 1, 'a wrong clock drops nothing');
      assert.ok(dropped.every(name => name.startsWith('audit_events_2')));
    } finally {
      await old.drop();
    }
    await assert.rejects(db.query(`select drop_audit_partition('users')`), /Not the name/);
    await assert.rejects(
      db.query(`select add_audit_partition('users', '', $1)`, [getFirstIdAt('audit', 0)]),
      /Not the name/,
    );
  });
});
