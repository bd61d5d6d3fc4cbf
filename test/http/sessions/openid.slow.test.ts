// Tests OpenID sign-in at a real provider, with every invalid token and request that a provider or browser could send.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CALLBACK_PATH } from '../../../src/services/sessions/openid.ts';
import { createPerson, withCookie } from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
  type Tampering,
  UNPUBLISHED_KEY,
} from '../../support/network/identity-provider.ts';

const BASE_URL = 'http://localhost:3000';
const START = '/api/v1/auth/oidc';
let nowMs: number;
let provider: IdentityProvider;
let test: TestApp;
let operator: Caller;
before(async () => {
  nowMs = Date.now();
  provider = await startIdentityProvider(BASE_URL + CALLBACK_PATH);
  test = await createTestApp({
    now: () => nowMs,
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_ALLOWED_DOMAINS: 'example.com, Studio.Example',
      DEFAULT_CREDITS: '25',
    },
  });
  operator = await test.createCaller();
});
after(async () => {
  await test.close();
  await provider.close();
});

interface SignInResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: Readonly<Record<string, string>>;
  readonly body: { readonly code?: string; readonly reason?: string };
}

async function get(url: string, headers: Record<string, string> = {}): Promise<SignInResponse> {
  const response = await test.app.inject({ url, headers: { accept: 'text/html', ...headers } });
  const set = [response.headers['set-cookie'] ?? []].flat().map(text => text.split(';', 1)[0] ?? '');
  return {
    status: response.statusCode,
    location: response.headers.location as string | undefined,
    cookies: Object.fromEntries(set.map(pair => pair.split(/=(.*)/s).slice(0, 2))),
    body: response.headers['content-type']?.toString().includes('json') ? response.json() : {},
  };
}

/** Starts a sign-in: returns the browser's cookie and the callback URL with the provider's response. */
async function beginAs(
  subject: string,
  query = '',
): Promise<{ readonly cookie: string; readonly back: string }> {
  const begun = await get(START + query);
  assert.equal(begun.status, 302, JSON.stringify(begun.body));
  const back = await provider.visit(begun.location ?? '', subject);
  assert.ok(back.startsWith(BASE_URL + CALLBACK_PATH), back);
  return { cookie: `sign-in=${begun.cookies['sign-in']}`, back: back.slice(BASE_URL.length) };
}

async function signInAs(subject: string, query = ''): Promise<SignInResponse> {
  const { cookie, back } = await beginAs(subject, query);
  return get(back, { cookie });
}

async function readSession(response: SignInResponse) {
  const browser = withCookie(test, `session=${response.cookies.session}`);
  return browser.request<{ user: { userId: number; email: string; name: string }; credits: object }>(
    'GET',
    '/auth/session',
  );
}

const setClaims = (subject: string, email: string, more: object = {}): void => {
  provider.people.set(subject, { email, email_verified: true, name: 'Ida', ...more });
};

const countUsers = async (): Promise<number> => {
  const { rows } = await test.deps.db.query<{ count: number }>('select count(*)::int as count from users');
  return rows[0]?.count ?? 0;
};

/** Expects a refusal without a session or a new account. Programs receive the reason. */
async function assertRefused(response: SignInResponse, reason: string, nextQuery = ''): Promise<void> {
  assert.deepEqual([response.status, response.location], [303, `/sign-in?refused=${reason}${nextQuery}`]);
  assert.equal(response.cookies.session, undefined);
}

describe('the sign-in page', () => {
  it('lists the available sign-in methods', async () => {
    const { status, body } = await test.anonymous.request('GET', '/auth/methods');
    assert.equal(status, 200);
    assert.deepEqual(body, {
      password: true,
      openid: { issuer: provider.issuer, startUrl: START },
      needsSetup: true,
    });
    await createPerson(test, operator);
    const later = await test.anonymous.request('GET', '/auth/methods');
    assert.equal(later.body.needsSetup, false);
  });

  it('offers no provider if none is configured', async () => {
    const plain = await createTestApp();
    const methods = await plain.anonymous.request('GET', '/auth/methods');
    assert.equal(methods.body.openid, null);
    for (const path of ['/auth/oidc', '/auth/oidc/callback?code=a&state=b']) {
      const { status, body } = await plain.anonymous.request('GET', path);
      assert.deepEqual([status, body.code], [404, 'not_found']);
    }
    await plain.close();
  });
});

describe('sign-in at an identity provider', () => {
  it('creates an account for an allowed domain and finds it again', async () => {
    setClaims('ida', 'Ida@Example.com');
    const first = await signInAs('ida', '?next=/workflows');
    assert.deepEqual([first.status, first.location, first.cookies['sign-in']], [303, '/workflows', '']);
    const { body } = await readSession(first);
    assert.deepEqual([body.user.email, body.user.name], ['Ida@Example.com', 'Ida']);
    assert.deepEqual(body.credits, { balance: 25, held: 0 });
    setClaims('ida', 'ida@elsewhere.example');
    const again = await readSession(await signInAs('ida'));
    assert.equal(again.body.user.userId, body.user.userId);
  });

  it('links the account with the same email, whatever its domain and case', async () => {
    const person = await createPerson(test, operator);
    await test.deps.db.query('update users set email = $2 where id = $1', [person.userId, 'ben@far.example']);
    setClaims('ben', 'BEN@far.example');
    const { body } = await readSession(await signInAs('ben'));
    assert.equal(body.user.userId, person.userId);
    setClaims('other-ben', 'ben@far.example');
    await assertRefused(await signInAs('other-ben'), 'linked');
  });

  it('reads the email from the userinfo endpoint if the token has none', async () => {
    setClaims('una', 'una@example.com');
    provider.tamper({ claims: ({ email: _email, email_verified: _verified, ...rest }) => rest });
    const { body } = await readSession(await signInAs('una'));
    provider.tamper(undefined);
    assert.equal(body.user.email, 'una@example.com');
  });

  it('creates one account for two concurrent first sign-ins', async () => {
    setClaims('pair', 'pair@example.com');
    const begun = await Promise.all([beginAs('pair'), beginAs('pair')]);
    const responses = await Promise.all(begun.map(({ back, cookie }) => get(back, { cookie })));
    const sessions = await Promise.all(responses.map(readSession));
    assert.equal(new Set(sessions.map(({ body }) => body.user.userId)).size, 1);
  });

  it('does not redirect to other sites', async () => {
    setClaims('ida', 'ida@example.com');
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'workflows',
      '/a%0d%0ab: c',
    ]) {
      const { location } = await signInAs(
        'ida',
        `?next=${next.includes('%') ? next : encodeURIComponent(next)}`,
      );
      assert.equal(location, '/', next);
    }
  });
});

describe('a refused sign-in', () => {
  it('has neither an account nor an allowed domain', async () => {
    const before = await countUsers();
    for (const email of ['eve@far.example', 'eve@example.com.evil.example', 'eve@notexample.com']) {
      setClaims('eve', email);
      await assertRefused(await signInAs('eve'), 'unknown');
    }
    for (const email of ['eve@example.com@evil.example', 'no address', 7, undefined]) {
      setClaims('eve', email as string);
      await assertRefused(await signInAs('eve'), 'unverified');
    }
    for (const email_verified of [false, 'true', 1, undefined]) {
      setClaims('eve', 'eve@example.com', { email_verified });
      await assertRefused(await signInAs('eve'), 'unverified');
    }
    assert.equal(await countUsers(), before);
  });

  it('still leads to the requested page', async () => {
    setClaims('eve', 'eve@far.example');
    await assertRefused(await signInAs('eve', '?next=%2Fmedia%3Fx%3D1'), 'unknown', '&next=%2Fmedia%3Fx%3D1');
    await assertRefused(await signInAs('eve', '?next=%2F%2Fevil.example'), 'unknown');
  });

  it('belongs to a disabled account', async () => {
    const person = await createPerson(test, operator);
    setClaims('dan', person.email);
    await operator.request('PATCH', `/admin/users/${person.userId}`, { disabled: true });
    await assertRefused(await signInAs('dan'), 'disabled');
    const { rows } = await test.deps.db.query(`select from identities where subject = 'dan'`);
    assert.equal(rows.length, 0);
  });

  const TAMPERINGS: Readonly<Record<string, Tampering>> = {
    'another nonce': { claims: claims => ({ ...claims, nonce: 'of another sign-in' }) },
    'no nonce': { claims: ({ nonce: _nonce, ...claims }) => claims },
    'another issuer': { claims: claims => ({ ...claims, iss: 'https://accounts.example' }) },
    'another audience': { claims: claims => ({ ...claims, aud: 'another-client' }) },
    'a time that has passed': { claims: claims => ({ ...claims, exp: 1_000_000_000 }) },
    'no subject': { claims: ({ sub: _sub, ...claims }) => claims },
    "another's signature": { signedBy: UNPUBLISHED_KEY },
    'no signature': { signedBy: 'nobody' },
    'no token': { answer: { status: 200, body: { access_token: 'a', token_type: 'bearer' } } },
    'no object': { answer: { status: 200, body: [] } },
    'a refusal': { answer: { status: 400, body: { error: 'invalid_grant' } } },
  };
  for (const [name, tampering] of Object.entries(TAMPERINGS)) {
    it(`has a token with ${name}`, async () => {
      setClaims('ida', 'ida@example.com');
      const { back, cookie } = await beginAs('ida');
      provider.tamper(tampering);
      const response = await get(back, { cookie });
      provider.tamper(undefined);
      await assertRefused(response, 'refused');
    });
  }

  it("reuses a code, or has another browser's code or another state", async () => {
    setClaims('ida', 'ida@example.com');
    const [mine, theirs] = await Promise.all([beginAs('ida'), beginAs('ida')]);
    const withCode = mine.back.replace(/code=[^&]+/, /code=[^&]+/.exec(theirs.back)?.[0] ?? '');
    await assertRefused(await get(withCode, { cookie: mine.cookie }), 'refused');
    await assertRefused(await get(theirs.back, { cookie: mine.cookie }), 'refused');
    const { back, cookie } = await beginAs('ida');
    assert.equal((await get(back, { cookie })).location, '/');
    await assertRefused(await get(back, { cookie }), 'refused');
    for (const query of [
      '',
      '?error=access_denied&state=x',
      '?code=a',
      '?code=a&state=b',
      `?code=${'a'.repeat(4000)}`,
    ])
      await assertRefused(await get(CALLBACK_PATH + query, { cookie }), 'refused');
  });

  it('was not started in this browser, or was started too long ago', async () => {
    setClaims('ida', 'ida@example.com');
    const { back, cookie } = await beginAs('ida');
    const foreign = Buffer.alloc(300, 1).toString('base64url');
    for (const wrong of ['', 'sign-in=', cookie.slice(0, -4), `sign-in=${foreign}`, `session=${cookie}`])
      await assertRefused(await get(back, { cookie: wrong }), 'expired');
    nowMs += 601_000;
    await assertRefused(await get(back, { cookie }), 'expired');
    const program = await get(back, { cookie, accept: 'application/json' });
    assert.deepEqual(
      [program.status, program.body.code, program.body.reason],
      [403, 'sign_in_refused', 'expired'],
    );
  });
});

describe('a failing provider', () => {
  it('is reported as unreachable when it fails, hangs or is down, and is tried again later', async () => {
    setClaims('ida', 'ida@example.com');
    const failing = await beginAs('ida');
    provider.tamper({ answer: { status: 502, body: { error: 'bad gateway' } } });
    await assertRefused(await get(failing.back, { cookie: failing.cookie }), 'unreachable');
    const silent = await beginAs('ida');
    provider.tamper({ answer: undefined });
    await assertRefused(await get(silent.back, { cookie: silent.cookie }), 'unreachable');
    provider.tamper(undefined);
    assert.equal((await signInAs('ida')).location, '/');
    const unreached = await createTestApp({
      env: { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' },
    });
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body, headers } = await unreached.anonymous.request('GET', '/auth/oidc');
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'unavailable', '10']);
    }
    await unreached.close();
  });
});
