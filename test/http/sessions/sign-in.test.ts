// Tests sign-in with a password: the cookie, what is stored, and the limits of wrong guesses.
import assert from 'node:assert/strict';
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
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';

const WINDOW_MS = 900_000;

let test: TestApp;
let operator: Caller;
before(async () => {
  // Failures are counted in 15-minute windows. The clock of the app is set back to the start of a window, so that no
  // window ends during these tests.
  const lateMs = Date.now() % WINDOW_MS;
  test = await createTestApp({ now: () => Date.now() - lateMs });
  operator = await test.createCaller();
});
after(() => test.close());

let addresses = 0;
/** Returns an address in a new network for each call, so that tests do not share failure counts. */
const address = (): string => `10.1.${addresses++}.1`;
const trySignIn = (body: object, from: string, app: TestApp = test) =>
  sendFrom(app, from, 'POST', '/auth/sign-in', body);

describe('sign-in', () => {
  it('sets a cookie that scripts cannot read and other sites cannot send, and stores only its hash', async () => {
    const { email } = await createPerson(test, operator);
    const response = await test.anonymous.request('POST', '/auth/sign-in', {
      email: ` ${email.toUpperCase()} `,
      password: PASSWORD,
    });
    assert.deepEqual([response.status, response.body], [204, undefined]);
    const written = response.headers['set-cookie'] ?? '';
    assert.match(written, /^session=[\w-]{43}; Expires=[^;]+ GMT; Path=\/; HttpOnly; SameSite=Lax$/);
    const [, token = ''] = readCookie(response).split('=');
    const { rows } = await test.deps.db.query<{ text: string }>(
      'select to_jsonb(s)::text as text from sessions s',
    );
    assert.equal(
      rows.some(({ text }) => text.includes(token)),
      false,
    );
  });

  it('hashes passwords by two passes of Argon2id over 19 MiB', async () => {
    const { userId } = await createPerson(test, operator);
    const { rows } = await test.deps.db.query<{ password: string }>(
      'select password from users where id = $1',
      [userId],
    );
    assert.match(rows[0]?.password ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('starts a new session each time', async () => {
    const person = await createPerson(test, operator);
    const [one, other] = [await signIn(test, person), await signIn(test, person)];
    assert.notEqual(one.cookie, other.cookie);
    const { body } = await one.request<{ data: readonly { isCurrent: boolean }[] }>('GET', '/auth/sessions');
    assert.deepEqual(
      body.data.map(session => session.isCurrent),
      [false, true, false],
    );
  });

  it('accepts a password in any Unicode composition', async () => {
    const person = await createPerson(test, operator);
    const composed = 'caf\u00e9 cr\u00e8me au lait';
    const changed = await person.request('POST', '/auth/password', { current: PASSWORD, next: composed });
    assert.equal(changed.status, 204);
    await signIn(test, person, composed.normalize('NFD'));
  });

  it('gives the same answer for a wrong email, a wrong password and a disabled account', async () => {
    const { email } = await createPerson(test, operator);
    const disabled = await createPerson(test, operator);
    await operator.request('PATCH', `/admin/users/${disabled.userId}`, { disabled: true });
    const withKeyOnly = await test.createCaller();
    const responses = await Promise.all(
      [
        { email, password: 'not the password' },
        { email: 'nobody@example.com', password: PASSWORD },
        { email: disabled.email, password: PASSWORD },
        { email: withKeyOnly.email, password: PASSWORD },
      ].map(body => test.anonymous.request('POST', '/auth/sign-in', body)),
    );
    for (const { status, headers, body } of responses) {
      assert.deepEqual([status, body.code], [401, 'invalid_credentials']);
      assert.equal(body.error, responses[0]?.body.error);
      assert.equal(headers['set-cookie'], undefined);
    }
  });

  it('takes as long for an unknown email', async () => {
    const { email } = await createPerson(test, operator);
    const from = address();
    const times: Record<string, number[]> = { [email]: [], 'no.one@example.com': [] };
    for (let round = 0; round < 8; round++) {
      for (const [who, taken] of Object.entries(times)) {
        const startedMs = performance.now();
        assert.equal((await trySignIn({ email: who, password: 'wrong password' }, from)).status, 401);
        taken.push(performance.now() - startedMs);
      }
    }
    const [known = 0, unknown = 0] = Object.values(times).map(taken => Math.min(...taken));
    // Without the hash, the response would take less than a tenth of the time. Other load can only lengthen a response.
    assert.ok(unknown > known / 6, `${known} ms and ${unknown} ms`);
  });

  it('refuses invalid bodies', async () => {
    for (const body of [
      {},
      { email: 'ana@example.com' },
      { email: 'ana@example.com', password: 'x'.repeat(257) },
      { email: ['ana@example.com'], password: PASSWORD },
      { email: 'ana@example.com', password: PASSWORD, admin: true },
    ])
      assert.deepEqual(await getStatusAndCode(body), [400, 'invalid_request']);
    async function getStatusAndCode(body: object) {
      const { status, code } = await trySignIn(body, address());
      return [status, code];
    }
  });
});

describe('failed sign-ins', () => {
  const WRONG = 'not the password';

  it('are limited to ten in 15 minutes per account and network, over all processes', async () => {
    const { email } = await createPerson(test, operator);
    const deps = { ...test.deps, limiter: new RateLimiter(test.deps.db, test.deps.now) };
    const second: TestApp = { ...test, app: await createServer(deps, test.mounts) };
    try {
      for (let failure = 0; failure < 10; failure++) {
        const app = failure % 2 === 0 ? test : second;
        // All addresses are in one /64 network.
        assert.equal(
          (await trySignIn({ email, password: WRONG }, `2001:db8:1:2::${failure}`, app)).status,
          401,
        );
      }
      for (const app of [test, second]) {
        const refused = await trySignIn({ email, password: PASSWORD }, '2001:db8:1:2:ffff::1', app);
        assert.deepEqual([refused.status, refused.code], [429, 'rate_limited']);
        const seconds = Number(refused.headers['retry-after']);
        assert.ok(seconds >= 1 && seconds <= 900, String(seconds));
      }
      assert.equal((await trySignIn({ email, password: PASSWORD }, '2001:db8:1:3::1')).status, 204);
      const otherPerson = await createPerson(test, operator);
      await signIn(test, otherPerson);
    } finally {
      await second.app.close();
    }
  });

  it('do not block another network from which the user signed in recently', async () => {
    const { email, userId } = await createPerson(test, operator);
    const home = address();
    assert.equal((await trySignIn({ email, password: PASSWORD }, home)).status, 204);
    const guess = () => trySignIn({ email, password: WRONG }, address());
    const guesses = [...(await Promise.all(Array.from({ length: 40 }, guess)))];
    for (let failure = 0; failure < 12; failure++) guesses.push(await guess());
    assert.deepEqual(
      [401, 429].map(status => guesses.filter(response => response.status === status).length),
      [50, 2],
    );
    // An unknown network is refused even with the correct password.
    assert.equal((await trySignIn({ email, password: PASSWORD }, address())).status, 429);
    assert.equal((await trySignIn({ email, password: WRONG }, home)).status, 401);
    assert.equal((await trySignIn({ email, password: PASSWORD }, home)).status, 204);
    await test.deps.db.query(
      `update sign_in_networks set seen_at = seen_at - interval '31 days' where user_id = $1`,
      [userId],
    );
    assert.equal((await trySignIn({ email, password: PASSWORD }, home)).status, 429);
  });

  it('count the same for an email without an account', async () => {
    const email = 'nobody-here@example.com';
    const from = address();
    for (let failure = 0; failure < 10; failure++)
      assert.equal((await trySignIn({ email, password: WRONG }, from)).status, 401);
    const here = await trySignIn({ email, password: WRONG }, from);
    assert.deepEqual([here.status, here.code], [429, 'rate_limited']);
    assert.equal((await trySignIn({ email, password: WRONG }, address())).status, 401);
  });

  it('do not include successful sign-ins, in any process', async () => {
    const person = await createPerson(test, operator);
    const from = address();
    for (let round = 0; round < 12; round++)
      assert.equal((await trySignIn({ email: person.email, password: PASSWORD }, from)).status, 204);
    const deps = { ...test.deps, limiter: new RateLimiter(test.deps.db, test.deps.now) };
    const second: TestApp = { ...test, app: await createServer(deps, test.mounts) };
    try {
      for (let failure = 0; failure < 10; failure++)
        assert.equal((await trySignIn({ email: person.email, password: WRONG }, from, second)).status, 401);
      assert.equal((await trySignIn({ email: person.email, password: PASSWORD }, from, second)).status, 429);
    } finally {
      await second.app.close();
    }
  });

  it('are limited to fifty per address over all accounts, including invalid links', async () => {
    const from = address();
    const tryLink = () =>
      sendFrom(test, from, 'POST', '/auth/accept-invite', { token: 'invite_x', password: WRONG });
    // A link needs no hash.
    for (let failure = 0; failure < 35; failure++) assert.equal((await tryLink()).code, 'invalid_link');
    const statuses = [];
    for (let failure = 0; failure < 16; failure++)
      statuses.push(
        (await trySignIn({ email: `guess-${failure}@example.com`, password: WRONG }, from)).status,
      );
    assert.deepEqual(statuses, [...Array<number>(15).fill(401), 429]);
    assert.equal((await tryLink()).status, 429);
    assert.equal((await trySignIn({ email: 'guess@example.com', password: WRONG }, address())).status, 401);
  });

  it('include a wrong current password', async () => {
    const person: Person = await createPerson(test, operator);
    const change = (current: string) => person.request('POST', '/auth/password', { current, next: PASSWORD });
    for (let failure = 0; failure < 10; failure++)
      assert.deepEqual((await change(WRONG)).body.code, 'invalid_credentials');
    assert.equal((await change(PASSWORD)).status, 429);
  });

  it('are limited to 50 of 500 concurrent attempts', async () => {
    const { email } = await createPerson(test, operator);
    const counts: Record<number, number> = {};
    const responses = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        trySignIn(
          { email, password: `guess number ${index}` },
          `10.2.${Math.floor(index / 30)}.${index % 30}`,
        ),
      ),
    );
    for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
    assert.deepEqual(counts, { 401: 50, 429: 450 });
  });
});
