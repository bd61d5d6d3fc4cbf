// Tests that no work is overwritten or lost: values that two people changed, at the same time or one after the other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { boardOf, fillIdea, ideaOf, nodeOf, PICTURE, untilIdea, untilSaved } from './flow-page.ts';

const untilStatus = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status', { name: 'Saving' }).filter({ hasText: text }).waitFor();

describe('conflicting edits', () => {
  const flow = setUpFlowPages();

  /** Changes values of the stored workflow like another program of the account. */
  async function changeElsewhere(id: string, configs: Readonly<Record<string, object>>): Promise<void> {
    const { nodes, edges } = await flow.read(id);
    const changedNodes = nodes.map(node => ({
      ...node,
      data: { ...node.data, config: { ...node.data.config, ...configs[node.id] } },
    }));
    await flow.send('PUT', `/workflows/${id}`, { nodes: changedNodes, edges });
  }

  /** Makes a conflict about the text of the open board. */
  async function createConflict(page: Page, id: string): Promise<void> {
    await page.route(`**/api/v1/workflows/${id}?autosave=true`, route => route.abort());
    await fillIdea(page, 'mine');
    await untilStatus(page, 'Offline');
    await changeElsewhere(id, { idea: { value: 'theirs' } });
    await page.unroute(`**/api/v1/workflows/${id}?autosave=true`);
    await page.getByRole('region', { name: 'Someone else changed this too.' }).waitFor();
    await untilStatus(page, /^Not saved: 1 conflict$/);
  }

  it('do not overwrite the value of another user before the conflict is resolved', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const sentValues: unknown[] = [];
    page.on('request', request => {
      if (request.method() === 'PUT') sentValues.push(ideaOf(JSON.parse(request.postData() ?? '{}')));
    });
    await createConflict(page, id);
    sentValues.length = 0;
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByLabel('Seed', { exact: true })
      .fill('42');
    await waitUntil('the seed to be saved', async () => {
      const { nodes } = await flow.read(id);
      return nodes.find(node => node.id === 'picture')?.data.config?.seed === 42;
    });
    await page.keyboard.press('Control+s');
    await untilStatus(page, /^Not saved: 1 conflict$/);
    assert.ok(sentValues.length > 0);
    assert.deepEqual(new Set(sentValues), new Set(['theirs']));
    assert.equal(ideaOf(await flow.read(id)), 'theirs');
    await nodeOf(page, 'Idea').getByText('mine').waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await untilSaved(page);
    await untilIdea(flow, id, 'mine');
  });

  it('are offered for a decision again after a reload', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await createConflict(page, id);
    for (let reloads = 0; reloads < 2; reloads++) {
      await page.reload();
      await boardOf(page).waitFor();
      const question = page.getByRole('region', { name: 'Someone else changed this too.' });
      await question.getByText('mine', { exact: true }).waitFor();
      await question.getByText('theirs', { exact: true }).waitFor();
      await untilStatus(page, /^Not saved: 1 conflict$/);
    }
    assert.equal(ideaOf(await flow.read(id)), 'theirs');
    await page.getByRole('button', { name: 'Use theirs' }).click();
    await untilSaved(page);
    await nodeOf(page, 'Idea').getByText('theirs').waitFor();
    await page.reload();
    await untilSaved(page);
    assert.equal(await page.getByRole('button', { name: 'Use theirs' }).count(), 0);
    await nodeOf(page, 'Idea').getByText('theirs').waitFor();
  });

  it('are offered for a decision again after a reload that follows a save', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    // Without events, the page learns only from its own save that somebody else has saved.
    await page.route('**/events', route => route.abort());
    await page.reload();
    await boardOf(page).waitFor();
    await createConflict(page, id);
    await page.reload();
    await page.getByRole('region', { name: 'Someone else changed this too.' }).waitFor();
    assert.equal(ideaOf(await flow.read(id)), 'theirs');
  });

  it('prevent a run while a conflict is open', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await createConflict(page, id);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Choose which ones to keep' }).waitFor();
    assert.deepEqual(await flow.runs(id), []);
  });

  it('cause no conflict if they were saved before another user changed the value', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await fillIdea(page, 'mine');
    await untilIdea(flow, id, 'mine');
    await untilSaved(page);
    // The draft is written again with what was saved.
    await page.goto('/workflows');
    await changeElsewhere(id, { idea: { value: 'theirs' } });
    await page.goto(`/flow/${id}`);
    await nodeOf(page, 'Idea').getByText('theirs').waitFor();
    await untilSaved(page);
    assert.equal(await page.getByRole('button', { name: 'Use theirs' }).count(), 0);
  });

  it('of another user update the price', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('status', { name: 'Price' }).filter({ hasText: 'Free' }).waitFor();
    const request = page.waitForRequest('**/estimate');
    await changeElsewhere(id, { picture: { seed: 9 } });
    await request;
  });

  it('are not attributed to another user if the service made them during a save', async () => {
    const id = await flow.create({
      nodes: [
        {
          id: 'video',
          type: 'basedNode',
          position: { x: 0, y: 0 },
          data: { label: 'Video', category: 'utility', nodeType: 'video:renderer', config: {} },
        },
      ],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.evaluate(() => {
      const pageTexts: string[] = [];
      Object.assign(window, { pageTexts });
      new MutationObserver(() => pageTexts.push(document.body.textContent ?? '')).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    await nodeOf(page, 'Video').click({ position: { x: 90, y: 20 } });
    await page.getByRole('button', { name: 'Browse templates' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Product reel' }).click();
    // The service adds the ports of the template.
    await page.getByRole('button', { name: 'Input Product name of Video' }).waitFor();
    await untilSaved(page);
    const pageTexts = await page.evaluate(() => (window as unknown as { pageTexts: string[] }).pageTexts);
    assert.ok(pageTexts.length > 0);
    assert.equal(
      pageTexts.find(text => /Somebody|Someone|changed Video/.test(text)),
      undefined,
    );
  });
});
