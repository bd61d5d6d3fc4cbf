// Tests that the authorization server tells clients to retry while its database is down.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOAuthApp, type OAuthApp } from '../../support/oauth/app.ts';
import { buildAuthorizeUrl, makePkce, ORIGIN, REGISTRATION } from '../../support/oauth/clients.ts';
import { ADDRESS_VARIABLE } from '../../support/postgres/address.ts';

let oauth: OAuthApp;
let database: TestDatabase;
/** A folder with links to the sockets of the database server, through which the service connects to its database. */
let folder: string;
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-socket-'));
  await linkSockets();
  process.env[ADDRESS_VARIABLE] = JSON.stringify({ ...database.connection, socketDir: folder });
  oauth = await createOAuthApp();
});
after(async () => {
  await oauth.test.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function linkSockets(): Promise<void> {
  const { socketDir } = database.connection;
  const names = (await readdir(socketDir)).filter(name => /^\.s\.PGSQL\.\d+$/.test(name));
  for (const name of names) await symlink(join(socketDir, name), join(folder, name));
}

async function disconnectDatabase(): Promise<void> {
  const { rows } = await oauth.test.deps.db.query<{ name: string }>('select current_database() as name');
  for (const name of await readdir(folder)) await unlink(join(folder, name));
  const terminate = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
  await database.db.query(terminate, [rows[0]?.name]);
}

describe('the authorization server without a database', () => {
  it('returns 503 with Retry-After from every endpoint and can continue afterwards', async () => {
    const tokens = await oauth.connect();
    const { clientId, refresh_token } = tokens;
    const browser = oauth.newBrowser();
    const page = await browser.open(
      buildAuthorizeUrl({ client_id: clientId, code_challenge: makePkce().challenge }),
    );
    await disconnectDatabase();
    try {
      const forms = [
        await oauth.client.register(REGISTRATION),
        await oauth.client.refresh(clientId, refresh_token),
        await oauth.client.token({ grant_type: 'authorization_code', client_id: clientId, code: 'x' }),
        await oauth.client.revoke({ client_id: clientId, token: refresh_token }),
      ];
      for (const { status, headers, body } of forms) {
        assert.deepEqual([status, body.error], [503, 'temporarily_unavailable'], JSON.stringify(body));
        assert.ok(Number(headers.get('retry-after')) > 0);
        assert.match(String(body.error_description), /try again/i);
      }
      for (const url of [
        buildAuthorizeUrl({ client_id: clientId, code_challenge: makePkce().challenge }),
        page.url,
      ]) {
        const { status, headers, html } = await browser.open(url);
        assert.equal(status, 503, html);
        assert.ok(Number(headers.get('retry-after')) > 0, url);
        assert.match(html, /again/);
      }
      assert.equal((await oauth.send('GET', `${ORIGIN}/.well-known/oauth-authorization-server`)).status, 200);
    } finally {
      await linkSockets();
    }
    const finalPage = await browser.decide(page);
    assert.ok(new URL(finalPage.url).searchParams.get('code'), finalPage.html);
  });
});
