// Tests that users are notified of new browsers and of changes in who can use their account.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { MailContent } from '../../../src/store/mails.ts';
import { recordMailSetUp } from '../../../src/store/mails.ts';
import {
  createPerson,
  PASSWORD,
  type Person,
  readLinkToken,
  withCookie,
} from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
let admin: ApiUser;
let person: Person;
before(async () => {
  test = await createTestApp();
  await recordMailSetUp(test.deps.db, true);
  admin = await test.createUser();
});
after(() => test.close());
beforeEach(async () => {
  person = await createPerson(test, admin);
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface SignIn {
  readonly status: number;
  readonly session: string;
  readonly browser: string;
}
async function signIn(
  browser: string | undefined,
  address = '192.0.2.1',
  userAgent = FIREFOX,
): Promise<SignIn> {
  const response = await test.app.inject({
    method: 'POST',
    url: '/api/v1/auth/sign-in',
    payload: { email: person.email, password: PASSWORD },
    remoteAddress: address,
    headers: { 'user-agent': userAgent, ...(browser !== undefined && { cookie: browser }) },
  });
  const cookies = [response.headers['set-cookie'] ?? []].flat().map(text => text.split(';', 1)[0] ?? '');
  const find = (name: string): string => cookies.find(cookie => cookie.startsWith(`${name}=`)) ?? '';
  return { status: response.statusCode, session: find('session'), browser: find('browser') };
}

interface Mail {
  readonly kind: string;
  readonly address: string;
  readonly content: MailContent;
}
const listMails = async (): Promise<readonly Mail[]> =>
  (
    await test.deps.db.query<Mail>(
      `select kind, address, content from mails where user_id = $1 and kind <> 'invitation' order by created_at, id`,
      [person.userId],
    )
  ).rows;
const listNotices = async (): Promise<readonly string[]> =>
  (
    await test.deps.db.query<{ title: string }>('select title from notices where user_id = $1 order by id', [
      person.userId,
    ])
  ).rows.map(({ title }) => title);

describe('a sign-in', () => {
  it('in a new browser is announced with time, browser and address, and in a known one it is not', async () => {
    const first = await signIn(undefined);
    assert.equal(first.status, 204);
    const [mail] = await listMails();
    assert.equal(mail?.kind, 'new_browser');
    assert.deepEqual(
      mail.content.details?.map(([label]) => label),
      ['Time', 'Browser', 'IP address'],
    );
    assert.deepEqual(mail.content.details?.slice(1), [
      ['Browser', 'Firefox on Linux'],
      ['IP address', '192.0.2.1'],
    ]);
    assert.deepEqual(mail.content.buttons, [{ label: 'Check your sessions', path: '/settings/sessions' }]);
    const second = await signIn(first.browser, '198.51.100.7');
    assert.equal(second.browser, first.browser);
    assert.equal((await listMails()).length, 1);
    assert.deepEqual(await listNotices(), ['Sign-in from a new browser']);
  });

  it('in a browser without cookies is announced once until the notice is read, but another browser is', async () => {
    await signIn(undefined);
    await signIn(undefined);
    await signIn(undefined, '192.0.2.1', 'curl/8');
    assert.equal((await listMails()).length, 2);
  });

  it('with the cookie of another account is announced', async () => {
    const { browser } = await signIn(undefined);
    person = await createPerson(test, admin);
    await signIn(browser);
    assert.equal((await listMails()).length, 1);
  });

  it('with a made-up cookie is announced, and a malformed one is replaced', async () => {
    await signIn(`browser=${'a'.repeat(22)}`);
    const { browser } = await signIn('browser=nonsense', '192.0.2.1', 'curl/8');
    assert.match(browser, /^browser=[\w-]{22}$/);
    assert.equal((await listMails()).length, 2);
  });

  it('after an upgrade is not announced in a known network, but in another one', async () => {
    await test.deps.db.query('delete from known_browsers where user_id = $1', [person.userId]);
    await signIn(undefined, '127.0.0.1');
    assert.equal((await listMails()).length, 0);
    await test.deps.db.query('delete from known_browsers where user_id = $1', [person.userId]);
    await signIn(undefined, '203.0.113.9');
    assert.equal((await listMails()).length, 1);
  });

  it('remembers at most a hundred browsers', async () => {
    await test.deps.db.query(
      `insert into known_browsers (user_id, hash, seen_at)
       select $1, sha256(n::text::bytea), now() - n * interval '1 day' from generate_series(1, 150) n`,
      [person.userId],
    );
    await signIn(undefined);
    const { rows } = await test.deps.db.query<{ count: number }>(
      'select count(*)::int as count from known_browsers where user_id = $1',
      [person.userId],
    );
    assert.equal(rows[0]?.count, 100);
  });
});

describe('the user is notified', () => {
  it('of a changed password, and not of the first one', async () => {
    assert.deepEqual(await listNotices(), []);
    const next = 'another good password';
    const change = await person.request('POST', '/auth/password', { current: PASSWORD, next });
    assert.equal(change.status, 204);
    assert.ok((await listNotices()).includes('Your password was changed'));
    const link = await admin.request<{ url: string }>('POST', '/admin/password-links', {
      kind: 'reset',
      email: person.email,
    });
    await test.anonymous.request('POST', '/auth/accept-invite', {
      token: readLinkToken(link.body.url),
      password: PASSWORD,
    });
    assert.equal((await listMails()).filter(({ kind }) => kind === 'password_changed').length, 2);
  });

  it('of a changed email, at both addresses', async () => {
    const email = `new-${person.email}`;
    const change = await admin.request('PATCH', `/admin/users/${person.userId}`, { email });
    assert.equal(change.status, 200);
    const mails = await listMails();
    assert.deepEqual(mails.map(({ address }) => address).sort(), [email, person.email].sort());
    assert.match(mails[0]?.content.paragraphs[0] ?? '', new RegExp(`from ${person.email} to ${email}`));
    await admin.request('PATCH', `/admin/users/${person.userId}`, { email, name: 'Ana' });
    assert.equal((await listMails()).length, 2, 'the same email is no change');
  });

  it('of second factors that an administrator removed', async () => {
    const reset = await admin.request('POST', `/admin/users/${person.userId}/reset-second-factor`);
    assert.equal(reset.status, 200);
    assert.deepEqual(await listNotices(), ['Your second factors were removed']);
    assert.equal((await withCookie(test, person.cookie).request('GET', '/auth/session')).status, 401);
  });
});
