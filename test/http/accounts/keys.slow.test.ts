// Tests API keys over HTTP: creation, list, revocation and expiry, and the scopes that a key may grant to another key.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TIMING } from '../../../src/lib/timing.ts';
import { createKeyAuthenticator } from '../../../src/services/accounts/key-authenticator.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

let nowMs: number;
let test: TestApp;
let user: ApiUser;

before(async () => {
  nowMs = Date.now();
  test = await createTestApp({ now: () => nowMs });
  user = await test.createUser();
});
after(() => test.close());

const create = (user: ApiUser, body: object) => user.request<Key>('POST', '/keys', body);
const requestMe = (key: string) =>
  test.anonymous.request('GET', '/me', undefined, { authorization: `Bearer ${key}` });

describe('POST /keys', () => {
  it('returns a new key only once and stores only its hash', async () => {
    const { status, body } = await create(user, { name: 'laptop', scopes: ['workflows:read'] });
    assert.equal(status, 201);
    assert.match(body.key, /^sk-[A-Za-z0-9_-]{43}$/);
    const list = await user.request<{ data: Key[] }>('GET', '/keys');
    const listedKey = list.body.data.find(({ id }) => id === body.id);
    assert.deepEqual(Object.keys(listedKey ?? {}).sort(), [
      'createdAt',
      'expiresAt',
      'id',
      'lastUsedAt',
      'monthlyCredits',
      'name',
      'scopes',
      'spentThisMonth',
    ]);
    const { rows } = await test.deps.db.query<{ row: string }>(
      'select k::text as row from api_keys k where id = $1',
      [body.id],
    );
    assert.ok(!rows[0]?.row.includes(body.key));
  });

  it('creates keys with the requested scopes', async () => {
    const { body } = await create(user, { name: 'ci', scopes: ['workflows:execute'] });
    const response = await requestMe(body.key);
    assert.equal(response.status, 200);
    assert.deepEqual(response.body.scopes, ['workflows:execute']);
  });

  it('returns 403 for a scope that the user lacks', async () => {
    const limited = await test.withScopes(user, ['account:admin', 'workflows:write']);
    const { status, body } = await create(limited, {
      name: 'more',
      scopes: ['workflows:write', 'instance:admin'],
    });
    assert.equal(status, 403);
    assert.equal(body.code, 'forbidden');
    assert.match(String(body.error), /instance:admin/);
  });

  it('allows a user with workflows:execute to grant workflows:read', async () => {
    const runner = await test.withScopes(user, ['account:admin', 'workflows:execute']);
    assert.equal((await create(runner, { name: 'reader', scopes: ['workflows:read'] })).status, 201);
    assert.equal((await create(runner, { name: 'writer', scopes: ['workflows:write'] })).status, 403);
  });

  it('returns 401 insufficient_scope without account:admin', async () => {
    const reader = await test.withScopes(user, ['workflows:read']);
    const { status, body, headers } = await create(reader, { name: 'x', scopes: ['workflows:read'] });
    assert.equal(status, 401);
    assert.equal(body.code, 'insufficient_scope');
    assert.equal(headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="account:admin"');
  });

  for (const [label, body] of Object.entries({
    'no name': { scopes: ['workflows:read'] },
    'a blank name': { name: '   ', scopes: ['workflows:read'] },
    'a name of 201 characters': { name: 'n'.repeat(201), scopes: ['workflows:read'] },
    'a name that reverses text direction': { name: 'a\u202eb', scopes: ['workflows:read'] },
    'no scope': { name: 'x', scopes: [] },
    'an unknown scope': { name: 'x', scopes: ['workflows:delete'] },
    'a scope twice': { name: 'x', scopes: ['workflows:read', 'workflows:read'] },
    'an expiry in the past': { name: 'x', scopes: ['workflows:read'], expiresAt: '2001-01-01T00:00:00Z' },
    'an invalid expiry': { name: 'x', scopes: ['workflows:read'], expiresAt: '9999' },
    'an unknown property': { name: 'x', scopes: ['workflows:read'], admin: true },
  })) {
    it(`returns 400 for ${label}`, async () => {
      assertRefused(await user.request('POST', '/keys', body), 400, 'invalid_request');
    });
  }

  it('accepts a name of 200 characters', async () => {
    const { status } = await create(user, { name: 'n'.repeat(200), scopes: ['workflows:read'] });
    assert.equal(status, 201);
  });
});

describe('an API key', () => {
  it('gets 401 expired_api_key after its expiry', async () => {
    const expiresAt = new Date(nowMs + 60_000).toISOString();
    const { body } = await create(user, { name: 'short', scopes: ['workflows:read'], expiresAt });
    assert.equal(body.expiresAt, expiresAt);
    assert.equal((await requestMe(body.key)).status, 200);
    nowMs += 60_000;
    const response = await requestMe(body.key);
    assert.equal(response.status, 401);
    assert.equal(response.body.code, 'expired_api_key');
    assert.equal(response.headers['www-authenticate'], 'Bearer error="invalid_token"');
  });

  it('stops working in every process within five seconds of its revocation', async () => {
    const { body } = await create(user, { name: 'lost', scopes: ['workflows:read'] });
    const otherAuthenticator = createKeyAuthenticator(test.deps.db, () => nowMs, TIMING.credentialCacheMs);
    await otherAuthenticator.authenticate(body.key);
    assert.equal((await requestMe(body.key)).status, 200);
    assert.equal((await user.request('DELETE', `/keys/${body.id}`)).status, 200);
    nowMs += 5000;
    assertRefused(await requestMe(body.key), 401, 'invalid_api_key');
    await assert.rejects(async () => otherAuthenticator.authenticate(body.key), { code: 'invalid_api_key' });
  });

  it('gets a lastUsedAt that is not written with each request', async () => {
    const { body } = await create(user, { name: 'used', scopes: ['workflows:read'] });
    const readLastUse = async (): Promise<string | null | undefined> => {
      const { body: list } = await user.request<{ data: Key[] }>('GET', '/keys');
      return list.data.find(({ id }) => id === body.id)?.lastUsedAt;
    };
    await requestMe(body.key);
    assert.equal(await readLastUse(), null);
    await test.deps.keys.flush();
    assert.match((await readLastUse()) ?? '', /^\d{4}-\d{2}-\d{2}T/);
  });

  for (const [label, header] of Object.entries({
    'an unknown key': `Bearer sk-${'a'.repeat(43)}`,
    'a key without its prefix': `Bearer ${'a'.repeat(43)}`,
    'another kind of authentication': 'Basic YTpi',
  })) {
    it(`gets 401 and a challenge if it is ${label}`, async () => {
      const { status, body, headers } = await test.anonymous.request('GET', '/me', undefined, {
        authorization: header,
      });
      assert.equal(status, 401);
      assert.equal(body.code, 'invalid_api_key');
      assert.match(String(headers['www-authenticate']), /^Bearer/);
    });
  }

  it('is required by GET /keys', async () => {
    const { status, body, headers } = await test.anonymous.request('GET', '/keys');
    assert.equal(status, 401);
    assert.equal(body.code, 'unauthorized');
    assert.equal(headers['www-authenticate'], 'Bearer');
  });
});

describe('GET /keys', () => {
  it("pages through the user's own keys, newest first", async () => {
    const owner = await test.createUser();
    for (const name of ['one', 'two', 'three']) {
      nowMs += 10;
      await create(owner, { name, scopes: ['workflows:read'] });
    }
    const first = await owner.request<{ data: Key[]; nextCursor: string }>('GET', '/keys?limit=2');
    const second = await owner.request<{ data: Key[]; nextCursor: null }>(
      'GET',
      `/keys?limit=2&cursor=${first.body.nextCursor}`,
    );
    const ids = [...first.body.data, ...second.body.data].map(({ id }) => id);
    assert.equal(ids.length, 4);
    assert.deepEqual(ids, [...ids].sort().reverse());
    assert.equal(second.body.nextCursor, null);
  });

  it('returns 400 for an invalid cursor', async () => {
    assert.equal((await user.request('GET', '/keys?cursor=zzz')).status, 400);
  });
});

describe('DELETE /keys/{id}', () => {
  it("returns 404 for another user's key", async () => {
    const otherUser = await test.createUser();
    const { body } = await create(otherUser, { name: 'theirs', scopes: ['workflows:read'] });
    const response = await user.request('DELETE', `/keys/${body.id}`);
    assert.equal(response.status, 404);
    assert.equal((await requestMe(body.key)).status, 200);
  });

  it('returns 404 for a revoked key', async () => {
    const { body } = await create(user, { name: 'once', scopes: ['workflows:read'] });
    await user.request('DELETE', `/keys/${body.id}`);
    assert.equal((await user.request('DELETE', `/keys/${body.id}`)).status, 404);
  });
});
