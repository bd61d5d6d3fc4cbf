// Tests seeds on the board: drawing and keeping them, four variations of a node, and comparing results.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { nodeOf, PICTURE, pictureOf, untilSaved } from './flow-page.ts';

const HEAD = { position: { x: 90, y: 20 } };

describe('seeds and variations', () => {
  const flow = setUpFlowPages();
  const readSeed = async (id: string): Promise<unknown> =>
    (await flow.read(id)).nodes.find(({ data }) => data.label === 'Picture')?.data.config?.seed;

  it('draws a seed, and keeps that of the last result', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, { config: { picture: { seed: 4711 } } });
    await flow.untilRuns(id, 1);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click(HEAD);
    const before = await readSeed(id);
    await page.getByRole('button', { name: 'Draw a new seed' }).click();
    await untilSaved(page);
    const drawn = await readSeed(id);
    assert.ok(Number.isSafeInteger(drawn) && drawn !== before);
    await page.getByRole('button', { name: 'Stop keeping the seed' }).click();
    await untilSaved(page);
    assert.equal(await readSeed(id), undefined);
    await page.getByRole('button', { name: 'Keep the seed in all runs' }).click();
    await untilSaved(page);
    assert.equal(await readSeed(id), 4711);
    assert.deepEqual(testPage.errors, []);
  });

  it('runs a node with four seeds, and uses the seed of one', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click(HEAD);
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Four variations of Picture' });
    await dialog.getByRole('figure', { name: /^Seed/ }).nth(3).getByRole('img').waitFor();
    const runs = await flow.runs(id);
    assert.equal(runs.length, 4);
    // The preview after the picture did not run.
    assert.ok(runs.every(({ nodeStates }) => nodeStates.length === 2));
    const [first] = await dialog.getByRole('figure', { name: /^Seed/ }).all();
    const name = await first?.getAttribute('aria-label');
    await first?.getByRole('button', { name: 'Use this seed' }).click();
    await page.keyboard.press('Escape');
    await untilSaved(page);
    assert.equal(`Seed ${await readSeed(id)}`, name);
    assert.deepEqual(testPage.errors, []);
  });

  it('shows a variation large, compares two by their images, and then the one whose seed is used', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.keyboard.press('Control+Enter');
    await flow.untilRuns(id, 1);
    await nodeOf(page, 'Picture').getByRole('figure').locator('img').waitFor();
    await nodeOf(page, 'Picture').click(HEAD);
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Four variations of Picture' });
    const variations = dialog.getByRole('figure', { name: /^Seed/ });
    await variations.nth(3).getByRole('img').waitFor();
    const name = (await variations.nth(1).getAttribute('aria-label')) ?? '';
    await variations.nth(1).getByRole('button', { name: 'Open result' }).click();
    await waitUntil('one variation', async () => (await variations.count()) === 1);
    assert.equal(await variations.getAttribute('aria-label'), name);
    await dialog.getByRole('button', { name: 'Show all four' }).click();
    await variations.nth(0).getByRole('button', { name: 'Compare' }).click();
    await variations.nth(2).getByRole('button', { name: 'Open result' }).click();
    await dialog.getByRole('slider', { name: 'Comparison slider' }).waitFor();
    await dialog.getByRole('button', { name: 'Show all four' }).click();
    await variations.nth(1).getByRole('button', { name: 'Use this seed' }).click();
    await page.keyboard.press('Escape');
    // The node shows the variation, although the run on the board has another image.
    const result = page.getByRole('dialog', { name: 'Result of Picture' });
    await waitUntil('the node to show the variation', async () => {
      await nodeOf(page, 'Picture').getByRole('figure').getByRole('button').click();
      const isShown = await result.getByText(name, { exact: true }).isVisible();
      await page.keyboard.press('Escape');
      return isShown;
    });
    await nodeOf(page, 'Preview').getByText('From an earlier version').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('compares a result with that of an earlier run, with the parameters that differ', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await flow.send('PUT', `/workflows/${id}`, { name: 'Board', ...pictureOf('a whale') });
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 2);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').getByRole('figure').getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Result of Picture' });
    const runs = await flow.runs(id);
    await dialog.getByLabel('Compare with').selectOption(`run ${runs[1]?.id}`);
    await dialog.getByRole('slider', { name: 'Comparison slider' }).waitFor();
    await dialog.getByRole('row', { name: /Prompt/ }).waitFor();
    assert.deepEqual(
      await dialog
        .getByRole('row', { name: /Prompt/ })
        .getByRole('cell')
        .allTextContents(),
      ['a boat', 'a whale'],
    );
    assert.equal(await dialog.getByRole('row').count(), 2);
    assert.deepEqual(testPage.errors, []);
  });

  it('offers to use a result as an input', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').getByRole('figure').getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Result of Picture' });
    assert.match(
      (await dialog.getByRole('link', { name: 'Download' }).getAttribute('href')) ?? '',
      /\/cdn\//,
    );
    await dialog.getByRole('button', { name: 'Use as input' }).click();
    await untilSaved(page);
    const types = (await flow.read(id)).nodes.map(({ data }) => data.nodeType);
    assert.equal(types.at(-1), 'input:image');
    assert.deepEqual(testPage.errors, []);
  });

  it('compares two variations, and uses one as an input', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click(HEAD);
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Four variations of Picture' });
    const figures = dialog.getByRole('figure', { name: /^Seed/ });
    await figures.nth(3).getByRole('img').waitFor();
    await figures.nth(0).getByRole('button', { name: 'Compare' }).click();
    await dialog.getByText('Choose Compare on another variation.').waitFor();
    await figures.nth(2).getByRole('button', { name: 'Compare' }).click();
    await dialog.getByRole('slider', { name: 'Comparison slider' }).waitFor();
    await dialog.getByRole('button', { name: 'Show all four' }).click();
    await figures.nth(1).getByRole('button', { name: 'Use as input' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilSaved(page);
    assert.equal((await flow.read(id)).nodes.at(-1)?.data.nodeType, 'input:image');
    assert.deepEqual(testPage.errors, []);
  });

  it('continues on the board with a result of the page of a run', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    const [run] = await flow.runs(id);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const chooseOnRunPage = async (action: string): Promise<void> => {
      await page.goto(`/executions/${run?.id}`);
      const actions = page.getByRole('group', { name: 'Result actions' }).first();
      await actions.getByRole('button', { name: 'Add to collection' }).waitFor();
      assert.equal(await actions.getByRole('link', { name: 'Open run' }).count(), 0);
      await actions.getByRole('link', { name: action }).click();
    };
    await chooseOnRunPage('Use as input');
    await waitUntil('the new input to be saved', async () => {
      const { nodes } = await flow.read(id);
      return nodes.at(-1)?.data.nodeType === 'input:image';
    });
    assert.equal(new URL(page.url()).search, '');
    await chooseOnRunPage('Compare');
    await page
      .getByRole('dialog', { name: /^Result of/ })
      .getByLabel('Compare with')
      .waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('varies, upscales, and keeps the seed of a result of the page of a run', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, { config: { picture: { seed: 4711 } } });
    await flow.untilRuns(id, 1);
    const [run] = await flow.runs(id);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const chooseOnRunPage = async (action: string): Promise<void> => {
      await page.goto(`/executions/${run?.id}`);
      const actions = page.getByRole('group', { name: 'Result actions' }).first();
      await actions.getByRole('link', { name: action }).click();
    };
    await chooseOnRunPage('Use this seed');
    await page.getByText('The node keeps the seed 4711.').waitFor();
    await waitUntil('the seed to be saved', async () => (await readSeed(id)) === 4711);
    await chooseOnRunPage('Upscale');
    await waitUntil('the upscaler to be saved', async () => {
      const { nodes, edges } = await flow.read(id);
      const upscaler = nodes.at(-1);
      return (
        upscaler?.data.nodeType === 'edit:upscale_local' &&
        edges.some(({ source, target }) => source === 'picture' && target === upscaler.id)
      );
    });
    await chooseOnRunPage('Four variations');
    await page.getByRole('dialog', { name: 'Four variations of Picture' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
    await flow.untilRuns(id, 5);
    assert.deepEqual(testPage.errors, []);
  });

  it('opens the result of a run from its banner', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Run' }).getByRole('button', { name: 'View result' }).click();
    await page.getByRole('dialog', { name: 'Result of Preview' }).getByRole('img').waitFor();
    assert.deepEqual(testPage.errors, []);
  });
});
