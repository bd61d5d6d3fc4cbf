// Tests how the service finds the primary of several PostgreSQL servers, of which one is a real standby that is promoted.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { OutageError } from '../../src/lib/errors.ts';
import { READ_ONLY, toServerUrls } from '../../src/store/connection/primary.ts';
import { type Db, openDb, type Tx } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { type Standby, startStandby } from '../support/postgres/leftover-server.ts';
import { waitUntil } from '../support/processes.ts';

const toUrl = (...socketDirs: readonly string[]): string =>
  `postgres://postgres@${socketDirs.map(encodeURIComponent).join(',')}/postgres`;
const open = (url: string): Db & AsyncDisposable => {
  const db = openDb({ connection: { url }, maxConnections: 2, onError: () => undefined });
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
};
const getName = async (db: Db): Promise<unknown> =>
  (await db.query<{ name: string }>('select name from server')).rows[0]?.name;
const isNoPrimary = (err: unknown): boolean =>
  err instanceof OutageError && (err.cause as { code?: unknown }).code === READ_ONLY && !err.mayHaveCommitted;

describe('the primary of several servers', () => {
  let root: string;
  let first: EmbeddedPostgres;
  let standby: Standby;
  /** Of the standby, which contains its socket. */
  let second: string;
  const startFirst = async (): Promise<void> => {
    first = await startEmbedded({ dataDir: join(root, 'first') });
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    await startFirst();
    {
      await using db = open(toUrl(first.socketDir));
      await db.query(`create table server as select 'first' as name`);
    }
    await first.stop();
    second = join(root, 'second');
    await promisify(execFile)('cp', ['-a', join(root, 'first', 'postgres', 'cluster'), second]);
    await startFirst();
    standby = await startStandby(root, second);
  });
  after(async () => {
    await Promise.all([first?.stop(), standby?.stop()]);
    await rm(root, { recursive: true, force: true });
  });

  it('is found in any order', async () => {
    for (const servers of [
      [first.socketDir, second],
      [second, first.socketDir],
    ]) {
      await using db = open(toUrl(...servers));
      assert.equal(await getName(db), 'first');
      await db.query('update server set name = name');
      assert.equal((await db.query('select pg_is_in_recovery() as is')).rows[0]?.is, false);
    }
  });

  it('is missing until a standby is promoted, then is that one, although the old one returns', async () => {
    await using db = open(toUrl(first.socketDir, second));
    assert.equal(await getName(db), 'first');
    await first.stop();
    await assert.rejects(db.query('select'), OutageError);
    await assert.rejects(db.query('select'), isNoPrimary);
    await using own = open(toUrl(second));
    await assert.rejects(own.query(`update server set name = 'second'`), isNoPrimary);
    await own.query('select pg_promote()');
    assert.equal((await db.query(`update server set name = 'second'`)).rowCount, 1);
    await startFirst();
    await using other = open(toUrl(first.socketDir, second));
    assert.equal(await getName(other), 'second');
    assert.equal(await getName(db), 'second');
  });

  it('is searched again after a server that still answers has become read-only', async () => {
    await using db = open(toUrl(first.socketDir, second));
    await using own = open(toUrl(second));
    assert.equal(await getName(db), 'second');
    await own.query('alter system set default_transaction_read_only = on');
    await own.query('select pg_reload_conf()');
    await waitUntil('the new setting', async () => {
      const { rows } = await db.query<{ value: string }>(
        `select current_setting('default_transaction_read_only') as value`,
      );
      return rows[0]?.value === 'on';
    });
    const write = (tx: Tx): Promise<unknown> => tx.query('update server set name = name');
    await assert.rejects(db.transaction(write), isNoPrimary);
    await db.transaction(write);
    assert.equal(await getName(db), 'first');
  });
});

describe('a URL with several hosts', () => {
  it('is split', () => {
    assert.deepEqual(toServerUrls('postgres://a:b@h1:5432,h2,h3:1/db?sslmode=require'), [
      'postgres://a:b@h1:5432/db?sslmode=require',
      'postgres://a:b@h2/db?sslmode=require',
      'postgres://a:b@h3:1/db?sslmode=require',
    ]);
    for (const url of ['postgres://h1/db', 'postgres://a:b,c@h1/db?x=1,2', 'postgres://@/db?host=/a,b'])
      assert.deepEqual(toServerUrls(url), [url]);
  });
});
