// Tests the page of mails, and that the pages say whether a link was mailed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MailServer, startMailServer } from '../support/network/mail-server.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('with a mail server', () => {
  let server: MailServer;
  const pages = setUpSignedInPages(async () => {
    server = await startMailServer();
    return { SMTP_URL: server.url, MAIL_FROM: 'graphwright@example.com' };
  });
  after(() => server.close());
  before(() =>
    pages.service.db.query(
      `insert into mails (id, address, account, kind, cause, state, attempts, result, expires_at, finished_at)
       values ('mail_f', 'gone@example.com', 'user:1', 'password_reset', 'c', 'failed', 1, '550 no such mailbox',
           now(), now()),
         ('mail_u', 'lost@example.com', 'user:1', 'invitation', 'c', 'unconfirmed', 1, 'Connection closed', now(), now())`,
    ),
  );

  it('the page lists mails with the answers of the server, by status, and sends a test mail', async () => {
    await using testPage = await pages.open('/settings/mails');
    const { page } = testPage;
    await page.getByText('550 no such mailbox').waitFor();
    await page.getByText('Connection closed').waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('Connection closed').waitFor({ state: 'detached' });
    await page.getByText('New password').waitFor();
    await page.getByRole('button', { name: 'Send test mail' }).click();
    await page.getByText(/^The mail server accepted a mail to .*: 250/).waitFor();
    server.answer(() => ({ code: 554, text: 'not from you' }));
    await page.getByRole('button', { name: 'Send test mail' }).click();
    await page.getByText(/^The test mail was not sent: .*554 not from you/).waitFor();
    server.answer(() => 'accept');
  });

  it('an invitation says that it was mailed', async () => {
    await using testPage = await pages.open('/settings/users');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Invite user' }).click();
    await page.getByLabel('Name').fill('Uma');
    await page.getByLabel('Email').fill('uma@example.com');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('The link was mailed to Uma.').waitFor();
    assert.match(await page.getByLabel('Link', { exact: true }).inputValue(), /#invite_/);
  });
});

describe('without a mail server', () => {
  const pages = setUpSignedInPages();

  it('the page says how to set one up, and an invitation to send the link', async () => {
    await using testPage = await pages.open('/settings/mails');
    const { page } = testPage;
    await page.getByText('No mail server is set up.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send test mail' }).count(), 0);
    await page.getByText('No mails yet').waitFor();
    await page.goto('/settings/users');
    await page.getByRole('button', { name: 'Invite user' }).click();
    await page.getByLabel('Name').fill('Vic');
    await page.getByLabel('Email').fill('vic@example.com');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('Send this link to Vic privately.').waitFor();
  });
});
