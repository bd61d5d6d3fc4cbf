// Tests links for forgotten passwords, from the request to the mail and the new password, and invitations by mail.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { mailNewPassword } from '../../../src/services/sessions/forgotten-password.ts';
import { insertIdentity } from '../../../src/store/people/identities.ts';
import { createPerson, PASSWORD, readLinkToken, sendFrom } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../../support/network/mail-server.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { PAIR } from '../../support/workflows.ts';
import { createScimClient, patchOf } from '../scim/scim-client.ts';

const NEXT_PASSWORD = 'a new password';
const ISSUER = 'https://login.example.com';

describe('a service with a mail server', () => {
  let server: MailServer;
  let service: TestService;
  before(async () => {
    server = await startMailServer();
    service = await startTestService({ SMTP_URL: server.url, MAIL_FROM: 'graphwright@example.com' });
  });
  after(async () => {
    await service.close();
    await server.close();
  });
  const waitForMail = async (address: string, subject: RegExp): Promise<ReceivedMail> => {
    const find = () =>
      server.received.findLast(
        ({ to, headers }) => to[0] === address && subject.test(headers.get('subject') ?? ''),
      );
    await waitUntil(`the mail to ${address}`, () => find() !== undefined);
    return find() as ReceivedMail;
  };
  const readLink = ({ text }: ReceivedMail): string => /https?:\/\/\S+#\S+/.exec(text)?.[0] ?? '';
  const invite = async (email: string, next?: string): Promise<string> => {
    const { status, body } = await service.request<{ inviteUrl: string; isMailed: boolean }>(
      'POST',
      '/admin/users',
      { email, name: 'Ana', invite: true, ...(next !== undefined && { next }) },
    );
    assert.deepEqual([status, body.isMailed], [201, true]);
    return body.inviteUrl;
  };
  const setPassword = (link: string, password: string) =>
    service.request('POST', '/auth/accept-invite', { token: readLinkToken(link), password });

  it('mails the link of an invitation, which the administrator gets too', async () => {
    const url = await invite('ana@example.com', '/flow/wf_1');
    const mail = await waitForMail('ana@example.com', /Set up your account/);
    assert.equal(readLink(mail), url);
    assert.ok(mail.html.includes(`href="${url}"`));
    assert.equal((await setPassword(readLink(mail), PASSWORD)).status, 204);
    const { rows } = await service.db.query<{ text: string }>(
      'select to_jsonb(m)::text as text from mails m',
    );
    assert.ok(!rows.some(({ text }) => text.includes(readLinkToken(url))), 'no secret is stored readably');
  });

  it('mails a link that sets a new password once, whatever the case of the email', async () => {
    await invite('bo@example.com');
    await setPassword(readLink(await waitForMail('bo@example.com', /Set up your account/)), PASSWORD);
    const requested = await service.request('POST', '/auth/forgotten-password', { email: ' BO@example.com' });
    assert.deepEqual([requested.status, requested.body], [202, { success: true }]);
    const link = readLink(await waitForMail('bo@example.com', /Set a new password/));
    assert.equal((await setPassword(link, NEXT_PASSWORD)).status, 204);
    assert.equal((await setPassword(link, 'yet another one')).status, 400);
    const signIn = { email: 'bo@example.com', password: NEXT_PASSWORD };
    assert.equal((await service.request('POST', '/auth/sign-in', signIn)).status, 204);
    await waitForMail('bo@example.com', /Your password was changed/);
  });

  it('mails links to the address of the settings, whatever host the request names', async () => {
    await invite('dee@example.com');
    await setPassword(readLink(await waitForMail('dee@example.com', /Set up your account/)), PASSWORD);
    const sent = request(`${service.url}/api/v1/auth/forgotten-password`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      },
    });
    sent.end(JSON.stringify({ email: 'dee@example.com' }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 202);
    const mail = await waitForMail('dee@example.com', /Set a new password/);
    assert.ok(!`${mail.text}${mail.html}`.includes('evil.example'));
  });

  it('mails an invitation to a team to an address with and without an account', async () => {
    const team = await service.request<{ id: string }>('POST', '/teams', { name: 'Ads <b>' });
    await invite('cy@example.com');
    for (const email of ['cy@example.com', 'nobody@example.com']) {
      const invitation = await service.request<{ url: string; isMailed: boolean }>(
        'POST',
        `/teams/${team.body.id}/members`,
        { email, role: 'EDITOR' },
      );
      assert.deepEqual([invitation.status, invitation.body.isMailed], [202, true]);
      const mail = await waitForMail(email, /invited you to the team “Ads <b>”/);
      assert.ok(mail.text.includes(invitation.body.url));
      assert.ok(mail.html.includes('Ads &lt;b&gt;'));
    }
  });

  it('mails a shared workflow to an address without an account', async () => {
    const workflow = await service.createWorkflow(PAIR);
    const share = await service.request('PUT', `/workflows/${workflow}/permissions`, {
      email: 'stranger@example.com',
      role: 'VIEW',
    });
    assert.equal(share.status, 200);
    const mail = await waitForMail('stranger@example.com', /invited you to/);
    assert.ok(mail.text.includes(`/flow/${workflow}`));
  });
});

describe('POST /auth/forgotten-password', () => {
  let nowMs = Date.UTC(2026, 10, 30);
  let test: TestApp;
  let admin: ApiUser;
  before(async () => {
    test = await createTestApp({
      now: () => nowMs,
      env: {
        SMTP_URL: 'smtp://127.0.0.1:1',
        MAIL_FROM: 'graphwright@example.com',
        OIDC_ISSUER: ISSUER,
        OIDC_CLIENT_ID: 'graphwright',
        OIDC_CLIENT_SECRET: 'secret',
        OIDC_ALLOWED_DOMAINS: 'example.com',
      },
    });
    await test.deps.db.query(
      `insert into instance (key, value) values ('mail', 'on') on conflict (key) do update set value = 'on'`,
    );
    admin = await test.createUser();
  });
  after(() => test.close());

  let addressCount = 0;
  const request = (email: string, address = `10.3.${addressCount++}.1`) =>
    sendFrom(test, address, 'POST', '/auth/forgotten-password', { email });
  /** Performs the queued jobs, and returns how many there were. */
  const performJobs = async (): Promise<number> => {
    const { rows } = await test.deps.db.query<{ id: string }>(
      `select j.payload ->> 'id' as id from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'forgotten_password'`,
    );
    for (const { id } of rows) {
      await mailNewPassword(test.deps, id);
      // A job may run again after a crash.
      await mailNewPassword(test.deps, id);
    }
    await test.deps.db.query('delete from graphile_worker._private_jobs');
    return rows.length;
  };
  const countMails = async (email: string): Promise<number> => {
    const { rows } = await test.deps.db.query<{ count: number }>(
      `select count(*)::int as count from mails where lower(address) = lower($1) and kind = 'password_reset'`,
      [email],
    );
    return rows[0]?.count ?? 0;
  };

  it('answers every address alike, and mails only accounts', async () => {
    const person = await createPerson(test, admin);
    const disabled = await createPerson(test, admin);
    await admin.request('PATCH', `/admin/users/${disabled.userId}`, { disabled: true });
    const emails = [person.email, disabled.email, 'nobody@example.com'];
    const responses = await Promise.all(emails.map(email => request(email)));
    assert.deepEqual(
      responses.map(({ status, code }) => [status, code]),
      emails.map(() => [202, undefined]),
    );
    assert.equal(await performJobs(), 3);
    assert.deepEqual(await Promise.all(emails.map(countMails)), [1, 0, 0]);
  });

  it('mails an address at most three times an hour', async () => {
    const { email } = await createPerson(test, admin);
    for (let i = 0; i < 6; i++) assert.equal((await request(email.toUpperCase())).status, 202);
    await performJobs();
    assert.equal(await countMails(email), 3);
    nowMs += 3_600_000;
    await request(email);
    await performJobs();
    assert.equal(await countMails(email), 4);
  });

  it('is limited to 20 requests an hour from a network, and rejects malformed addresses', async () => {
    for (let i = 0; i < 20; i++)
      assert.equal((await request(`p${i}@example.com`, '203.0.113.50')).status, 202);
    assert.equal((await request('p@example.com', '203.0.113.50')).status, 429);
    for (const email of ['nonsense', 'a@b@c', 'a\r\nb@example.com', ''])
      assert.equal((await request(email)).status, 400, email);
    assert.equal((await test.anonymous.request('POST', '/auth/forgotten-password', {})).status, 400);
    await performJobs();
  });

  it('gives an invited person a link as long as the invitation that it replaces', async () => {
    const email = 'late@example.com';
    await admin.request('POST', '/admin/users', { email, name: 'Late', invite: true });
    await request(email);
    await performJobs();
    const { rows } = await test.deps.db.query<{ kind: string; hours: number }>(
      `select l.kind, extract(epoch from l.expires_at - $2)::int / 3600 as hours
       from password_links l join users u on u.id = l.user_id where u.email = $1`,
      [email, new Date(nowMs)],
    );
    assert.deepEqual(rows, [{ kind: 'invite', hours: 72 }]);
  });

  it('mails no link for accounts that an identity provider signs in, also after SCIM has changed the email', async () => {
    const send = await createScimClient(test, admin);
    const managed = await send('POST', '/Users', { userName: 'managed@example.com' });
    const attacker = { op: 'replace', path: 'emails[type eq "work"].value', value: 'thief@evil.example' };
    assert.equal((await send('PATCH', `/Users/${managed.body.id}`, patchOf(attacker))).status, 200);
    const withPassword = await createPerson(test, admin);
    await send('POST', '/Users', { userName: withPassword.email });
    const { body: linked } = await admin.request<{ userId: number }>('POST', '/admin/users', {
      email: 'linked@example.com',
      name: 'Lin',
    });
    await insertIdentity(test.deps.db, { issuer: ISSUER, subject: 'lin', userId: linked.userId });
    for (const email of ['thief@evil.example', withPassword.email, 'linked@example.com'])
      await request(email);
    await performJobs();
    const { rows } = await test.deps.db.query<{ address: string; subject: string; secret: Buffer | null }>(
      `select address, content ->> 'subject' as subject, secret from mails
       where kind = 'password_reset' and address = any ($1)`,
      [['thief@evil.example', withPassword.email, 'linked@example.com']],
    );
    assert.equal(rows.length, 3);
    for (const { subject, secret } of rows)
      assert.deepEqual([subject, secret], ['Sign in with your identity provider', null]);
    const links = await test.deps.db.query('select from password_links where user_id = any ($1)', [
      [Number(managed.body.id), withPassword.userId, linked.userId],
    ]);
    assert.equal(links.rows.length, 0);
  });

  it('does not replace the link of the first user', async () => {
    const { rows } = await test.deps.db.query<{ email: string }>(
      'select email from users where id = 1 and password is null',
    );
    for (const { email } of rows) await request(email);
    await performJobs();
    for (const { email } of rows) assert.equal(await countMails(email), 0);
  });
});

describe('a service without a mail server', () => {
  it('says to ask an administrator, and invites by links', async () => {
    const test = await createTestApp();
    try {
      const admin = await test.createUser();
      const refused = await test.anonymous.request('POST', '/auth/forgotten-password', {
        email: 'a@example.com',
      });
      assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
      assert.match(refused.body.error ?? '', /Ask an administrator/);
      const { body } = await admin.request('POST', '/admin/users', {
        email: 'b@example.com',
        name: 'B',
        invite: true,
      });
      assert.equal(body.isMailed, false);
      assert.match(String(body.inviteUrl), /\/setup#invite_/);
      assert.equal((await test.anonymous.request('GET', '/auth/methods')).body.mail, false);
    } finally {
      await test.close();
    }
  });
});
