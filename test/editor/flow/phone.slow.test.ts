// Tests the work on a phone: run from the outline, the results, the actions of a node, and its fields.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpFlowPages } from './flow-dom.ts';
import { nodeOf, PICTURE, pictureOf, untilSaved } from './flow-page.ts';

const PHONE = { width: 390, height: 844, colorScheme: 'light' } as const;

describe('the editor on a phone', () => {
  const flow = setUpFlowPages();

  it('lists a run below the outline as soon as it starts, and shows its result alone', async () => {
    const id = await flow.create(pictureOf('a boat on a phone'));
    await using testPage = await flow.browser.open(flow.service.url, PHONE, flow.cookie);
    const { page } = testPage;
    await page.goto(`/flow/${id}`);
    const runs = page.getByRole('region', { name: 'Runs', exact: true });
    await runs.getByText('No runs yet').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await runs.getByRole('listitem').getByText('Completed').waitFor();
    await page.getByRole('button', { name: 'View result' }).click();
    await page.getByRole('dialog', { name: 'Result of Preview' }).waitFor();
    assert.equal(await page.getByRole('complementary', { name: 'Inspector' }).count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('opens the actions of a node from its inspector', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.browser.open(flow.service.url, PHONE, flow.cookie);
    const { page } = testPage;
    await page.goto(`/flow/${id}`);
    const nodes = page.getByRole('list', { name: 'Outline' }).getByRole('listitem');
    await nodes.nth(1).getByRole('button').first().click();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Node actions' }).click();
    await page.getByRole('menuitem', { name: 'Four variations' }).waitFor();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await nodes.nth(2).waitFor({ state: 'detached' });
    await inspector.waitFor({ state: 'detached' });
    await untilSaved(page);
    assert.deepEqual(testPage.errors, []);
  });

  it('shows what an input provides above its label, which comes first on wide windows', async () => {
    const id = await flow.create(PICTURE);
    const order: string[][] = [];
    for (const view of [PHONE, { ...PHONE, width: 1280 }]) {
      await using testPage = await flow.browser.open(flow.service.url, view, flow.cookie);
      const { page } = testPage;
      await page.goto(`/flow/${id}`);
      if (view.width === PHONE.width)
        await page.getByRole('list', { name: 'Outline' }).getByRole('button', { name: 'Idea' }).click();
      else await nodeOf(page, 'Idea').click();
      const inspector = page.getByRole('complementary', { name: 'Inspector' });
      await inspector.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
      const labels = await inspector.locator('label').allInnerTexts();
      order.push(labels.filter(label => ['Label', 'Text'].includes(label)));
    }
    assert.deepEqual(order, [
      ['Text', 'Label'],
      ['Label', 'Text'],
    ]);
  });
});
