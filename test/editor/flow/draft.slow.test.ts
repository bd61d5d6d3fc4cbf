// Tests that nothing is lost: a tab that crashes, two tabs of one user, an unreachable service, and keys inside
// fields.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpFlowPages } from './flow-dom.ts';
import { boardOf, fillIdea, ideaOf, nodeOf, PICTURE, untilSaved } from './flow-page.ts';

describe('a local draft', () => {
  const flow = setUpFlowPages();

  it('restores unsaved changes and their history after a tab crashes', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page, context } = testPage;
    await context.route(`**/api/v1/workflows/${id}?autosave=true`, route => route.abort());
    await fillIdea(page, 'a whale');
    await page.getByRole('status', { name: 'Saving' }).filter({ hasText: 'Offline' }).waitFor();
    // A closing tab sends unsaved changes, and the route does not apply to this request.
    await page.evaluate(() => {
      window.fetch = () => Promise.reject(new TypeError('Crashed'));
    });
    await page.close({ runBeforeUnload: false });
    assert.equal(ideaOf(await flow.read(id)), 'a boat');
    await context.unrouteAll();

    const newPage = await context.newPage();
    await newPage.goto(`/flow/${id}`);
    await boardOf(newPage).waitFor();
    await nodeOf(newPage, 'Idea').getByText('a whale').waitFor();
    await untilSaved(newPage);
    assert.equal(ideaOf(await flow.read(id)), 'a whale');
    await newPage.getByRole('button', { name: 'Undo' }).click();
    await nodeOf(newPage, 'Idea').getByText('a boat').waitFor();
  });

  it('merges changes of two tabs', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page, context } = testPage;
    const otherPage = await context.newPage();
    await otherPage.goto(`/flow/${id}`);
    await boardOf(otherPage).waitFor();
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    await nodeOf(otherPage, 'Picture').click({ position: { x: 90, y: 20 } });
    await Promise.all([
      page
        .getByRole('complementary', { name: 'Inspector' })
        .getByLabel('Text', { exact: true })
        .fill('a whale'),
      otherPage
        .getByRole('complementary', { name: 'Inspector' })
        .getByLabel('Seed', { exact: true })
        .fill('42'),
    ]);
    await nodeOf(page, 'Picture').getByText('42').waitFor();
    await nodeOf(otherPage, 'Idea').getByText('a whale').waitFor();
    await untilSaved(page);
    await untilSaved(otherPage);
    const storedWorkflow = await flow.read(id);
    assert.equal(ideaOf(storedWorkflow), 'a whale');
    assert.equal(storedWorkflow.nodes.find(node => node.id === 'picture')?.data.config?.seed, 42);
    assert.deepEqual(
      testPage.errors.filter(text => !text.includes('409')),
      [],
    );
  });

  it('does not take keys from focused fields', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    const field = page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Text', { exact: true });
    await field.focus();
    for (const key of ['End', 'Backspace', 'Delete', '/', '?', 'Control+a', 'Backspace'])
      await page.keyboard.press(key);
    assert.equal(await field.inputValue(), '');
    assert.equal(await page.locator('[data-node-id]').count(), 3);
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  it('keeps changes that the service rejects and shows the reason', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label').fill('');
    await page
      .getByRole('status', { name: 'Saving' })
      .filter({ hasText: /^Not saved: / })
      .waitFor();
    await page.getByRole('button', { name: /error/ }).click();
    await page.getByRole('list', { name: 'Issues' }).getByRole('listitem').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilSaved(page);
  });

  it('is saved neither for an empty board nor for a board that could not be read', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const writes: string[] = [];
    page.on('request', request => request.method() === 'PUT' && writes.push(request.url()));
    await page.route(`**/api/v1/workflows/${id}`, route => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.keyboard.press('Control+s');
    await page.unroute(`**/api/v1/workflows/${id}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await boardOf(page).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    const status = page.getByRole('status', { name: 'Saving' });
    await status.filter({ hasText: 'Not saved: add at least one node.' }).waitFor();
    await page.keyboard.press('Control+s');
    assert.deepEqual(writes, []);
    await page.getByRole('toolbar').getByRole('button', { name: 'Undo' }).click();
    await untilSaved(page);
    assert.equal((await flow.read(id)).nodes.length, 3);
  });
});
