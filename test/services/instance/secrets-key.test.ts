// Tests that a process with another secrets key than that of the database does not start.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { encrypt } from '../../../src/lib/crypto.ts';
import {
  hasOtherSecretsKey,
  openSecretsKey,
  resetSecretsKey,
} from '../../../src/services/instance/secrets-key.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);

let test: TestDatabase;
let dataDir: string;
before(async () => {
  test = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'graphwright-secrets-key-'));
});
after(async () => {
  await test.drop();
  await rm(dataDir, { recursive: true });
});
beforeEach(async () => {
  await test.db.query('truncate oauth_keys, credentials cascade');
  await test.db.query(`delete from instance where key = 'secrets_key_fingerprint'`);
  await rm(join(dataDir, 'secrets.key'), { force: true });
});

const open = (key: Buffer): Promise<Buffer> =>
  openSecretsKey(test.db, { SECRETS_KEY: key.toString('hex'), dataDir });
const storeSecret = async (key: Buffer): Promise<void> => {
  await test.db.query(
    `insert into credentials (id, kind, name, value_id, is_default) values ('cred_1', 'fal', 'K', 'cval_1', true)`,
  );
  await test.db.query(
    `insert into credential_values (id, credential_id, encrypted) values ('cval_1', 'cred_1', $1)`,
    [encrypt(key, 'p')],
  );
};

describe('openSecretsKey', () => {
  it('stores the fingerprint of the first key and refuses another one', async () => {
    assert.deepEqual(await open(KEY), KEY);
    assert.deepEqual(await open(KEY), KEY);
    await assert.rejects(open(OTHER_KEY), {
      code: 'unavailable',
      message:
        'SECRETS_KEY is not the key that encrypts the secrets of this database. Set it to that key, or if that key is lost, run `graphwright secrets reset` and enter the secrets again.',
    });
    assert.equal(await hasOtherSecretsKey(test.db, OTHER_KEY), true);
    assert.equal(await hasOtherSecretsKey(test.db, KEY), false);
  });

  it('accepts one key if processes with different keys start at the same time', async () => {
    const keys = [KEY, OTHER_KEY, KEY, OTHER_KEY];
    const results = await Promise.allSettled(keys.map(open));
    const accepted = results.flatMap((result, index) => (result.status === 'fulfilled' ? [keys[index]] : []));
    assert.equal(accepted.length, 2);
    assert.equal(new Set(accepted).size, 1);
  });

  it('tries a stored secret if the database has no fingerprint', async () => {
    await storeSecret(KEY);
    await assert.rejects(open(OTHER_KEY), /SECRETS_KEY is not the key/);
    await open(KEY);
    await assert.rejects(open(OTHER_KEY), /SECRETS_KEY is not the key/);
  });

  it('creates no key in DATA_DIR if the right one is missing', async () => {
    await open(KEY);
    const source = { SECRETS_KEY: undefined, dataDir };
    await assert.rejects(
      openSecretsKey(test.db, source),
      /secrets\.key is missing, but the secrets of this database are encrypted\./,
    );
    assert.equal(existsSync(join(dataDir, 'secrets.key')), false);
  });

  it('creates a key in DATA_DIR for a new database', async () => {
    const source = { SECRETS_KEY: undefined, dataDir };
    const key = await openSecretsKey(test.db, source);
    assert.deepEqual(await openSecretsKey(test.db, source), key);
    await test.db.query(`update instance set value = 'other' where key = 'secrets_key_fingerprint'`);
    await assert.rejects(openSecretsKey(test.db, source), /secrets\.key is not the key that encrypts/);
  });
});

describe('resetSecretsKey', () => {
  it('accepts another key, deletes unreadable keys of OAuth and counts the other secrets', async () => {
    await open(KEY);
    await storeSecret(KEY);
    await test.db.query(`insert into oauth_keys (name, encrypted) values ('cookies', $1), ('signing', $2)`, [
      encrypt(KEY, 'c'),
      encrypt(OTHER_KEY, 's'),
    ]);
    assert.deepEqual(await test.db.transaction(tx => resetSecretsKey(tx, OTHER_KEY)), { unreadable: 1 });
    await open(OTHER_KEY);
    const { rows } = await test.db.query('select name from oauth_keys');
    assert.deepEqual(rows, [{ name: 'signing' }]);
  });
});
