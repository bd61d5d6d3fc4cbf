// Tests that the pages of administrators and of provider keys work by keyboard alone: every control can be reached with
// a visible focus, and keys, credits, filters, backups and exports can be used.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { BROWSER_MISSING_REASON, takeScreenshot, type View } from '../support/browser.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { setUpSignedInBrowser } from '../support/signed-in-browser.ts';
import { node } from '../support/workflows.ts';

const LARGE: View = { width: 2560, height: 1440, colorScheme: 'dark' };
const MAX_PRESSES = 300;
/** How often Tab is pressed before the page is asked whether the focus has left its content. */
const PRESSES_AT_ONCE = 10;

const PAGES = [
  ['overview', '/settings/overview', 'Low balances'],
  ['providers', '/settings/providers', 'Services that run models'],
  ['provider-keys', '/settings/provider-keys', 'Keys of'],
  ['users', '/settings/users', 'Invite'],
  ['all-teams', '/settings/all-teams', 'Studio North'],
  ['models', '/settings/models', 'model'],
  ['workload', '/settings/workload', 'queue'],
  ['backup', '/settings/backup', 'On the command line'],
  ['runs', '/executions?of=instance', 'Failures by error'],
] as const;

describe('the administration pages with a keyboard', { skip: BROWSER_MISSING_REASON }, () => {
  const editor = setUpSignedInBrowser();
  let server: Receiver;

  before(async () => {
    server = await startReceiver();
    server.answer(res => res.writeHead(200).end(JSON.stringify({ data: [{ id: 'llama3.2' }] })));
    await editor.service.request('POST', '/teams', { name: 'Studio North' });
    const values = { apiKey: 'sk-stored-key-1234', baseUrl: `${server.url}/v1` };
    const key = { kind: 'openai', name: 'Stored', values };
    for (const owner of ['instance', 'workspace'])
      assert.equal((await editor.service.request('POST', '/credentials', { ...key, owner })).status, 201);
    const failingNode = node('h', 'utility:json_extract', { json: 'no json', paths: { a: 'b' } });
    await editor.service.runWorkflow(
      await editor.service.createWorkflow({ name: 'Broken table', nodes: [failingNode], edges: [] }),
    );
  });
  after(() => server?.close());

  it('have a visible focus at every control', async () => {
    await using testPage = await editor.open('/settings/overview', LARGE);
    const { page } = testPage;
    for (const [name, path, words] of PAGES) {
      await page.evaluate(target => history.pushState(null, '', target), path);
      await page.locator('main').getByText(words).first().waitFor();
      await takeScreenshot(page, `administration-${name}`, LARGE);
      assert.deepEqual(await findFocusProblems(page), [], name);
      assert.deepEqual(testPage.errors, []);
    }
  });

  it('remove a provider key and return the focus from its menu and dialogs', async () => {
    await using testPage = await editor.open('/settings/provider-keys');
    const { page } = testPage;
    await skipToContent(page);
    const card = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'ElevenLabs' }) });
    const addButton = card.getByRole('button', { name: /^Add key/ });
    await tabTo(page, addButton);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await waitForFocus(page, addButton);

    const menuButton = page.getByRole('button', { name: 'Actions for Stored' });
    await tabTo(page, menuButton);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await waitForFocus(page, menuButton);
    await page.keyboard.press('Enter');
    await pressUntilFocused(page, 'ArrowDown', page.getByRole('menuitem', { name: 'Remove' }));
    await page.keyboard.press('Enter');
    await tabTo(page, dialog.getByRole('button', { name: 'Remove' }));
    await page.keyboard.press('Enter');
    await page.getByText('was removed.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('give credits to a team', async () => {
    await using testPage = await editor.open('/settings/all-teams');
    const { page } = testPage;
    await skipToContent(page);
    await tabTo(page, page.getByRole('button', { name: 'Actions for Studio North' }));
    await page.keyboard.press('Enter');
    await waitForFocus(page, page.getByRole('menuitem', { name: 'Add credits' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('dialog').getByLabel('Credits'));
    await page.keyboard.type('7');
    await tabTo(page, page.getByRole('dialog').getByLabel('Note'));
    await page.keyboard.type('for a start');
    await page.keyboard.press('Enter');
    await page.getByText('Studio North now has 7 credits.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('open the runs of a group of failures and download a backup', async () => {
    await using testPage = await editor.open('/settings/overview');
    const { page } = testPage;
    await skipToContent(page);
    await tabTo(page, page.getByRole('table').getByRole('link', { name: 'invalid_json' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/executions?**errorCode=invalid_json**');
    await tabTo(page, page.getByRole('button', { name: 'Clear filters' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(url => !url.search.includes('errorCode'));
    await page.goto('/settings/backup');
    await page.getByText('No backup was made yet.').waitFor();
    await skipToContent(page);
    await tabTo(page, page.getByRole('button', { name: 'Download backup' }));
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    assert.match(download.suggestedFilename(), /^graphwright-.*\.tar$/);
    assert.equal(await download.failure(), null);
    // The service records the backup after it has sent the last byte.
    await waitUntil('the backup to be recorded', async () => {
      const { body } = await editor.service.request<{ last: object | null }>('GET', '/admin/backup');
      return body.last !== null;
    });
    await page.reload();
    await page.getByText('Download', { exact: true }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('export a workflow as a file', async () => {
    await using testPage = await editor.open('/workflows');
    const { page } = testPage;
    await skipToContent(page);
    await tabTo(page, page.getByRole('button', { name: 'Actions for Broken table' }));
    await page.keyboard.press('Enter');
    await pressUntilFocused(page, 'ArrowDown', page.getByRole('menuitem', { name: 'Export' }));
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    assert.match(await readFile(await download.path(), 'utf8'), /"Broken table"/);
    assert.deepEqual(testPage.errors, []);
  });
});

const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate(element => element === document.activeElement);

/** Waits for the focus, because a menu that closes returns the focus in a later task. */
const waitForFocus = (page: Page, control: Locator): Promise<void> =>
  control.and(page.locator(':focus')).waitFor();

/** Presses the key until the control has the focus. */
async function pressUntilFocused(page: Page, key: 'Tab' | 'ArrowDown', control: Locator): Promise<void> {
  await control.waitFor();
  for (let presses = 0; !(await isFocused(control)); presses++) {
    assert.ok(presses < MAX_PRESSES, `${key} does not reach ${control}.`);
    await page.keyboard.press(key);
  }
}

const tabTo = (page: Page, control: Locator): Promise<void> => pressUntilFocused(page, 'Tab', control);

/** Moves the focus past the header, with the first link of the page. */
async function skipToContent(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }));
  await page.keyboard.press('Enter');
  await waitForFocus(page, page.locator('main'));
}

/** Presses Tab through the content. Lists the controls that Tab did not reach and those without a visible focus. */
async function findFocusProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(watchFocus);
  for (let presses = 0; presses < MAX_PRESSES; presses += PRESSES_AT_ONCE) {
    for (let press = 0; press < PRESSES_AT_ONCE; press++) await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.querySelector('main')?.dataset.left !== undefined)) break;
  }
  return page.evaluate(async () => {
    await new Promise(resolve => setTimeout(resolve));
    const list = (problem: string): readonly string[] =>
      [...document.querySelectorAll(`main [data-${problem}]`)].map(
        element => `${problem}: ${element.outerHTML.slice(0, 200)}`,
      );
    return [...list('unreached'), ...list('unseen')];
  });
}

/** Marks the controls as `unreached` until they get the focus, and as `unseen` if the focus was invisible. Runs in the page. */
function watchFocus(): void {
  const main = document.querySelector('main');
  if (main === null) throw new Error('There is no content.');
  for (const element of main.querySelectorAll<HTMLElement>(
    ':is(a[href], button, input, select, textarea, summary, [tabindex])',
  )) {
    const isFocusable = element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true });
    if (isFocusable && !element.matches(':disabled, [inert] *')) element.dataset.unreached = '';
  }
  main.addEventListener('focusin', ({ target }) => {
    const element = target as HTMLElement;
    if (element === main) return;
    delete element.dataset.unreached;
    // The outline may be on the parent of a control that fills the parent.
    const hasOutline = [element, element.parentElement].some(
      each => each !== null && getComputedStyle(each).outlineStyle !== 'none',
    );
    if (!hasOutline) element.dataset.unseen = '';
    // The browser scrolls the control into view after the event.
    setTimeout(() => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) element.dataset.unseen = '';
    });
  });
  main.addEventListener('focusout', ({ relatedTarget }) => {
    if (!main.contains(relatedTarget as Node | null)) main.dataset.left = '';
  });
  main.focus();
  delete main.dataset.left;
}
