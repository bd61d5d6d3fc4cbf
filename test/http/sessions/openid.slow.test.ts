// Tests OpenID sign-in with a provider on this machine: accounts, invalid tokens and requests, and provider failures.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { CALLBACK_PATH } from '../../../src/services/sessions/openid.ts';
import { createPerson, withCookie } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, openTestApp, type TestApp } from '../../support/app.ts';
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
let admin: ApiUser;
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
  admin = await test.createUser();
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
  const cookiePairs = [response.headers['set-cookie'] ?? []].flat().map(text => text.split(';', 1)[0] ?? '');
  return {
    status: response.statusCode,
    location: response.headers.location as string | undefined,
    cookies: Object.fromEntries(cookiePairs.map(pair => pair.split(/=(.*)/s).slice(0, 2))),
    body: response.headers['content-type']?.toString().includes('json') ? response.json() : {},
  };
}

/** Starts a sign-in at the provider. Returns the cookie of the browser and the callback URL with the code. */
async function startSignInAs(
  subject: string,
  query = '',
): Promise<{ readonly cookie: string; readonly callbackUrl: string }> {
  const startResponse = await get(START + query);
  assert.equal(startResponse.status, 302, JSON.stringify(startResponse.body));
  const callbackUrl = await provider.visit(startResponse.location ?? '', subject);
  assert.ok(callbackUrl.startsWith(BASE_URL + CALLBACK_PATH), callbackUrl);
  return {
    cookie: `sign-in=${startResponse.cookies['sign-in']}`,
    callbackUrl: callbackUrl.slice(BASE_URL.length),
  };
}

async function signInAs(subject: string, query = ''): Promise<SignInResponse> {
  const { cookie, callbackUrl } = await startSignInAs(subject, query);
  return get(callbackUrl, { cookie });
}

async function readSession(response: SignInResponse) {
  const browser = withCookie(test, `session=${response.cookies.session}`);
  return browser.request<{ user: { userId: number; email: string; name: string }; credits: object }>(
    'GET',
    '/auth/session',
  );
}

const setClaims = (subject: string, email: string, otherClaims: object = {}): void => {
  provider.people.set(subject, { email, email_verified: true, name: 'Ida', ...otherClaims });
};

const countUsers = async (): Promise<number> => {
  const { rows } = await test.deps.db.query<{ count: number }>('select count(*)::int as count from users');
  return rows[0]?.count ?? 0;
};

/** Asserts a redirect to the sign-in page with this reason and without a session. */
async function assertRefused(response: SignInResponse, reason: string, nextQuery = ''): Promise<void> {
  assert.deepEqual([response.status, response.location], [303, `/sign-in?refused=${reason}${nextQuery}`]);
  assert.equal(response.cookies.session, undefined);
}

describe('GET /auth/methods', () => {
  it('returns the available sign-in methods', async () => {
    const { status, body } = await test.anonymous.request('GET', '/auth/methods');
    assert.equal(status, 200);
    assert.deepEqual(body, {
      password: true,
      passkeys: BASE_URL.includes('localhost'),
      mail: false,
      openid: { issuer: provider.issuer, startUrl: START },
      needsSetup: true,
    });
    await createPerson(test, admin);
    const laterMethods = await test.anonymous.request('GET', '/auth/methods');
    assert.equal(laterMethods.body.needsSetup, false);
  });

  it('returns no OpenID provider if OIDC_ISSUER is not set', async () => {
    const appWithoutOpenId = await openTestApp();
    const methods = await appWithoutOpenId.anonymous.request('GET', '/auth/methods');
    assert.equal(methods.body.openid, null);
    for (const path of ['/auth/oidc', '/auth/oidc/callback?code=a&state=b']) {
      const { status, body } = await appWithoutOpenId.anonymous.request('GET', path);
      assert.deepEqual([status, body.code], [404, 'not_found']);
    }
    await appWithoutOpenId.close();
  });
});

describe('OpenID sign-in', () => {
  it('creates an account for an email in an allowed domain', async () => {
    setClaims('ida', 'Ida@Example.com');
    const first = await signInAs('ida', '?next=/workflows');
    assert.deepEqual([first.status, first.location, first.cookies['sign-in']], [303, '/workflows', '']);
    const { body } = await readSession(first);
    assert.deepEqual([body.user.email, body.user.name], ['Ida@Example.com', 'Ida']);
    assert.deepEqual(body.credits, { balance: 25, held: 0 });
    setClaims('ida', 'ida@elsewhere.example');
    const secondSession = await readSession(await signInAs('ida'));
    assert.equal(secondSession.body.user.userId, body.user.userId);
  });

  it('uses the account with the same email in any letter case', async () => {
    const person = await createPerson(test, admin);
    await test.deps.db.query('update users set email = $2 where id = $1', [person.userId, 'ben@far.example']);
    setClaims('ben', 'BEN@far.example');
    const { body } = await readSession(await signInAs('ben'));
    assert.equal(body.user.userId, person.userId);
    setClaims('other-ben', 'ben@far.example');
    await assertRefused(await signInAs('other-ben'), 'linked');
  });

  it('does not replace a second factor unless the provider reports one', async () => {
    const person = await createPerson(test, admin);
    const setup = await person.request<{ secret: string }>('POST', '/auth/totp');
    const totp = new TOTP({ secret: Secret.fromBase32(setup.body.secret) });
    const code = totp.generate({ timestamp: nowMs });
    assert.equal((await person.request('POST', '/auth/totp/confirm', { code })).status, 200);
    setClaims('mfa', person.email);
    const reports: readonly (readonly [report: object, hasSession: boolean])[] = [
      [{}, false],
      [{ amr: ['pwd'] }, false],
      [{ amr: ['otp'] }, false],
      [{ amr: ['sms', 'otp'] }, false],
      [{ amr: 'mfa', acr: ['phr'] }, false],
      [{ amr: ['pwd', 'otp'] }, true],
      [{ amr: ['mfa'] }, true],
      [{ acr: 'phr' }, true],
    ];
    for (const [report, hasSession] of reports) {
      provider.tamper({ claims: claims => ({ ...claims, ...report }) });
      const { location = '', cookies } = await signInAs('mfa', '?next=/workflows');
      provider.tamper(undefined);
      const step = '/sign-in?next=%2Fworkflows#second-factor=';
      const outcome = [location.slice(0, step.length), cookies.session !== undefined];
      assert.deepEqual(outcome, [hasSession ? '/workflows' : step, hasSession], JSON.stringify(report));
    }
  });

  it('reads the email from the userinfo endpoint if the token has none', async () => {
    setClaims('una', 'una@example.com');
    provider.tamper({ claims: ({ email: _email, email_verified: _verified, ...rest }) => rest });
    const { body } = await readSession(await signInAs('una'));
    provider.tamper(undefined);
    assert.equal(body.user.email, 'una@example.com');
  });

  it('creates one account for two concurrent sign-ins', async () => {
    setClaims('pair', 'pair@example.com');
    const signIns = await Promise.all([startSignInAs('pair'), startSignInAs('pair')]);
    const responses = await Promise.all(
      signIns.map(({ callbackUrl, cookie }) => get(callbackUrl, { cookie })),
    );
    const sessions = await Promise.all(responses.map(readSession));
    assert.equal(new Set(sessions.map(({ body }) => body.user.userId)).size, 1);
  });

  it('does not redirect the browser to other sites', async () => {
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

describe('OpenID sign-in refusals', () => {
  it('refuses emails that are unverified or outside the allowed domains', async () => {
    const countBefore = await countUsers();
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
    assert.equal(await countUsers(), countBefore);
  });

  it('keeps the requested page in the redirect to /sign-in', async () => {
    setClaims('eve', 'eve@far.example');
    await assertRefused(await signInAs('eve', '?next=%2Fmedia%3Fx%3D1'), 'unknown', '&next=%2Fmedia%3Fx%3D1');
    await assertRefused(await signInAs('eve', '?next=%2F%2Fevil.example'), 'unknown');
  });

  it('refuses a disabled account', async () => {
    const person = await createPerson(test, admin);
    setClaims('dan', person.email);
    await admin.request('PATCH', `/admin/users/${person.userId}`, { disabled: true });
    await assertRefused(await signInAs('dan'), 'disabled');
    const { rows } = await test.deps.db.query(`select from identities where subject = 'dan'`);
    assert.equal(rows.length, 0);
  });

  const TAMPERINGS: Readonly<Record<string, Tampering>> = {
    'another nonce': { claims: claims => ({ ...claims, nonce: 'of another sign-in' }) },
    'no nonce': { claims: ({ nonce: _nonce, ...claims }) => claims },
    'another issuer': { claims: claims => ({ ...claims, iss: 'https://accounts.example' }) },
    'another audience': { claims: claims => ({ ...claims, aud: 'another-client' }) },
    'an expired token': { claims: claims => ({ ...claims, exp: 1_000_000_000 }) },
    'no subject': { claims: ({ sub: _sub, ...claims }) => claims },
    'a subject that cannot be stored': { claims: claims => ({ ...claims, sub: 'nul\0' }) },
    'a subject that no index holds': { claims: claims => ({ ...claims, sub: 'x'.repeat(1_001) }) },
    'a signature by an unknown key': { signedBy: UNPUBLISHED_KEY },
    'no signature': { signedBy: 'nobody' },
    'no token': { answer: { status: 200, body: { access_token: 'a', token_type: 'bearer' } } },
    'a body that is not an object': { answer: { status: 200, body: [] } },
    'an OAuth error': { answer: { status: 400, body: { error: 'invalid_grant' } } },
  };
  for (const [name, tampering] of Object.entries(TAMPERINGS)) {
    it(`refuses a response with ${name}`, async () => {
      setClaims('ida', 'ida@example.com');
      const { callbackUrl, cookie } = await startSignInAs('ida');
      provider.tamper(tampering);
      const response = await get(callbackUrl, { cookie });
      provider.tamper(undefined);
      await assertRefused(response, 'refused');
    });
  }

  it('refuses reused codes, codes of another browser and unknown states', async () => {
    setClaims('ida', 'ida@example.com');
    const [ownSignIn, otherSignIn] = await Promise.all([startSignInAs('ida'), startSignInAs('ida')]);
    const withCode = ownSignIn.callbackUrl.replace(
      /code=[^&]+/,
      /code=[^&]+/.exec(otherSignIn.callbackUrl)?.[0] ?? '',
    );
    await assertRefused(await get(withCode, { cookie: ownSignIn.cookie }), 'refused');
    await assertRefused(await get(otherSignIn.callbackUrl, { cookie: ownSignIn.cookie }), 'refused');
    const { callbackUrl, cookie } = await startSignInAs('ida');
    assert.equal((await get(callbackUrl, { cookie })).location, '/');
    await assertRefused(await get(callbackUrl, { cookie }), 'refused');
    for (const query of [
      '',
      '?error=access_denied&state=x',
      '?code=a',
      '?code=a&state=b',
      `?code=${'a'.repeat(4000)}`,
    ])
      await assertRefused(await get(CALLBACK_PATH + query, { cookie }), 'refused');
  });

  it('refuses sign-ins that another browser started or that took too long', async () => {
    setClaims('ida', 'ida@example.com');
    const { callbackUrl, cookie } = await startSignInAs('ida');
    const forgedValue = Buffer.alloc(300, 1).toString('base64url');
    for (const invalidCookie of [
      '',
      'sign-in=',
      cookie.slice(0, -4),
      `sign-in=${forgedValue}`,
      `session=${cookie}`,
    ])
      await assertRefused(await get(callbackUrl, { cookie: invalidCookie }), 'expired');
    nowMs += 601_000;
    await assertRefused(await get(callbackUrl, { cookie }), 'expired');
    const jsonResponse = await get(callbackUrl, { cookie, accept: 'application/json' });
    assert.deepEqual(
      [jsonResponse.status, jsonResponse.body.code, jsonResponse.body.reason],
      [403, 'sign_in_refused', 'expired'],
    );
  });
});

describe('an OpenID provider that fails', () => {
  it('makes sign-ins fail as unreachable until the provider responds', async () => {
    setClaims('ida', 'ida@example.com');
    const signInDuringError = await startSignInAs('ida');
    provider.tamper({ answer: { status: 502, body: { error: 'bad gateway' } } });
    await assertRefused(
      await get(signInDuringError.callbackUrl, { cookie: signInDuringError.cookie }),
      'unreachable',
    );
    const signInDuringTimeout = await startSignInAs('ida');
    provider.tamper({ answer: undefined });
    await assertRefused(
      await get(signInDuringTimeout.callbackUrl, { cookie: signInDuringTimeout.cookie }),
      'unreachable',
    );
    provider.tamper(undefined);
    assert.equal((await signInAs('ida')).location, '/');
    const appWithoutProvider = await createTestApp({
      env: { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' },
    });
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body, headers } = await appWithoutProvider.anonymous.request('GET', '/auth/oidc');
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'unavailable', '10']);
    }
    await appWithoutProvider.close();
  });
});
