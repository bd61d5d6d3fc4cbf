// Tests the security settings and the second step of a sign-in in Chromium with a virtual authenticator.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { signUpUser } from '../support/accounts/first-user.ts';
import { PASSWORD } from '../support/accounts/people.ts';
import { BROWSER_MISSING_REASON } from '../support/browser.ts';
import { findFreePort } from '../support/network/free-port.ts';
import { type SignedInBrowser, startSignedInBrowser } from '../support/signed-in-browser.ts';

/** Without a session, and with a wrong code, the service answers 401. */
const isUnexpected = (error: string): boolean => !error.includes('status of 401');

/** Gives the page a device with a fingerprint reader that accepts everyone. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

describe('second factors in the browser', { skip: BROWSER_MISSING_REASON }, () => {
  let editor: SignedInBrowser;
  /** With a domain, without which browsers offer no passkeys. */
  let url: string;
  before(async () => {
    const port = await findFreePort();
    url = `http://localhost:${port}`;
    editor = await startSignedInBrowser({ PORT: String(port), BASE_URL: url });
  });
  after(async () => {
    await editor.browser.close();
    await editor.service.close();
  });

  async function fillSignIn(page: Page, email: string): Promise<void> {
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  it('are an authenticator app and recovery codes', async () => {
    const email = 'eve@example.com';
    const cookie = await signUpUser(editor.service, { email, name: 'Eve' });
    await using testPage = await editor.browser.open(url, undefined, cookie);
    const { page } = testPage;
    await page.goto('/settings/security');
    const app = page.locator('section', { has: page.getByRole('heading', { name: 'Authenticator app' }) });
    await app.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Authenticator app' });
    await dialog.getByRole('img', { name: 'QR code of the key' }).waitFor();
    const secret = await dialog.getByRole('textbox', { name: 'Key' }).inputValue();
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await dialog.getByLabel('Code', { exact: true }).fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('The code does not match.').waitFor();
    // The code of the next step, so that the one of the current step remains for the sign-in.
    const confirmedAtMs = Date.now() - 30_000;
    await dialog.getByLabel('Code', { exact: true }).fill(totp.generate({ timestamp: confirmedAtMs }));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const codes = page.getByRole('dialog', { name: 'Save your recovery codes' });
    const recoveryCode = (await codes.locator('code').first().textContent()) ?? '';
    assert.equal(await codes.locator('code').count(), 10);
    await codes.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 of your recovery codes are left.').waitFor();

    await page.context().clearCookies();
    await fillSignIn(page, email);
    await page.getByLabel('Code', { exact: true }).fill(totp.generate());
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.waitForURL('**/workflows');
    await page.context().clearCookies();
    await fillSignIn(page, email);
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await page.getByLabel('Recovery code').fill(recoveryCode);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.waitForURL('**/workflows');
    assert.deepEqual(testPage.errors.filter(isUnexpected), []);
  });

  it('are passkeys, with and without a password', async () => {
    const email = 'kim@example.com';
    const cookie = await signUpUser(editor.service, { email, name: 'Kim' });
    await using testPage = await editor.browser.open(url, undefined, cookie);
    const { page } = testPage;
    await addAuthenticator(page);
    await page.goto('/settings/security');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('rowheader', { name: 'Laptop' }).waitFor();

    await page.context().clearCookies();
    await fillSignIn(page, email);
    await page.getByRole('button', { name: 'Use passkey' }).click();
    await page.waitForURL('**/workflows');
    await page.context().clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL('**/workflows');
    assert.deepEqual(testPage.errors.filter(isUnexpected), []);
  });

  it('are shown on a page that fits in all views', async () => {
    const checkedPage = { path: '/settings/security', name: 'settings-security' };
    await editor.checkViews(checkedPage, page => page.getByRole('heading', { name: 'Passkeys' }).waitFor());
  });
});
