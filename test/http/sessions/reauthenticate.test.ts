// Tests that actions that grant or remove lasting access require a recently confirmed session, and whether a password
// change revokes keys.
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
import { type ApiUser, createTestApp, type Method, type TestApp } from '../../support/app.ts';
import { listRoutes, type Route } from '../../support/http/routes.ts';
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/network/identity-provider.ts';
import { PAIR } from '../../support/workflows.ts';

const BASE_URL = 'http://localhost:3000';
const MINUTE_MS = 60_000;
/** Valid bodies of the routes of second factors that have one. */
const FACTOR_BODIES: Readonly<Record<string, object>> = {
  '/api/v1/auth/totp/confirm': { code: '123456' },
  '/api/v1/auth/passkeys': {
    name: 'Laptop',
    attestation: {
      id: 'a',
      rawId: 'a',
      type: 'public-key',
      response: { clientDataJSON: '', attestationObject: '' },
    },
  },
};
const KEY = { name: 'k', scopes: ['workflows:read'] };

let nowMs = Date.now();
let provider: IdentityProvider;
let test: TestApp;
let admin: ApiUser;
let person: Person;
/** The routes that require a recently confirmed session. */
let routes: readonly Route[];
/** Those that change second factors, which have their own tests. */
let secondFactorRoutes: readonly Route[];
before(async () => {
  provider = await startIdentityProvider(BASE_URL + CALLBACK_PATH);
  test = await createTestApp({
    now: () => nowMs,
    env: { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
  });
  admin = await test.createUser();
  const confirmedRoutes = (await listRoutes(test.app)).filter(
    ({ reauthentication }) => reauthentication !== undefined && reauthentication !== 'with a second factor',
  );
  routes = confirmedRoutes.filter(({ name }) => !name.includes('/auth/'));
  secondFactorRoutes = confirmedRoutes.filter(({ name }) => name.includes('/auth/'));
});
after(async () => {
  await test.close();
  await provider.close();
});
beforeEach(async () => {
  person = await createPerson(test, admin, { isAdmin: true });
});

const expireConfirmation = (): void => {
  nowMs += 15 * MINUTE_MS + 1;
};
const reauthenticate = (password: string, user: Pick<Person, 'request'> = person) =>
  user.request('POST', '/auth/reauthenticate', { password });
const createKey = (user: Pick<Person, 'request'> = person) => user.request('POST', '/keys', KEY);

describe('a session confirmed more than 15 minutes ago', () => {
  it('cannot create a key until the session is confirmed again', async () => {
    assert.equal((await createKey()).status, 201);
    nowMs += 15 * MINUTE_MS;
    assert.equal((await createKey()).status, 201);
    nowMs += 1;
    const { status, body } = await createKey();
    assert.deepEqual([status, body.code, body.methods], [403, 'reauthentication_required', ['password']]);
    const confirmation = await reauthenticate(PASSWORD);
    assert.deepEqual(
      [confirmation.status, confirmation.body, confirmation.headers['set-cookie']],
      [204, undefined, undefined],
    );
    assert.equal((await createKey()).status, 201);
    expireConfirmation();
    assert.equal((await createKey()).status, 403);
  });

  it('must be confirmed before each route with x-reauthentication', async () => {
    const team = String((await person.request('POST', '/teams', { name: 'T' })).body.id);
    const otherUser = await test.createUser();
    const deletedUser = await test.createUser();
    await insertMember(test.deps.db, team, otherUser.userId, 'VIEWER');
    const ownWorkflow = await person.request<{ id: string }>('POST', '/workflows', { name: 'W', ...PAIR });
    const app = { slug: 'confirmed', title: 'A', inputs: [], outputs: [PAIR.nodes.at(-1)?.id] };
    assert.equal((await person.request('PUT', `/workflows/${ownWorkflow.body.id}/app`, app)).status, 200);
    const values = { apiKey: 'sk-nobody-0123456789' };
    const credential = { kind: 'openai', name: 'K', owner: 'workspace', values };
    const createCredential = async () =>
      String((await person.request<{ id: string }>('POST', '/credentials', credential)).body.id);
    const [changedId, deletedId] = [await createCredential(), await createCredential()];
    const email = 'somebody@example.com';
    type Action = readonly [method: Method, path: string, body?: object];
    const actions: Readonly<Record<string, (role: string) => Action>> = {
      'POST /api/v1/keys': () => ['POST', '/keys', KEY],
      'PUT /api/v1/workflows/:id/permissions': role => [
        'PUT',
        `/workflows/${ownWorkflow.body.id}/permissions`,
        { email, role: role === 'EDITOR' ? 'EDIT' : role },
      ],
      'PATCH /api/v1/teams/:id': role => [
        'PATCH',
        `/teams/${team}`,
        role === 'OWNER' ? { requiresSecondFactor: false } : { name: 'T' },
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
      'DELETE /api/v1/admin/users/:userId': () => [
        'DELETE',
        `/admin/users/${deletedUser.userId}?transferTo=${otherUser.userId}`,
      ],
      'POST /api/v1/admin/users/:userId/reset-second-factor': () => [
        'POST',
        `/admin/users/${otherUser.userId}/reset-second-factor`,
        {},
      ],
      'PUT /api/v1/admin/groups': () => ['PUT', '/admin/groups', []],
      'POST /api/v1/admin/scim-token': () => ['POST', '/admin/scim-token'],
      'DELETE /api/v1/admin/scim-token': () => ['DELETE', '/admin/scim-token'],
      'POST /api/v1/workflows/:id/app/embed-key': () => [
        'POST',
        `/workflows/${ownWorkflow.body.id}/app/embed-key`,
      ],
      'POST /api/v1/credentials': () => ['POST', '/credentials', credential],
      'PATCH /api/v1/credentials/:id': () => ['PATCH', `/credentials/${changedId}`, { name: 'Renamed' }],
      'DELETE /api/v1/credentials/:id': () => ['DELETE', `/credentials/${deletedId}`],
      'POST /api/v1/admin/backup': () => ['POST', '/admin/backup'],
      'GET /api/v1/admin/backup/file': () => ['GET', '/admin/backup/file'],
      'POST /api/v1/admin/password-links': () => [
        'POST',
        '/admin/password-links',
        { kind: 'reset', email: otherUser.email },
      ],
    };
    for (const { name } of secondFactorRoutes) {
      const [method, path = ''] = name.split(' ') as [Method, string];
      expireConfirmation();
      const { body } = await person.request(method, path.slice('/api/v1'.length), FACTOR_BODIES[path] ?? {});
      assert.equal(body.code, 'reauthentication_required', name);
    }
    assert.deepEqual(Object.keys(actions).sort(), routes.map(({ name }) => name).sort());
    const sendRequest = async (user: Pick<ApiUser, 'request'>, [method, path, body]: Action) =>
      (await user.request(method, path, body)).body?.code;
    for (const { name, reauthentication } of routes) {
      const createAction = actions[name];
      assert(createAction !== undefined);
      expireConfirmation();
      assert.equal(await sendRequest(person, createAction('OWNER')), 'reauthentication_required', name);
      if (reauthentication !== 'always')
        assert.equal(await sendRequest(person, createAction('EDITOR')), undefined, name);
      assert.equal((await reauthenticate(PASSWORD)).status, 204);
      // The download is not JSON.
      if (name.endsWith('/file')) continue;
      assert.equal(await sendRequest(person, createAction('OWNER')), undefined, name);
    }
    expireConfirmation();
    assert.equal((await admin.request('POST', '/keys', KEY)).status, 201);
  });

  it('is confirmed immediately in every process', async () => {
    const { db, now, timing } = test.deps;
    const sessions = createSessionAuthenticator(db, now, timing.credentialCacheMs);
    const deps = { ...test.deps, sessions };
    const otherProcess: TestApp = { ...test, app: await createServer(deps, test.mounts) };
    const createKeyInOtherProcess = async () => {
      const { statusCode } = await otherProcess.app.inject({
        method: 'POST',
        url: '/api/v1/keys',
        headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin' },
        payload: KEY,
      });
      return statusCode;
    };
    try {
      expireConfirmation();
      assert.equal(await createKeyInOtherProcess(), 403);
      assert.equal((await reauthenticate(PASSWORD)).status, 204);
      assert.equal(await createKeyInOtherProcess(), 201);
    } finally {
      await otherProcess.app.close();
    }
  });

  it('is not confirmed by a wrong password', async () => {
    expireConfirmation();
    for (let failure = 0; failure < 10; failure++)
      assert.equal((await reauthenticate('not the password')).body.code, 'invalid_credentials');
    assert.equal((await reauthenticate(PASSWORD)).body.code, 'rate_limited');
    assert.equal((await createKey()).body.code, 'reauthentication_required');
    assert.equal((await admin.request('POST', '/auth/reauthenticate', { password: PASSWORD })).status, 401);
    nowMs += 15 * MINUTE_MS;
  });

  it('is not confirmed by a sign-in that starts another session', async () => {
    expireConfirmation();
    const signInResponse = await test.anonymous.request('POST', '/auth/sign-in', {
      email: person.email,
      password: PASSWORD,
    });
    const cookie = signInResponse.headers['set-cookie']?.split(';', 1)[0] ?? '';
    assert.equal((await createKey(withCookie(test, cookie))).status, 201);
    assert.equal((await createKey()).status, 403);
  });
});

describe('reauthentication by OpenID', () => {
  const START = '/api/v1/auth/oidc';

  async function startSignIn(query: string, subject: string, cookie = '') {
    const startResponse = await test.app.inject({ url: START + query, headers: { cookie } });
    assert.equal(startResponse.statusCode, 302, startResponse.body);
    const flowCookie = String(startResponse.headers['set-cookie']).split(';', 1)[0];
    const url = String(startResponse.headers.location);
    const callbackUrl = (await provider.visit(url, subject)).slice(BASE_URL.length);
    return { url: new URL(url), flowCookie, callbackUrl };
  }
  async function completeSignIn(query: string, subject: string, cookie = '') {
    const { flowCookie, callbackUrl } = await startSignIn(query, subject, cookie);
    const response = await test.app.inject({
      url: callbackUrl,
      headers: { cookie: `${flowCookie}; ${cookie}` },
    });
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
    provider.people.set('eve', { ...ida, email: (await createPerson(test, admin)).email });
  });

  it('confirms the session of the same person', async () => {
    const { session = '' } = await completeSignIn('', 'ida');
    const browser = withCookie(test, session);
    expireConfirmation();
    const refusal = await createKey(browser);
    assert.deepEqual([refusal.status, refusal.body.methods], [403, ['password', 'openid']]);
    const searchParams = (await startSignIn('?reauthenticate=true', 'ida', session)).url.searchParams;
    assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0']);
    // The provider's clock advances and the clock of the test does not, so the sign-in is recent.
    provider.tamper({
      claims: claims => ({
        ...claims,
        auth_time: Math.floor(nowMs / 1000),
        exp: nowMs,
        iat: Math.floor(nowMs / 1000),
      }),
    });
    const confirmation = await completeSignIn('?reauthenticate=true&next=/settings/keys', 'ida', session);
    assert.deepEqual(
      [confirmation.status, confirmation.location, confirmation.session],
      [303, '/settings/keys', undefined],
    );
    assert.equal((await createKey(browser)).status, 201);
  });

  it('does not confirm the session for another person or an earlier sign-in', async () => {
    const { session = '' } = await completeSignIn('', 'ida');
    await completeSignIn('', 'eve');
    expireConfirmation();
    assert.equal((await completeSignIn('?reauthenticate=true', 'eve', session)).code, 'other');
    provider.tamper({ claims: claims => ({ ...claims, auth_time: Math.floor(nowMs / 1000) - 120 }) });
    assert.equal((await completeSignIn('?reauthenticate=true', 'ida', session)).code, 'refused');
    const { flowCookie, callbackUrl } = await startSignIn('?reauthenticate=true', 'ida', session);
    const otherPerson = await createPerson(test, admin);
    const response = await test.app.inject({
      url: callbackUrl,
      headers: { cookie: `${flowCookie}; ${otherPerson.cookie}` },
    });
    assert.equal(response.json().reason, 'expired');
    assert.equal((await createKey(withCookie(test, session))).status, 403);
  });

  it('starts the 15 minutes at auth_time of the provider', async () => {
    provider.tamper({ claims: claims => ({ ...claims, auth_time: Math.floor(nowMs / 1000) - 3600 }) });
    const { session = '' } = await completeSignIn('', 'ida');
    assert.equal((await createKey(withCookie(test, session))).body.code, 'reauthentication_required');
  });

  it('requires a session', async () => {
    const { statusCode } = await test.app.inject({ url: `${START}?reauthenticate=true` });
    assert.equal(statusCode, 401);
  });
});

describe('a password change', () => {
  const fetchMeStatus = async (key: unknown) =>
    (await test.anonymous.request('GET', '/me', undefined, { authorization: `Bearer ${key}` })).status;

  it('revokes API keys only if revokeKeys is true', async () => {
    const { key } = (await createKey()).body;
    assert.equal(await fetchMeStatus(key), 200);
    const changePassword = (cookie: string, revokeKeys?: boolean) =>
      withCookie(test, cookie).request('POST', '/auth/password', {
        current: PASSWORD,
        next: PASSWORD,
        ...(revokeKeys === undefined ? {} : { revokeKeys }),
      });
    const response = await changePassword(person.cookie);
    assert.equal(response.status, 204);
    assert.equal(await fetchMeStatus(key), 200);
    const cookie = response.headers['set-cookie']?.split(';', 1)[0] ?? '';
    assert.equal((await changePassword(cookie, true)).status, 204);
    assert.equal(await fetchMeStatus(key), 401);
  });

  it('by reset link revokes API keys if revokeKeys is true', async () => {
    const { key } = (await createKey()).body;
    assert.equal(await fetchMeStatus(key), 200);
    const link = await admin.request<{ url: string }>('POST', '/admin/password-links', {
      kind: 'reset',
      email: person.email,
    });
    const passwordReset = { token: readLinkToken(link.body.url), password: PASSWORD, revokeKeys: true };
    assert.equal((await test.anonymous.request('POST', '/auth/accept-invite', passwordReset)).status, 204);
    assert.equal(await fetchMeStatus(key), 401);
  });
});

describe('GET /openapi.json', () => {
  it('documents routes that require reauthentication', async () => {
    const { paths, components } = (await test.app.inject({ url: '/openapi.json' })).json();
    for (const { name: routeName, method, path, reauthentication } of routes) {
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      assert.equal(operation['x-reauthentication'], reauthentication, routeName);
      const name = operation.responses['403'].$ref.split('/').at(-1);
      assert.match(components.responses[name].description, /reauthentication_required/);
    }
  });
});
