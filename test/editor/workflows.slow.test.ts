// Tests the workflows page in a browser: search, folders, copies, deletion with undo, import and export.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import {
  BROWSER_MISSING_REASON,
  dragOnto,
  type TestPage,
  takeScreenshot,
  VIEWS,
} from '../support/browser.ts';
import { setUpSignedInBrowser } from '../support/signed-in-browser.ts';
import { node } from '../support/workflows.ts';

const NAMES = [
  'A greeting',
  'Product film',
  '<i>Posters</i> of a very long name that has to be cut somewhere',
];

describe('the workflows page', { skip: BROWSER_MISSING_REASON }, () => {
  let testPage: TestPage;
  let page: Page;
  // This hook is registered first, so that the page is closed before the browser.
  after(() => testPage?.[Symbol.asyncDispose]());
  const editor = setUpSignedInBrowser();

  before(async () => {
    for (const name of NAMES) {
      const id = await editor.service.createWorkflow({
        name,
        tags: name === 'Product film' ? ['tried', 'film'] : ['tried'],
        nodes: [node('words', 'input:text', { value: name })],
        edges: [],
      });
      if (name === 'A greeting') await editor.service.runWorkflow(id);
    }
    testPage = await editor.open('/workflows');
    page = testPage.page;
  });

  const link = (name: string) => page.getByRole('link', { name, exact: true });

  it('is accessible as a grid and as a table', async () => {
    for (const [path, name] of [
      ['/workflows', 'workflows'],
      ['/workflows?view=table', 'workflows-table'],
    ] as const)
      await editor.checkViews({ path, name }, view =>
        view.getByRole('link', { name: 'Product film' }).waitFor(),
      );
  });

  it('shows a portrait image without cropping it', async () => {
    const tower = node('tower', 'generate:sandbox', { prompt: 'a tower', width: 288, height: 512 });
    const id = await editor.service.createWorkflow({ name: 'Tower', nodes: [tower], edges: [] });
    await editor.service.runWorkflow(id);
    await page.reload();
    const picture = page
      .getByRole('listitem')
      .filter({ has: link('Tower') })
      .locator('img')
      .last();
    await page.locator('[data-portrait]').waitFor();
    assert.equal(await picture.evaluate(image => getComputedStyle(image).objectFit), 'contain');
    await takeScreenshot(page, 'workflows-portrait', VIEWS[2]);
    assert.equal((await editor.service.request('DELETE', `/workflows/${id}`)).status, 200);
    await page.reload();
  });

  it('filters by name and by the status of the last run', async () => {
    await link('A greeting').waitFor();
    await page.getByLabel('Search').fill('film');
    await link('A greeting').waitFor({ state: 'detached' });
    await link('Product film').waitFor();
    await page.waitForURL(/query=film/);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Last run').selectOption('COMPLETED');
    await link('Product film').waitFor({ state: 'detached' });
    await link('A greeting').waitFor();
    await page.getByLabel('Last run').selectOption('');
    await link('Product film').waitFor();
  });

  it('filters by tag and by team', async () => {
    await page.getByRole('button', { name: 'Filter by tag film' }).click();
    await link('A greeting').waitFor({ state: 'detached' });
    await page.waitForURL(/tag=film/);
    await page.getByRole('button', { name: 'Tag: film' }).click();
    await link('A greeting').waitFor();
    const team = await editor.service.request<{ id: string }>('POST', '/teams', { name: 'Studio' });
    await page.reload();
    await page.getByLabel('Team').selectOption('Studio');
    await page.getByRole('heading', { name: 'No matching workflows' }).waitFor();
    await page.waitForURL(new RegExp(`teamId=${team.body.id}`));
    await page.getByLabel('Team').selectOption('Personal');
    await link('A greeting').waitFor();
    await page.getByLabel('Team').selectOption('');
  });

  it('moves workflows and folders by dragging and by the dialog', async () => {
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Folder name').fill('Films');
    await page.getByRole('button', { name: 'Save' }).click();
    const folder = page.getByRole('button', { name: /^Films/ });
    await folder.waitFor();
    await dragOnto(page.getByRole('listitem').filter({ has: link('Product film') }), folder);
    await page.getByText('Product film was moved to Films.').waitFor();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Folder name').fill('Old ones');
    await page.getByRole('button', { name: 'Save' }).click();
    const otherFolder = page.getByRole('button', { name: /^Old ones/ });
    await dragOnto(otherFolder, folder);
    await page.getByText('Old ones was moved to Films.').waitFor();
    await dragOnto(otherFolder, page.getByRole('button', { name: 'No folder' }));
    await page.getByText('Old ones was moved to the top level.').waitFor();
    await folder.click();
    await link('A greeting').waitFor({ state: 'detached' });
    await actOn('Product film', 'Move to folder');
    await page.getByRole('dialog').getByLabel('Folders').selectOption({ label: 'No folder' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'No matching workflows' }).waitFor();
    await page.getByRole('button', { name: 'All workflows', exact: true }).click();
  });

  it('shows tooltips on hover and focus, also above a dialog', async () => {
    const tooltip = page.getByRole('tooltip', { includeHidden: true });
    await page.getByRole('button', { name: 'Actions for A greeting', exact: true }).hover();
    await tooltip.filter({ hasText: 'Actions for A greeting' }).waitFor();
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await tooltip.filter({ hasText: 'Close' }).waitFor();
    await takeScreenshot(page, 'workflows-tooltip', VIEWS[2]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tooltip.waitFor({ state: 'hidden' });
  });

  it('duplicates, deletes and restores workflows', async () => {
    await actOn('A greeting', 'Duplicate');
    await page.getByText('A greeting was duplicated.').waitFor();
    await actOn('Product film', 'Delete');
    await link('Product film').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await link('Product film').waitFor();
  });

  it('exports a workflow as a file and imports the file', async () => {
    const downloadPromise = page.waitForEvent('download');
    await actOn('Product film', 'Export');
    const file = await (await downloadPromise).path();
    const exported = (await readFile(file, 'utf8')).replace('"Product film"', '"Imported film"');
    await page.locator('input[type=file]').setInputFiles([
      { name: 'film.json', mimeType: 'application/json', buffer: Buffer.from(exported) },
      { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{"a":') },
    ]);
    await link('Imported film').waitFor();
    await page.getByText('broken.json is not a JSON file. Choose a file exported from the editor.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps a dialog open that was opened while an earlier one was being saved', async () => {
    const isSaving = Promise.withResolvers<void>();
    await page.route('**/api/v1/folders', route => isSaving.promise.then(() => route.continue()));
    await startFolder('Saved late');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.keyboard.press('Escape');
    await startFolder('Typed meanwhile');
    isSaving.resolve();
    await page.getByRole('button', { name: /^Saved late/ }).waitFor();
    assert.equal(await page.getByLabel('Folder name').inputValue(), 'Typed meanwhile');
    await page.keyboard.press('Escape');
  });

  it('lists a folder that was created while the list was loading', async () => {
    const hasRead = Promise.withResolvers<void>();
    const isCreated = Promise.withResolvers<void>();
    const holdFirst = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      hasRead.resolve();
      await isCreated.promise;
      await route.fulfill({ response });
    };
    await page.route('**/api/v1/folders?*', holdFirst, { times: 1 });
    await page.reload();
    await hasRead.promise;
    await startFolder('Created early');
    const creation = page.waitForResponse('**/api/v1/folders');
    await page.getByRole('button', { name: 'Save' }).click();
    await creation;
    isCreated.resolve();
    await page.getByRole('button', { name: /^Created early/ }).waitFor();
  });

  async function startFolder(name: string): Promise<void> {
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Folder name').fill(name);
  }

  async function actOn(name: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
  }

  it('lists all 201 folders of a workspace', async () => {
    for (let number = 1; number <= 201; number++)
      await editor.service.request('POST', '/folders', {
        name: `Project ${String(number).padStart(3, '0')}`,
      });
    await page.reload();
    await page.getByRole('button', { name: /^Project 201/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Project \d/ }).count(), 201);
  });
});
