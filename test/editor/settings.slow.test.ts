// Tests the actions in each part of the settings, and sign-in with an identity provider.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { getPersonalWorkspaceId } from '../../src/services/accounts/access.ts';
import { BOOTSTRAP_USER_ID } from '../../src/services/accounts/bootstrap.ts';
import { CALLBACK_PATH } from '../../src/services/sessions/openid.ts';
import { createOpenApi, VIDEO_INPUT } from '../nodes/models/published.ts';
import { signInFirstUser, signUpUser } from '../support/accounts/first-user.ts';
import { readLinkToken } from '../support/accounts/people.ts';
import type { TestBrowser, TestPage } from '../support/browser.ts';
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/network/identity-provider.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { ownAddressSettings, startTestService, type TestService } from '../support/service.ts';
import { node } from '../support/workflows.ts';
import { openPages } from './dom/dom-browser.ts';

const PHONE = { width: 390, height: 844, colorScheme: 'light' } as const;
const PASSWORD = 'correct horse battery';
const SCRIPT = '<img src=x onerror=alert(1)>';

/** A video model in the format of fal's list. */
const listedModel = (endpoint: string) => ({
  endpoint_id: endpoint,
  metadata: { display_name: endpoint === 'fal-ai/kite' ? 'Kite' : 'Other', category: 'text-to-video' },
  openapi: createOpenApi(endpoint, VIDEO_INPUT),
});

describe('the settings pages', () => {
  let service: TestService;
  let browser: TestBrowser;
  let identityProvider: IdentityProvider;
  let fal: FalDouble;
  let cookie: string;

  before(async () => {
    const address = await ownAddressSettings();
    fal = await startFal(Buffer.from('x'));
    fal.models = ['fal-ai/kite', 'fal-ai/other'].map(listedModel);
    identityProvider = await startIdentityProvider(`${address.BASE_URL}${CALLBACK_PATH}`);
    [service, browser] = await Promise.all([
      startTestService({
        ...address,
        OIDC_ISSUER: identityProvider.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_ALLOWED_DOMAINS: 'example.com',
        FAL_KEY: 'fal-key',
        FAL_BASE_URL: fal.url,
      }),
      openPages(),
    ]);
    cookie = await signInFirstUser(service);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await identityProvider?.close();
    await fal?.close();
  });

  const open = async (part: string): Promise<TestPage> => {
    const testPage = await browser.open(service.url, undefined, cookie);
    await testPage.page.goto(`/settings/${part}`);
    return testPage;
  };

  it('show the link of an invitation once', async () => {
    await using testPage = await open('users');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Invite user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Bea');
    await dialog.getByLabel('Email').fill('bea@example.com');
    await dialog.getByLabel('Initial credits').fill('250');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Invited', { exact: true }).waitFor();
    assert.equal(await page.getByText(link).count(), 0);
    await page.getByRole('button', { name: 'Actions for Bea' }).click();
    await page.getByRole('menuitem', { name: 'Create invitation link' }).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await acceptInvite(link), 204);

    await actOn(page, 'Bea', 'Add credits');
    await dialog.getByLabel('Credits').fill('50');
    await dialog.getByLabel('Note').fill('for a start');
    await dialog.getByRole('button', { name: 'Add credits' }).click();
    await page.getByText('Bea now has 300 credits.').waitFor();
    await actOn(page, 'Bea', 'Disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await actOn(page, 'Bea', 'Enable');
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Bea was enabled.').waitFor();
    await page.getByLabel('Search').fill('nobody at all');
    await page.getByRole('heading', { name: 'No matching users' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  const acceptInvite = async (link: string): Promise<number> => {
    const { status } = await fetch(`${service.url}/api/v1/auth/accept-invite`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: readLinkToken(link), password: PASSWORD }),
    });
    return status;
  };

  it('add, compare and remove a model from the list of a provider', async () => {
    await using testPage = await open('models');
    const { page } = testPage;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add model' }).click();
    await dialog.getByText('2 found').waitFor();
    await dialog.getByLabel('Search').fill('kite');
    await dialog.getByText('1 found').waitFor();
    await dialog.getByRole('button', { name: 'Add Kite' }).click();
    await dialog.getByText('video:fal_kite').waitFor();
    await dialog.getByRole('button', { name: 'Save 1 model' }).click();
    await page.getByText('1 model was saved.').waitFor();
    await page.getByRole('cell', { name: 'video:fal_kite' }).waitFor();

    await page.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByRole('button', { name: 'Compare' }).click();
    // This list lacks all built-in models, and a list that lacks more than a fifth needs confirmation.
    await dialog.getByText('is no longer listed').first().waitFor();
    const saveButton = dialog.getByRole('button', { name: /^Save \d+ models$/ });
    assert.equal(await saveButton.isDisabled(), true);
    await dialog.getByLabel(/I have reviewed these changes/).check();
    assert.equal(await saveButton.isEnabled(), true);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Remove Kite' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Kite was removed.').waitFor();
    await page.getByText('Hidden', { exact: true }).waitFor();
    assert.deepEqual(testPage.errors, []);

    await page.getByRole('button', { name: 'Add model' }).click();
    // The dialog offers only configured providers.
    assert.deepEqual(await dialog.getByLabel('Provider').locator('option').allTextContents(), ['fal']);
  });

  it('keep the letters that a user types when a search starts', async () => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    testPage.discard();
    const { page } = testPage;
    // Types the other letters right after the field has reported the first ones.
    await page.addInitScript(() => {
      const { setTimeout: start } = window;
      let isTyped = false;
      window.setTimeout = ((callback: () => void, ms: number) =>
        start(() => {
          callback();
          const field = document.querySelector<HTMLInputElement>('dialog input[type=search]');
          if (ms !== 250 || isTyped || field?.value !== 'ki') return;
          isTyped = true;
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'kite');
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }, ms)) as typeof setTimeout;
    });
    await page.goto('/settings/models');
    await page.getByRole('button', { name: 'Add model' }).click();
    const search = page.getByRole('dialog').getByLabel('Search');
    await search.fill('ki');
    await page.getByRole('dialog').getByText('1 found').waitFor();
    assert.equal(await search.inputValue(), 'kite');
  });

  it('show how long ago something was although the page showed no such time before', async () => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    testPage.discard();
    const { page } = testPage;
    await page.clock.install();
    await page.goto('/settings/profile');
    const link = page.getByRole('link', { name: 'Sessions' });
    await link.waitFor();
    await page.clock.fastForward('02:00:00');
    await link.click();
    const row = page.getByRole('row').filter({ hasText: 'Current' });
    await row.waitFor();
    assert.match((await row.getByRole('time').first().textContent()) ?? '', /^2 hr/);
  });

  it('change the name of the signed-in user wherever it is displayed', async () => {
    await using testPage = await open('profile');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Change name' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Ana North');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your name was changed.').waitFor();
    await page.getByText('Ana', { exact: true }).first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Account: Ana North' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show a new API key once and delete the key after a confirmation', async () => {
    await using testPage = await open('keys');
    const { page } = testPage;
    await page.getByText('Authorization: Bearer sk-…').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(SCRIPT);
    await dialog.getByLabel('Run workflows').uncheck();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(SCRIPT).waitFor();
    const statusOf = async (): Promise<number> =>
      (await service.withKey(key).request('GET', '/workflows')).status;
    assert.equal(await statusOf(), 200);
    await page.reload();
    await page.getByText(SCRIPT).waitFor();
    assert.equal((await page.content()).includes(key), false);

    await actOn(page, SCRIPT, 'Rename');
    await dialog.getByLabel('Name').fill('Build machine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Build machine').waitFor();
    await actOn(page, 'Build machine', 'Delete');
    await page.getByRole('heading', { name: 'Delete Build machine?' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Build machine was deleted.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('ask for the password again before creating an API key', async () => {
    const ownCookie = await signUpUser(service, { email: 'eve@example.com', name: 'Eve' });
    // The service has not cached this session yet.
    const { rowCount } = await service.db.query(
      `update sessions set proved_at = now() - interval '1 hour', created_at = now() - interval '1 hour'
       where user_id = (select id from users where email = 'eve@example.com')`,
    );
    assert.equal(rowCount, 1);
    await using testPage = await browser.open(service.url, undefined, ownCookie);
    const { page } = testPage;
    await page.goto('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    await dialog.getByLabel('Name').fill('after a while');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm your identity' });
    await confirmation.getByLabel('Password').fill('not this one');
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await confirmation.getByRole('alert').getByText('password').waitFor();
    await confirmation.getByLabel('Password').fill(PASSWORD);
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await confirmation.waitFor({ state: 'detached' });
    assert.match(await page.getByRole('textbox', { name: 'API key' }).inputValue(), /^sk-/);
  });

  it('end another session and change the password', async () => {
    await signIn(service, PASSWORD);
    await using testPage = await open('sessions');
    const { page } = testPage;
    await page.getByRole('button', { name: /^Sign out of/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The session was signed out.').waitFor();
    await page.getByRole('button', { name: /^Sign out of/ }).waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);

    await page.getByRole('link', { name: 'Password' }).click();
    await page.getByLabel('Current password').fill('not this one');
    await page.getByLabel('New password').fill('a better horse');
    await page.getByRole('button', { name: 'Change password' }).click();
    const failure = page.getByRole('alert');
    await failure.getByText('password').waitFor();
    // The message says what to do, without a code for an operator.
    assert.equal(await failure.getByText('Request ID').count(), 0);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password was changed').waitFor();
    const [session] = await testPage.context.cookies();
    cookie = `${session?.name}=${session?.value}`;
    assert.equal(await signIn(service, PASSWORD), 401);
    assert.equal(await signIn(service, 'a better horse'), 204);
  });

  it('show spending by day and by model and change a budget', async () => {
    await insertCharges(service);
    const id = await service.createWorkflow({
      name: 'Bounded',
      nodes: [node('words', 'input:text', { value: 'Hello' })],
      edges: [],
    });
    await service.request('PUT', `/workflows/${id}/budget`, { dailyCreditBudget: 500 });
    await using testPage = await open('credits');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Change the budget for Bounded' }).click();
    await page.getByLabel('Daily budget', { exact: true }).fill('750');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '750' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show the lists of users only to administrators', async () => {
    const invited = await service.request<{ inviteUrl: string }>('POST', '/admin/users', {
      email: 'cid@example.com',
      name: 'Cid',
      invite: true,
      next: '/settings',
    });
    await using testPage = await browser.open(service.url);
    const { page } = testPage;
    await page.goto(invited.body.inviteUrl);
    const password = page.getByLabel('Password');
    await password.fill(PASSWORD);
    await page.getByRole('button', { name: 'Show what you type' }).click();
    assert.equal(await password.getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide what you type' }).click();
    assert.equal(await password.getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.waitForURL('**/settings');
    await page.getByText('cid@example.com').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0);
    await page.goto('/settings/users');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  it('fold the list of parts on a phone, and close it when one is chosen', async () => {
    await using testPage = await browser.open(service.url, PHONE, cookie);
    const { page } = testPage;
    await page.goto('/settings/sessions');
    const all = page.getByText('All settings');
    const isOpen = (): Promise<string | null> => page.locator('details').first().getAttribute('open');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    assert.equal(await isOpen(), null);
    await all.click();
    assert.equal(await isOpen(), '');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.equal(await isOpen(), null);
  });

  it('link the sign-in page to the identity provider and show why sign-in failed', async () => {
    await using testPage = await browser.open(service.url);
    const { page } = testPage;
    await page.goto('/sign-in?next=%2Fsettings%2Fkeys');
    const button = page.getByRole('link', { name: `Continue with ${new URL(identityProvider.issuer).host}` });
    assert.equal(await button.getAttribute('href'), '/api/v1/auth/oidc?next=%2Fsettings%2Fkeys');
    await button.click();
    await page.waitForURL(url => url.origin === identityProvider.issuer);
    await page.goto('/sign-in?refused=constructor');
    await button.waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });
});

async function actOn(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

async function signIn({ url }: TestService, password: string): Promise<number> {
  const { status } = await fetch(`${url}/api/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: 'ana@example.com', password }),
  });
  return status;
}

/** Inserts charges as runs do: 25 credits today, and 20, 15, 10 and 5 on the days before. */
async function insertCharges({ db }: TestService): Promise<void> {
  await db.query(
    `insert into credit_entries (workspace, kind, amount, node_type, created_at)
     select $1, 'charge', 25 - 5 * days, (array['generate:sandbox', 'video:gone'])[1 + days % 2],
       now() - make_interval(days => days)
     from generate_series(0, 4) as days`,
    [getPersonalWorkspaceId(BOOTSTRAP_USER_ID)],
  );
}
