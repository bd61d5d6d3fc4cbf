// Tests how a new user gets in: the setup link, the workflows, signing out and in again.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Settings } from '../../src/lib/settings.ts';
import { BOOTSTRAP_USER_ID } from '../../src/services/accounts/bootstrap.ts';
import { createPasswordLink } from '../../src/services/sessions/mint-link.ts';
import { checkViews, NO_BROWSER, openBrowser, type TestBrowser } from '../support/browser.ts';
import { waitUntil } from '../support/processes.ts';
import { ownAddressSettings, startTestService, type TestService } from '../support/service.ts';

const WHO = { name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' };

describe('a newcomer', { skip: NO_BROWSER }, () => {
  let service: TestService;
  let browser: TestBrowser;
  let cookie: string;

  before(async () => {
    [service, browser] = await Promise.all([startTestService(await ownAddressSettings()), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('creates the account with the link and sees the workflows', async () => {
    const link = await setUpLink();
    await using opened = await browser.open(service.url);
    const { page, context } = opened;
    await page.goto(link);
    await page.getByLabel('Name').fill(WHO.name);
    await page.getByLabel('Email').fill(WHO.email);
    await page.getByLabel('Password').fill(WHO.password);
    assert.equal(new URL(page.url()).hash, '', 'the token is gone from the address');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Create your first workflow' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/workflows');
    cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`)[0] ?? '';
    assert.deepEqual(opened.errors, []);
  });

  it('looks right on every first page', async () => {
    await checkViews(browser, { url: service.url, path: '/sign-in', name: 'sign-in' }, page =>
      page.getByLabel('Password').waitFor(),
    );
    await checkViews(
      browser,
      { url: service.url, path: '/workflows', name: 'workflows-empty', cookie },
      page => page.getByRole('heading', { name: 'Create your first workflow' }).waitFor(),
    );
  });

  it('copies a template, sees its sample, and runs it without a provider', async () => {
    await using opened = await browser.open(service.url, undefined, cookie);
    const { page } = opened;
    await page.goto('/workflows');
    const card = page.getByRole('listitem').filter({ hasText: 'Make a picture' });
    await card.getByText('Sample; needs fal').waitFor();
    await card.getByRole('button', { name: 'Use template Make a picture' }).click();
    await page.waitForURL(/\/flow\//);
    await page.getByText('Free with sample results').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/Make the picture takes the sample result/).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    await waitUntil('the run has completed', async () => {
      const { body } = await service.request<{ data: readonly { trigger: string; status: string }[] }>(
        'GET',
        `/workflows/${id}/executions`,
      );
      return body.data.some(({ trigger, status }) => trigger === 'editor' && status === 'COMPLETED');
    });
    assert.deepEqual(opened.errors, []);
  });

  async function setUpLink(): Promise<string> {
    // Creates a new link, because the first one names the configured address.
    const deps = { now: Date.now, settings: { BASE_URL: service.url } as Settings };
    return (await createPasswordLink(service.db, deps, BOOTSTRAP_USER_ID, 'setup')).url;
  }
});
