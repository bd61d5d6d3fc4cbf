// Tests how a new user gets in: the setup link, the workflows, signing out and in again.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Settings } from '../../src/lib/settings.ts';
import { BOOTSTRAP_USER_ID } from '../../src/services/accounts/bootstrap.ts';
import { mintLink } from '../../src/services/sessions/mint-link.ts';
import { checkViews, NO_BROWSER, openBrowser, type TestBrowser } from '../support/browser.ts';
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

  async function setUpLink(): Promise<string> {
    // Creates a new link, because the first one names the configured address.
    const deps = { now: Date.now, settings: { BASE_URL: service.url } as Settings };
    return (await mintLink(service.db, deps, BOOTSTRAP_USER_ID, 'setup')).url;
  }
});
