// Tests the pages of batches: the list, the grid of results, rating and comparing with the keyboard, and resuming.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { APPROVAL_GRAPH } from '../automation/graphs.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';
import { untilRendered } from './flow/flow-page.ts';

const ROW_COUNT = 40;
const FIRST_ROW_COUNT = 24;
const inputData = (label: string, value: string) => ({ ...node('any', 'input:text', { value }).data, label });
const THINGS = ['a lighthouse', 'a red fox', 'a paper boat', 'a glass house', 'a quiet harbor'];

describe('the batch pages', () => {
  const editor = setUpSignedInPages();
  let batchId: string;

  const readBatch = async () =>
    (
      await editor.service.request<{ status: string; counts: Record<string, number> }>(
        'GET',
        `/batches/${batchId}`,
      )
    ).body;

  it('show an empty list before the first batch', async () => {
    await using testPage = await editor.open('/batches');
    await testPage.page.getByRole('heading', { name: 'No batches yet' }).waitFor();
  });

  it('show a grid of results with the progress of the batch', async () => {
    const workflow = await editor.service.createWorkflow({
      name: 'Pictures of things',
      nodes: [
        node('what', 'input:text'),
        node('draw', 'generate:sandbox', { width: 64, height: 64 }),
        node('out', 'output:preview'),
      ],
      edges: [edge('what.text > draw.prompt'), edge('draw.image > out.input')],
    });
    const rows = Array.from({ length: ROW_COUNT }, (_, index) => ({
      key: `shot-${index + 1}`,
      inputs: { what: `${THINGS[index % THINGS.length]}, take ${index + 1}` },
    }));
    const { body } = await editor.service.request<{ batchId: string }>(
      'POST',
      `/workflows/${workflow}/batches`,
      {
        rows,
        firstRows: FIRST_ROW_COUNT,
      },
    );
    ({ batchId } = body);
    await waitUntil('the first rows', async () => (await readBatch()).status === 'PAUSED');
    await using testPage = await editor.open(`/batches/${batchId}`);
    const { page } = testPage;
    await page.getByRole('article', { name: '1 · shot-1', exact: true }).waitFor();
    await page.getByText(`${FIRST_ROW_COUNT} of ${ROW_COUNT}`).waitFor();
    await page.goto('/batches');
    await page.getByRole('link', { name: 'Pictures of things' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('belong to "Runs" in the navigation', async () => {
    await using testPage = await editor.open(`/batches/${batchId}`);
    const { page } = testPage;
    const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' });
    await breadcrumb.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
    const main = page.getByRole('navigation', { name: 'Main' });
    assert.deepEqual(await main.locator('[aria-current=page]').allTextContents(), ['Runs']);
    await breadcrumb.getByRole('link', { name: 'Runs' }).click();
    await page.waitForURL(/\/executions$/);
  });

  it('rate, pick, filter and compare rows with the keyboard', async () => {
    await using testPage = await editor.open(`/batches/${batchId}`);
    const { page } = testPage;
    const first = page.getByRole('article', { name: '1 · shot-1', exact: true });
    await first.getByRole('button', { name: '1 · shot-1', exact: true }).focus();
    await page.keyboard.press('4');
    await first.getByRole('button', { name: 'Rate 4', pressed: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('p');
    const second = page.getByRole('article', { name: '2 · shot-2', exact: true });
    await second.getByRole('button', { name: 'Remove pick' }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Compare 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare' });
    assert.equal(await dialog.getByRole('figure').count(), 2);
    await page.keyboard.press('Escape');
    await waitUntil('the rating to be stored', async () => {
      const { body } = await editor.service.request<{ data: { rating: number | null; isPicked: boolean }[] }>(
        'GET',
        `/batches/${batchId}/rows?limit=2`,
      );
      return body.data[0]?.rating === 4 && body.data[1]?.isPicked === true;
    });
    await page.getByLabel('Show').selectOption('picked');
    await second.waitFor();
    assert.equal(await page.getByRole('article').filter({ hasText: 'shot-' }).count(), 2);
  });

  it('leave Space to a checkbox with the focus, and let other keys act on its row', async () => {
    await using testPage = await editor.open(`/batches/${batchId}`);
    const { page } = testPage;
    await page.getByLabel('View').selectOption('Table');
    const third = page.getByRole('article', { name: '3 · shot-3', exact: true });
    const checkbox = third.getByRole('checkbox');
    await checkbox.focus();
    await page.keyboard.press(' ');
    assert.equal(await checkbox.isChecked(), true);
    await page.keyboard.press('x');
    assert.equal(await checkbox.isChecked(), false);
    await page.keyboard.press('1');
    await third.getByRole('button', { name: 'Rate 1', pressed: true }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  it('sort rows by rating', async () => {
    await editor.service.request('PATCH', `/batches/${batchId}/rows/7`, { rating: 5 });
    await using testPage = await editor.open(`/batches/${batchId}`);
    const { page } = testPage;
    await page.getByLabel('Sort by').selectOption('Rating');
    const names = page.locator('article[data-row]');
    await page.waitForURL(/sort=rating/);
    const nameOf = (index: number) => names.nth(index).getAttribute('aria-label');
    await waitUntil('the best row to be first', async () => (await nameOf(0)) === '7 · shot-7');
    assert.equal(await nameOf(1), '1 · shot-1');
  });

  describe('of a batch that is running', () => {
    /** Starts a batch with one row, which waits for approval. Returns the path of its page and what approves the row. */
    const startBatch = async () => {
      const workflow = await editor.service.createWorkflow(APPROVAL_GRAPH);
      const started = await editor.service.request<{ batchId: string }>(
        'POST',
        `/workflows/${workflow}/batches`,
        { rows: [{ inputs: { who: 'Ada' } }] },
      );
      const path = `/batches/${started.body.batchId}`;
      const readRow = async () => {
        const { body } = await editor.service.request<{ data: { status: string; executionId: string }[] }>(
          'GET',
          `${path}/rows`,
        );
        return body.data[0];
      };
      await waitUntil('the row to run', async () => (await readRow())?.status === 'running');
      const approve = async () => {
        await waitUntil('the row to be approved', async () => {
          const row = await readRow();
          const decision = { nodeId: 'ask', approved: true };
          await editor.service.request('POST', `/executions/${row?.executionId}/resume`, { decision });
          return row?.status === 'completed';
        });
      };
      return { path, approve };
    };
    const getCard = (page: Page) => page.getByRole('article', { name: 'Row 1', exact: true });

    it('show the status of a row once it is loaded', async () => {
      const { path } = await startBatch();
      for (const view of ['grid', 'table']) {
        await using testPage = await editor.browser.open(editor.service.url, undefined, editor.cookie);
        const { page } = testPage;
        const isChecked = Promise.withResolvers<void>();
        await page.route('**/rows?*', route => isChecked.promise.then(() => route.continue()));
        await page.goto(`${path}?view=${view}`);
        await getCard(page).waitFor();
        for (const status of ['Waiting', 'Running'])
          assert.equal(await getCard(page).getByText(status, { exact: true }).count(), 0, view);
        isChecked.resolve();
        await getCard(page).getByText('Running', { exact: true }).waitFor();
      }
    });

    it('show a row that ended before the event stream opened', async () => {
      const { path, approve } = await startBatch();
      await using testPage = await editor.browser.open(editor.service.url, undefined, editor.cookie);
      const { page } = testPage;
      const hasEnded = Promise.withResolvers<void>();
      await page.route('**/events', async route => {
        if (route.request().url().includes('/batches/')) await hasEnded.promise;
        await route.continue();
      });
      await page.goto(path);
      await getCard(page).getByText('Running', { exact: true }).waitFor();
      await approve();
      hasEnded.resolve();
      await getCard(page).getByText('Running', { exact: true }).waitFor({ state: 'detached' });
    });

    it('show a row that ended before it was rated', async () => {
      const { path, approve } = await startBatch();
      await using testPage = await editor.browser.open(editor.service.url, undefined, editor.cookie);
      const { page } = testPage;
      const hasEnded = Promise.withResolvers<void>();
      const hasReadAgain = Promise.withResolvers<void>();
      const isRated = Promise.withResolvers<void>();
      await page.route('**/batches/*/events', route => hasEnded.promise.then(() => route.continue()));
      await page.goto(path);
      await getCard(page).getByText('Running', { exact: true }).waitFor();
      await page.route('**/rows?*', async route => {
        const response = await route.fetch();
        hasReadAgain.resolve();
        await isRated.promise;
        await route.fulfill({ response });
      });
      await approve();
      hasEnded.resolve();
      await hasReadAgain.promise;
      const stars = getCard(page).getByRole('button', { name: 'Rate 4' });
      await stars.click();
      isRated.resolve();
      await getCard(page).getByText('Running', { exact: true }).waitFor({ state: 'detached' });
      assert.equal(await stars.getAttribute('aria-pressed'), 'true');
    });

    it('show a row that ended while its list was loading', async () => {
      const { path, approve } = await startBatch();
      await using testPage = await editor.open(path);
      const { page } = testPage;
      await getCard(page).getByText('Running', { exact: true }).waitFor();
      const hasRead = Promise.withResolvers<void>();
      const hasEnded = Promise.withResolvers<void>();
      await page.route('**/rows?*sort=rating*', async route => {
        const response = await route.fetch();
        hasRead.resolve();
        await hasEnded.promise;
        await route.fulfill({ response });
      });
      await page.getByLabel('Sort by').selectOption('Rating');
      await hasRead.promise;
      await approve();
      await page.getByText('1 of 1').waitFor();
      hasEnded.resolve();
      await getCard(page).waitFor();
      await getCard(page).getByText('Running', { exact: true }).waitFor({ state: 'detached' });
    });
  });

  it('show a matrix as a table of two selected axes', async () => {
    const workflow = await editor.service.createWorkflow(POEM);
    const topics = ['topic 1', 'topic 2', 'topic 3'];
    const { body } = await editor.service.request<{ batchId: string }>(
      'POST',
      `/workflows/${workflow}/batches`,
      {
        matrix: {
          inputs: { topic: topics, mood: ['calm', 'bright', 'dark'] },
          config: { join: { separator: ['-', '+'] } },
        },
        concurrency: 50,
      },
    );
    const path = `/batches/${body.batchId}`;
    await waitUntil('the batch to end', async () => {
      const { body: batch } = await editor.service.request<{ status: string }>('GET', path);
      return batch.status === 'COMPLETED';
    });
    await using testPage = await editor.open(path);
    const { page } = testPage;
    const cell = (row: number) => page.getByRole('article', { name: `Row ${row}`, exact: true });
    const select = (label: string) =>
      page.locator('label', { hasText: new RegExp(`^${label}`) }).locator('select');
    await cell(1).getByText('topic 1-calm').waitFor();
    await page.getByTitle('+', { exact: true }).waitFor();
    // The rows are moods and the columns are separators, for the first topic.
    await cell(6).getByText('topic 1+dark').waitFor();
    assert.equal(await cell(7).count(), 0);
    await select('Topic').selectOption('topic 3');
    await cell(13).getByText('topic 3-calm').waitFor();
    await select('Rows').selectOption('Topic');
    await cell(1).getByText('topic 1-calm').waitFor();
    await cell(8).getByText('topic 2+calm').waitFor();
    await select('Mood').selectOption('bright');
    await cell(3).getByText('topic 1-bright').waitFor();
    await cell(3)
      .getByRole('button', { name: /^Row 3/ })
      .focus();
    // Each row of the table has two cells. The keys select the second topic, then its second separator.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    await cell(10).getByText('topic 2+bright').waitFor();
    const isStored = page.waitForResponse('**/rows/10');
    await page.keyboard.press('5');
    await cell(10).getByRole('button', { name: 'Rate 5', pressed: true }).waitFor();
    await isStored;
    await page.keyboard.press(' ');
    await page.getByRole('dialog', { name: 'Row 10' }).getByText('topic 2+bright').waitFor();
    await page.keyboard.press('Escape');
    await select('View').selectOption('Grid');
    await select('Sort by').selectOption('Rating');
    await cell(10).waitFor();
  });

  it('name the models that a matrix varies, and offer the actions of a result', async () => {
    const workflow = await editor.service.createWorkflow({
      nodes: [
        node('picture', 'generate:sandbox', { prompt: 'a boat', width: 64, height: 64 }),
        node('edited', 'edit:sandbox', { prompt: 'bluer' }),
      ],
      edges: [edge('picture.image > edited.image')],
    });
    const { body } = await editor.service.request<{ batchId: string }>(
      'POST',
      `/workflows/${workflow}/batches`,
      {
        matrix: {
          config: { edited: { nodeType: ['edit:sandbox', 'generate:sandbox'], prompt: ['x', 'y'] } },
        },
      },
    );
    const path = `/batches/${body.batchId}`;
    await waitUntil('the batch to end', async () => {
      const { body: batch } = await editor.service.request<{ status: string }>('GET', path);
      return batch.status === 'COMPLETED';
    });
    await using testPage = await editor.open(path);
    const { page } = testPage;
    const { body: catalog } = await editor.service.request<{ nodes: { nodeType: string; label: string }[] }>(
      'GET',
      '/nodes?includeHidden=1',
    );
    const label = catalog.nodes.find(({ nodeType }) => nodeType === 'generate:sandbox')?.label ?? '';
    await page.getByTitle(label, { exact: true }).waitFor();
    assert.equal(await page.getByText('generate:sandbox').count(), 0);
    await page.getByRole('button', { name: /^Row 1/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Row 1' });
    await dialog.getByRole('link', { name: 'Use as input' }).waitFor();
    await dialog.getByRole('button', { name: 'Add to collection' }).waitFor();
  });

  it('show all rows of a matrix although they come in several pages', async () => {
    const workflow = await editor.service.createWorkflow(POEM);
    const moods = ['calm', 'bright', 'dark', 'loud'];
    const { body } = await editor.service.request<{ batchId: string }>(
      'POST',
      `/workflows/${workflow}/batches`,
      { matrix: { inputs: { mood: moods, topic: ['x'.repeat(3_900_000)] } }, firstRows: 1 },
    );
    await using testPage = await editor.open(`/batches/${body.batchId}`);
    // The heading of a column comes from its rows.
    for (const mood of moods) await testPage.page.getByTitle(mood, { exact: true }).waitFor();
  });

  it('show the progress of a resumed batch', async () => {
    await using testPage = await editor.open(`/batches/${batchId}`);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Resume' }).click();
    await waitUntil('the end of the batch', async () => (await readBatch()).status === 'COMPLETED');
    await page.getByText(`${ROW_COUNT} of ${ROW_COUNT}`).waitFor();
    await page.getByText('Completed', { exact: true }).first().waitFor();
  });

  it('start a batch from pasted cells on the board', async () => {
    const workflow = await editor.service.createWorkflow(POEM);
    await using testPage = await editor.open(`/flow/${workflow}`);
    const { page } = testPage;
    await openDialog(page);
    const dialog = page.getByRole('dialog', { name: 'Run over a table' });
    await paste(page, 'Cells', CELLS);
    await dialog.getByText('Pasted cells: 2 rows, 3 columns').waitFor();
    assert.equal(await dialog.getByLabel('Topic').inputValue(), 'Topic');
    assert.equal(await dialog.getByLabel('Mood').inputValue(), 'mood');
    assert.equal(await dialog.getByLabel('Name of each row').inputValue(), 'id');
    await dialog.getByText('0 credits for 2 rows').waitFor();
    await dialog.getByLabel('Cells', { exact: true }).fill('');
    await paste(page, 'Cells', 'Topic\nthe sea, at night\n\nsnow\n');
    await dialog.getByText('Line 3: The row is empty.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true);
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(TOPICS) });
    await dialog.getByText('rows.csv: 5 rows, 1 column').waitFor();
    await dialog.getByLabel('Topic').selectOption('subject');
    await dialog.getByText('0 credits for 5 rows').waitFor();
    await dialog.getByRole('button', { name: 'Run 3 first' }).click();
    await page.waitForURL(/\/batches\/bat_/);
    await page.getByText('3 of 5').waitFor();
    await page.getByText('The first rows are done.').waitFor();
  });

  it('ask for the encoding of a table that cannot be detected, and show its rows', async () => {
    const workflow = await editor.service.createWorkflow(POEM);
    await using testPage = await editor.open(`/flow/${workflow}`);
    const { page } = testPage;
    await openDialog(page);
    const dialog = page.getByRole('dialog', { name: 'Run over a table' });
    // Größe in code page 850.
    const buffer = Buffer.from('what\nGr\x94\xe1e\n', 'latin1');
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer });
    await dialog.getByText('cannot be detected. Set the encoding, such as').waitFor();
    const encoding = dialog.getByRole('combobox', { name: 'Encoding of the file' });
    assert.equal(await encoding.inputValue(), '');
    await encoding.selectOption('windows-1252');
    await dialog.getByRole('cell', { name: 'Gr”áe' }).waitFor();
    await encoding.selectOption('macintosh');
    await dialog.getByRole('cell', { name: 'Grî·e' }).waitFor();
    assert.equal(await encoding.inputValue(), 'macintosh');
    await encoding.selectOption('');
    await dialog.getByText('is not UTF-8, and cannot be detected').waitFor();
  });

  it('ignore a table that is read after the user chose combinations', async () => {
    const workflow = await editor.service.createWorkflow(POEM);
    await using testPage = await editor.open(`/flow/${workflow}`);
    const { page } = testPage;
    await openDialog(page);
    const dialog = page.getByRole('dialog', { name: 'Run over a table' });
    const hasLeft = Promise.withResolvers<void>();
    await page.route('**/api/v1/tables*', route => hasLeft.promise.then(() => route.continue()));
    const table = page.waitForResponse('**/api/v1/tables*');
    await paste(page, 'Cells', CELLS);
    await dialog.getByRole('tab', { name: 'Combinations' }).click();
    hasLeft.resolve();
    await table;
    await untilRendered(page);
    assert.equal(await dialog.getByText(/Checking the rows|credits for \d/).count(), 0);
    assert.equal(await dialog.getByRole('button', { name: /^Run/ }).isDisabled(), true);
  });

  it('start a batch of combinations with the keyboard', async () => {
    const workflow = await editor.service.createWorkflow(POEM);
    await using testPage = await editor.open(`/flow/${workflow}`);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run options' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Run over a table' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Run over a table' });
    await dialog.getByRole('tab', { name: 'Combinations' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Values, one per line').fill('the sea\nsnow');
    await dialog.getByRole('button', { name: 'Vary something else' }).press('Enter');
    await dialog.getByLabel('What to vary (2)').selectOption({ label: 'Separator' });
    await dialog.getByLabel('Values, one per line').nth(1).fill('+\n-\n*');
    await dialog.getByText('2 × 3 = 6 rows').waitFor();
    await dialog.getByText('0 credits for 6 rows').waitFor();
    await dialog.getByRole('button', { name: 'Run 6 rows' }).press('Enter');
    await page.waitForURL(/\/batches\/bat_/);
    await page.getByText('6 of 6').waitFor();
    await page.getByRole('article', { name: 'Row 2', exact: true }).getByText('the sea-calm').waitFor();
  });
});

const POEM = {
  name: 'Poem',
  nodes: [
    { ...node('topic', 'input:text', { value: 'rain' }), data: inputData('Topic', 'rain') },
    { ...node('mood', 'input:text', { value: 'calm' }), data: inputData('Mood', 'calm') },
    node('join', 'utility:prompt_concat'),
    node('out', 'output:preview'),
  ],
  edges: [edge('topic.text > join.text1'), edge('mood.text > join.text2'), edge('join.text > out.input')],
};
const CELLS = 'id\tTopic\tmood\nr1\tthe sea, at night\tcalm\nr2\tsnow\tbright\n';
const TOPICS = 'subject\none\ntwo\nthree\nfour\nfive\n';

async function openDialog(page: Page): Promise<void> {
  const item = page.getByRole('menuitem', { name: 'Run over a table' });
  // When the script of the menu is loaded, it replaces the button, which can lose a click.
  await waitUntil('the menu to open', async () => {
    if (!(await item.isVisible())) await page.getByRole('button', { name: 'Run options' }).click();
    return item.isVisible();
  });
  await item.click();
}

async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).evaluate((field, value) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', value);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
