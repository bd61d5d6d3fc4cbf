// Tests the scripts of the API reference: its search, its language tabs, and the requests that it sends.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPerson } from '../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../support/app.ts';
import type { TestBrowser } from '../support/browser.ts';
import { openPages } from './dom/dom-browser.ts';

describe('the API reference', () => {
  let test: TestApp;
  let url: string;
  let user: ApiUser;
  let browser: TestBrowser;
  before(async () => {
    test = await createTestApp();
    url = await test.app.listen({ host: '127.0.0.1', port: 0 });
    user = await test.createUser({ plan: 'self_hosted' });
    browser = await openPages();
  });
  after(async () => {
    await browser?.close();
    await test.close();
  });

  it('opens an operation from the search', async () => {
    await using testPage = await browser.open(url);
    const { page } = testPage;
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('cancel run');
    await page.getByRole('link', { name: 'POST /api/v1/executions/{id}/cancel' }).first().click();
    await page.waitForURL('**/docs/executions#cancelExecution');
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps the selected language on the next page', async () => {
    await using testPage = await browser.open(url);
    const { page } = testPage;
    await page.goto('/docs/keys');
    await page.getByRole('tab', { name: 'curl' }).first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.getByRole('tabpanel', { name: 'JavaScript' }).first().isVisible(), true);
    await page.goto('/docs/folders');
    assert.equal(await page.getByRole('tabpanel', { name: 'JavaScript' }).first().isVisible(), true);
    assert.equal(await page.getByRole('tabpanel', { name: 'curl' }).count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('sends a request with the entered API key', async () => {
    await using testPage = await browser.open(url);
    const { page } = testPage;
    await page.goto('/docs/folders');
    await page.getByText('Authentication').click();
    await page.getByLabel('API key').fill(user.key);
    const create = page.locator('#createFolder');
    await create.getByText('Try it').click();
    await create.getByLabel('Body').fill('{"name":"From the reference"}');
    await create.getByRole('button', { name: 'Send POST' }).click();
    await create.getByText('"name": "From the reference"').waitFor();
    const { body } = await user.request<{ name: string }[]>('GET', '/folders');
    assert.ok(body.some(({ name }) => name === 'From the reference'));
    assert.deepEqual(
      testPage.errors.filter(error => !error.includes('401')),
      [],
    );
  });

  it('sends a request with the session of the user', async () => {
    const person = await createPerson(test, await test.createUser({ scopes: ['instance:admin'] }));
    await using testPage = await browser.open(url, undefined, person.cookie);
    const { page } = testPage;
    await page.goto('/docs/folders');
    await page.getByText('Authentication').click();
    await page.getByText(`Signed in as ${person.email}`).waitFor();
    const create = page.locator('#createFolder');
    await create.getByText('Try it').click();
    await create.getByLabel('Body').fill('{"name":"By session"}');
    await create.getByRole('button', { name: 'Send POST' }).click();
    await create.getByText('"name": "By session"').waitFor();
    assert.deepEqual(testPage.errors, []);
  });
});
