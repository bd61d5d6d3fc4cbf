// Tests sign-in with a password: the cookie, stored hashes, and limits of failed attempts.
import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createServer } from '../../../src/http/server.ts';
import { RateLimiter } from '../../../src/services/accounts/rate-limits.ts';
import {
  createPerson,
  PASSWORD,
  type Person,
  readCookie,
  sendFrom,
  signIn,
} from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { isNightly } from '../../support/tier.ts';

const WINDOW_MS = 900_000;
const ATTEMPTS = isNightly ? 500 : 100;

let test: TestApp;
let admin: ApiUser;
before(async () => {
  // Failures are counted in 15-minute windows. The clock of the app is set back to the start of a window, so that no
  // window ends during these tests.
  const lateMs = Date.now() % WINDOW_MS;
  test = await createTestApp({ now: () => Date.now() - lateMs });
  admin = await test.createUser();
});
after(() => test.close());

let addressCount = 0;
/** Returns an address in a new network for each call, so that tests do not share failure counts. */
const createAddress = (): string => `10.1.${addressCount++}.1`;
const trySignIn = (body: object, address: string, app: TestApp = test) =>
  sendFrom(app, address, 'POST', '/auth/sign-in', body);

describe('POST /auth/sign-in', () => {
  it('sets an HttpOnly SameSite cookie and stores only a hash of the session token', async () => {
    const { email } = await createPerson(test, admin);
    const response = await test.anonymous.request('POST', '/auth/sign-in', {
      email: ` ${email.toUpperCase()} `,
      password: PASSWORD,
    });
    assert.deepEqual([response.status, response.body], [204, undefined]);
    const setCookie = response.headers['set-cookie'] ?? '';
    assert.match(
      setCookie,
      /^session=[\w-]{43}; Expires=[^;]+ GMT; Path=\/; HttpOnly; SameSite=Lax, browser=[\w-]{22}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const [, token = ''] = readCookie(response).split('=');
    const { rows } = await test.deps.db.query<{ text: string }>(
      'select to_jsonb(s)::text as text from sessions s',
    );
    assert.equal(
      rows.some(({ text }) => text.includes(token)),
      false,
    );
  });

  it('verifies passwords hashed by Argon2id with 19 MiB and two passes', async () => {
    const { userId } = await createPerson(test, admin);
    const { rows } = await test.deps.db.query<{ password: string }>(
      'select password from users where id = $1',
      [userId],
    );
    assert.match(rows[0]?.password ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('starts a new session for each sign-in', async () => {
    const person = await createPerson(test, admin);
    const [firstSession, secondSession] = [await signIn(test, person), await signIn(test, person)];
    assert.notEqual(firstSession.cookie, secondSession.cookie);
    const { body } = await firstSession.request<{ data: readonly { isCurrent: boolean }[] }>(
      'GET',
      '/auth/sessions',
    );
    assert.deepEqual(
      body.data.map(session => session.isCurrent),
      [false, true, false],
    );
  });

  it('accepts a password in any Unicode composition', async () => {
    const person = await createPerson(test, admin);
    const composed = 'caf\u00e9 cr\u00e8me au lait';
    const change = await person.request('POST', '/auth/password', { current: PASSWORD, next: composed });
    assert.equal(change.status, 204);
    await signIn(test, person, composed.normalize('NFD'));
  });

  it('returns the same error for a wrong email, a wrong password and a disabled account', async () => {
    const { email } = await createPerson(test, admin);
    const disabledPerson = await createPerson(test, admin);
    await admin.request('PATCH', `/admin/users/${disabledPerson.userId}`, { disabled: true });
    const userWithoutPassword = await test.createUser();
    const responses = await Promise.all(
      [
        { email, password: 'not the password' },
        { email: 'nobody@example.com', password: PASSWORD },
        { email: disabledPerson.email, password: PASSWORD },
        { email: userWithoutPassword.email, password: PASSWORD },
      ].map(body => test.anonymous.request('POST', '/auth/sign-in', body)),
    );
    for (const { status, headers, body } of responses) {
      assert.deepEqual([status, body.code], [401, 'invalid_credentials']);
      assert.equal(body.error, responses[0]?.body.error);
      assert.equal(headers['set-cookie'], undefined);
    }
  });

  it('takes as long for an unknown email as for a wrong password', async () => {
    const { email } = await createPerson(test, admin);
    const from = createAddress();
    const times: Record<string, number[]> = { [email]: [], 'no.one@example.com': [] };
    for (let round = 0; round < 8; round++) {
      for (const [candidate, durationsMs] of Object.entries(times)) {
        const startedMs = performance.now();
        assert.equal((await trySignIn({ email: candidate, password: 'wrong password' }, from)).status, 401);
        durationsMs.push(performance.now() - startedMs);
      }
    }
    const [known = 0, unknown = 0] = Object.values(times).map(durationsMs => Math.min(...durationsMs));
    // Without the hash, the response would take less than a tenth of the time. Other load can only lengthen a response.
    assert.ok(unknown > known / 6, `${known} ms and ${unknown} ms`);
  });

  it('returns 400 for invalid bodies', async () => {
    for (const body of [
      {},
      { email: 'ana@example.com' },
      { email: 'ana@example.com', password: 'x'.repeat(257) },
      { email: ['ana@example.com'], password: PASSWORD },
      { email: 'ana@example.com', password: PASSWORD, admin: true },
    ])
      assert.deepEqual(await getStatusAndCode(body), [400, 'invalid_request']);
    async function getStatusAndCode(body: object) {
      const { status, code } = await trySignIn(body, createAddress());
      return [status, code];
    }
  });
});

/** A hash of PASSWORD that takes almost no time, for tests with many attempts. */
const WEAK_HASH = createWeakHash();

function createWeakHash(): string {
  const nonce = Buffer.alloc(16, 7);
  const tag = argon2Sync('argon2id', {
    message: PASSWORD,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 8,
    passes: 1,
  });
  const [salt, hash] = [nonce, tag].map(bytes => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}

describe('failed sign-ins', () => {
  const WRONG = 'not the password';
  const createWeakPerson = async (): Promise<Person> => {
    const person = await createPerson(test, admin);
    await test.deps.db.query('update users set password = $2 where id = $1', [person.userId, WEAK_HASH]);
    return person;
  };

  it('are limited to ten in 15 minutes per account and network', async () => {
    const { email } = await createWeakPerson();
    const deps = { ...test.deps, limiter: new RateLimiter(test.deps.db, test.deps.now) };
    const secondProcess: TestApp = { ...test, app: await createServer(deps, test.mounts) };
    try {
      for (let failure = 0; failure < 10; failure++) {
        const app = failure % 2 === 0 ? test : secondProcess;
        // All addresses are in one /64 network.
        assert.equal(
          (await trySignIn({ email, password: WRONG }, `2001:db8:1:2::${failure}`, app)).status,
          401,
        );
      }
      for (const app of [test, secondProcess]) {
        const refusal = await trySignIn({ email, password: PASSWORD }, '2001:db8:1:2:ffff::1', app);
        assert.deepEqual([refusal.status, refusal.code], [429, 'rate_limited']);
        const seconds = Number(refusal.headers['retry-after']);
        assert.ok(seconds >= 1 && seconds <= 900, String(seconds));
      }
      assert.equal((await trySignIn({ email, password: PASSWORD }, '2001:db8:1:3::1')).status, 204);
      const otherPerson = await createPerson(test, admin);
      await signIn(test, otherPerson);
    } finally {
      await secondProcess.app.close();
    }
  });

  it('do not block a network from which the user signed in recently', async () => {
    const { email, userId } = await createWeakPerson();
    const home = createAddress();
    assert.equal((await trySignIn({ email, password: PASSWORD }, home)).status, 204);
    const guess = () => trySignIn({ email, password: WRONG }, createAddress());
    const guesses = [...(await Promise.all(Array.from({ length: 40 }, guess)))];
    for (let failure = 0; failure < 12; failure++) guesses.push(await guess());
    assert.deepEqual(
      [401, 429].map(status => guesses.filter(response => response.status === status).length),
      [50, 2],
    );
    // An unknown network is refused even with the correct password.
    assert.equal((await trySignIn({ email, password: PASSWORD }, createAddress())).status, 429);
    assert.equal((await trySignIn({ email, password: WRONG }, home)).status, 401);
    assert.equal((await trySignIn({ email, password: PASSWORD }, home)).status, 204);
    await test.deps.db.query(
      `update sign_in_networks set seen_at = seen_at - interval '31 days' where user_id = $1`,
      [userId],
    );
    assert.equal((await trySignIn({ email, password: PASSWORD }, home)).status, 429);
  });

  it('are also limited for an email without an account', async () => {
    const email = 'nobody-here@example.com';
    const from = createAddress();
    for (let failure = 0; failure < 10; failure++)
      assert.equal((await trySignIn({ email, password: WRONG }, from)).status, 401);
    const refusal = await trySignIn({ email, password: WRONG }, from);
    assert.deepEqual([refusal.status, refusal.code], [429, 'rate_limited']);
    assert.equal((await trySignIn({ email, password: WRONG }, createAddress())).status, 401);
  });

  it('do not include successful sign-ins', async () => {
    const person = await createWeakPerson();
    const from = createAddress();
    for (let round = 0; round < 12; round++)
      assert.equal((await trySignIn({ email: person.email, password: PASSWORD }, from)).status, 204);
    const deps = { ...test.deps, limiter: new RateLimiter(test.deps.db, test.deps.now) };
    const secondProcess: TestApp = { ...test, app: await createServer(deps, test.mounts) };
    try {
      for (let failure = 0; failure < 10; failure++)
        assert.equal(
          (await trySignIn({ email: person.email, password: WRONG }, from, secondProcess)).status,
          401,
        );
      assert.equal(
        (await trySignIn({ email: person.email, password: PASSWORD }, from, secondProcess)).status,
        429,
      );
    } finally {
      await secondProcess.app.close();
    }
  });

  it('are limited to fifty per address for all accounts and password links', async () => {
    const from = createAddress();
    const tryLink = () =>
      sendFrom(test, from, 'POST', '/auth/accept-invite', { token: 'invite_x', password: WRONG });
    // Invalid links are quick, because the service computes no password hash for them.
    for (let failure = 0; failure < 48; failure++) assert.equal((await tryLink()).code, 'invalid_link');
    const statuses = [];
    for (let failure = 0; failure < 3; failure++)
      statuses.push(
        (await trySignIn({ email: `guess-${failure}@example.com`, password: WRONG }, from)).status,
      );
    assert.deepEqual(statuses, [401, 401, 429]);
    assert.equal((await tryLink()).status, 429);
    assert.equal(
      (await trySignIn({ email: 'guess@example.com', password: WRONG }, createAddress())).status,
      401,
    );
  });

  it('include a wrong current password in POST /auth/password', async () => {
    const person = await createWeakPerson();
    const changePassword = (current: string) =>
      person.request('POST', '/auth/password', { current, next: PASSWORD });
    for (let failure = 0; failure < 10; failure++)
      assert.deepEqual((await changePassword(WRONG)).body.code, 'invalid_credentials');
    assert.equal((await changePassword(PASSWORD)).status, 429);
  });

  it(`are limited to 50 of ${ATTEMPTS} concurrent attempts`, async () => {
    const { email } = await createWeakPerson();
    const counts: Record<number, number> = {};
    const responses = await Promise.all(
      Array.from({ length: ATTEMPTS }, (_, index) =>
        trySignIn(
          { email, password: `guess number ${index}` },
          `10.2.${Math.floor(index / 30)}.${index % 30}`,
        ),
      ),
    );
    for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
    assert.deepEqual(counts, { 401: 50, 429: ATTEMPTS - 50 });
  });
});
