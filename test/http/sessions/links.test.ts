// Tests links that set a password: for the first user, for invited users, and for forgotten passwords.
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
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

const HOUR_MS = 3_600_000;
let nowMs: number;
let test: TestApp;
let operator: Caller;
let setUpLink: string;
before(async () => {
  nowMs = Date.now();
  test = await createTestApp({ now: () => nowMs });
  const { db, settings } = test.deps;
  await bootstrap(db, settings);
  setUpLink = (await createSetupLink(test.deps)) ?? '';
  operator = await test.createCaller();
});
after(() => test.close());

const owner = { email: 'olga@example.com', name: 'Olga', password: PASSWORD };
const setUp = (token: string, body: object = owner) =>
  test.anonymous.request('POST', '/auth/setup', { token, ...body });
const accept = (token: string, password = PASSWORD) =>
  test.anonymous.request('POST', '/auth/accept-invite', { token, password });
const mint = (body: object) =>
  operator.request<{ url: string; expiresAt: string | null }>('POST', '/admin/password-links', body);
const invite = async (email: string): Promise<string> => {
  const created = await operator.request<{ inviteUrl: string; apiKey?: string }>('POST', '/admin/users', {
    email,
    name: 'Invited',
    invite: true,
  });
  assert.deepEqual([created.status, created.body.apiKey], [201, undefined]);
  return readLinkToken(created.body.inviteUrl);
};
const isUsedUp = async (response: ReturnType<typeof accept>): Promise<void> => {
  const { status, body, headers } = await response;
  assert.deepEqual([status, body.code, headers['set-cookie']], [400, 'invalid_link', undefined]);
};

describe('the setup link', () => {
  it('is in the fragment of a URL and printed once', async () => {
    assert.match(setUpLink, /^http:\/\/localhost:3000\/setup#setup_[\w-]{43}$/);
    assert.equal(await createSetupLink(test.deps), undefined);
    const { rows } = await test.deps.db.query<{ text: string }>(
      'select to_jsonb(l)::text as text from password_links l',
    );
    assert.equal(
      rows.some(({ text }) => text.includes(readLinkToken(setUpLink))),
      false,
    );
  });

  it('stays valid after an invalid form or a taken email', async () => {
    const token = readLinkToken(setUpLink);
    for (const wrong of [
      { password: 'nine char' },
      { email: 'nobody' },
      { name: ' ' },
      { password: 'x'.repeat(257) },
    ]) {
      const { status, body } = await setUp(token, { ...owner, ...wrong });
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(wrong));
    }
    assertRefused(await setUp(token, { ...owner, email: operator.email.toUpperCase() }), 409, 'conflict');
    await isUsedUp(accept(token));
  });

  it('creates the first administrator with email, name and password, once even for two concurrent requests', async () => {
    const token = readLinkToken(setUpLink);
    const responses = await Promise.all([
      setUp(token),
      setUp(token, { ...owner, email: 'mallory@example.com' }),
    ]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 400]);
    const winner = responses.find(({ status }) => status === 204);
    assert.ok(winner !== undefined);
    const { body } = await withCookie(test, readCookie(winner)).request<{ user: Record<string, unknown> }>(
      'GET',
      '/auth/session',
    );
    assert.deepEqual([body.user.userId, body.user.name, body.user.isAdmin], [1, 'Olga', true]);
    await isUsedUp(setUp(token));
    assert.equal(await createSetupLink(test.deps), undefined);
  });

  it('is replaced by the next one', async () => {
    const first = await mint({ kind: 'setup' });
    assert.deepEqual([first.status, first.body.expiresAt], [200, null]);
    const second = await mint({ kind: 'setup' });
    await isUsedUp(setUp(readLinkToken(first.body.url)));
    assert.equal((await setUp(readLinkToken(second.body.url))).status, 204);
    await signIn(test, owner);
  });
});

describe('an invitation', () => {
  it('lets the invited user choose a password, once', async () => {
    const token = await invite('ivan@example.com');
    const accepted = await accept(token);
    assert.equal(accepted.status, 204);
    const { body } = await withCookie(test, readCookie(accepted)).request('GET', '/me');
    assert.equal(body.email, 'ivan@example.com');
    await isUsedUp(accept(token));
    await signIn(test, { email: 'Ivan@Example.com' });
  });

  it('is valid for 72 hours', async () => {
    const [early, late] = [await invite('early@example.com'), await invite('late@example.com')];
    nowMs += 72 * HOUR_MS - 1000;
    assert.equal((await accept(early)).status, 204);
    nowMs += 2000;
    await isUsedUp(accept(late));
    const again = await mint({ kind: 'invite', email: 'late@example.com' });
    assert.equal((await accept(readLinkToken(again.body.url))).status, 204);
  });

  it('opens neither the setup nor a disabled account', async () => {
    const token = await invite('carl@example.com');
    await isUsedUp(setUp(token, { ...owner, email: 'x@example.com' }));
    const { body } = await operator.request<{ data: readonly { userId: number; email: string }[] }>(
      'GET',
      '/admin/users?limit=200',
    );
    const carl = body.data.find(({ email }) => email === 'carl@example.com');
    await operator.request('PATCH', `/admin/users/${carl?.userId}`, { disabled: true });
    const response = await accept(token);
    assert.deepEqual([response.status, response.headers['set-cookie']], [401, undefined]);
  });

  it('can be requested instead of a key by administrators', async () => {
    const both = { email: 'both@example.com', name: 'Both', invite: true, keyScopes: ['workflows:read'] };
    assert.equal((await operator.request('POST', '/admin/users', both)).status, 400);
    const person = await createPerson(test, operator);
    assertRefused(
      await person.request('POST', '/admin/password-links', { kind: 'setup' }),
      401,
      'insufficient_scope',
    );
  });
});

describe('a reset link', () => {
  it('sets a new password, ends the sessions, and is valid for a day', async () => {
    const person = await createPerson(test, operator);
    const { body } = await mint({ kind: 'reset', email: person.email });
    assert.equal(Date.parse(String(body.expiresAt)), nowMs + 24 * HOUR_MS);
    const next = 'a password to remember';
    assert.equal((await accept(readLinkToken(body.url), next)).status, 204);
    assert.equal((await person.request('GET', '/auth/session')).status, 401);
    await signIn(test, person, next);
  });

  it('is invalid once the password was changed', async () => {
    const person = await createPerson(test, operator);
    const { body } = await mint({ kind: 'reset', email: person.email });
    await person.request('POST', '/auth/password', { current: PASSWORD, next: 'changed by myself' });
    await isUsedUp(accept(readLinkToken(body.url)));
  });

  it('requires an existing account', async () => {
    assert.equal((await mint({ kind: 'reset', email: 'nobody@example.com' })).status, 404);
    assert.equal((await mint({ kind: 'reset' })).status, 400);
    assert.equal((await mint({ kind: 'setup', email: owner.email })).status, 400);
    assert.equal((await mint({ kind: 'other', email: owner.email })).status, 400);
  });
});
