// Tests that actions which grant or remove lasting access require a confirmed identity, and what a password change
// ends.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createServer } from '../../../src/http/server.ts';
import { CALLBACK_PATH } from '../../../src/services/sessions/openid.ts';
import { createSessionAuthenticator } from '../../../src/services/sessions/session-authenticator.ts';
import { insertMember } from '../../../src/store/teams.ts';
import {
  createPerson,
  PASSWORD,
  type Person,
  readLinkToken,
  withCookie,
} from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type Method, type TestApp } from '../../support/app.ts';
import { listRoutes, type Route } from '../../support/http/routes.ts';
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/network/identity-provider.ts';
import { createWorkflow, PAIR } from '../../support/workflows.ts';

const BASE_URL = 'http://localhost:3000';
const MINUTE_MS = 60_000;
const KEY = { name: 'k', scopes: ['workflows:read'] };

let nowMs = Date.now();
let provider: IdentityProvider;
let test: TestApp;
let operator: Caller;
let person: Person;
/** The routes that require a recently confirmed session. */
let routes: readonly Route[];
before(async () => {
  provider = await startIdentityProvider(BASE_URL + CALLBACK_PATH);
  test = await createTestApp({
    now: () => nowMs,
    env: { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
  });
  operator = await test.createCaller();
  routes = (await listRoutes(test.app)).filter(({ reauthentication }) => reauthentication !== undefined);
});
after(async () => {
  await test.close();
  await provider.close();
});
beforeEach(async () => {
  person = await createPerson(test, operator, { isAdmin: true });
});

const expire = (): void => {
  nowMs += 15 * MINUTE_MS + 1;
};
const prove = (password: string, caller: Pick<Person, 'request'> = person) =>
  caller.request('POST', '/auth/reauthenticate', { password });
const makeKey = (caller: Pick<Person, 'request'> = person) => caller.request('POST', '/keys', KEY);

describe('a session confirmed more than 15 minutes ago', () => {
  it('is refused until it is confirmed, and the request then succeeds', async () => {
    assert.equal((await makeKey()).status, 201);
    nowMs += 15 * MINUTE_MS;
    assert.equal((await makeKey()).status, 201);
    nowMs += 1;
    const { status, body } = await makeKey();
    assert.deepEqual([status, body.code, body.methods], [403, 'reauthentication_required', ['password']]);
    const proved = await prove(PASSWORD);
    assert.deepEqual([proved.status, proved.body, proved.headers['set-cookie']], [204, undefined, undefined]);
    assert.equal((await makeKey()).status, 201);
    expire();
    assert.equal((await makeKey()).status, 403);
  });

  it('must be confirmed before each action that requires it, on some routes only if the role is OWNER', async () => {
    const { id } = await createWorkflow(operator, PAIR);
    const team = String((await person.request('POST', '/teams', { name: 'T' })).body.id);
    const otherUser = await test.createCaller();
    await insertMember(test.deps.db, team, otherUser.userId, 'VIEWER');
    const ownWorkflow = await person.request<{ id: string }>('POST', '/workflows', { name: 'W', ...PAIR });
    const values = { apiKey: 'sk-nobody-0123456789' };
    const credential = { kind: 'openai', name: 'K', owner: 'workspace', values };
    const createCredential = async () =>
      String((await person.request<{ id: string }>('POST', '/credentials', credential)).body.id);
    const [changed, deleted] = [await createCredential(), await createCredential()];
    const email = 'somebody@example.com';
    type Act = readonly [method: Method, path: string, body?: object];
    const acts: Readonly<Record<string, (role: string) => Act>> = {
      'POST /api/v1/keys': () => ['POST', '/keys', KEY],
      'PUT /api/v1/workflows/:id/permissions': role => [
        'PUT',
        `/workflows/${ownWorkflow.body.id}/permissions`,
        { email, role: role === 'EDITOR' ? 'EDIT' : role },
      ],
      'POST /api/v1/teams/:id/members': role => ['POST', `/teams/${team}/members`, { email, role }],
      'PATCH /api/v1/teams/:id/members/:userId': role => [
        'PATCH',
        `/teams/${team}/members/${otherUser.userId}`,
        { role },
      ],
      'DELETE /api/v1/teams/:id/members/:userId': () => [
        'DELETE',
        `/teams/${team}/members/${otherUser.userId}`,
      ],
      'POST /api/v1/teams/:id/invitations': role => ['POST', `/teams/${team}/invitations`, { email, role }],
      'POST /api/v1/admin/users': () => [
        'POST',
        '/admin/users',
        { email: `x${nowMs}@example.com`, name: 'X' },
      ],
      'PATCH /api/v1/admin/users/:userId': () => [
        'PATCH',
        `/admin/users/${otherUser.userId}`,
        { plan: 'pro' },
      ],
      'POST /api/v1/credentials': () => ['POST', '/credentials', credential],
      'PATCH /api/v1/credentials/:id': () => ['PATCH', `/credentials/${changed}`, { name: 'Renamed' }],
      'DELETE /api/v1/credentials/:id': () => ['DELETE', `/credentials/${deleted}`],
      'POST /api/v1/admin/backup': () => ['POST', '/admin/backup'],
      'GET /api/v1/admin/backup/file': () => ['GET', '/admin/backup/file'],
      'POST /api/v1/admin/password-links': () => [
        'POST',
        '/admin/password-links',
        { kind: 'reset', email: otherUser.email },
      ],
    };
    assert.deepEqual(Object.keys(acts).sort(), routes.map(({ name }) => name).sort());
    const sendRequest = async (caller: Pick<Caller, 'request'>, [method, path, body]: Act) =>
      (await caller.request(method, path, body)).body?.code;
    for (const { name: line, reauthentication: when } of routes) {
      const act = acts[line];
      assert(act !== undefined);
      expire();
      assert.equal(await sendRequest(person, act('OWNER')), 'reauthentication_required', line);
      if (when === 'for OWNER') assert.equal(await sendRequest(person, act('EDITOR')), undefined, line);
      assert.equal((await prove(PASSWORD)).status, 204);
      // The download is not JSON.
      if (line.endsWith('/file')) continue;
      assert.equal(await sendRequest(person, act('OWNER')), undefined, line);
    }
    expire();
    assert.equal((await operator.request('POST', '/keys', KEY)).status, 201);
    assert.ok(id);
  });

  it('is confirmed in every process immediately', async () => {
    const { db, now } = test.deps;
    const deps = { ...test.deps, sessions: createSessionAuthenticator(db, now) };
    const other: TestApp = { ...test, app: await createServer(deps, test.mounts) };
    const elsewhere = async () => {
      const { statusCode } = await other.app.inject({
        method: 'POST',
        url: '/api/v1/keys',
        headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin' },
        payload: KEY,
      });
      return statusCode;
    };
    try {
      expire();
      assert.equal(await elsewhere(), 403);
      assert.equal((await prove(PASSWORD)).status, 204);
      assert.equal(await elsewhere(), 201);
    } finally {
      await other.app.close();
    }
  });

  it('is not confirmed by a wrong password, which counts as a failed sign-in', async () => {
    expire();
    for (let failure = 0; failure < 10; failure++)
      assert.equal((await prove('not the password')).body.code, 'invalid_credentials');
    assert.equal((await prove(PASSWORD)).body.code, 'rate_limited');
    assert.equal((await makeKey()).body.code, 'reauthentication_required');
    assert.equal(
      (await operator.request('POST', '/auth/reauthenticate', { password: PASSWORD })).status,
      401,
    );
    nowMs += 15 * MINUTE_MS;
  });

  it('is confirmed by a new sign-in', async () => {
    expire();
    const again = await test.anonymous.request('POST', '/auth/sign-in', {
      email: person.email,
      password: PASSWORD,
    });
    const cookie = again.headers['set-cookie']?.split(';', 1)[0] ?? '';
    assert.equal((await makeKey(withCookie(test, cookie))).status, 201);
    assert.equal((await makeKey()).status, 403);
  });
});

describe('confirmation by OpenID', () => {
  const START = '/api/v1/auth/oidc';

  async function begin(query: string, subject: string, cookie = '') {
    const begun = await test.app.inject({ url: START + query, headers: { cookie } });
    assert.equal(begun.statusCode, 302, begun.body);
    const flow = String(begun.headers['set-cookie']).split(';', 1)[0];
    const url = String(begun.headers.location);
    const back = (await provider.visit(url, subject)).slice(BASE_URL.length);
    return { url: new URL(url), flow, back };
  }
  async function go(query: string, subject: string, cookie = '') {
    const { flow, back } = await begin(query, subject, cookie);
    const response = await test.app.inject({ url: back, headers: { cookie: `${flow}; ${cookie}` } });
    const cookies = [response.headers['set-cookie'] ?? []].flat().map(text => text.split(';', 1)[0] ?? '');
    return {
      status: response.statusCode,
      location: response.headers.location,
      code: response.body === '' ? undefined : response.json().reason,
      session: cookies.find(text => /^session=./.test(text)),
    };
  }
  const ida = { email: 'ida@example.com', email_verified: true, name: 'Ida' };

  beforeEach(async () => {
    nowMs = Date.now();
    provider.tamper(undefined);
    provider.people.set('ida', { ...ida, email: person.email });
    provider.people.set('eve', { ...ida, email: (await createPerson(test, operator)).email });
  });

  it('a new sign-in by the same person confirms the session', async () => {
    const { session = '' } = await go('', 'ida');
    const browser = withCookie(test, session);
    expire();
    const refused = await makeKey(browser);
    assert.deepEqual([refused.status, refused.body.methods], [403, ['password', 'openid']]);
    const forced = (await begin('?reauthenticate=true', 'ida', session)).url.searchParams;
    assert.deepEqual([forced.get('prompt'), forced.get('max_age')], ['login', '0']);
    // The provider's clock advances and the clock of the test does not, so the sign-in is recent.
    provider.tamper({
      claims: claims => ({
        ...claims,
        auth_time: Math.floor(nowMs / 1000),
        exp: nowMs,
        iat: Math.floor(nowMs / 1000),
      }),
    });
    const proved = await go('?reauthenticate=true&next=/settings/keys', 'ida', session);
    assert.deepEqual([proved.status, proved.location, proved.session], [303, '/settings/keys', undefined]);
    assert.equal((await makeKey(browser)).status, 201);
  });

  it('another person or an earlier sign-in does not confirm it', async () => {
    const { session = '' } = await go('', 'ida');
    await go('', 'eve');
    expire();
    assert.equal((await go('?reauthenticate=true', 'eve', session)).code, 'other');
    provider.tamper({ claims: claims => ({ ...claims, auth_time: Math.floor(nowMs / 1000) - 120 }) });
    assert.equal((await go('?reauthenticate=true', 'ida', session)).code, 'refused');
    const { flow, back } = await begin('?reauthenticate=true', 'ida', session);
    const otherPerson = await createPerson(test, operator);
    const mixed = await test.app.inject({ url: back, headers: { cookie: `${flow}; ${otherPerson.cookie}` } });
    assert.equal(mixed.json().reason, 'expired');
    assert.equal((await makeKey(withCookie(test, session))).status, 403);
  });

  it('a session is confirmed as of the time the provider asked for credentials', async () => {
    provider.tamper({ claims: claims => ({ ...claims, auth_time: Math.floor(nowMs / 1000) - 3600 }) });
    const { session = '' } = await go('', 'ida');
    assert.equal((await makeKey(withCookie(test, session))).body.code, 'reauthentication_required');
  });

  it('requires a session', async () => {
    const { statusCode } = await test.app.inject({ url: `${START}?reauthenticate=true` });
    assert.equal(statusCode, 401);
  });
});

describe('a password change', () => {
  const me = async (key: unknown) =>
    (await test.anonymous.request('GET', '/me', undefined, { authorization: `Bearer ${key}` })).status;

  it('keeps keys valid, or revokes them immediately if revokeKeys is set', async () => {
    const { key } = (await makeKey()).body;
    assert.equal(await me(key), 200);
    const change = (cookie: string, revokeKeys?: boolean) =>
      withCookie(test, cookie).request('POST', '/auth/password', {
        current: PASSWORD,
        next: PASSWORD,
        ...(revokeKeys === undefined ? {} : { revokeKeys }),
      });
    const response = await change(person.cookie);
    assert.equal(response.status, 204);
    assert.equal(await me(key), 200);
    const cookie = response.headers['set-cookie']?.split(';', 1)[0] ?? '';
    assert.equal((await change(cookie, true)).status, 204);
    assert.equal(await me(key), 401);
  });

  it('revokes keys too if it comes through a reset link', async () => {
    const { key } = (await makeKey()).body;
    assert.equal(await me(key), 200);
    const link = await operator.request<{ url: string }>('POST', '/admin/password-links', {
      kind: 'reset',
      email: person.email,
    });
    const reset = { token: readLinkToken(link.body.url), password: PASSWORD, revokeKeys: true };
    assert.equal((await test.anonymous.request('POST', '/auth/accept-invite', reset)).status, 204);
    assert.equal(await me(key), 401);
  });
});

describe('the OpenAPI document', () => {
  it('marks these actions and documents the refusal', async () => {
    const { paths, components } = (await test.app.inject({ url: '/openapi.json' })).json();
    for (const { name: line, method, path, reauthentication: when } of routes) {
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      assert.equal(operation['x-reauthentication'], when, line);
      const name = operation.responses['403'].$ref.split('/').at(-1);
      assert.match(components.responses[name].description, /reauthentication_required/);
    }
  });
});
