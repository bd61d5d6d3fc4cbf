// Tests the authorization server with the requests that real OAuth clients send.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createOAuthApp, type OAuthApp } from '../../support/oauth/app.ts';
import {
  ALL_SCOPES,
  buildAuthorizeUrl,
  connect,
  makePkce,
  ORIGIN,
  REDIRECT,
  RESOURCE,
} from '../../support/oauth/clients.ts';

let oauth: OAuthApp;
before(async () => {
  oauth = await createOAuthApp();
});
after(() => oauth.test.close());

const readDocument = async (path: string): Promise<Record<string, unknown>> => {
  const { status, text } = await oauth.send('GET', `${ORIGIN}${path}`);
  assert.equal(status, 200, text);
  return JSON.parse(text);
};

/** Approves all scopes, and returns the query of the final redirect. */
async function authorize(params: Readonly<Record<string, string | undefined>>): Promise<URLSearchParams> {
  const browser = oauth.newBrowser();
  const page = await browser.open(buildAuthorizeUrl({ code_challenge: makePkce().challenge, ...params }));
  assert.match(page.html, /name="token"/, `${page.status} ${page.url}`);
  return new URL((await browser.decide(page)).url).searchParams;
}

describe('the discovery of the authorization server', () => {
  it('serves the resource document at two URLs', async () => {
    const root = await readDocument('/.well-known/oauth-protected-resource');
    assert.deepEqual(root, await readDocument('/.well-known/oauth-protected-resource/mcp'));
    assert.equal(root.resource, RESOURCE);
    assert.deepEqual(root.authorization_servers, [ORIGIN]);
  });

  it('advertises scopes, PKCE with S256, and clients without a secret', async () => {
    const server = await readDocument('/.well-known/oauth-authorization-server');
    assert.equal(server.issuer, ORIGIN);
    assert.deepEqual(server.scopes_supported, [...ALL_SCOPES.split(' '), 'offline_access']);
    assert.deepEqual(server.code_challenge_methods_supported, ['S256']);
    assert.equal(server.client_id_metadata_document_supported, true);
    assert.ok((server.token_endpoint_auth_methods_supported as string[]).includes('none'));
    assert.equal(server.authorization_response_iss_parameter_supported, true);
  });

  it('starts with a challenge that has all scopes and the absolute URL of the resource document', async () => {
    const response = await oauth.send('POST', RESOURCE, {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(response.status, 401);
    const challenge = response.headers.get('www-authenticate') ?? '';
    assert.match(
      challenge,
      new RegExp(`resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`),
    );
    assert.match(challenge, new RegExp(`scope="${ALL_SCOPES}"`));
  });

  it('is open to pages of other origins', async () => {
    const { headers } = await oauth.send('GET', `${ORIGIN}/.well-known/oauth-authorization-server`, {
      headers: { origin: 'https://inspector.example.com' },
    });
    assert.equal(headers.get('access-control-allow-origin'), '*');
  });
});

describe('POST /oauth/register', () => {
  it('accepts a native app with a custom URL scheme that claims to be a web client (Cursor)', async () => {
    const redirect = 'cursor://anysphere.cursor-mcp/oauth/callback';
    const { status, body } = await oauth.client.register({
      application_type: 'web',
      redirect_uris: [redirect],
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(body.redirect_uris, [redirect]);
    const response = await authorize({ client_id: String(body.client_id), redirect_uri: redirect });
    assert.ok(response.get('code'));
  });

  it('accepts a redirect to another loopback port than the registered port (VS Code)', async () => {
    const redirects = ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'];
    const clientId = await oauth.client.newClient({ redirect_uris: redirects, application_type: 'web' });
    const response = await authorize({ client_id: clientId, redirect_uri: 'http://127.0.0.1:49152/' });
    assert.ok(response.get('code'));
  });

  it('ignores scope, unknown grant types and unknown fields', async () => {
    const { status, body } = await oauth.client.register({
      scope: 'openid profile workflows:read',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      software_id: 'x',
      jwks_uri: 'http://10.0.0.1/keys',
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(body.grant_types, ['authorization_code', 'refresh_token']);
    assert.equal(body.scope, undefined);
    assert.equal(body.jwks_uri, undefined);
    const response = await authorize({ client_id: String(body.client_id), scope: ALL_SCOPES });
    assert.ok(response.get('code'));
  });

  it('creates a secret for a client that requests a secret', async () => {
    const { body } = await oauth.client.register({ token_endpoint_auth_method: 'client_secret_post' });
    assert.match(String(body.client_secret), /^.{40,}$/);
    const proof = makePkce();
    const code = (
      await authorize({ client_id: String(body.client_id), code_challenge: proof.challenge })
    ).get('code');
    const form = {
      grant_type: 'authorization_code',
      client_id: String(body.client_id),
      code: code ?? '',
      redirect_uri: REDIRECT,
      code_verifier: proof.verifier,
    };
    const rejected = await oauth.client.token({ ...form, client_secret: 'wrong' });
    assert.deepEqual([rejected.status, rejected.body.error], [401, 'invalid_client']);
    const accepted = await oauth.client.token({ ...form, client_secret: String(body.client_secret) });
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    const { rows } = await oauth.test.deps.db.query<{ stored: string }>(
      'select metadata::text || encode(secret, $2) as stored from oauth_clients where id = $1',
      [body.client_id, 'escape'],
    );
    assert.ok(!rows[0]?.stored.includes(String(body.client_secret)));
  });
});

describe('GET /oauth/authorize', () => {
  it('accepts every spelling of the resource', async () => {
    for (const resource of [
      RESOURCE,
      `${RESOURCE}/`,
      ORIGIN,
      `${ORIGIN}/`,
      'HTTP://LOCALHOST:3000/mcp',
      undefined,
    ]) {
      const tokens = await oauth.connect({ params: { resource } });
      assert.equal(await oauth.ping(tokens.access_token), 200, String(resource));
    }
  });

  it('requests all scopes if the request has no scope of ours (Codex, the conformance suite)', async () => {
    for (const scope of [undefined, '', 'offline_access', 'mcp', 'openid profile']) {
      const tokens = await oauth.connect({ params: { scope } });
      assert.equal(tokens.scope, ALL_SCOPES, String(scope));
    }
  });

  it('grants only the requested scopes', async () => {
    const tokens = await oauth.connect({ params: { scope: 'workflows:read openid' } });
    assert.equal(tokens.scope, 'workflows:read');
    assert.ok(!('id_token' in tokens));
  });

  it('redirects with the issuer (RFC 9207) and the state', async () => {
    const response = await authorize({ client_id: await oauth.client.newClient() });
    assert.equal(response.get('iss'), ORIGIN);
    assert.equal(response.get('state'), 'state-1');
  });

  it('grants a refresh token even without offline_access', async () => {
    const tokens = await oauth.connect();
    assert.equal(tokens.expires_in, 3600);
    assert.ok(tokens.refresh_token);
    assert.equal(await oauth.ping(tokens.access_token), 200);
  });

  it('accepts five concurrent clients of one user', async () => {
    const tokenSets = await Promise.all(
      Array.from({ length: 5 }, () => connect(oauth.client, oauth.newBrowser())),
    );
    assert.deepEqual(
      await Promise.all(tokenSets.map(tokens => oauth.ping(tokens.access_token))),
      [200, 200, 200, 200, 200],
    );
  });
});

describe('an access token', () => {
  it('is rejected by the REST API with invalid_api_key', async () => {
    const { access_token: token } = await oauth.connect();
    for (const path of ['/workflows', '/me', '/renderer/templates']) {
      const response = await oauth.test.anonymous.request('GET', path, undefined, {
        authorization: `Bearer ${token}`,
      });
      assert.deepEqual([response.status, response.body.code], [401, 'invalid_api_key'], path);
    }
  });

  it('is not accepted in the query', async () => {
    const { access_token: token } = await oauth.connect();
    const response = await oauth.send('POST', `${RESOURCE}?access_token=${token}`, {
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    assert.equal(response.status, 401);
  });

  it('is stored only as a hash, as is a refresh token', async () => {
    const tokens = await oauth.connect();
    const { rows } = await oauth.test.deps.db.query<{ all: string }>(
      `select string_agg(t::text, '') as all from oauth_tokens t`,
    );
    for (const secret of [tokens.access_token, tokens.refresh_token])
      assert.ok(!rows[0]?.all.includes(secret));
  });

  it('is rejected with 403 and the missing scope by a tool that requires more scopes', async () => {
    const { access_token: token } = await oauth.connect({ decision: { scopes: ['workflows:read'] } });
    const response = await oauth.send('POST', RESOURCE, {
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'run_workflow', arguments: { workflowId: 'wf_0' } },
      }),
    });
    assert.equal(response.status, 403, response.text);
    assert.match(
      response.headers.get('www-authenticate') ?? '',
      /error="insufficient_scope".*workflows:execute/,
    );
  });
});
