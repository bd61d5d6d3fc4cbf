// Tests that changes of accounts by administrators apply to the next request in the same process, and within five
// seconds in other processes.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createServer } from '../../../src/http/server.ts';
import { sha256 } from '../../../src/lib/crypto.ts';
import { TIMING } from '../../../src/lib/timing.ts';
import { createAuthenticator } from '../../../src/services/accounts/authenticator.ts';
import { createKeyAuthenticator } from '../../../src/services/accounts/key-authenticator.ts';
import { RateLimiter } from '../../../src/services/accounts/rate-limits.ts';
import { createSessionAuthenticator } from '../../../src/services/sessions/session-authenticator.ts';
import { createPerson } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow, PAIR } from '../../support/workflows.ts';

const CACHE_MS = TIMING.credentialCacheMs;
const HOUR_MS = 3_600_000;
const plans = {
  small: { requestsPerMinute: 900, executionsPerMinute: 3, executionsPerDay: 5 },
  large: { requestsPerMinute: 900, executionsPerMinute: 60, executionsPerDay: null },
};

// The clock shows the start of a day and does not advance unless a test sets it.
let nowMs = Date.parse('2026-05-04T00:00:00Z');
let test: TestApp;
/** An app that shares only the database with the first, like another process. */
let otherProcess: TestApp;
let admin: ApiUser;

before(async () => {
  test = await createTestApp({ plans, now: () => nowMs });
  const { db, now } = test.deps;
  const deps = {
    ...test.deps,
    limiter: new RateLimiter(db, now),
    keys: createKeyAuthenticator(db, now, CACHE_MS),
    sessions: createSessionAuthenticator(db, now, CACHE_MS),
  };
  otherProcess = { ...test, deps, app: await createServer(deps, test.mounts) };
  admin = await test.createUser();
});
after(async () => {
  await otherProcess.app.close();
  await test.close();
});
beforeEach(() => {
  nowMs += 24 * HOUR_MS;
});

const changeUser = async (userId: number, changes: object): Promise<void> =>
  assert.equal((await admin.request('PATCH', `/admin/users/${userId}`, changes)).status, 200);

/** Sends a request to one of the processes and returns the status. */
async function fetchStatus(
  app: TestApp,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
) {
  const { statusCode } = await app.app.inject({
    method: body === undefined ? 'GET' : 'POST',
    url: `/api/v1${path}`,
    headers,
    ...(body === undefined ? {} : { payload: body }),
  });
  return statusCode;
}

describe('instance:admin', () => {
  it('is withdrawn from the keys of a user who is no longer an administrator', async () => {
    const demotedAdmin = await test.createUser();
    const headers = { authorization: `Bearer ${demotedAdmin.key}` };
    for (const app of [test, otherProcess])
      assert.equal(await fetchStatus(app, '/admin/users', headers), 200);
    await changeUser(demotedAdmin.userId, { isAdmin: false });
    assert.equal(await fetchStatus(test, '/admin/users', headers), 401);
    assert.equal(
      (await demotedAdmin.request('PATCH', `/admin/users/${demotedAdmin.userId}`, { isAdmin: true })).status,
      401,
    );
    const { scopes } = (await demotedAdmin.request<{ scopes: string[] }>('GET', '/me')).body;
    assert.ok(!scopes.includes('instance:admin') && scopes.includes('account:admin'), String(scopes));
    const adminKey = { name: 'k', scopes: ['instance:admin'] };
    assert.equal((await demotedAdmin.request('POST', '/keys', adminKey)).status, 403);
    nowMs += CACHE_MS;
    assert.equal(await fetchStatus(otherProcess, '/admin/users', headers), 401);
    await changeUser(demotedAdmin.userId, { isAdmin: true });
    assert.equal(await fetchStatus(test, '/admin/users', headers), 200);
  });

  it('is withdrawn from the sessions of a user who is no longer an administrator', async () => {
    const person = await createPerson(test, admin, { isAdmin: true });
    const headers = { cookie: person.cookie };
    for (const app of [test, otherProcess])
      assert.equal(await fetchStatus(app, '/admin/users', headers), 200);
    await changeUser(person.userId, { isAdmin: false });
    assert.equal(await fetchStatus(test, '/admin/users', headers), 401);
    nowMs += CACHE_MS;
    assert.equal(await fetchStatus(otherProcess, '/admin/users', headers), 401);
  });
});

describe('disabling an account', () => {
  it('rejects its keys and sessions immediately', async () => {
    const person = await createPerson(test, admin);
    const keyUser = await test.createUser();
    await person.request('GET', '/me');
    await keyUser.request('GET', '/me');
    await changeUser(person.userId, { disabled: true });
    await changeUser(keyUser.userId, { disabled: true });
    assert.equal((await person.request('GET', '/me')).status, 401);
    assert.equal((await keyUser.request('GET', '/me')).status, 401);
  });
});

describe('revoking a key', () => {
  it('rejects the key immediately', async () => {
    const user = await test.createUser();
    const created = await user.request<{ id: string; key: string }>('POST', '/keys', {
      name: 'k',
      scopes: ['workflows:read'],
    });
    const headers = { authorization: `Bearer ${created.body.key}` };
    assert.equal(await fetchStatus(test, '/me', headers), 200);
    assert.equal((await user.request('DELETE', `/keys/${created.body.id}`)).status, 200);
    assert.equal(await fetchStatus(test, '/me', headers), 401);
  });
});

describe('changing the plan of a user', () => {
  /** Sends this number of run requests and returns how many were accepted. */
  async function countStarts(
    app: TestApp,
    user: ApiUser,
    workflowId: string,
    starts: number,
  ): Promise<number> {
    let accepted = 0;
    for (let start = 0; start < starts; start++) {
      const headers = { authorization: `Bearer ${user.key}` };
      if ((await fetchStatus(app, `/workflows/${workflowId}/execute`, headers, {})) < 300) accepted++;
    }
    return accepted;
  }

  it('applies a smaller limit despite tokens leased under the larger plan', async () => {
    const user = await test.createUser({ plan: 'large' });
    const { id } = await createWorkflow(user, PAIR);
    assert.equal(await countStarts(test, user, id, 2), 2);
    await changeUser(user.userId, { plan: 'small' });
    assert.equal(await countStarts(test, user, id, 12), 1);
    nowMs += 60_000;
    // The plan allows three runs a minute and five a day, of which two remain.
    assert.equal(await countStarts(test, user, id, 12), 2);
  });

  it('applies a larger limit to the next run', async () => {
    const user = await test.createUser({ plan: 'small' });
    const { id } = await createWorkflow(user, PAIR);
    assert.equal(await countStarts(test, user, id, 6), 3);
    await changeUser(user.userId, { plan: 'large' });
    assert.equal(await countStarts(test, user, id, 12), 12);
  });

  it('takes effect in other processes within five seconds', async () => {
    const user = await test.createUser({ plan: 'large' });
    const { id } = await createWorkflow(user, PAIR);
    assert.equal(await countStarts(otherProcess, user, id, 5), 5);
    await changeUser(user.userId, { plan: 'small' });
    nowMs += CACHE_MS;
    assert.equal(await countStarts(otherProcess, user, id, 12), 0);
    await changeUser(user.userId, { plan: 'large' });
    nowMs += CACHE_MS;
    assert.equal(await countStarts(otherProcess, user, id, 12), 12);
  });
});

describe('createAuthenticator', () => {
  it('does not cache a credential that was read before forgetUser', async () => {
    const firstRead = Promise.withResolvers<void>();
    let reads = 0;
    const actor = {
      kind: 'user',
      userId: 1,
      credential: { kind: 'key', id: 'key_1' },
      scopes: new Set<never>(),
      accountPlan: 'free',
    } as const;
    const authenticator = createAuthenticator({
      now: () => nowMs,
      cacheMs: CACHE_MS,
      recordUse: async () => undefined,
      reject: () => undefined,
      readCredential: async hash => {
        assert.deepEqual(hash, sha256('secret'));
        if (reads++ === 0) await firstRead.promise;
        return { id: 'key_1', actor, expiresAtMs: Number.POSITIVE_INFINITY };
      },
    });
    const first = authenticator.authenticate('secret');
    authenticator.forgetUser(1);
    firstRead.resolve();
    await first;
    await authenticator.authenticate('secret');
    assert.equal(reads, 2);
    await authenticator.authenticate('secret');
    assert.equal(reads, 2);
  });

  it('forgets many users in one pass, and no others', async () => {
    let reads = 0;
    const authenticator = createAuthenticator({
      now: () => nowMs,
      cacheMs: CACHE_MS,
      recordUse: async () => undefined,
      reject: () => undefined,
      readCredential: async hash => {
        reads++;
        const userId = secrets.findIndex(secret => sha256(secret).equals(hash));
        const credential = { kind: 'key', id: `key_${userId}` } as const;
        const actor = {
          kind: 'user',
          userId,
          credential,
          scopes: new Set<never>(),
          accountPlan: 'free',
        } as const;
        return { id: credential.id, actor, expiresAtMs: Number.POSITIVE_INFINITY };
      },
    });
    const secrets = ['zero', 'one', 'two', 'three'];
    const authenticateAll = async () => {
      for (const secret of secrets) await authenticator.authenticate(secret);
      return reads;
    };
    assert.deepEqual([await authenticateAll(), await authenticateAll()], [4, 4]);
    // As many as a group can have: one pass for each of them would take seconds.
    authenticator.forgetUsers(new Set(Array.from({ length: 20_000 }, (_, index) => index + 2)));
    assert.equal(await authenticateAll(), 6);
  });
});
