// Tests how a listening connection handles outages of the database.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDb } from '../../src/store/db.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startPostgresProxy } from '../support/postgres/proxy.ts';
import { waitUntil } from '../support/processes.ts';

/** How often a lost connection is opened again. */
const RETRY_MS = 20;
/** An attempt to reconnect succeeds or fails long before this time. */
const SETTLED_MS = 400;

describe('listen', () => {
  let database: TestDatabase;
  let admin: Db;
  before(async () => {
    database = await createTestDatabase();
    admin = openDb({
      connection: { ...database.connection, database: 'postgres' },
      maxConnections: 1,
      onError: err => process.emitWarning(err),
    });
  });
  after(async () => {
    await admin.close();
    await database.drop();
  });

  it('reconnects after the database refused connections', async t => {
    const { database: name } = database.connection;
    const allowConnections = (connections: boolean): Promise<unknown> =>
      admin.query(`alter database ${name} allow_connections ${connections}`);
    const countListeners = async (): Promise<number> => {
      const { rows } = await admin.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname = $1 and query like 'listen%'`,
        [name],
      );
      return rows[0]?.count ?? 0;
    };
    const notifications: string[] = [];
    let errorCount = 0;
    const listener = openDb({
      connection: database.connection,
      maxConnections: 1,
      onError: () => errorCount++,
    });
    const stop = await listener.listen(
      ['news'],
      (_channel, payload) => void notifications.push(payload),
      RETRY_MS,
    );
    t.after(async () => {
      await stop();
      await listener.close();
    });
    await allowConnections(false);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await waitUntil('several attempts to reconnect', () => errorCount > 5);
    await allowConnections(true);
    await waitUntil('the listener', async () => (await countListeners()) > 0);
    // Without a check, a second attempt to reconnect would have succeeded by now.
    await sleep(SETTLED_MS);
    assert.equal(await countListeners(), 1);
    await listener.query(`select pg_notify('news', 'again')`);
    await waitUntil('the notification', () => notifications.length > 0);
    assert.deepEqual(notifications, ['again']);
  });

  it('reconnects after a connection became silent', async t => {
    const proxy = await startPostgresProxy(database.connection);
    const notifications: string[] = [];
    const connection = { url: proxy.url };
    // The timeout also limits opening a connection, which can take seconds on a busy machine.
    const timeoutMs = 3_000;
    const client = openDb({ connection, maxConnections: 3, timeoutMs, onError: () => undefined });
    // These run in reverse order, also after a failure, because an open connection would keep the process from ending.
    const cleanups = [() => proxy.close(), () => client.close()];
    t.after(async () => {
      for (const cleanUp of cleanups.reverse()) await cleanUp();
    });
    const stop = await client.listen(
      ['news'],
      (_channel, payload) => void notifications.push(payload),
      RETRY_MS,
    );
    cleanups.push(stop);
    const runQuery = (): Promise<unknown> => client.query('select 1');
    await Promise.all([runQuery(), runQuery(), runQuery()]);
    proxy.goSilent();
    await assert.rejects(runQuery(), { name: 'OutageError' });
    proxy.heal();
    // Connections that were idle during the outage are replaced too.
    await Promise.all([runQuery(), runQuery(), runQuery()]);
    await waitUntil('the notification', async () => {
      await client.query(`select pg_notify('news', 'again')`);
      return notifications.length > 0;
    });
  });

  it('does not retry if the first connection fails, because the caller could not stop the retries', async t => {
    let attempts = 0;
    const server = createServer(socket => {
      attempts++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connection = { url: `postgres://postgres@127.0.0.1:${port}/postgres` };
    const client = openDb({ connection, maxConnections: 1, onError: () => undefined });
    t.after(() => client.close());
    await assert.rejects(
      client.listen(['news'], () => undefined, RETRY_MS),
      /Connection terminated/,
    );
    await sleep(SETTLED_MS);
    assert.equal(attempts, 1);
  });
});
