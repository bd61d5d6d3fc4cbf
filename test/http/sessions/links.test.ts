// Tests password links: for the first administrator, for invited users and for forgotten passwords.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bootstrap } from '../../../src/services/accounts/bootstrap.ts';
import { createSetupLink } from '../../../src/services/sessions/password-links.ts';
import {
  createPerson,
  PASSWORD,
  readCookie,
  readLinkToken,
  signIn,
  withCookie,
} from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

const HOUR_MS = 3_600_000;
let nowMs: number;
let test: TestApp;
let admin: ApiUser;
let setupLink: string;
before(async () => {
  nowMs = Date.now();
  test = await createTestApp({ now: () => nowMs });
  const { db, settings } = test.deps;
  await db.transaction(tx => bootstrap(tx, settings));
  setupLink = (await createSetupLink(test.deps.db, test.deps)) ?? '';
  admin = await test.createUser();
});
after(() => test.close());

const owner = { email: 'olga@example.com', name: 'Olga', password: PASSWORD };
const sendSetup = (token: string, body: object = owner) =>
  test.anonymous.request('POST', '/auth/setup', { token, ...body });
const acceptInvite = (token: string, password = PASSWORD) =>
  test.anonymous.request('POST', '/auth/accept-invite', { token, password });
const createLink = (body: object) =>
  admin.request<{ url: string; expiresAt: string | null }>('POST', '/admin/password-links', body);
const invite = async (email: string): Promise<string> => {
  const created = await admin.request<{ inviteUrl: string; apiKey?: string }>('POST', '/admin/users', {
    email,
    name: 'Invited',
    invite: true,
  });
  assert.deepEqual([created.status, created.body.apiKey], [201, undefined]);
  return readLinkToken(created.body.inviteUrl);
};
const assertInvalidLink = async (response: ReturnType<typeof acceptInvite>): Promise<void> => {
  const { status, body, headers } = await response;
  assert.deepEqual([status, body.code, headers['set-cookie']], [400, 'invalid_link', undefined]);
};

describe('the setup link', () => {
  it('contains the token in the URL fragment and is printed only once', async () => {
    assert.match(setupLink, /^http:\/\/localhost:3000\/setup#setup_[\w-]{43}$/);
    assert.equal(await createSetupLink(test.deps.db, test.deps), undefined);
    const { rows } = await test.deps.db.query<{ text: string }>(
      'select to_jsonb(l)::text as text from password_links l',
    );
    assert.equal(
      rows.some(({ text }) => text.includes(readLinkToken(setupLink))),
      false,
    );
  });

  it('remains valid after an invalid request', async () => {
    const token = readLinkToken(setupLink);
    for (const invalidFields of [
      { password: 'nine char' },
      { email: 'nobody' },
      { name: ' ' },
      { password: 'x'.repeat(257) },
    ]) {
      const { status, body } = await sendSetup(token, { ...owner, ...invalidFields });
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(invalidFields));
    }
    assertRefused(await sendSetup(token, { ...owner, email: admin.email.toUpperCase() }), 409, 'conflict');
    await assertInvalidLink(acceptInvite(token));
  });

  it('creates one first administrator for two concurrent requests', async () => {
    const token = readLinkToken(setupLink);
    const responses = await Promise.all([
      sendSetup(token),
      sendSetup(token, { ...owner, email: 'mallory@example.com' }),
    ]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 400]);
    const winner = responses.find(({ status }) => status === 204);
    assert.ok(winner !== undefined);
    const { body } = await withCookie(test, readCookie(winner)).request<{ user: Record<string, unknown> }>(
      'GET',
      '/auth/session',
    );
    assert.deepEqual([body.user.userId, body.user.name, body.user.isAdmin], [1, 'Olga', true]);
    await assertInvalidLink(sendSetup(token));
    assert.equal(await createSetupLink(test.deps.db, test.deps), undefined);
  });

  it('is invalid after another setup link was created', async () => {
    const first = await createLink({ kind: 'setup' });
    assert.deepEqual([first.status, first.body.expiresAt], [200, null]);
    const second = await createLink({ kind: 'setup' });
    await assertInvalidLink(sendSetup(readLinkToken(first.body.url)));
    assert.equal((await sendSetup(readLinkToken(second.body.url))).status, 204);
    await signIn(test, owner);
  });
});

describe('an invitation link', () => {
  it('names the page that opens afterwards, which must be one of this service', async () => {
    const { body } = await admin.request<{ inviteUrl: string }>('POST', '/admin/users', {
      email: 'nora@example.com',
      name: 'Nora',
      invite: true,
      next: '/flow/wf_1?in=a&b',
    });
    const url = new URL(body.inviteUrl);
    assert.deepEqual([url.pathname, url.searchParams.get('next')], ['/setup', '/flow/wf_1?in=a&b']);
    for (const next of ['//example.com', '/\\example.com', 'https://example.com', 'flow', '/a b', ''])
      assertRefused(
        await createLink({ kind: 'invite', email: 'nora@example.com', next }),
        400,
        'invalid_request',
      );
  });

  it('sets the password of the invited user only once', async () => {
    const token = await invite('ivan@example.com');
    const response = await acceptInvite(token);
    assert.equal(response.status, 204);
    const { body } = await withCookie(test, readCookie(response)).request('GET', '/me');
    assert.equal(body.email, 'ivan@example.com');
    await assertInvalidLink(acceptInvite(token));
    await signIn(test, { email: 'Ivan@Example.com' });
  });

  it('is valid for 72 hours', async () => {
    const [earlyToken, lateToken] = [await invite('early@example.com'), await invite('late@example.com')];
    nowMs += 72 * HOUR_MS - 1000;
    assert.equal((await acceptInvite(earlyToken)).status, 204);
    nowMs += 2000;
    await assertInvalidLink(acceptInvite(lateToken));
    const newLink = await createLink({ kind: 'invite', email: 'late@example.com' });
    assert.equal((await acceptInvite(readLinkToken(newLink.body.url))).status, 204);
  });

  it('cannot be used for the setup or a disabled account', async () => {
    const token = await invite('carl@example.com');
    await assertInvalidLink(sendSetup(token, { ...owner, email: 'x@example.com' }));
    const { body } = await admin.request<{ data: readonly { userId: number; email: string }[] }>(
      'GET',
      '/admin/users?limit=200',
    );
    const carl = body.data.find(({ email }) => email === 'carl@example.com');
    await admin.request('PATCH', `/admin/users/${carl?.userId}`, { disabled: true });
    await assertInvalidLink(acceptInvite(token));
  });

  it('sets no password while its account is disabled, and none later', async () => {
    const person = await createPerson(test, admin);
    const { body } = await createLink({ kind: 'reset', email: person.email });
    const setDisabled = (disabled: boolean) =>
      admin.request('PATCH', `/admin/users/${person.userId}`, { disabled });
    await setDisabled(true);
    // A link that somebody requested in the meantime.
    const later = await createLink({ kind: 'reset', email: person.email });
    for (const { url } of [body, later.body])
      await assertInvalidLink(acceptInvite(readLinkToken(url), 'of a thief of mails'));
    await setDisabled(false);
    await assertInvalidLink(acceptInvite(readLinkToken(body.url), 'of a thief of mails'));
    assert.equal((await person.request('GET', '/auth/session')).status, 401, 'sessions end for good');
    await signIn(test, person);
  });

  it('can be created only by administrators and without a key', async () => {
    const userWithKeyAndInvite = {
      email: 'both@example.com',
      name: 'Both',
      invite: true,
      keyScopes: ['workflows:read'],
    };
    assert.equal((await admin.request('POST', '/admin/users', userWithKeyAndInvite)).status, 400);
    const person = await createPerson(test, admin);
    assertRefused(
      await person.request('POST', '/admin/password-links', { kind: 'setup' }),
      401,
      'insufficient_scope',
    );
  });
});

describe('a password reset link', () => {
  it('sets a new password and ends the sessions of the user', async () => {
    const person = await createPerson(test, admin);
    const { body } = await createLink({ kind: 'reset', email: person.email });
    assert.equal(Date.parse(String(body.expiresAt)), nowMs + 24 * HOUR_MS);
    const next = 'a password to remember';
    assert.equal((await acceptInvite(readLinkToken(body.url), next)).status, 204);
    assert.equal((await person.request('GET', '/auth/session')).status, 401);
    await signIn(test, person, next);
  });

  it('is invalid after the password was changed', async () => {
    const person = await createPerson(test, admin);
    const { body } = await createLink({ kind: 'reset', email: person.email });
    await person.request('POST', '/auth/password', { current: PASSWORD, next: 'changed by myself' });
    await assertInvalidLink(acceptInvite(readLinkToken(body.url)));
  });

  it('can be created only for an existing account', async () => {
    assert.equal((await createLink({ kind: 'reset', email: 'nobody@example.com' })).status, 404);
    assert.equal((await createLink({ kind: 'reset' })).status, 400);
    assert.equal((await createLink({ kind: 'setup', email: owner.email })).status, 400);
    assert.equal((await createLink({ kind: 'other', email: owner.email })).status, 400);
  });
});
