// Tests the consent page: how the page requires sign-in, what it shows, who may submit its form, and which consents are
// remembered.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sanitizeName } from '../../../src/mcp/oauth/consent.ts';
import { createPerson } from '../../support/accounts/people.ts';
import { createOAuthApp, type OAuthApp } from '../../support/oauth/app.ts';
import {
  type BrowserPage,
  buildAuthorizeUrl,
  makePkce,
  ORIGIN,
  REDIRECT,
  readFormToken,
} from '../../support/oauth/clients.ts';

let oauth: OAuthApp;
before(async () => {
  oauth = await createOAuthApp();
});
after(() => oauth.test.close());

const HTTPS_REDIRECT = 'https://agent.example.com/callback';

async function open(
  metadata: object = {},
  params: Readonly<Record<string, string>> = {},
): Promise<BrowserPage> {
  const clientId = await oauth.client.newClient(metadata);
  return oauth
    .newBrowser()
    .open(buildAuthorizeUrl({ client_id: clientId, code_challenge: makePkce().challenge, ...params }));
}

describe('the consent page for a user who is not signed in', () => {
  it('redirects to sign-in and back', async () => {
    const browser = oauth.newBrowser('');
    const url = buildAuthorizeUrl({
      client_id: await oauth.client.newClient(),
      code_challenge: makePkce().challenge,
    });
    const { pathname, searchParams } = new URL((await browser.open(url)).url);
    assert.equal(pathname, '/sign-in');
    const next = searchParams.get('next') ?? '';
    assert.match(next, /^\/oauth\/interaction\/[\w-]+$/);
    const [name = '', value = ''] = oauth.person.cookie.split('=', 2);
    browser.cookies.set(name, { value: `${name}=${value}`, path: '/' });
    const page = await browser.open(next);
    assert.equal(page.status, 200);
    assert.ok(new URL((await browser.decide(page)).url).searchParams.get('code'));
  });

  it('rejects the form with 401', async () => {
    const page = await open();
    const response = await oauth.send('POST', page.url, {
      body: new URLSearchParams({ token: readFormToken(page), decision: 'allow' }),
    });
    assert.equal(response.status, 401);
  });
});

describe('the consent page for a session that was not confirmed recently', () => {
  /** Makes the session as old as its confirmation is valid. */
  const setProof = async (age: string): Promise<void> => {
    await oauth.test.deps.db.query(`update sessions set proved_at = now() - $1::interval`, [age]);
    oauth.test.deps.sessions.forgetUser(oauth.person.userId);
  };

  it('redirects to a confirmation and back, unless the application only reads', async t => {
    t.after(() => setProof('0 s'));
    const browser = oauth.newBrowser();
    const authorize = async (scope: string): Promise<BrowserPage> => {
      const client_id = await oauth.client.newClient();
      return browser.open(buildAuthorizeUrl({ client_id, code_challenge: makePkce().challenge, scope }));
    };
    await setProof('16 min');
    assert.equal((await authorize('workflows:read')).status, 200);
    const { pathname, searchParams } = new URL((await authorize('workflows:write')).url);
    assert.equal(pathname, '/confirm');
    await setProof('0 s');
    const page = await browser.open(searchParams.get('next') ?? '');
    assert.equal(page.status, 200);
    await setProof('16 min');
    assert.equal(new URL((await browser.decide(page)).url).pathname, '/confirm');
    await setProof('0 s');
    assert.ok(new URL((await browser.decide(page)).url).searchParams.get('code'));
  });
});

describe('the consent page', () => {
  it('shows the client name, the redirect host and the account', async () => {
    const { html, status } = await open(
      { client_name: 'Claude', redirect_uris: [HTTPS_REDIRECT] },
      { redirect_uri: HTTPS_REDIRECT },
    );
    assert.equal(status, 200);
    for (const text of ['Claude', 'agent.example.com', oauth.person.email])
      assert.ok(html.includes(text), text);
    assert.equal([...html.matchAll(/type="checkbox"[^>]*checked/g)].length, 3);
    assert.doesNotMatch(html, /class="warning"/);
  });

  it('warns about a client on the computer of the user', async () => {
    const { html } = await open();
    assert.match(html, /class="warning"[^>]*>Any program on this computer/);
    assert.ok(html.includes('127.0.0.1'));
  });

  it('escapes client names and removes characters that reverse text direction', async () => {
    const name = '<script>alert(1)</script>"\u202egnp.exe\u2066\u200f\u0000'.replace('\u0000', '');
    const { html } = await open({ client_name: name });
    assert.ok(!html.includes('<script>'));
    assert.ok(html.includes('&lt;script&gt;alert(1)&lt;/script&gt;&quot; gnp.exe'));
    assert.doesNotMatch(html, /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/);
  });

  it('shows the host of a client without a name and shortens long names', () => {
    assert.equal(sanitizeName(undefined, 'example.com'), 'A program at example.com');
    assert.equal(sanitizeName(' \u200b\u2028 ', 'example.com'), 'A program at example.com');
    assert.equal([...sanitizeName('x'.repeat(500), '')].length, 60);
    assert.equal(sanitizeName('A\nB', ''), 'A B');
  });

  it('cannot be framed or cached and allows only the redirect to the client', async () => {
    const policies = [
      [{}, {}, "form-action 'self' http://127.0.0.1:33418"],
      [
        { redirect_uris: [HTTPS_REDIRECT] },
        { redirect_uri: HTTPS_REDIRECT },
        "form-action 'self' https://agent.example.com",
      ],
      [
        { redirect_uris: ['cursor://mcp/callback'] },
        { redirect_uri: 'cursor://mcp/callback' },
        "form-action 'self' cursor:",
      ],
      [
        { redirect_uris: ['http://[::1]/cb'] },
        { redirect_uri: 'http://[::1]:9/cb' },
        "form-action 'self' http:",
      ],
    ] as const;
    for (const [metadata, params, expected] of policies) {
      const { headers } = await open(metadata, params);
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      assert.ok(policy.includes(expected), policy.join('; '));
      assert.ok(policy.includes("frame-ancestors 'none'") && policy.includes("default-src 'none'"));
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('cache-control'), 'no-store');
    }
  });
});

describe('the submitted consent form', () => {
  it('redirects with access_denied if the user denies access or selects no scope', async () => {
    for (const decision of [{ choice: 'deny' }, { scopes: [] }, { scopes: ['account:admin'] }] as const) {
      const browser = oauth.newBrowser();
      const url = buildAuthorizeUrl({
        client_id: await oauth.client.newClient(),
        code_challenge: makePkce().challenge,
      });
      const finalPage = await browser.decide(await browser.open(url), decision);
      assert.ok(finalPage.url.startsWith(REDIRECT), finalPage.url);
      const response = new URL(finalPage.url).searchParams;
      assert.deepEqual(
        [response.get('error'), response.get('state'), response.get('iss')],
        ['access_denied', 'state-1', ORIGIN],
      );
    }
  });

  it('grants no scope that the client did not request', async () => {
    const tokens = await oauth.connect({
      params: { scope: 'workflows:read' },
      decision: { scopes: ['workflows:read', 'workflows:execute', 'instance:admin'] },
    });
    assert.equal(tokens.scope, 'workflows:read');
  });

  it('grants only the checked scopes', async () => {
    const tokens = await oauth.connect({ decision: { scopes: ['workflows:read', 'workflows:execute'] } });
    assert.equal(tokens.scope, 'workflows:read workflows:execute');
  });

  it('is rejected with 403 if another site, page or user submits it', async () => {
    const page = await open();
    const form = (token: string) =>
      new URLSearchParams({ token, decision: 'allow', scope: 'workflows:read' });
    const { cookie } = oauth.person;
    const send = (body: URLSearchParams, headers: Readonly<Record<string, string>>) =>
      oauth.send('POST', page.url, { body, headers: { cookie, ...headers } });
    const sameSite = { 'sec-fetch-site': 'same-origin' };
    for (const [body, headers] of [
      [form(readFormToken(page)), { 'sec-fetch-site': 'cross-site' }],
      [form(readFormToken(page)), { origin: 'https://evil.example.com' }],
      [form(''), sameSite],
      [form('0'.repeat(64)), sameSite],
      [
        form(readFormToken(page)),
        { ...sameSite, cookie: (await createPerson(oauth.test, await oauth.test.createUser())).cookie },
      ],
    ] as const) {
      const response = await send(body, headers);
      assert.equal(response.status, 403, response.text);
      assert.equal(JSON.parse(response.text).code, 'cross_site_request');
    }
  });

  it('is rejected with 404 in a browser that did not start the request', async () => {
    const page = await open();
    const response = await oauth.send('POST', page.url, {
      body: new URLSearchParams({ token: readFormToken(page), decision: 'allow', scope: 'workflows:read' }),
      headers: { cookie: oauth.person.cookie, 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(response.status, 404);
  });
});

describe('a granted consent', () => {
  async function openAgain(
    metadata: object,
    params: Readonly<Record<string, string>>,
    firstScopes: readonly string[],
    extraParams = {},
  ) {
    const clientId = await oauth.client.newClient(metadata);
    await oauth.connect({ clientId, params, decision: { scopes: firstScopes } });
    const url = buildAuthorizeUrl({
      client_id: clientId,
      code_challenge: makePkce().challenge,
      ...params,
      ...extraParams,
    });
    return oauth.newBrowser().open(url);
  }
  const ALL = ['workflows:read', 'workflows:write', 'workflows:execute'];
  const HOSTED = [{ redirect_uris: [HTTPS_REDIRECT] }, { redirect_uri: HTTPS_REDIRECT }] as const;

  it('is remembered for a client with an https redirect', async () => {
    const finalPage = await openAgain(...HOSTED, ALL);
    assert.ok(finalPage.url.startsWith(HTTPS_REDIRECT), finalPage.url);
    assert.ok(new URL(finalPage.url).searchParams.get('code'));
  });

  it('is requested again if the client needs more scopes or sends prompt=consent', async () => {
    assert.match((await openAgain(...HOSTED, ['workflows:read'])).html, /name="token"/);
    assert.match((await openAgain(...HOSTED, ALL, { prompt: 'consent' })).html, /name="token"/);
  });

  it('is not remembered for a client on the computer of the user', async () => {
    assert.match((await openAgain({}, {}, ALL)).html, /name="token"/);
    const app = { redirect_uris: ['cursor://mcp/callback'] };
    assert.match((await openAgain(app, { redirect_uri: 'cursor://mcp/callback' }, ALL)).html, /name="token"/);
  });

  it('is forgotten when the connection is deleted', async () => {
    const clientId = await oauth.client.newClient(HOSTED[0]);
    await oauth.connect({ clientId, params: HOSTED[1] });
    const { body } = await oauth.person.request<{ data: { id: string; clientId: string }[] }>(
      'GET',
      '/connections',
    );
    const ownConnections = body.data.filter(connection => connection.clientId === clientId);
    assert.equal(ownConnections.length, 1);
    await oauth.person.request('DELETE', `/connections/${ownConnections[0]?.id}`);
    const url = buildAuthorizeUrl({
      client_id: clientId,
      code_challenge: makePkce().challenge,
      ...HOSTED[1],
    });
    assert.match((await oauth.newBrowser().open(url)).html, /name="token"/);
  });
});
