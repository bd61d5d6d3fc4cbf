// Tests sessions as API credentials: scopes, allowed origins, limits, and the end of a session.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TIMING } from '../../../src/lib/timing.ts';
import { createSessionAuthenticator } from '../../../src/services/sessions/session-authenticator.ts';
import { createPerson, PASSWORD, type Person, signIn, withCookie } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

const DAY_MS = 86_400_000;
let nowMs: number;
let test: TestApp;
let admin: ApiUser;
let ana: Person;
before(async () => {
  nowMs = Date.now();
  test = await createTestApp({ now: () => nowMs });
  admin = await test.createUser();
  ana = await createPerson(test, admin);
});
after(() => test.close());

const folder = { name: 'Drafts' };
const getStatusAndCode = async (response: ReturnType<Person['request']>): Promise<readonly unknown[]> => {
  const { status, body } = await response;
  return body?.code === undefined ? [status] : [status, body.code];
};

describe('a session', () => {
  it('is returned by GET /auth/session with user, workspace and scopes', async () => {
    const team = await ana.request<{ id: string }>('POST', '/teams', { name: 'Studio' });
    await ana.request('PUT', '/me/workspace', { teamId: team.body.id });
    const { status, headers, body } = await ana.request('GET', '/auth/session');
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store']);
    assert.deepEqual(body, {
      user: {
        userId: ana.userId,
        email: ana.email,
        name: 'Ana',
        isAuthor: false,
        isAdmin: false,
        scopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
        personalTeamId: `user:${ana.userId}`,
      },
      workspace: { teamId: team.body.id, name: 'Studio', role: 'OWNER' },
      teams: [{ id: team.body.id, name: 'Studio', role: 'OWNER' }],
      invitations: 0,
      needsSecondFactor: false,
      plan: 'self_hosted',
      credits: { balance: 0, held: 0 },
      storage: { usedBytes: 0, limitBytes: null },
      expiresAt: body.expiresAt,
    });
    assert.ok(Math.abs(Date.parse(String(body.expiresAt)) - nowMs - 30 * DAY_MS) < 60_000);
    await ana.request('PUT', '/me/workspace', { teamId: null });
  });

  it('is not returned to a client without a cookie or with a key', async () => {
    assert.deepEqual(await getStatusAndCode(test.anonymous.request('GET', '/auth/session')), [
      401,
      'unauthorized',
    ]);
    assert.deepEqual(await getStatusAndCode(admin.request('GET', '/auth/session')), [401, 'unauthorized']);
  });

  it('has every scope of the user except instance:admin', async () => {
    const created = await ana.request<{ id: string }>('POST', '/folders', folder);
    assert.equal(created.status, 201);
    for (const path of ['/workflows', '/executions', '/credits', '/keys', '/teams', '/me', '/media'])
      assert.equal((await ana.request('GET', path)).status, 200, path);
    const key = { name: 'mine', scopes: ['workflows:read', 'account:admin'] };
    assert.equal((await ana.request('POST', '/keys', key)).status, 201);
    const keyWithMoreScopes = { name: 'mine', scopes: ['instance:admin'] };
    assert.deepEqual(await getStatusAndCode(ana.request('POST', '/keys', keyWithMoreScopes)), [
      403,
      'forbidden',
    ]);
  });

  it('has instance:admin only while the user is an administrator', async () => {
    assert.deepEqual(await getStatusAndCode(ana.request('GET', '/admin/users')), [401, 'insufficient_scope']);
    const demotedAdmin = await createPerson(test, admin, { isAdmin: true });
    assert.equal((await demotedAdmin.request('GET', '/admin/users')).status, 200);
    const userPath = `/admin/users/${demotedAdmin.userId}`;
    assert.deepEqual(await getStatusAndCode(demotedAdmin.request('PATCH', userPath, { isAdmin: false })), [
      409,
      'conflict',
    ]);
    const demotion = await admin.request('PATCH', userPath, { isAdmin: false });
    assert.equal(demotion.body.isAdmin, false);
    nowMs += 5001;
    assert.deepEqual(await getStatusAndCode(demotedAdmin.request('GET', '/admin/users')), [
      401,
      'insufficient_scope',
    ]);
  });

  it('is rejected by /renderer routes but accepted under /app/renderer', async () => {
    for (const path of ['scene-graph', 'templates', 'templates/quote-card']) {
      assert.deepEqual(
        await getStatusAndCode(ana.request('GET', `/renderer/${path}`)),
        [401, 'unauthorized'],
        path,
      );
      const byKey = await admin.request('GET', `/renderer/${path}`);
      assert.equal(byKey.status, 200, path);
      const get = (headers: Record<string, string>) =>
        test.app.inject({ method: 'GET', url: `/app/renderer/${path}`, headers });
      const bySession = await get({ cookie: ana.cookie });
      assert.deepEqual([bySession.statusCode, bySession.json()], [200, byKey.body], path);
      assert.equal((await get({ authorization: `Bearer ${admin.key}` })).statusCode, 401, path);
    }
  });

  it('has its own request limit but the run limit of the plan', async () => {
    const person = await createPerson(test, admin, { plan: 'free' });
    const me = await person.request('GET', '/me');
    assert.deepEqual([me.headers['x-ratelimit-limit'], me.headers['x-ratelimit-remaining']], ['600', '599']);
    const run = await person.request('POST', '/workflows/wf_unknown/execute', {});
    assert.deepEqual([run.status, run.headers['x-ratelimit-limit']], [404, '10']);
    for (let count = 0; count < 598; count++) await person.request('GET', '/me');
    assert.equal((await person.request('GET', '/me')).status, 200);
    assert.deepEqual(await getStatusAndCode(person.request('GET', '/me')), [429, 'rate_limited']);
    nowMs += 60_000;
    assert.equal((await person.request('GET', '/me')).status, 200);
  });
});

describe('a request with a session cookie', () => {
  const ORIGIN = 'http://localhost:3000';

  it('can change data only from a page of the service', async () => {
    const send = (headers: Readonly<Record<string, string>>, method: 'POST' | 'GET' = 'POST') =>
      getStatusAndCode(
        test.anonymous.request(method, '/folders', method === 'GET' ? undefined : folder, {
          cookie: ana.cookie,
          ...headers,
        }),
      );
    const refusal = [403, 'cross_site_request'];
    assert.deepEqual(await send({ 'sec-fetch-site': 'same-origin' }), [201]);
    assert.deepEqual(await send({ origin: ORIGIN }), [201]);
    assert.deepEqual(await send({ 'sec-fetch-site': 'same-site', origin: ORIGIN }), [201]);
    assert.deepEqual(await send({}), refusal);
    assert.deepEqual(await send({ origin: 'null' }), refusal);
    assert.deepEqual(await send({ origin: 'null', 'sec-fetch-site': 'cross-site' }), refusal);
    for (const origin of [
      'https://evil.example',
      'http://localhost:3001',
      'https://localhost:3000',
      `${ORIGIN}.evil.example`,
    ])
      assert.deepEqual(await send({ origin }), refusal, origin);
    for (const site of ['cross-site', 'same-site', 'none', 'same-origin, same-origin'])
      assert.deepEqual(await send({ 'sec-fetch-site': site }), refusal, site);
    assert.deepEqual(await send({ 'sec-fetch-site': 'cross-site' }, 'GET'), [200]);
  });

  it('cannot sign out or change the password from another site', async () => {
    for (const [path, body] of [
      ['/auth/sign-out', undefined],
      ['/auth/password', { current: PASSWORD, next: 'another password' }],
    ] as const) {
      const response = test.anonymous.request('POST', path, body, { cookie: ana.cookie, origin: 'null' });
      assert.deepEqual(await getStatusAndCode(response), [403, 'cross_site_request'], path);
    }
    assert.equal((await ana.request('GET', '/auth/session')).status, 200);
  });

  it('uses the Authorization header if the request has one', async () => {
    const sendWithCookieAnd = (authorization: string) =>
      test.anonymous.request('GET', '/me', undefined, { cookie: ana.cookie, authorization });
    assert.equal((await sendWithCookieAnd(`Bearer ${admin.key}`)).body.userId, admin.userId);
    assert.deepEqual(await getStatusAndCode(sendWithCookieAnd('Bearer sk-wrong-0123456789abcdef')), [
      401,
      'invalid_api_key',
    ]);
    assert.deepEqual(await getStatusAndCode(sendWithCookieAnd('Basic eDp5')), [401, 'invalid_api_key']);
    const crossSite = { cookie: ana.cookie, authorization: `Bearer ${admin.key}`, origin: 'null' };
    assert.equal((await test.anonymous.request('POST', '/folders', folder, crossSite)).status, 201);
  });

  it('is anonymous if the cookie is invalid', async () => {
    const [name = '', token = ''] = ana.cookie.split('=');
    const cookies = [
      `${name}=${token.slice(0, -1)}`,
      `${name}=${token}x`,
      `${name}=`,
      name,
      `${name}=${'A'.repeat(43)}`,
      `__Host-session=${token}`,
      `other=${token}`,
      `${name}="${token}"`,
      `${name}=${token.slice(0, 42)}\u00e9`,
      ';'.repeat(2000),
      `${name}=${'x'.repeat(4000)}`,
    ];
    for (const cookie of cookies) {
      const get = (path: string) => test.anonymous.request('GET', path, undefined, { cookie });
      assert.deepEqual(
        await getStatusAndCode(get('/auth/session')),
        [401, 'unauthorized'],
        cookie.slice(0, 60),
      );
      assert.equal((await get('/nodes')).status, 200);
    }
    const cookieHeader = `theme=dark; ${ana.cookie}; x=1`;
    assert.equal((await withCookie(test, cookieHeader).request('GET', '/auth/session')).status, 200);
  });

  it('gets no Access-Control-Allow-Credentials header', async () => {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const response = await test.app.inject({
        method,
        url: '/api/v1/me',
        headers: {
          cookie: ana.cookie,
          origin: 'https://evil.example',
          'access-control-request-method': 'GET',
        },
      });
      assert.equal(response.headers['access-control-allow-credentials'], undefined);
      assert.equal(response.headers['access-control-allow-origin'], '*');
    }
  });
});

describe('a session', () => {
  const isSignedIn = async ({ request }: Pick<Person, 'request'>) =>
    (await request('GET', '/auth/session')).status === 200;

  it('ends immediately at sign-out', async () => {
    const person = await signIn(test, ana);
    const signOut = await person.request('POST', '/auth/sign-out');
    assert.deepEqual(
      [signOut.status, signOut.headers['set-cookie']],
      [204, 'session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'],
    );
    assert.equal(await isSignedIn(person), false);
    assert.equal((await person.request('POST', '/auth/sign-out')).status, 204);
    assert.equal((await test.anonymous.request('POST', '/auth/sign-out')).status, 204);
    assert.equal(await isSignedIn(ana), true);
  });

  it('ends after seven days without use or thirty days in total', async () => {
    const person = await createPerson(test, admin);
    const idle = await signIn(test, person);
    for (let day = 6; day <= 24; day += 6) {
      nowMs += 6 * DAY_MS;
      assert.equal(await isSignedIn(person), true, `day ${day}`);
      await test.deps.sessions.flush();
    }
    assert.equal(await isSignedIn(idle), false);
    nowMs += 6 * DAY_MS - 10_000;
    assert.equal(await isSignedIn(person), true);
    nowMs += 20_000;
    assert.equal(await isSignedIn(person), false);
  });

  it('can be ended by id only by its user', async () => {
    const bob = await createPerson(test, admin);
    // The list is ordered by time.
    nowMs += 1000;
    const second = await signIn(test, bob);
    const { body } = await bob.request<{ data: readonly { id: string; isCurrent: boolean }[] }>(
      'GET',
      '/auth/sessions',
    );
    const [otherSession, ownSession] = body.data;
    assert.deepEqual([otherSession?.isCurrent, ownSession?.isCurrent], [false, true]);
    const path = `/auth/sessions/${otherSession?.id}`;
    const otherUser = await createPerson(test, admin);
    assert.deepEqual(await getStatusAndCode(otherUser.request('DELETE', path)), [404, 'not_found']);
    assert.equal(await isSignedIn(second), true);
    assert.equal((await bob.request('DELETE', path)).status, 200);
    assert.deepEqual([await isSignedIn(second), await isSignedIn(bob)], [false, true]);
    assert.deepEqual(await getStatusAndCode(bob.request('DELETE', path)), [404, 'not_found']);
  });

  it('ends in other processes within five seconds', async () => {
    const person = await createPerson(test, admin);
    const otherAuthenticator = createSessionAuthenticator(
      test.deps.db,
      () => nowMs,
      TIMING.credentialCacheMs,
    );
    const [, token = ''] = person.cookie.split('=');
    assert.equal((await otherAuthenticator.authenticate(token))?.userId, person.userId);
    await person.request('POST', '/auth/sign-out');
    assert.equal((await otherAuthenticator.authenticate(token))?.userId, person.userId);
    nowMs += 5000;
    assert.equal(await otherAuthenticator.authenticate(token), undefined);
  });

  it('ends when the user changes the password', async () => {
    const person = await createPerson(test, admin);
    const otherSession = await signIn(test, person);
    const next = 'another long password';
    const wrongPassword = person.request('POST', '/auth/password', { current: 'not this one', next });
    assert.deepEqual(await getStatusAndCode(wrongPassword), [401, 'invalid_credentials']);
    const shortPassword = person.request('POST', '/auth/password', { current: PASSWORD, next: 'nine char' });
    assert.deepEqual(await getStatusAndCode(shortPassword), [400, 'invalid_request']);
    assert.equal(await isSignedIn(otherSession), true);
    const change = await person.request('POST', '/auth/password', { current: PASSWORD, next });
    assert.equal(change.status, 204);
    const newSession = withCookie(test, (change.headers['set-cookie'] ?? '').split(';', 1)[0] ?? '');
    assert.deepEqual(
      [await isSignedIn(newSession), await isSignedIn(person), await isSignedIn(otherSession)],
      [true, false, false],
    );
    const signInWithOldPassword = test.anonymous.request('POST', '/auth/sign-in', {
      email: person.email,
      password: PASSWORD,
    });
    assert.deepEqual(await getStatusAndCode(signInWithOldPassword), [401, 'invalid_credentials']);
    await signIn(test, person, next);
  });

  it('of a stranger cannot replace the password that its user sets at the same time', async () => {
    const person = await createPerson(test, admin);
    const stranger = await signIn(test, person);
    const sessions = [person, stranger];
    // Both have the right password when the requests are checked.
    const changes = await Promise.all(
      sessions.map((session, index) =>
        session.request('POST', '/auth/password', {
          current: PASSWORD,
          next: `password of session ${index}`,
        }),
      ),
    );
    assert.deepEqual(changes.map(({ status }) => status).sort(), [204, 401]);
    const winner = changes.findIndex(({ status }) => status === 204);
    await signIn(test, person, `password of session ${winner}`);
  });

  it('ends when the account of the user is disabled', async () => {
    const person = await createPerson(test, admin);
    await admin.request('PATCH', `/admin/users/${person.userId}`, { disabled: true });
    nowMs += 5001;
    assert.equal(await isSignedIn(person), false);
  });
});

describe('a session cookie over https', () => {
  it('is Secure and host-only', async () => {
    const secureApp = await createTestApp({ env: { BASE_URL: 'https://graphs.example' } });
    try {
      const person = await createPerson(secureApp, await secureApp.createUser());
      assert.match(person.cookie, /^__Host-session=[\w-]{43}$/);
      const signOut = await person.request('POST', '/auth/sign-out');
      assert.match(signOut.headers['set-cookie'] ?? '', /; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      const newSession = await signIn(secureApp, person);
      assert.equal((await newSession.request('GET', '/auth/session')).status, 200);
      const sessionWithOtherName = withCookie(secureApp, newSession.cookie.replace('__Host-', ''));
      assert.equal((await sessionWithOtherName.request('GET', '/auth/session')).status, 401);
      const { status } = await secureApp.anonymous.request('POST', '/folders', folder, {
        cookie: newSession.cookie,
        origin: 'https://graphs.example',
      });
      assert.equal(status, 201);
      const document = await secureApp.app.inject('/openapi.json');
      assert.equal(document.json().components.securitySchemes.session.name, '__Host-session');
    } finally {
      await secureApp.close();
    }
  });
});
