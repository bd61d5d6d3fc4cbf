// Tests the workflows page: search, folders, copies, deletion with undo, import and export.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { makePng } from '../graph/comfyui/images.ts';
import type { TestPage } from '../support/browser.ts';
import { node } from '../support/workflows.ts';
import { dragOnto } from './dom/drag.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

const NAMES = [
  'A greeting',
  'Product film',
  '<i>Posters</i> of a very long name that has to be cut somewhere',
];

describe('the workflows page', () => {
  let testPage: TestPage;
  let page: Page;
  const ids = new Map<string, string>();
  // This hook is registered first, so that the page is closed before the browser.
  after(() => testPage?.[Symbol.asyncDispose]());
  const editor = setUpSignedInPages();

  before(async () => {
    for (const name of NAMES) {
      const id = await editor.service.createWorkflow({
        name,
        tags: name === 'Product film' ? ['tried', 'film'] : ['tried'],
        nodes: [node('words', 'input:text', { value: name })],
        edges: [],
      });
      ids.set(name, id);
      if (name === 'A greeting') await editor.service.runWorkflow(id);
    }
    testPage = await editor.open('/workflows');
    page = testPage.page;
  });

  const link = (name: string) => page.getByRole('link', { name, exact: true });

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

  it('shows what others share, with their names, as new until it is opened', async () => {
    const shared = page.getByRole('button', { name: 'Shared with me', exact: true });
    await shared.click();
    await page.getByRole('heading', { name: 'Nothing is shared with you' }).waitFor();
    await page.getByRole('button', { name: 'All workflows', exact: true }).click();
    const dana = await editor.service.createUser({ name: 'Dana' });
    const id = await dana.createWorkflow({
      name: 'Campaign',
      nodes: [node('words', 'input:text')],
      edges: [],
    });
    const me = await editor.service.request<{ email: string }>('GET', '/me');
    await dana.request('PUT', `/workflows/${id}/permissions`, { email: me.body.email, role: 'EDIT' });
    await page.reload();
    await shared.click();
    await page.waitForURL(/shared=true/);
    const card = page.getByRole('listitem').filter({ has: link('Campaign') });
    await card.getByText('Shared by Dana').waitFor();
    await card.getByText('You can edit').waitFor();
    await card.getByText('New', { exact: true }).waitFor();
    assert.equal(await link('A greeting').count(), 0);
    await editor.service.request('GET', `/workflows/${id}`);
    await page.reload();
    await card.getByText('Shared by Dana').waitFor();
    assert.equal(await card.getByText('New', { exact: true }).count(), 0);
    await page.getByLabel('View').selectOption('table');
    await page.getByRole('columnheader', { name: 'Shared by' }).waitFor();
    await page.getByLabel('View').selectOption('grid');
    await page.getByRole('button', { name: 'All workflows', exact: true }).click();
    await link('A greeting').waitFor();
  });

  it('duplicates, deletes and restores workflows', async () => {
    await actOn('A greeting', 'Duplicate');
    await page.getByText('A greeting was duplicated.').waitFor();
    await actOn('Product film', 'Delete');
    await link('Product film').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await link('Product film').waitFor();
  });

  it('imports an exported file', async () => {
    const file = await fetch(`${editor.service.url}/api/v1/workflows/${ids.get('Product film')}/export`, {
      headers: { cookie: editor.cookie },
    });
    const exported = (await file.text()).replace('"Product film"', '"Imported film"');
    await page.locator('input[type=file]').setInputFiles([
      { name: 'film.json', mimeType: 'application/json', buffer: Buffer.from(exported) },
      { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{"a":') },
      { name: 'empty.png', mimeType: 'image/png', buffer: Buffer.from('not an image') },
    ]);
    await link('Imported film').waitFor();
    await page.getByText('The file is of no known format.').waitFor();
    await page.getByText('empty.png contains no workflow.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('imports files and images of ComfyUI', async () => {
    const graph = JSON.stringify({ '1': { class_type: 'LoadImage', inputs: { image: 'a.png' } } });
    const png = makePng([['tEXt', Buffer.from(`prompt\0${graph}`)]]);
    await page.locator('input[type=file]').setInputFiles([
      { name: 'Portrait.json', mimeType: 'application/json', buffer: Buffer.from(graph) },
      { name: 'Landscape.png', mimeType: 'image/png', buffer: png },
    ]);
    await link('Portrait').waitFor();
    await link('Landscape').waitFor();
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
