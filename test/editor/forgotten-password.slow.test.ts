// Tests the form for a forgotten password.
import { describe, it } from 'node:test';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('the sign-in page', () => {
  const pages = setUpSignedInPages(async () => ({
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'graphwright@example.com',
  }));

  it('requests a link for a forgotten password, and says the same for every address', async () => {
    await using testPage = await pages.browser.open(pages.service.url);
    const { page } = testPage;
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('If an account has the email nobody@example.com').waitFor();
    await page.getByRole('button', { name: 'Back to sign in' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });
});
