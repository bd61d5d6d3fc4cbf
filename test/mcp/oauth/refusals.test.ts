// Tests which requests the authorization server rejects, and with which errors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp } from '../../support/app.ts';
import { createOAuthApp, type OAuthApp } from '../../support/oauth/app.ts';
import { buildAuthorizeUrl, makePkce, ORIGIN, REDIRECT, REGISTRATION } from '../../support/oauth/clients.ts';

let oauth: OAuthApp;
let clientId: string;
before(async () => {
  oauth = await createOAuthApp();
  clientId = await oauth.client.newClient();
});
after(() => oauth.test.close());

const open = (params: Readonly<Record<string, string | undefined>>) =>
  oauth
    .newBrowser()
    .open(buildAuthorizeUrl({ client_id: clientId, code_challenge: makePkce().challenge, ...params }));

describe('GET /oauth/authorize', () => {
  const cases = [
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with PKCE plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a foreign resource', { resource: 'https://elsewhere.example.com/mcp' }, 'invalid_target'],
    ['for another path of this service', { resource: `${ORIGIN}/api/v1` }, 'invalid_target'],
    ['for the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['with prompt=none', { prompt: 'none' }, 'login_required'],
  ] as const;
  for (const [name, params, error] of cases)
    it(`is redirected to the client with ${error} ${name}`, async () => {
      const { url } = await open(params);
      assert.ok(url.startsWith(REDIRECT), url);
      // A response to the implicit grant is in the fragment.
      const { search, hash } = new URL(url);
      const response = new URLSearchParams(search || hash.slice(1));
      assert.equal(response.get('error'), error);
      assert.equal(response.get('iss'), ORIGIN);
      assert.equal(response.get('code'), null);
    });
});

describe('the error page of GET /oauth/authorize', () => {
  const cases = [
    ['of an unknown client', { client_id: 'nobody' }, /does not recognize the app/],
    [
      'of a client named over http',
      { client_id: 'http://agent.example.com/client.json' },
      /does not recognize/,
    ],
    ['for a foreign redirect', { redirect_uri: 'https://evil.example.com/' }, /did not register/],
    ['for a longer redirect', { redirect_uri: `${REDIRECT}/more` }, /did not register/],
    ['for a redirect with a query', { redirect_uri: `${REDIRECT}?x=1` }, /did not register/],
    ['without a redirect', { redirect_uri: undefined }, /./],
  ] as const;
  for (const [name, params, text] of cases)
    it(`is shown for a request ${name}`, async () => {
      const page = await open(params);
      assert.equal(page.status, 400, page.url);
      assert.ok(page.url.startsWith(ORIGIN), page.url);
      assert.match(page.html, text);
      assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    });

  it('is shown with 404 for an interaction that is unknown or belongs to another browser', async () => {
    const browser = oauth.newBrowser();
    const page = await browser.open(
      buildAuthorizeUrl({ client_id: clientId, code_challenge: makePkce().challenge }),
    );
    const foreignPage = await oauth.newBrowser().open(page.url);
    assert.equal(foreignPage.status, 404);
    assert.equal((await oauth.newBrowser().open(`${ORIGIN}/oauth/interaction/none`)).status, 404);
  });
});

describe('POST /oauth/register', () => {
  const redirects = [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'mailto:a@example.com',
    'http://example.com/callback',
    'http://192.168.0.1/callback',
    'https://example.com/#fragment',
    'urn:ietf:wg:oauth:2.0:oob',
    'not a url',
    '',
    7,
  ];
  for (const redirect of redirects)
    it(`rejects the redirect ${JSON.stringify(redirect)}`, async () => {
      const { status, body } = await oauth.client.register({ redirect_uris: [redirect] });
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(String(body.error), /^invalid_(redirect_uri|client_metadata)$/);
      assert.ok(String(body.error_description).length > 10);
    });

  const invalidMetadata: readonly (readonly [string, object])[] = [
    ['without redirects', { redirect_uris: undefined }],
    ['with 21 redirects', { redirect_uris: Array.from({ length: 21 }, (_, n) => `http://localhost/${n}`) }],
    ['with an unsupported authentication method', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['for another response type', { response_types: ['token'] }],
    ['with a name that is not text', { client_name: { a: 1 } }],
    ['as a list', []],
  ];
  for (const [name, metadata] of invalidMetadata)
    it(`rejects metadata ${name}`, async () => {
      const { status, body } = await oauth.client.register(metadata);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(String(body.error), /^invalid_(redirect_uri|client_metadata)$/);
    });

  it('rejects a body of 1 MB with 413', async () => {
    const { status, body } = await oauth.client.register({ client_name: 'x'.repeat(1_000_000) });
    assert.deepEqual([status, body.error, body.code], [413, 'invalid_client_metadata', 'payload_too_large']);
  });

  it('rejects a body or content type that is not JSON', async () => {
    for (const [type, text, expected] of [
      ['application/json', '{"redirect_uris":', 400],
      ['text/plain', '{}', 415],
    ] as const) {
      const response = await oauth.send('POST', `${ORIGIN}/oauth/register`, {
        headers: { 'content-type': type },
        body: text,
      });
      assert.equal(response.status, expected, response.text);
      assert.equal(JSON.parse(response.text).error, 'invalid_client_metadata');
    }
  });

  it('rejects the 21st registration from one address within an hour with 429', async () => {
    const register = () =>
      oauth.send('POST', `${ORIGIN}/oauth/register`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(REGISTRATION),
        from: '203.0.113.7',
      });
    for (let n = 0; n < 20; n++) assert.equal((await register()).status, 201);
    const { status, headers, text } = await register();
    assert.deepEqual([status, JSON.parse(text).code], [429, 'rate_limited']);
    assert.ok(Number(headers.get('retry-after')) > 0);
  });
});

describe('POST /oauth/token', () => {
  async function createCode(): Promise<{ code: string; verifier: string }> {
    const proof = makePkce();
    const browser = oauth.newBrowser();
    const page = await browser.open(
      buildAuthorizeUrl({ client_id: clientId, code_challenge: proof.challenge }),
    );
    const code = new URL((await browser.decide(page)).url).searchParams.get('code') ?? '';
    return { code, verifier: proof.verifier };
  }
  const exchange = ({ code, verifier }: { code: string; verifier: string }, overrides = {}) =>
    oauth.client.token({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code,
      code_verifier: verifier,
      ...overrides,
    });

  it('rejects an unknown client with 401 invalid_client', async () => {
    const { status, body } = await exchange(await createCode(), { client_id: 'gone' });
    assert.deepEqual([status, body.error], [401, 'invalid_client']);
  });

  it('rejects a client, redirect, verifier or resource that does not match the code', async () => {
    const otherClientId = await oauth.client.newClient();
    const cases = [
      [{ client_id: otherClientId }, 'invalid_grant'],
      [{ redirect_uri: `${REDIRECT}/x` }, 'invalid_grant'],
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ resource: 'https://elsewhere.example.com/mcp' }, 'invalid_target'],
    ] as const;
    for (const [overrides, error] of cases) {
      const { status, body } = await exchange(await createCode(), overrides);
      assert.deepEqual([status, body.error], [400, error], JSON.stringify(overrides));
    }
  });

  it('revokes the tokens of a code that is used twice', async () => {
    const code = await createCode();
    const first = await exchange(code);
    assert.equal(first.status, 200);
    assert.equal((await exchange(code)).body.error, 'invalid_grant');
    const refresh = await oauth.client.refresh(clientId, first.body.refresh_token);
    assert.equal(refresh.body.error, 'invalid_grant');
  });

  it('accepts a code at most once if five concurrent requests have it', async () => {
    const code = await createCode();
    const exchanges = await Promise.all(Array.from({ length: 5 }, () => exchange(code)));
    assert.ok(exchanges.filter(({ status }) => status === 200).length <= 1);
  });

  it('rejects unsupported grant types with 400', async () => {
    for (const grant of ['client_credentials', 'password', 'implicit', '']) {
      const { status, body } = await oauth.client.token({ grant_type: grant, client_id: clientId });
      assert.equal(status, 400, grant);
      assert.match(String(body.error), /^(unsupported_grant_type|invalid_request|unauthorized_client)$/);
    }
  });

  it('rejects a body that is not a form with 415', async () => {
    const response = await oauth.send('POST', `${ORIGIN}/oauth/token`, {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.deepEqual([response.status, JSON.parse(response.text).error], [415, 'invalid_request']);
  });
});

describe('OAuth', () => {
  it('is disabled if BASE_URL is plain http on another machine', async () => {
    const test = await createTestApp({ env: { BASE_URL: 'http://graphwright.example.com' } });
    try {
      for (const url of [
        '/.well-known/oauth-authorization-server',
        '/.well-known/oauth-protected-resource',
        '/oauth/authorize',
      ])
        assert.equal((await test.app.inject(url)).statusCode, 404, url);
      const response = await test.app.inject({
        method: 'POST',
        url: '/mcp',
        payload: {},
        headers: { host: 'graphwright.example.com' },
      });
      assert.equal(response.statusCode, 401);
      assert.doesNotMatch(String(response.headers['www-authenticate']), /resource_metadata/);
    } finally {
      await test.close();
    }
  });
});
