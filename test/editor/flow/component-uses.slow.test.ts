// Tests the uses of a component in the web application: the number in the list, updates of all callers, and deletion.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../support/processes.ts';
import { CHANGED, createCaller, createComponent, readCall } from './component-graphs.ts';
import { setUpFlowPages } from './flow-dom.ts';
import type { StoredWorkflow } from './flow-page.ts';

describe('the uses of a component', () => {
  const flow = setUpFlowPages();

  const openList = async (page: Page, name: string): Promise<void> => {
    await page.goto(`/workflows?query=${encodeURIComponent(name)}`);
    await page.getByRole('link', { name, exact: true }).waitFor();
  };

  it('are counted in the list and updated together after a preview', async () => {
    const component = await createComponent(flow, 'Shared joiner');
    const [updatableCaller, brokenCaller] = [
      await createCaller(flow, component, 'Kept letter', ['left']),
      await createCaller(flow, component, 'Broken letter', ['left', 'right']),
    ];
    // The right input is gone.
    await flow.send('PUT', `/workflows/${component}`, CHANGED);
    await using testPage = await flow.browser.open(flow.service.url, undefined, flow.cookie);
    const { page } = testPage;
    await openList(page, 'Shared joiner');
    await page.getByRole('button', { name: 'Component Shared joiner, used by 2 workflows' }).click();
    const dialog = page.getByRole('dialog', { name: 'Uses of Shared joiner' });
    const table = dialog.getByRole('table');
    await table.getByRole('row', { name: /Kept letter/ }).waitFor();
    assert.deepEqual((await table.getByRole('row').allTextContents()).sort(), [
      'Broken letter11',
      'Kept letter11',
      'WorkflowVersionNodes',
    ]);
    await dialog.getByRole('button', { name: 'Update all to version 2' }).click();
    await table.getByRole('row', { name: /Kept letter Will be updated/ }).waitFor();
    await table.getByRole('row', { name: /Broken letter Cannot be updated.*Right/ }).waitFor();
    assert.equal((await readCall(flow, updatableCaller))?.version, 1, 'the preview stores nothing');
    await dialog.getByRole('button', { name: 'Update 1 workflow' }).click();
    await table.getByRole('row', { name: /Kept letter Updated/ }).waitFor();
    assert.equal((await readCall(flow, updatableCaller))?.version, 2);
    assert.equal((await readCall(flow, brokenCaller))?.version, 1);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  it('are listed before a component in use is deleted', async () => {
    const component = await createComponent(flow, 'Used joiner');
    await createCaller(flow, component, 'Using letter', ['left']);
    await using testPage = await flow.browser.open(flow.service.url, undefined, flow.cookie);
    const { page } = testPage;
    await openList(page, 'Used joiner');
    await page.getByRole('button', { name: 'Actions for Used joiner' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Used joiner?' });
    await dialog.getByRole('link', { name: 'Using letter' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await flow.read(component)).name, 'Used joiner');
    await page.getByRole('button', { name: 'Actions for Used joiner' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete anyway' }).click();
    await page.getByText('Used joiner was deleted.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await waitUntil('the workflow to be back', async () => {
      const list = await flow.send<readonly StoredWorkflow[]>('GET', '/workflows?query=Used%20joiner');
      return list.length === 1;
    });
    // The browser logs the 409 response to the first deletion.
    assert.deepEqual(
      testPage.errors.filter(text => !text.includes('409')),
      [],
    );
  });
});
