// Tests that an action and its row in the audit log are both committed or both not, if the service is killed.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { allValues } from '../../../src/store/rows.ts';
import { createTestDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/processes.ts';
import { spawnService, toDatabaseUrl } from '../../support/service.ts';

const WAITING = 4;

it('a kill between request and commit leaves no action without its row, and no row without its action', async () => {
  const database = await createTestDatabase();
  const { db, connection } = database;
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-killed-audit-'));
  try {
    const service = await spawnService(folder, { DATABASE_URL: toDatabaseUrl(connection) });
    const create = (name: string) => service.request('POST', '/teams', { name });
    assert.equal((await create('before')).status, 201);
    const requests = await db.transaction(async tx => {
      // The commits wait for this lock.
      await tx.query('lock table audit_events in share row exclusive mode');
      const waiting = Array.from({ length: WAITING }, (_, i) =>
        create(`waiting ${i}`).catch(() => undefined),
      );
      await waitUntil('the commits to wait', async () => {
        const { rows } = await db.query<{ count: number }>(
          `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0]?.count === WAITING;
      });
      await service.end('SIGKILL');
      return waiting;
    });
    assert.deepEqual(
      await Promise.all(requests),
      Array(WAITING).fill(undefined),
      'no request got a response',
    );
    await waitUntil('the connections to end', async () => {
      const { rows } = await db.query<{ count: number }>(
        `select count(*) from pg_stat_activity
         where datname = current_database() and application_name = 'graphwright' and state <> 'idle'
           and pid <> pg_backend_pid()`,
      );
      return rows[0]?.count === 0;
    });
    const teams = await allValues<string>(db, 'select id from teams order by id');
    const recorded = await allValues<string>(
      db,
      `select target from audit_events where action = 'team.created' order by target`,
    );
    assert.ok(teams.length > 0);
    assert.deepEqual(recorded, teams);
  } finally {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
