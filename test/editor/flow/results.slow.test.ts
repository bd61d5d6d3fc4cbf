// Tests that results stay on the board: after a reload, in another browser, after partial runs, and after edits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { node } from '../../support/workflows.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { fillIdea, nodeOf, pictureOf, untilSaved } from './flow-page.ts';

const resultOf = (page: Page, label: string): Locator =>
  page.getByRole('figure', { name: `Result of ${label}`, exact: true });
const OUTDATED = 'From an earlier version';

describe('results on the board', () => {
  const flow = setUpFlowPages();

  it('are marked as outdated after an edit and as current after its undo', async () => {
    const id = await flow.create(pictureOf('a lighthouse'));
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    for (const label of ['Picture', 'Preview']) await resultOf(page, label).locator('img').waitFor();
    assert.equal(await page.getByText(OUTDATED).count(), 0);
    await fillIdea(page, 'a lighthouse at night');
    for (const label of ['Picture', 'Preview']) await resultOf(page, label).getByText(OUTDATED).waitFor();
    await page.reload();
    await resultOf(page, 'Picture').getByText(OUTDATED).waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await untilSaved(page);
    await resultOf(page, 'Picture').getByText(OUTDATED).waitFor({ state: 'detached' });
    await resultOf(page, 'Picture').locator('img').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('are shown for each output of a node', async () => {
    const id = await flow.create({
      nodes: [
        node('parse', 'utility:json_extract', {
          json: '{"title":"Boats","author":"Ana"}',
          paths: { title: 'title', author: 'author' },
        }),
      ],
      edges: [],
    });
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const figure = resultOf(page, 'parse');
    await figure.getByText('title: Boats', { exact: true }).waitFor();
    await figure.getByText('author: Ana', { exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Result of parse' });
    await dialog.getByText('2 of 2').waitFor();
    await dialog.getByText('author', { exact: true }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('stay on nodes that a partial run does not include', async () => {
    const id = await flow.create(pictureOf('a harbor'));
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await flow.send('POST', `/workflows/${id}/run`, { targets: ['idea'] });
    await flow.untilRuns(id, 2);
    await using testPage = await flow.open(id);
    await resultOf(testPage.page, 'Picture').locator('img').waitFor();
    await nodeOf(testPage.page, 'Picture').click({ position: { x: 90, y: 20 } });
    await resultOf(testPage.page, 'Picture').getByRole('button').click();
    await testPage.page.getByRole('dialog').locator('img').first().waitFor();
  });
});
