// Tests that `graphwright secrets rotate` encrypts all secrets with the new key, even if the command was killed before.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { decrypt, encrypt } from '../../src/lib/crypto.ts';
import { loadNextKey } from '../../src/lib/secrets-key.ts';
import { type RotatedSecrets, rotateSecrets } from '../../src/services/instance/rotate-secrets.ts';
import { hasOtherSecretsKey } from '../../src/services/instance/secrets-key.ts';
import { ENCRYPTED_COLUMNS, listEncrypted } from '../../src/services/instance/store.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { insertUser } from '../../src/store/users.ts';
import { type CommandResult, spawnFirst } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { toDatabaseUrl } from '../support/service.ts';

const SRC = join(import.meta.dirname, '../../src');
const OLD_KEY = Buffer.alloc(32, 1);
const NEW_KEY = Buffer.alloc(32, 2);
/** Files whose encrypted values are valid for minutes and become invalid with the old key. */
const SHORT_LIVED = ['services/sessions/openid.ts'];

let database: TestDatabase;
let folder: string;
let userId: number;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-rotate-'));
  database = await createTestDatabase();
  await using stack = new AsyncDisposableStack();
  userId = await insertUser(connect(stack), {
    email: 'a@example.com',
    name: 'A',
    plan: 'free',
    isAuthor: false,
  });
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a pool that the stack closes, because the command takes an open connection for a running service. */
function connect(stack: AsyncDisposableStack): Db {
  const db = openDb({ connection: database.connection, maxConnections: 1, onError: () => undefined });
  stack.defer(() => db.close());
  return db;
}

async function rotateKeys(oldKey: Buffer, newKey: Buffer): Promise<RotatedSecrets> {
  await using stack = new AsyncDisposableStack();
  return await rotateSecrets(connect(stack), { oldKey, newKey });
}

/** Inserts a value into every encrypted column, and 1,100 deliveries, which is more than one batch. */
async function seed(key: Buffer): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const db = connect(stack);
  await db.query(
    'truncate workflows, executions, deliveries, oauth_clients, oauth_keys, credentials, apps, triggers, totp_secrets, mails cascade',
  );
  await db.query(
    `insert into workflows (id, user_id, version, name, secrets) values ('wf_1', $1, 1, 'W', $2)`,
    [userId, encrypt(key, '{"TOKEN":"w"}')],
  );
  const webhook = { url: 'https://a.example/?q="x"', secret: encrypt(key, 'e').toString('base64') };
  await db.query(
    `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, webhook, nodes_total, created_at)
     values ('ex_1', 'wf_1', 1, $1, 'user:1', 'COMPLETED', 'api', '{}', $2, 1, now()),
            ('ex_2', 'wf_1', 1, $1, 'user:1', 'COMPLETED', 'api', '{}', '{"url":"https://b.example","secret":null}', 1, now())`,
    [userId, JSON.stringify(webhook)],
  );
  await db.query(
    `insert into deliveries (id, execution_id, user_id, event_id, event, url, secret, body)
     select 'dl_' || n, 'ex_' || n, $1, gen_random_uuid(), 'execution.completed', 'https://a.example', $2, '{}'
     from generate_series(1, 1100) n`,
    [userId, encrypt(key, 'd')],
  );
  await db.query(
    `insert into oauth_clients (id, metadata, secret, created_at) values ('c', '{}', $1, now())`,
    [encrypt(key, 'c')],
  );
  await db.query(`insert into oauth_keys (name, encrypted) values ('cookies', $1)`, [encrypt(key, 'k')]);
  await db.query(
    `insert into credentials (id, kind, name, value_id, is_default) values ('cred_1', 'fal', 'K', 'cval_1', true)`,
  );
  await db.query(
    `insert into credential_values (id, credential_id, encrypted) values ('cval_1', 'cred_1', $1)`,
    [encrypt(key, 'p')],
  );
  await db.query(
    `insert into apps (id, workflow_id, slug, user_id, is_enabled, audience, payer, settings, embed_key)
     values ('app_1', 'wf_1', 'a', $1, true, 'anyone', 'owner', '{}', $2)`,
    [userId, encrypt(key, 'a')],
  );
  await db.query(
    `insert into triggers (id, workflow_id, user_id, workspace, kind, name, config, inputs, secret)
     values ('trg_1', 'wf_1', $1, 'user:1', 'hook', 'T', '{}', '{}', $2)`,
    [userId, encrypt(key, 't')],
  );
  await db.query(`insert into totp_secrets (id, user_id, secret, pending) values ('otp_1', $1, $2, $3)`, [
    userId,
    encrypt(key, 'o'),
    encrypt(key, 'n'),
  ]);
  await db.query(
    `insert into mails (id, address, account, kind, cause, content, secret, expires_at)
     values ('mail_1', 'ana@example.com', 'user:1', 'password_reset', 'user:1', '{}', $1, now())`,
    [encrypt(key, 'm')],
  );
}

async function readAll(key: Buffer): Promise<Readonly<Record<string, readonly string[]>>> {
  await using stack = new AsyncDisposableStack();
  const db = connect(stack);
  const entries = ENCRYPTED_COLUMNS.map(async place => {
    const texts: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const values = await listEncrypted(db, place, after);
      texts.push(...values.map(({ value }) => decrypt(key, value)));
      after = values.at(-1)?.id;
    }
    return { table: place.table, texts };
  });
  const groups = Map.groupBy(await Promise.all(entries), ({ table }) => table);
  return Object.fromEntries(
    [...groups].map(([table, group]) => [table, group.flatMap(({ texts }) => texts)]),
  );
}

const ALL_VALUES = {
  workflows: ['{"TOKEN":"w"}'],
  deliveries: Array.from({ length: 1100 }, () => 'd'),
  oauth_clients: ['c'],
  oauth_keys: ['k'],
  credential_values: ['p'],
  apps: ['a'],
  triggers: ['t'],
  totp_secrets: ['o', 'n'],
  mails: ['m'],
  executions: ['e'],
};

const rotate = (
  settings: NodeJS.ProcessEnv,
  command: readonly string[] = ['secrets', 'rotate', '--json'],
): Promise<CommandResult> =>
  spawnFirst(command, {
    DATABASE_URL: toDatabaseUrl(database.connection),
    DATA_DIR: folder,
    PORT: '0',
    ...settings,
  });

describe('ENCRYPTED_COLUMNS', () => {
  it('covers the files that encrypt stored data', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts') && path !== 'lib/crypto.ts')
      .filter(path => /(?<!\w)encrypt\(/.test(readFileSync(join(SRC, path), 'utf8')))
      .map(path => path.replaceAll('\\', '/'));
    assert.deepEqual(files.sort(), [
      'apps/settings.ts',
      'automation/triggers/change-trigger.ts',
      'runs/approvals/notify-assignees.ts',
      'services/credentials/credentials.ts',
      'services/instance/rotate-secrets.ts',
      'services/oauth/oauth-keys.ts',
      'services/oauth/oauth-records.ts',
      'services/second-factors/totp.ts',
      'services/sessions/forgotten-password.ts',
      ...SHORT_LIVED,
      'services/sessions/password-links.ts',
      'services/webhooks/webhook-target.ts',
      'services/workflows/workflow-secrets.ts',
    ]);
  });
});

describe('rotateSecrets', () => {
  it('encrypts every value once with the new key', async () => {
    await seed(OLD_KEY);
    assert.deepEqual(await rotateKeys(OLD_KEY, NEW_KEY), {
      rotated: 1110,
      already: 0,
    });
    assert.deepEqual(await readAll(NEW_KEY), ALL_VALUES);
    await using stack = new AsyncDisposableStack();
    const { rows } = await connect(stack).query<{ webhook: string }>(
      `select webhook from executions order by id`,
    );
    assert.equal(JSON.parse(rows[0]?.webhook ?? '').url, 'https://a.example/?q="x"');
    assert.equal(rows[1]?.webhook, '{"url":"https://b.example","secret":null}');
    assert.deepEqual(await rotateKeys(OLD_KEY, NEW_KEY), {
      rotated: 0,
      already: 1110,
    });
  });

  it('changes nothing if a value was encrypted with another key', async () => {
    await seed(OLD_KEY);
    await using stack = new AsyncDisposableStack();
    const db = connect(stack);
    await db.query(`update oauth_keys set encrypted = $1`, [encrypt(Buffer.alloc(32, 3), 'k')]);
    await assert.rejects(
      rotateKeys(OLD_KEY, NEW_KEY),
      /oauth_keys cookies was not encrypted with either key\. Nothing was changed/,
    );
    const [place] = ENCRYPTED_COLUMNS;
    const [first] = place === undefined ? [] : await listEncrypted(db, place, '');
    assert.equal(decrypt(OLD_KEY, first?.value ?? Buffer.alloc(0)), '{"TOKEN":"w"}');
  });
});

describe('graphwright secrets rotate', () => {
  const hex = (key: Buffer): string => key.toString('hex');
  const readKey = async (): Promise<Buffer> =>
    Buffer.from((await readFile(join(folder, 'secrets.key'), 'utf8')).trim(), 'hex');

  it('takes both keys from the environment if SECRETS_KEY is set', async () => {
    await seed(OLD_KEY);
    const { code, out, err } = await rotate({ SECRETS_KEY: hex(OLD_KEY), NEW_SECRETS_KEY: hex(NEW_KEY) });
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out), { rotated: 1110, already: 0 });
    assert.deepEqual(await readAll(NEW_KEY), ALL_VALUES);
    await using stack = new AsyncDisposableStack();
    const db = connect(stack);
    assert.deepEqual(
      [await hasOtherSecretsKey(db, NEW_KEY), await hasOtherSecretsKey(db, OLD_KEY)],
      [false, true],
    );
    await stack.disposeAsync();
    const withoutNewKey = await rotate({ SECRETS_KEY: hex(OLD_KEY) });
    assert.equal(withoutNewKey.code, 2);
    assert.match(withoutNewKey.err, /Set NEW_SECRETS_KEY to the new key/);
  });

  it('creates a key in DATA_DIR and continues after it was killed', async () => {
    const first = await loadNextKey(folder);
    await rename(join(folder, 'secrets.key.next'), join(folder, 'secrets.key'));
    await seed(first);
    // The command was killed before the commit: a next key exists, but no value uses the key. No service starts.
    const next = await loadNextKey(folder);
    const refusal = await rotate({}, ['serve']);
    assert.match(
      refusal.err,
      /rotation of the secrets key in .* was interrupted.*graphwright secrets rotate/,
    );
    // The command was killed after the commit: every value is encrypted with the next key.
    await rotateKeys(first, next);
    await copyFile(join(folder, 'secrets.key.next'), join(folder, 'copy'));
    const { code, out, err } = await rotate({});
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out), { rotated: 0, already: 1110 });
    assert.deepEqual(await readKey(), next);
    assert.equal(existsSync(join(folder, 'secrets.key.next')), false);
    assert.equal((await readFile(join(folder, 'secrets.key.old'), 'utf8')).trim(), hex(first));
    // A rotation without an interruption.
    assert.equal((await rotate({})).code, 0);
    assert.notDeepEqual(await readKey(), next);
    assert.deepEqual(await readAll(await readKey()), ALL_VALUES);
  });
});
