// Tests OAuth tokens: how they are rotated, expire, are revoked and are cleaned up.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TIMING } from '../../../src/lib/timing.ts';
import { sweepConnections } from '../../../src/services/oauth/sweep-connections.ts';
import { createTokenAuthenticator } from '../../../src/services/oauth/token-authenticator.ts';
import { createOAuthApp, type OAuthApp } from '../../support/oauth/app.ts';
import type { Tokens } from '../../support/oauth/clients.ts';

let passedMs = 0;
let oauth: OAuthApp;
before(async () => {
  oauth = await createOAuthApp({ now: () => Date.now() + passedMs });
});
after(() => oauth.test.close());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const refresh = ({ clientId }: Tokens, token: unknown, params?: Readonly<Record<string, string>>) =>
  oauth.client.refresh(clientId, token, params);

interface Connection {
  readonly id: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly lastUsedAt: string | null;
}
async function findConnection({ clientId }: Tokens): Promise<Connection | undefined> {
  const { status, body } = await oauth.person.request<{ data: Connection[] }>(
    'GET',
    '/connections?limit=200',
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.find(connection => connection.clientId === clientId);
}

describe('a refresh token', () => {
  it('is exchanged for new tokens', async () => {
    const tokens = await oauth.connect();
    const { status, body } = await refresh(tokens, tokens.refresh_token);
    assert.equal(status, 200, JSON.stringify(body));
    assert.notEqual(body.refresh_token, tokens.refresh_token);
    assert.equal(await oauth.ping(String(body.access_token)), 200);
    assert.equal((await refresh(tokens, body.refresh_token)).status, 200);
  });

  it('can be used five times concurrently', async () => {
    const tokens = await oauth.connect();
    const refreshes = await Promise.all(
      Array.from({ length: 5 }, () => refresh(tokens, tokens.refresh_token)),
    );
    assert.deepEqual(
      refreshes.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    const statuses = await Promise.all(refreshes.map(({ body }) => oauth.ping(String(body.access_token))));
    assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
  });

  it('ends the connection if it is used again more than a minute later', async () => {
    const tokens = await oauth.connect();
    const { body } = await refresh(tokens, tokens.refresh_token);
    passedMs += 50_000;
    const secondRefresh = await refresh(tokens, tokens.refresh_token);
    assert.equal(secondRefresh.status, 200, JSON.stringify(secondRefresh.body));
    passedMs += 20_000;
    const lateRefresh = await refresh(tokens, tokens.refresh_token);
    assert.deepEqual([lateRefresh.status, lateRefresh.body.error], [400, 'invalid_grant']);
    for (const newer of [body.refresh_token, secondRefresh.body.refresh_token])
      assert.equal((await refresh(tokens, newer)).body.error, 'invalid_grant');
    passedMs += 5000;
    assert.equal(await oauth.ping(String(secondRefresh.body.access_token)), 401);
    assert.equal(await findConnection(tokens), undefined);
  });

  it('cannot be exchanged for more scopes', async () => {
    const tokens = await oauth.connect({ params: { scope: 'workflows:read workflows:write' } });
    const narrowed = await refresh(tokens, tokens.refresh_token, { scope: 'workflows:read' });
    assert.equal(narrowed.body.scope, 'workflows:read');
    const widened = await refresh(tokens, tokens.refresh_token, {
      scope: 'workflows:read workflows:execute',
    });
    assert.deepEqual([widened.status, widened.body.error], [400, 'invalid_scope']);
  });

  it('is rejected for another client or resource', async () => {
    const tokens = await oauth.connect();
    const otherClientId = await oauth.client.newClient();
    assert.equal(
      (await oauth.client.refresh(otherClientId, tokens.refresh_token)).body.error,
      'invalid_grant',
    );
    const sameResource = await refresh(tokens, tokens.refresh_token, { resource: 'http://localhost:3000/' });
    assert.equal(sameResource.status, 200, JSON.stringify(sameResource.body));
    const otherResource = await refresh(tokens, tokens.refresh_token, {
      resource: 'https://elsewhere.example.com/mcp',
    });
    assert.equal(otherResource.body.error, 'invalid_target');
  });

  it('is rejected if the account is disabled', async () => {
    const tokens = await oauth.connect();
    const { db } = oauth.test.deps;
    await db.query('update users set disabled = true where id = $1', [oauth.person.userId]);
    try {
      assert.equal((await refresh(tokens, tokens.refresh_token)).body.error, 'invalid_grant');
      passedMs += 5000;
      assert.equal(await oauth.ping(tokens.access_token), 401);
    } finally {
      await db.query('update users set disabled = false where id = $1', [oauth.person.userId]);
      passedMs += 5000;
    }
  });
});

describe('an access token', () => {
  it('expires after an hour', async () => {
    const tokens = await oauth.connect();
    assert.equal(await oauth.ping(tokens.access_token), 200);
    passedMs += HOUR_MS + 1000;
    assert.equal(await oauth.ping(tokens.access_token), 401);
  });

  it('ends the connection if its client revokes the token', async () => {
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const tokens = await oauth.connect();
      const { status } = await oauth.client.revoke({ token: tokens[kind], client_id: tokens.clientId });
      assert.equal(status, 200);
      assert.equal(await oauth.ping(tokens.access_token), 401);
      assert.equal((await refresh(tokens, tokens.refresh_token)).body.error, 'invalid_grant');
      assert.equal(await findConnection(tokens), undefined);
    }
  });

  it('cannot be revoked by another client', async () => {
    const tokens = await oauth.connect();
    await oauth.client.revoke({ token: tokens.refresh_token, client_id: await oauth.client.newClient() });
    assert.equal((await refresh(tokens, tokens.refresh_token)).status, 200);
  });
});

describe('DELETE /connections/{id}', () => {
  it('ends all tokens of the connection within five seconds', async () => {
    const tokens = await oauth.connect();
    // Simulates another process, which reads the same tables through its own cache.
    const otherAuthenticator = createTokenAuthenticator(
      oauth.test.deps.db,
      oauth.test.deps.now,
      TIMING.credentialCacheMs,
    );
    assert.ok(await otherAuthenticator.authenticate(tokens.access_token));
    assert.equal(await oauth.ping(tokens.access_token), 200);
    const connection = await findConnection(tokens);
    const response = await oauth.person.request('DELETE', `/connections/${connection?.id}`);
    assert.deepEqual([response.status, response.body], [200, { success: true }]);
    passedMs += 5000;
    assert.equal(await otherAuthenticator.authenticate(tokens.access_token), undefined);
    assert.equal(await oauth.ping(tokens.access_token), 401);
    assert.equal((await refresh(tokens, tokens.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await oauth.person.request('DELETE', `/connections/${connection?.id}`)).status, 404);
  });

  it("returns 404 for another user's connection", async () => {
    const tokens = await oauth.connect();
    const id = (await findConnection(tokens))?.id;
    const otherUser = await oauth.test.createUser();
    assert.equal((await otherUser.request('DELETE', `/connections/${id}`)).status, 404);
    assert.deepEqual((await otherUser.request<{ data: unknown[] }>('GET', '/connections')).body.data, []);
    const unauthorized = await oauth.test.withScopes(otherUser, ['workflows:read']);
    assert.equal((await unauthorized.request('GET', '/connections')).body.code, 'insufficient_scope');
  });
});

describe('GET /connections', () => {
  it('shows when a connection was last used', async () => {
    const tokens = await oauth.connect({ decision: { scopes: ['workflows:read'] } });
    assert.equal((await findConnection(tokens))?.lastUsedAt, null);
    assert.equal(await oauth.ping(tokens.access_token), 200);
    await oauth.test.deps.accessTokens?.flush();
    const connection = await findConnection(tokens);
    assert.ok(connection?.lastUsedAt);
    assert.deepEqual(connection.scopes, ['workflows:read']);
  });
});

describe('sweepConnections', () => {
  const count = async (table: string): Promise<number> => {
    const { rows } = await oauth.test.deps.db.query<{ count: number }>(`select count(*) from ${table}`);
    return Number(rows[0]?.count);
  };

  it('removes clients without grants after a day', async () => {
    const usedTokens = await oauth.connect();
    const unusedClientId = await oauth.client.newClient();
    const sweep = () => sweepConnections(oauth.test.deps, new AbortController().signal);
    await sweep();
    assert.notEqual(
      (await oauth.client.token({ grant_type: 'refresh_token', client_id: unusedClientId })).status,
      401,
    );
    passedMs += DAY_MS + 1000;
    await sweep();
    const { status, body } = await oauth.client.token({
      grant_type: 'refresh_token',
      client_id: unusedClientId,
    });
    assert.deepEqual([status, body.error], [401, 'invalid_client']);
    assert.equal((await refresh(usedTokens, usedTokens.refresh_token)).status, 200);
  });

  it('removes connections that were not used for thirty days', async () => {
    await oauth.connect();
    passedMs += 32 * DAY_MS;
    await sweepConnections(oauth.test.deps, new AbortController().signal);
    const tables = ['oauth_tokens', 'oauth_interactions', 'oauth_grants', 'oauth_clients'];
    assert.deepEqual(await Promise.all(tables.map(count)), [0, 0, 0, 0]);
  });
});
