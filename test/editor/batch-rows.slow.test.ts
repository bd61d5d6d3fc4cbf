// Tests the page of a large batch in a browser, which scrolls: every row can be reached, as a card and as a line of a table.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BROWSER_MISSING_REASON } from '../support/browser.ts';
import { setUpSignedInBrowser } from '../support/signed-in-browser.ts';
import { edge, node } from '../support/workflows.ts';

const ECHO = {
  name: 'Echo',
  nodes: [node('topic', 'input:text'), node('out', 'output:preview')],
  edges: [edge('topic.text > out.input')],
};

describe('the page of a large batch', { skip: BROWSER_MISSING_REASON }, () => {
  const editor = setUpSignedInBrowser();

  it('shows any of 10,000 rows as cards or as lines of a table', async () => {
    const workflow = await editor.service.createWorkflow(ECHO);
    const topics = Array.from({ length: 10_000 }, (_, index) => `topic ${index + 1}`);
    const { body } = await editor.service.request<{ batchId: string }>(
      'POST',
      `/workflows/${workflow}/batches`,
      { matrix: { inputs: { topic: topics } }, firstRows: 3 },
    );
    await using testPage = await editor.open(`/batches/${body.batchId}`);
    const { page } = testPage;
    const requests: string[] = [];
    page.on('request', request => request.url().includes('/rows?') && requests.push(request.url()));
    const getRow = (row: number) => page.getByRole('article', { name: `Row ${row}`, exact: true });
    await getRow(1).getByText('topic 1', { exact: true }).first().waitFor();
    await page.getByRole('spinbutton', { name: 'Row' }).fill('10000');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await getRow(10_000).getByText('topic 10000').first().waitFor();
    // The row has the focus, so that keys act on it.
    await page.keyboard.press('3');
    await getRow(10_000).getByRole('button', { name: 'Rate 3', pressed: true }).waitFor();
    await page.getByLabel('View').selectOption('Table');
    await page.getByRole('spinbutton', { name: 'Row' }).fill('5000');
    await page.keyboard.press('Enter');
    await getRow(5000).getByText('topic 5000', { exact: true }).waitFor();
    // The change arrives after the list of picked rows was read.
    const { promise: isListRead, resolve: reportList } = Promise.withResolvers<void>();
    page.on('response', response => response.url().includes('picked=true') && reportList());
    await page.route(/\/rows\/4999$/, async route => {
      await isListRead;
      await route.continue();
    });
    await page.keyboard.press('k');
    await page.keyboard.press('p');
    await getRow(4999).getByRole('button', { name: 'Remove pick' }).waitFor();
    assert.ok(requests.length < 12, requests.join('\n'));
    await page.getByLabel('Show').selectOption('picked');
    await getRow(4999).waitFor();
    // Going to a row shows all rows again.
    await page.getByRole('spinbutton', { name: 'Row' }).fill('7');
    await page.keyboard.press('Enter');
    await getRow(7).getByText('topic 7', { exact: true }).waitFor();
    // It is not shown again after a change of the filter.
    await page.getByRole('spinbutton', { name: 'Row' }).fill('9000');
    await page.keyboard.press('Enter');
    await getRow(9000).getByText('topic 9000', { exact: true }).waitFor();
    const show = page.getByLabel('Show');
    await show.focus();
    await show.selectOption('picked');
    await getRow(4999).waitFor();
    await show.selectOption('');
    await getRow(1).getByText('topic 1', { exact: true }).first().waitFor();
    assert.equal(await show.evaluate(select => select === document.activeElement), true);
    assert.deepEqual(testPage.errors, []);
  });
});
