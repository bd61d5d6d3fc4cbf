// Tests how the first user and its key are created when processes start on one database.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sha256 } from '../../../src/lib/crypto.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { SCOPES } from '../../../src/services/accounts/actor.ts';
import { BOOTSTRAP_USER_ID, bootstrap } from '../../../src/services/accounts/bootstrap.ts';
import { findKeyByHash, revokeKey } from '../../../src/store/keys.ts';
import { findUser } from '../../../src/store/users.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const CONFIGURED_KEY = 'sk-given-by-the-operator';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const bootstrapWith = (key?: string): Promise<string | undefined> =>
  database.db.transaction(tx =>
    bootstrap(tx, readSettings(key === undefined ? {} : { BOOTSTRAP_API_KEY: key })),
  );
const findStoredKey = (key: string) => findKeyByHash(database.db, sha256(key));

describe('bootstrap on an empty database', () => {
  it('creates an author on the plan self_hosted with a key that has all scopes', async () => {
    const key = (await bootstrapWith()) ?? '';
    const user = await findUser(database.db, BOOTSTRAP_USER_ID);
    assert.deepEqual([user?.plan, user?.is_author], ['self_hosted', true]);
    assert.deepEqual((await findStoredKey(key))?.scopes, SCOPES);
  });

  it('stores BOOTSTRAP_API_KEY and returns no key to print', async () => {
    assert.equal(await bootstrapWith(CONFIGURED_KEY), undefined);
    assert.equal((await findStoredKey(CONFIGURED_KEY))?.user_id, BOOTSTRAP_USER_ID);
  });

  it('creates one user and one key if several processes start concurrently', async () => {
    const keys = await Promise.all([bootstrapWith(), bootstrapWith(), bootstrapWith()]);
    assert.equal(keys.filter(key => key !== undefined).length, 1);
    const { rows } = await database.db.query('select id from users');
    assert.deepEqual(rows, [{ id: BOOTSTRAP_USER_ID }]);
  });
});

describe('bootstrap with an existing user', () => {
  it('returns no key', async () => {
    await bootstrapWith();
    assert.equal(await bootstrapWith(), undefined);
  });

  it('adds a new BOOTSTRAP_API_KEY to the first user', async () => {
    await bootstrapWith();
    for (let round = 0; round < 2; round++) assert.equal(await bootstrapWith(CONFIGURED_KEY), undefined);
    assert.deepEqual((await findStoredKey(CONFIGURED_KEY))?.scopes, SCOPES);
  });

  it('does not restore a revoked BOOTSTRAP_API_KEY', async () => {
    await bootstrapWith(CONFIGURED_KEY);
    await revokeKey(database.db, (await findStoredKey(CONFIGURED_KEY))?.id ?? '', BOOTSTRAP_USER_ID);
    await bootstrapWith(CONFIGURED_KEY);
    assert.equal(await findStoredKey(CONFIGURED_KEY), undefined);
  });
});
