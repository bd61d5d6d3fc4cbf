// Tests that the pages of administrators and of provider keys work by keyboard alone: every control can be reached with
// a visible focus, and keys, credits, filters and backups can be used.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { BROWSER_MISSING_REASON, takeScreenshot, type View } from '../support/browser.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { setUpSignedInBrowser } from '../support/signed-in-browser.ts';
import { node } from '../support/workflows.ts';

const LARGE: View = { width: 2560, height: 1440, colorScheme: 'dark' };
const MAX_PRESSES = 300;

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

  for (const [name, path, words] of PAGES)
    it(`have a visible focus at every control of the page ${name}`, async () => {
      await using testPage = await editor.open(path, LARGE);
      const { page } = testPage;
      await page.locator('main').getByText(words).first().waitFor();
      await page.waitForLoadState('networkidle');
      await takeScreenshot(page, `administration-${name}`, LARGE);
      assert.deepEqual(await findFocusProblems(page), []);
      assert.deepEqual(testPage.errors, []);
    });

  it('remove a provider key and return the focus from its menu and dialogs', async () => {
    await using testPage = await editor.open('/settings/provider-keys');
    const { page } = testPage;
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
    await tabTo(page, page.getByRole('table').getByRole('link', { name: 'invalid_json' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/executions?**errorCode=invalid_json**');
    await tabTo(page, page.getByRole('button', { name: 'Clear filters' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(url => !url.search.includes('errorCode'));
    await page.goto('/settings/backup');
    await tabTo(page, page.getByRole('button', { name: 'Download backup' }));
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    assert.equal(await download.failure(), null);
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

/** Presses Tab through the page. Lists the controls that Tab did not reach and those without a visible focus. */
async function findFocusProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'main :is(a[href], button, input, select, textarea, summary, [tabindex])',
    );
    for (const element of controls) {
      const isFocusable = element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true });
      if (isFocusable && !element.matches(':disabled, [inert] *')) element.dataset.unreached = '';
    }
    document.body.focus();
  });
  const withoutVisibleFocus: string[] = [];
  let isInMain = false;
  for (let presses = 0; presses < MAX_PRESSES; presses++) {
    await page.keyboard.press('Tab');
    // undefined outside of main; empty if the focus is visible.
    const invisibleControl = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      if (element?.closest('main') === null || element === null) return undefined;
      delete element.dataset.unreached;
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const isInView = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
      // The outline may be on the parent of a control that fills the parent.
      const hasOutline = [element, element.parentElement].some(
        each => each !== null && getComputedStyle(each).outlineStyle !== 'none',
      );
      return isInView && hasOutline ? '' : element.outerHTML.slice(0, 200);
    });
    if (invisibleControl === undefined && isInMain) break;
    if (invisibleControl !== undefined) isInMain = true;
    if (invisibleControl) withoutVisibleFocus.push(invisibleControl);
  }
  const unreached = await page.evaluate(() =>
    [...document.querySelectorAll('[data-unreached]')].map(element => element.outerHTML.slice(0, 200)),
  );
  return [
    ...withoutVisibleFocus.map(html => `no visible focus: ${html}`),
    ...unreached.map(html => `not reached: ${html}`),
  ];
}
