// Tests clients identified by the URL of a metadata document, which the guarded HTTP client fetches.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { GuardedFetch, OutboundRequest } from '../../../src/lib/fetch.ts';
import { createOAuthApp, type OAuthApp } from '../../support/oauth/app.ts';
import { buildAuthorizeUrl, makePkce, ORIGIN } from '../../support/oauth/clients.ts';

const REDIRECT = 'https://agent.example.com/callback';
const DOCUMENT = {
  client_name: 'Hosted agent',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
};

/** Returns a fake response, or undefined if the guarded client should send the request. */
let respond: (url: string) => { status: number; body: string } | undefined;
let fetches: { url: string; request: OutboundRequest }[];

let oauth: OAuthApp;
before(async () => {
  oauth = await createOAuthApp();
  const { deps } = oauth.test;
  const real = deps.fetch;
  const double: GuardedFetch['fetch'] = async (url, request) => {
    fetches.push({ url, request });
    const response = respond(url);
    if (response === undefined) return real.fetch(url, request);
    return { status: response.status, headers: {}, url, body: Buffer.from(response.body) };
  };
  Object.assign(deps, { fetch: { ...real, fetch: double, close: () => real.close() } });
});
beforeEach(() => {
  fetches = [];
  respond = url => ({ status: 200, body: JSON.stringify({ client_id: url, ...DOCUMENT }) });
});
after(() => oauth.test.close());

let count = 0;
const createClientUrl = (): string => `https://agent.example.com/client-${count++}.json`;

const open = (clientId: string, params: Readonly<Record<string, string>> = {}) =>
  oauth.newBrowser().open(
    buildAuthorizeUrl({
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_challenge: makePkce().challenge,
      ...params,
    }),
  );

describe('a client whose id is a document URL', () => {
  it('is shown with the name in the document and keeps its consent', async () => {
    const clientId = createClientUrl();
    const page = await open(clientId);
    assert.ok(page.html.includes('Hosted agent'), page.html);
    const tokens = await oauth.connect({ clientId, params: { redirect_uri: REDIRECT } });
    assert.equal(await oauth.ping(tokens.access_token), 200);
    assert.ok((await open(clientId)).url.startsWith(`${REDIRECT}?code=`));
    const { body } = await oauth.person.request<{ data: object[] }>('GET', '/connections');
    assert.ok(JSON.stringify(body.data).includes(clientId));
  });

  it('has its document requested once and then cached', async () => {
    const clientId = createClientUrl();
    await Promise.all([open(clientId), open(clientId)]);
    await open(clientId);
    assert.deepEqual(
      fetches.map(({ url }) => url),
      [clientId],
    );
    const { maxBytes, timeoutMs, maxRedirects } = fetches[0]?.request ?? assert.fail();
    assert.deepEqual(
      { maxBytes, timeoutMs, maxRedirects },
      { maxBytes: 5120, timeoutMs: 5000, maxRedirects: 0 },
    );
  });

  it('may use another loopback port than the document names (VS Code)', async () => {
    respond = url => ({
      status: 200,
      body: JSON.stringify({ client_id: url, ...DOCUMENT, redirect_uris: ['http://127.0.0.1:33418/'] }),
    });
    const page = await open(createClientUrl(), { redirect_uri: 'http://127.0.0.1:50000/' });
    assert.match(page.html, /class="warning"/);
  });

  const invalidDocuments: readonly (readonly [string, (url: string) => { status: number; body: string }])[] =
    [
      [
        'names another client',
        () => ({ status: 200, body: JSON.stringify({ client_id: `${ORIGIN}/x`, ...DOCUMENT }) }),
      ],
      ['has no client_id', () => ({ status: 200, body: JSON.stringify(DOCUMENT) })],
      ['redirects', () => ({ status: 302, body: '' })],
      ['is missing', () => ({ status: 404, body: '{}' })],
      ['is not JSON', () => ({ status: 200, body: '<html>' })],
      ['is a list', () => ({ status: 200, body: '[]' })],
      [
        'contains a secret',
        url => ({ status: 200, body: JSON.stringify({ client_id: url, ...DOCUMENT, client_secret: 'x' }) }),
      ],
      [
        'has a redirect that runs script',
        url => ({
          status: 200,
          body: JSON.stringify({
            client_id: url,
            ...DOCUMENT,
            redirect_uris: ['javascript:alert(1)', REDIRECT],
          }),
        }),
      ],
      [
        'requires a shared secret',
        url => ({
          status: 200,
          body: JSON.stringify({
            client_id: url,
            ...DOCUMENT,
            token_endpoint_auth_method: 'client_secret_post',
          }),
        }),
      ],
    ];
  for (const [name, response] of invalidDocuments)
    it(`is rejected if its document ${name}`, async () => {
      respond = response;
      const page = await open(createClientUrl());
      assert.equal(page.status, 400, page.url);
      assert.match(page.html, /does not recognize the app|is invalid/);
    });

  it('is rejected if the URL is http, local or private', async () => {
    respond = () => undefined;
    for (const host of [
      'localhost',
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '[::1]',
      '192.168.1.1.nip.invalid',
    ]) {
      const page = await open(`https://${host}/client.json`);
      assert.equal(page.status, 400, host);
    }
    fetches = [];
    assert.equal((await open('http://agent.example.com/client.json')).status, 400);
    assert.deepEqual(fetches, []);
  });
});

describe('the service with CIMD=false', () => {
  it('rejects and does not advertise clients with a document URL', async () => {
    const oauthWithoutCimd = await createOAuthApp({ env: { CIMD: 'false' } });
    try {
      const { text } = await oauthWithoutCimd.send('GET', `${ORIGIN}/.well-known/oauth-authorization-server`);
      assert.equal(JSON.parse(text).client_id_metadata_document_supported, false);
      const params = {
        client_id: createClientUrl(),
        redirect_uri: REDIRECT,
        code_challenge: makePkce().challenge,
      };
      assert.equal((await oauthWithoutCimd.newBrowser().open(buildAuthorizeUrl(params))).status, 400);
      assert.deepEqual(fetches, []);
    } finally {
      await oauthWithoutCimd.test.close();
    }
  });
});
