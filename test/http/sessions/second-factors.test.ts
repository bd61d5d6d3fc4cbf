// Tests second factors: sign-in with codes, passkeys and recovery codes, their limits, and who must have one.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { encrypt } from '../../../src/lib/crypto.ts';
import { insertMember, insertTeam } from '../../../src/store/teams.ts';
import { Authenticator } from '../../support/accounts/authenticator.ts';
import {
  createPerson,
  PASSWORD,
  type Person,
  readCookie,
  readLinkToken,
  sendFrom,
  signIn,
  withCookie,
} from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { PAIR } from '../../support/workflows.ts';

const ORIGIN = 'http://localhost:3000';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const STEP_MS = 30_000;

interface SecondStep {
  readonly needs: string;
  readonly challenge: string;
  readonly methods: readonly string[];
  readonly passkey: { readonly challenge: string; readonly allowCredentials?: readonly unknown[] } | null;
}

let nowMs = Date.UTC(2026, 10, 30);
let test: TestApp;
let admin: ApiUser;
let person: Person;
before(async () => {
  test = await createTestApp({ now: () => nowMs, env: { BASE_URL: ORIGIN } });
  admin = await test.createUser();
});
after(() => test.close());
beforeEach(async () => {
  // No test meets the limits or the used codes of another.
  nowMs += 60 * MINUTE_MS;
  person = await createPerson(test, admin);
});

/** Sets up an authenticator app and returns it. */
async function addTotp(user: Pick<Person, 'request'> = person): Promise<TOTP> {
  const { status, body } = await user.request<{ secret: string; uri: string }>('POST', '/auth/totp');
  assert.equal(status, 200, JSON.stringify(body));
  const totp = new TOTP({ secret: Secret.fromBase32(body.secret) });
  const confirmation = await user.request('POST', '/auth/totp/confirm', { code: getCode(totp) });
  assert.equal(confirmation.status, 200, confirmation.body.error);
  nowMs += STEP_MS;
  return totp;
}

const getCode = (totp: TOTP, atMs = nowMs): string => totp.generate({ timestamp: atMs });

async function addPasskey(user: Pick<Person, 'request'> = person, options = {}): Promise<Authenticator> {
  const authenticator = new Authenticator({ origin: ORIGIN, ...options });
  const { body } = await user.request<{ challenge: string }>('POST', '/auth/passkeys/options');
  const attestation = authenticator.create(body);
  const { status, body: passkey } = await user.request('POST', '/auth/passkeys', {
    name: 'Laptop',
    attestation,
  });
  assert.equal(status, 201, JSON.stringify(passkey));
  return authenticator;
}

/** Signs in with the password, up to the second step. */
async function beginSignIn(user: Pick<Person, 'email'> = person): Promise<SecondStep> {
  const { email } = user;
  const { status, body } = await test.anonymous.request<SecondStep>('POST', '/auth/sign-in', {
    email,
    password: PASSWORD,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const prove = (body: object): Promise<TestResponse> =>
  test.anonymous.request('POST', '/auth/second-factor', body);
const readSession = (response: TestResponse): Pick<Person, 'request'> =>
  withCookie(test, readCookie(response));
const toOutcome = ({ status, body }: TestResponse) => [status, body?.code];

describe('a sign-in with an authenticator app', () => {
  it('has a second step, before which there is no session', async () => {
    const totp = await addTotp();
    const { email } = person;
    const first = await test.anonymous.request<SecondStep>('POST', '/auth/sign-in', {
      email,
      password: PASSWORD,
    });
    assert.equal(first.status, 200);
    assert.equal(first.headers['set-cookie'], undefined);
    assert.deepEqual(
      [first.body.needs, first.body.methods, first.body.passkey],
      ['second_factor', ['totp'], null],
    );
    const second = await prove({ challenge: first.body.challenge, code: getCode(totp) });
    assert.equal(second.status, 204);
    assert.equal((await readSession(second).request('GET', '/auth/session')).status, 200);
  });

  it('accepts each code once, and those of one step of clock drift', async () => {
    const totp = await addTotp();
    const code = getCode(totp);
    const signInWith = async (proof: string): Promise<number> =>
      (await prove({ challenge: (await beginSignIn()).challenge, code: proof })).status;
    assert.equal(await signInWith(code), 204);
    assert.equal(await signInWith(code), 401);
    assert.equal(await signInWith(getCode(totp, nowMs + STEP_MS)), 204);
    assert.equal(await signInWith(getCode(totp, nowMs + 3 * STEP_MS)), 401);
    nowMs += 4 * STEP_MS;
    assert.equal(await signInWith(getCode(totp, nowMs - 2 * STEP_MS)), 401);
    assert.equal(await signInWith(getCode(totp, nowMs - STEP_MS)), 204);
  });

  it('accepts a code once if two requests send it at the same time', async () => {
    const totp = await addTotp();
    const challenges = [await beginSignIn(), await beginSignIn()];
    const code = getCode(totp);
    const responses = await Promise.all(challenges.map(({ challenge }) => prove({ challenge, code })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 401]);
  });

  it('ends after five wrong codes, after ten minutes, and after its success', async () => {
    const totp = await addTotp();
    const { challenge } = await beginSignIn();
    for (let tries = 0; tries < 5; tries++)
      assert.deepEqual(toOutcome(await prove({ challenge, code: '000000' })), [401, 'invalid_credentials']);
    assert.equal((await prove({ challenge, code: getCode(totp) })).status, 401);
    const late = await beginSignIn();
    nowMs += 10 * MINUTE_MS;
    assert.equal((await prove({ challenge: late.challenge, code: getCode(totp) })).status, 401);
    const used = await beginSignIn();
    assert.equal((await prove({ challenge: used.challenge, code: getCode(totp) })).status, 204);
    nowMs += STEP_MS;
    assert.equal((await prove({ challenge: used.challenge, code: getCode(totp) })).status, 401);
  });

  it('is refused after ten wrong codes, with a new challenge too', async () => {
    const totp = await addTotp();
    for (let index = 0; index < 2; index++) {
      const { challenge } = await beginSignIn();
      for (let tries = 0; tries < 5; tries++) await prove({ challenge, code: '000000' });
    }
    const { email } = person;
    const refused = await test.anonymous.request('POST', '/auth/sign-in', { email, password: PASSWORD });
    assert.equal(refused.status, 429);
    nowMs += 15 * MINUTE_MS;
    assert.equal(
      (await prove({ challenge: (await beginSignIn()).challenge, code: getCode(totp) })).status,
      204,
    );
  });

  it('is refused while ten sign-ins were not completed', async () => {
    const totp = await addTotp();
    const [first] = await Promise.all(Array.from({ length: 10 }, () => beginSignIn()));
    const { email } = person;
    const signIn = (): Promise<TestResponse> =>
      test.anonymous.request('POST', '/auth/sign-in', { email, password: PASSWORD });
    const refused = await signIn();
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '900']);
    assert.equal((await prove({ challenge: first?.challenge, code: getCode(totp) })).status, 204);
    assert.equal((await signIn()).status, 200);
  });

  it('keeps the app until a code confirms another one', async () => {
    const totp = await addTotp();
    assert.equal((await person.request('POST', '/auth/totp')).status, 200);
    assert.equal((await person.request('POST', '/auth/totp/confirm', { code: getCode(totp) })).status, 401);
    assert.equal(
      (await prove({ challenge: (await beginSignIn()).challenge, code: getCode(totp) })).status,
      204,
    );
  });

  it('is not replaced by a link that sets the password', async () => {
    await addTotp();
    const { body } = await admin.request<{ url: string }>('POST', '/admin/password-links', {
      kind: 'reset',
      email: person.email,
    });
    const response = await test.anonymous.request<SecondStep>('POST', '/auth/accept-invite', {
      token: readLinkToken(body.url),
      password: 'another long password',
    });
    assert.deepEqual(
      [response.status, response.body.needs, response.headers['set-cookie']],
      [200, 'second_factor', undefined],
    );
    assert.equal((await person.request('GET', '/auth/session')).status, 401);
  });

  it('keeps the second factor when its user changes the password', async () => {
    const totp = await addTotp();
    const session = readSession(
      await prove({ challenge: (await beginSignIn()).challenge, code: getCode(totp) }),
    );
    const next = 'another long password';
    const changed = await session.request('POST', '/auth/password', { current: PASSWORD, next });
    assert.equal(changed.status, 204);
  });

  it('lets nobody change the password by the password alone', async () => {
    const totp = await addTotp();
    nowMs += 16 * MINUTE_MS;
    const change = () =>
      person.request('POST', '/auth/password', { current: PASSWORD, next: 'another long password' });
    assert.deepEqual(toOutcome(await change()), [403, 'reauthentication_required']);
    assert.equal((await person.request('POST', '/auth/reauthenticate', { code: getCode(totp) })).status, 204);
    assert.equal((await change()).status, 204);
  });

  it('can be set a new password by a link while others have begun ten sign-ins', async () => {
    await addTotp();
    const first = await beginSignIn();
    for (let index = 1; index < 10; index++) await beginSignIn();
    const { email } = person;
    const link = { kind: 'reset', email };
    const { body } = await admin.request<{ url: string }>('POST', '/admin/password-links', link);
    const token = readLinkToken(body.url);
    const response = await test.anonymous.request<SecondStep>('POST', '/auth/accept-invite', {
      token,
      password: 'another long password',
    });
    assert.deepEqual([response.status, response.body.needs], [200, 'second_factor']);
    assert.equal((await prove({ challenge: first.challenge, recoveryCode: 'x' })).status, 401);
  });

  it('ends if the password changes between its steps', async () => {
    const totp = await addTotp();
    const { challenge } = await beginSignIn();
    const next = 'another long password';
    assert.equal((await person.request('POST', '/auth/password', { current: PASSWORD, next })).status, 204);
    assert.equal((await prove({ challenge, code: getCode(totp) })).status, 401);
  });
});

describe('a passkey', () => {
  it('is a second factor', async () => {
    const authenticator = await addPasskey();
    const { challenge, methods, passkey } = await beginSignIn();
    assert.ok(passkey);
    assert.deepEqual([methods, passkey.challenge], [['passkey'], challenge]);
    assert.equal(passkey.allowCredentials?.length, 1);
    assert.equal((await prove({ challenge, assertion: authenticator.get(passkey) })).status, 204);
  });

  it('signs in alone if its authenticator verified who unlocked it', async () => {
    const begin = async (): Promise<SecondStep> =>
      (await test.anonymous.request<SecondStep>('POST', '/auth/sign-in/passkey')).body;
    const signInWith = async (authenticator: Authenticator): Promise<TestResponse> => {
      const { challenge } = await begin();
      return prove({ challenge, assertion: authenticator.get({ challenge }) });
    };
    const verified = await signInWith(await addPasskey());
    assert.equal(verified.status, 204);
    const session = await readSession(verified).request<{ user: { userId: number } }>('GET', '/auth/session');
    assert.equal(session.body.user.userId, person.userId);
    const unverified = await addPasskey(person, { isUserVerified: false });
    assert.equal((await signInWith(unverified)).status, 401);
    assert.equal((await signInWith(new Authenticator({ origin: ORIGIN }))).status, 401);
    assert.equal((await prove({ challenge: (await begin()).challenge, code: '123456' })).status, 401);
  });

  it('is refused with another origin, challenge, account or an older counter', async () => {
    const authenticator = await addPasskey();
    const { challenge } = await beginSignIn();
    const signature = authenticator.get({ challenge });
    assert.equal(
      (await prove({ challenge: (await beginSignIn()).challenge, assertion: signature })).status,
      401,
    );
    assert.equal((await prove({ challenge, assertion: signature })).status, 204);
    const replayed = await beginSignIn();
    assert.equal((await prove({ challenge: replayed.challenge, assertion: signature })).status, 401);
    authenticator.counter = 0;
    const copied = authenticator.get(replayed);
    assert.equal((await prove({ challenge: replayed.challenge, assertion: copied })).status, 401);
    const other = await createPerson(test, admin);
    const otherAuthenticator = await addPasskey(other);
    const foreign = await beginSignIn();
    const assertion = otherAuthenticator.get(foreign);
    assert.equal((await prove({ challenge: foreign.challenge, assertion })).status, 401);
  });

  it('cannot be made on another site, for another challenge, or twice', async () => {
    const begin = async () =>
      (await person.request<{ challenge: string }>('POST', '/auth/passkeys/options')).body;
    const add = async (attestation: object) =>
      (await person.request('POST', '/auth/passkeys', { name: 'K', attestation })).status;
    const phishing = new Authenticator({ origin: 'http://evil.localhost:3000', rpId: 'localhost' });
    assert.equal(await add(phishing.create(await begin())), 400);
    const authenticator = new Authenticator({ origin: ORIGIN });
    assert.equal(await add(authenticator.create({ challenge: 'c29tZXRoaW5n' })), 401);
    const attestation = authenticator.create(await begin());
    assert.deepEqual([await add(attestation), await add(attestation)], [201, 401]);
    assert.equal(await add(authenticator.create(await begin())), 409);
  });

  it('is accepted whatever its attestation says', async () => {
    const authenticator = await addPasskey(person, { format: 'android-key' });
    const { challenge } = await beginSignIn();
    assert.equal((await prove({ challenge, assertion: authenticator.get({ challenge }) })).status, 204);
  });

  it('needs an id of 1 to 1023 bytes', async () => {
    for (const idBytes of [0, 1024, 40_000]) {
      const { body } = await person.request<{ challenge: string }>('POST', '/auth/passkeys/options');
      const attestation = new Authenticator({ origin: ORIGIN, idBytes }).create(body);
      const sent = { ...attestation, id: 'eA', rawId: 'eA' };
      const response = await person.request('POST', '/auth/passkeys', { name: 'K', attestation: sent });
      assert.deepEqual(toOutcome(response), [400, 'invalid_request'], `${idBytes}`);
    }
    await addPasskey(person, { idBytes: 1023 });
  });

  it('is not added in a session that has just ended', async () => {
    await addTotp();
    const { body } = await person.request<{ challenge: string }>('POST', '/auth/passkeys/options');
    // Deleted by another process: this one still has the session in its cache.
    await test.deps.db.query('delete from sessions where user_id = $1', [person.userId]);
    const attestation = new Authenticator({ origin: ORIGIN }).create(body);
    const response = await person.request('POST', '/auth/passkeys', { name: 'K', attestation });
    assert.deepEqual(toOutcome(response), [401, 'unauthorized']);
    const { rows } = await test.deps.db.query('select from passkeys where user_id = $1', [person.userId]);
    assert.equal(rows.length, 0);
  });

  it('is listed and removed', async () => {
    await addPasskey();
    const { body } = await person.request<{ data: { id: string; name: string }[] }>('GET', '/auth/passkeys');
    assert.deepEqual(
      body.data.map(({ name }) => name),
      ['Laptop'],
    );
    const other = await createPerson(test, admin);
    const path = `/auth/passkeys/${body.data[0]?.id}`;
    assert.equal((await other.request('DELETE', path)).status, 404);
    assert.equal((await person.request('DELETE', path)).status, 200);
    const { email } = person;
    const signIn = await test.anonymous.request('POST', '/auth/sign-in', { email, password: PASSWORD });
    assert.equal(signIn.status, 204);
  });

  it('is not offered at an address without a domain', async t => {
    const numeric = await createTestApp({ env: { BASE_URL: 'http://127.0.0.1:3000' } });
    t.after(() => numeric.close());
    const user = await createPerson(numeric, await numeric.createUser());
    const { body } = await user.request('GET', '/auth/second-factors');
    assert.equal(body.passkeysAvailable, false);
    assert.deepEqual(toOutcome(await user.request('POST', '/auth/passkeys/options')), [409, 'conflict']);
  });
});

describe('wrong codes', () => {
  it('of an account are limited to a hundred a day, from all networks', async () => {
    // The limit is counted by UTC days.
    nowMs = Math.ceil(nowMs / DAY_MS) * DAY_MS + 60 * MINUTE_MS;
    person = await createPerson(test, admin);
    const totp = await addTotp();
    let count = 0;
    for (let hour = 0; hour < 3; hour++) {
      for (let i = 0; i < 10; i++) {
        const { challenge } = await beginSignIn();
        for (let attempt = 0; attempt < 5 && count < 100; attempt++) {
          const { statusCode } = await test.app.inject({
            method: 'POST',
            url: '/api/v1/auth/second-factor',
            payload: { challenge, code: '000000' },
            remoteAddress: `10.${hour}.${i}.${attempt}`,
          });
          assert.equal(statusCode, 401, `attempt ${count}`);
          count++;
        }
      }
      nowMs += 20 * MINUTE_MS;
    }
    assert.equal(count, 100);
    const { challenge } = await beginSignIn();
    const proof = { challenge, code: getCode(totp) };
    const refused = await sendFrom(test, '10.9.9.9', 'POST', '/auth/second-factor', proof);
    assert.equal(refused.status, 429);
    assert.equal((await prove(proof)).status, 204, 'a network from which the user has signed in');
  });
});

describe('recovery codes', () => {
  it('replace a lost factor, each once', async () => {
    assert.equal((await person.request('POST', '/auth/recovery-codes')).status, 409);
    await addTotp();
    const { body } = await person.request<{ codes: string[] }>('POST', '/auth/recovery-codes');
    assert.equal(new Set(body.codes).size, 10);
    const [recoveryCode = ''] = body.codes;
    const { challenge, methods } = await beginSignIn();
    assert.deepEqual(methods, ['totp', 'recovery_code']);
    assert.equal((await prove({ challenge, recoveryCode: recoveryCode.toUpperCase() })).status, 204);
    assert.equal((await prove({ challenge: (await beginSignIn()).challenge, recoveryCode })).status, 401);
    assert.equal((await person.request('GET', '/auth/second-factors')).body.recoveryCodes, 9);
  });

  it('are announced when they are used or replaced, and so are changes of factors', async () => {
    await addTotp();
    const { body } = await person.request<{ codes: string[] }>('POST', '/auth/recovery-codes');
    const { challenge } = await beginSignIn();
    await prove({ challenge, recoveryCode: body.codes[0] });
    await person.request('POST', '/auth/recovery-codes');
    await addPasskey();
    await person.request('DELETE', '/auth/totp');
    const notices = await person.request<{ data: { kind: string; title: string }[] }>('GET', '/notices');
    const titles = notices.body.data
      .filter(({ kind }) => kind === 'second_factor_changed')
      .map(({ title }) => title);
    assert.deepEqual(titles.toReversed(), [
      'An authenticator app was added',
      'A recovery code was used',
      'New recovery codes were created',
      'A passkey was added',
      'The authenticator app was removed',
    ]);
  });

  it('end when they are replaced, and with the last factor', async () => {
    await addTotp();
    const { body } = await person.request<{ codes: string[] }>('POST', '/auth/recovery-codes');
    await person.request('POST', '/auth/recovery-codes');
    const { challenge } = await beginSignIn();
    assert.equal((await prove({ challenge, recoveryCode: body.codes[0] })).status, 401);
    assert.equal((await person.request('DELETE', '/auth/totp')).status, 200);
    const { body: factors } = await person.request('GET', '/auth/second-factors');
    assert.deepEqual([factors.totp, factors.recoveryCodes], [false, 0]);
  });
});

describe('a confirmation', () => {
  it('needs the second factor of an account that has one', async () => {
    const totp = await addTotp();
    const authenticator = await addPasskey();
    nowMs += 16 * MINUTE_MS;
    const createKey = () => person.request('POST', '/keys', { name: 'k', scopes: ['workflows:read'] });
    const refused = await createKey();
    assert.deepEqual(
      [refused.body.code, refused.body.methods],
      ['reauthentication_required', ['passkey', 'totp']],
    );
    const confirm = (proof: object): Promise<TestResponse> =>
      person.request('POST', '/auth/reauthenticate', proof);
    assert.equal((await confirm({ password: PASSWORD })).status, 401);
    assert.equal((await createKey()).status, 403);
    assert.equal((await confirm({ code: getCode(totp) })).status, 204);
    assert.equal((await createKey()).status, 201);
    nowMs += 16 * MINUTE_MS;
    const { body } = await person.request<SecondStep>('POST', '/auth/reauthenticate/options');
    assert.ok(body.passkey);
    const assertion = authenticator.get(body.passkey);
    // A sign-in cannot be confirmed, and a confirmation cannot sign in.
    assert.equal((await prove({ challenge: body.passkey.challenge, assertion })).status, 401);
    assert.equal((await confirm({ assertion })).status, 204);
    assert.equal((await confirm({ assertion })).status, 401);
    assert.equal((await createKey()).status, 201);
  });
});

describe('a session that has only proved the password', () => {
  it('cannot remove the factor that another session has just added', async () => {
    const other = await signIn(test, person);
    const totp = await addTotp();
    assert.deepEqual(toOutcome(await other.request('DELETE', '/auth/totp')), [
      403,
      'reauthentication_required',
    ]);
    assert.equal((await other.request('POST', '/auth/reauthenticate', { code: getCode(totp) })).status, 204);
    assert.equal((await other.request('DELETE', '/auth/totp')).status, 200);
  });
});

describe('an authenticator app whose secret the service can no longer read', () => {
  /** As after `graphwright secrets reset`. */
  const loseSecretsKey = (): Promise<unknown> =>
    test.deps.db.query('update totp_secrets set secret = $2, pending = $2 where user_id = $1', [
      person.userId,
      encrypt(randomBytes(32), 'JBSWY3DPEHPK3PXP'),
    ]);
  const assertUnreadable = async (response: Promise<TestResponse>): Promise<void> => {
    const { status, body } = await response;
    assert.deepEqual([status, body.code], [409, 'conflict']);
    assert.match(String(body.error), /set up the app again/);
  };

  it('says so, counts as no failure, and is replaced after a sign-in by a recovery code', async () => {
    const totp = await addTotp();
    const { body } = await person.request<{ codes: string[] }>('POST', '/auth/recovery-codes');
    await loseSecretsKey();
    const { challenge } = await beginSignIn();
    await assertUnreadable(prove({ challenge, code: getCode(totp) }));
    const signedIn = await prove({ challenge, recoveryCode: body.codes[0] });
    assert.equal(signedIn.status, 204);
    const session = readSession(signedIn);
    await assertUnreadable(session.request('POST', '/auth/totp/confirm', { code: '123456' }));
    nowMs += 16 * MINUTE_MS;
    await assertUnreadable(session.request('POST', '/auth/reauthenticate', { code: getCode(totp) }));
    const confirmation = await session.request('POST', '/auth/reauthenticate', {
      recoveryCode: body.codes[1],
    });
    assert.equal(confirmation.status, 204);
    const newTotp = await addTotp(session);
    const proof = { challenge: (await beginSignIn()).challenge, code: getCode(newTotp) };
    assert.equal((await prove(proof)).status, 204);
  });

  it('leaves passkeys working, and an administrator can remove it', async () => {
    await addTotp();
    const authenticator = await addPasskey();
    await loseSecretsKey();
    const { challenge, passkey } = await beginSignIn();
    assert.ok(passkey);
    assert.equal((await prove({ challenge, assertion: authenticator.get(passkey) })).status, 204);
    assert.equal(
      (await admin.request('POST', `/admin/users/${person.userId}/reset-second-factor`, {})).status,
      200,
    );
    await signIn(test, person);
  });
});

describe('an administrator', () => {
  it('removes the factors of someone who lost them, whose sessions end', async () => {
    await addTotp();
    await addPasskey();
    const reset = await admin.request('POST', `/admin/users/${person.userId}/reset-second-factor`, {});
    assert.equal(reset.status, 200, JSON.stringify(reset.body));
    assert.equal((await person.request('GET', '/auth/session')).status, 401);
    const { email } = person;
    const signIn = await test.anonymous.request('POST', '/auth/sign-in', { email, password: PASSWORD });
    assert.equal(signIn.status, 204);
    assert.equal((await admin.request('POST', '/admin/users/999999/reset-second-factor', {})).status, 404);
  });
});

describe('a team that requires a second factor', () => {
  let team: string;
  let teamCount = 0;
  beforeEach(async () => {
    team = `team_0000000000000000000000000${teamCount++}`;
    await insertTeam(test.deps.db, { id: team, name: 'Studio' });
    await insertMember(test.deps.db, team, person.userId, 'OWNER');
  });
  const require = (user: Pick<Person, 'request'>) =>
    user.request('PATCH', `/teams/${team}`, { requiresSecondFactor: true });
  const CLOSED = [403, 'second_factor_required'];

  it('can be set only with a second factor', async () => {
    assert.deepEqual(toOutcome(await require(person)), CLOSED);
    await addTotp();
    assert.deepEqual((await require(person)).body.requiresSecondFactor, true);
    assert.deepEqual(toOutcome(await person.request('DELETE', '/auth/totp')), CLOSED);
  });

  it('stays closed to a session whose factor was removed before', async () => {
    await addTotp();
    const member = await createPerson(test, admin);
    await insertMember(test.deps.db, team, member.userId, 'EDITOR');
    await addTotp(member);
    assert.equal((await member.request('DELETE', '/auth/totp')).status, 200);
    await require(person);
    test.deps.sessions.forgetUser(member.userId);
    assert.deepEqual(toOutcome(await member.request('GET', `/teams/${team}`)), CLOSED);
  });

  it('keeps one factor if two requests remove the last two at the same time', async () => {
    await addTotp();
    await addPasskey();
    await require(person);
    const { body } = await person.request<{ data: { id: string }[] }>('GET', '/auth/passkeys');
    const paths = ['/auth/totp', `/auth/passkeys/${body.data[0]?.id}`];
    const removals = await Promise.all(paths.map(path => person.request('DELETE', path)));
    assert.deepEqual(removals.map(({ status }) => status).sort(), [200, 403]);
  });

  it('is closed to members without one, but for their API keys, until they have one', async () => {
    const member = await createPerson(test, admin);
    await insertMember(test.deps.db, team, member.userId, 'EDITOR');
    await member.request('PUT', '/me/workspace', { teamId: team });
    const workflow = await member.request<{ id: string }>('POST', '/workflows', { name: 'W', ...PAIR });
    const folder = await member.request('POST', '/folders', { name: 'F', teamId: team });
    const move = { folderId: folder.body.id };
    const moved = await member.request('PUT', `/workflows/${workflow.body.id}`, move);
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    const scopes = ['workflows:read', 'account:admin'];
    const key = await member.request<{ key: string }>('POST', '/keys', { name: 'k', scopes });
    await addTotp();
    await require(person);
    test.deps.sessions.forgetUser(member.userId);
    const paths = [
      `/teams/${team}`,
      `/teams/${team}/members`,
      `/workflows/${workflow.body.id}`,
      `/workflows/${workflow.body.id}/executions`,
      '/workflows',
      '/folders',
      '/media',
      '/credits',
      '/executions?scope=workspace',
      '/apps',
      '/batches',
      '/schedules',
      '/triggers',
      '/credentials',
    ];
    for (const path of paths) {
      const response = await member.request('GET', path);
      const text = JSON.stringify(response.body);
      assert.ok(
        response.status === 403 || !text.includes(workflow.body.id),
        `${path} ${response.status} ${text}`,
      );
    }
    for (const path of paths.slice(0, 3))
      assert.deepEqual(toOutcome(await member.request('GET', path)), CLOSED, path);
    assert.equal((await member.request('GET', '/auth/session')).status, 200);
    const headers = { authorization: `Bearer ${key.body.key}` };
    const byKey = await test.anonymous.request('GET', `/workflows/${workflow.body.id}`, undefined, headers);
    assert.equal(byKey.status, 200);
    await addTotp(member);
    assert.equal((await member.request('GET', `/teams/${team}`)).status, 200);
  });
});

describe('an instance that requires a second factor', () => {
  it('lets sessions without one do nothing but set it up', async t => {
    const strict = await createTestApp({
      now: () => nowMs,
      env: { BASE_URL: ORIGIN, REQUIRE_SECOND_FACTOR: 'on' },
    });
    t.after(() => strict.close());
    const user = await createPerson(strict, await strict.createUser());
    assert.deepEqual(toOutcome(await user.request('GET', '/workflows')), [403, 'second_factor_required']);
    assert.equal((await user.request('GET', '/auth/session')).body.needsSecondFactor, true);
    assert.equal((await user.request('GET', '/auth/second-factors')).body.requiredBy, 'this service');
    await addTotp(user);
    assert.equal((await user.request('GET', '/workflows')).status, 200);
    assert.deepEqual(toOutcome(await user.request('DELETE', '/auth/totp')), [403, 'second_factor_required']);
  });
});
