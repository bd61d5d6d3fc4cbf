// Tests that a mail is sent at most once, and ends in the right state, if the process is killed at any step.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { insertMail } from '../../../src/store/mails.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type MailServer, startMailServer } from '../../support/network/mail-server.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ServiceChild, spawnService, startLocalService, toDatabaseUrl } from '../../support/service.ts';

let database: TestDatabase;
let server: MailServer;
let folder: string;
let env: NodeJS.ProcessEnv;
before(async () => {
  database = await createTestDatabase();
  server = await startMailServer();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-killed-mails-'));
  env = {
    DATABASE_URL: toDatabaseUrl(database.connection),
    SMTP_URL: server.url,
    MAIL_FROM: 'graphwright@example.com',
  };
  // While a session holds the lock, the hand-over is recorded but not committed.
  await database.db.query(`create function wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(47); return new; end $$`);
  await database.db.query(`create trigger wait_for_test before update on mails for each row
    when (old.handed_over_at is null and new.handed_over_at is not null) execute function wait_for_test()`);
});
after(async () => {
  await server.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const send = async (id: string): Promise<void> => {
  const isStored = await insertMail(database.db, {
    id,
    userId: null,
    address: `${id}@example.com`,
    account: 'user:1',
    kind: 'test',
    cause: id,
    content: { subject: 'Hello', paragraphs: ['A paragraph.'], reason: 'it is a test' },
  });
  assert.equal(isStored, true);
};
const countReceived = (id: string): number =>
  server.received.filter(({ to }) => to[0]?.startsWith(`${id}@`) === true).length;
const readState = async (id: string): Promise<string> => {
  const { rows } = await database.db.query<{ state: string }>('select state from mails where id = $1', [id]);
  return rows[0]?.state ?? '';
};

/** Another process sends what the killed one left. Returns the final state of the mail and how often it was received. */
async function finish(id: string): Promise<readonly [state: string, received: number]> {
  const service = await startLocalService(folder, env, { mailRetryMs: 50, mailAnswerMs: 100 });
  try {
    await waitUntil(`the end of ${id}`, async () => (await readState(id)) !== 'waiting');
    // A mail that is sent later was sent once more.
    const next = `${id}_next`;
    await send(next);
    await waitUntil('the next mail', async () => (await readState(next)) === 'sent');
    return [await readState(id), countReceived(id)];
  } finally {
    await service.close();
  }
}

const kill = ({ pid }: ServiceChild): void => {
  process.kill(-pid, 'SIGKILL');
};

it('killed before the message, it is sent by another process', async () => {
  const service = await spawnService(folder, env);
  server.answerRecipient(() => {
    kill(service);
    return 'accept';
  });
  await send('mail_before');
  await service.exited;
  server.answerRecipient(() => 'accept');
  assert.equal(await readState('mail_before'), 'waiting');
  assert.deepEqual(await finish('mail_before'), ['sent', 1]);
});

it('killed between the record of the hand-over and the end of the message, it ends as unconfirmed', async () => {
  const service = await spawnService(folder, env);
  await database.db.transaction(async tx => {
    await tx.query('select pg_advisory_xact_lock(47)');
    await send('mail_during');
    await waitUntil('the hand-over', async () => {
      const { rows } = await database.db.query(
        `select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
         where l.locktype = 'advisory' and l.objid = 47 and not l.granted`,
      );
      return rows.length > 0;
    });
    kill(service);
    await service.exited;
  });
  assert.deepEqual(await finish('mail_during'), ['unconfirmed', 0]);
});

it('killed after the message and before the answer, it ends as unconfirmed and is not sent again', async () => {
  const service = await spawnService(folder, env);
  server.answer(() => {
    kill(service);
    return 'accept';
  });
  await send('mail_after');
  await service.exited;
  server.answer(() => 'accept');
  assert.deepEqual(await finish('mail_after'), ['unconfirmed', 1]);
});

it('killed after the answer and before it is recorded, it ends as unconfirmed and is not sent again', async () => {
  const service = await spawnService(folder, env);
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  server.answer(() => {
    // The answer arrives in the buffer of a process that does not run.
    service.signal('SIGSTOP');
    resolve();
    return 'accept';
  });
  await send('mail_answered');
  await answered;
  server.answer(() => 'accept');
  kill(service);
  await service.exited;
  assert.deepEqual(await finish('mail_answered'), ['unconfirmed', 1]);
});
