// Lists the looks of batches: their list, their results as a grid and as a table, and the dialog that starts them.
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { waitUntil } from '../../support/processes.ts';
import { edge, node } from '../../support/workflows.ts';
import type { Look, LookTests } from './look.ts';

const label = (sent: ReturnType<typeof node>, text: string) => ({
  ...sent,
  data: { ...sent.data, label: text },
});
const POEM = {
  name: 'Poem',
  nodes: [
    label(node('topic', 'input:text', { value: 'rain' }), 'Topic'),
    label(node('mood', 'input:text', { value: 'calm' }), 'Mood'),
    node('join', 'utility:prompt_concat'),
    node('out', 'output:preview'),
  ],
  edges: [edge('topic.text > join.text1'), edge('mood.text > join.text2'), edge('join.text > out.input')],
};
const PICTURES = {
  name: 'Pictures of things',
  nodes: [
    node('what', 'input:text'),
    node('draw', 'generate:sandbox', { width: 64, height: 64 }),
    node('out', 'output:preview'),
  ],
  edges: [edge('what.text > draw.prompt'), edge('draw.image > out.input')],
};

/** Pastes text into a field, as a spreadsheet does. */
export const paste = (field: Locator, text: string): Promise<void> =>
  field.evaluate((element, value) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', value);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

/** Starts a batch and waits for its status. Returns the path of its page. */
async function startBatch(
  { service }: LookTests,
  graph: object,
  batch: object,
  status: string,
): Promise<string> {
  const workflow = await service.createWorkflow(graph);
  const { body } = await service.request<{ batchId: string }>(
    'POST',
    `/workflows/${workflow}/batches`,
    batch,
  );
  const path = `/batches/${body.batchId}`;
  await waitUntil(`the batch to be ${status}`, async () => {
    const { body: stored } = await service.request<{ status: string }>('GET', path);
    return stored.status === status;
  });
  return path;
}

export const BATCH_LOOKS: readonly Look[] = [
  {
    title: 'the list of batches, empty and with a batch, and the results of a batch',
    async visit(tests) {
      const { page, check } = tests;
      await page.goto('/batches');
      await check('batches-empty', () => page.getByRole('heading', { name: 'No batches yet' }).waitFor());
      const rows = Array.from({ length: 12 }, (_, index) => ({
        key: `shot-${index + 1}`,
        inputs: { what: `a paper boat, take ${index + 1}` },
      }));
      const path = await startBatch(tests, PICTURES, { rows, firstRows: 8 }, 'PAUSED');
      await page.goto(path);
      await check('batch', async () => {
        await page.getByRole('article', { name: '1 · shot-1', exact: true }).waitFor();
        await page.getByText('8 of 12').waitFor();
      });
      await page.goto('/batches');
      await check('batches', () => page.getByRole('link', { name: 'Pictures of things' }).waitFor());
    },
  },
  {
    title: 'a matrix of two selected axes, through which the keys move',
    async visit(tests) {
      const { page, check } = tests;
      const matrix = {
        inputs: {
          topic: Array.from({ length: 20 }, (_, index) => `topic ${index + 1}`),
          mood: ['calm', 'bright'],
        },
        config: { join: { separator: ['-', '+'] } },
      };
      await page.goto(await startBatch(tests, POEM, { matrix, concurrency: 50 }, 'COMPLETED'));
      const cell = (row: number) => page.getByRole('article', { name: `Row ${row}`, exact: true });
      await check('batch-matrix', async () => {
        await cell(1).getByText('topic 1-calm').waitFor();
        await page.getByTitle('+', { exact: true }).waitFor();
      });
      // The rows are moods and the columns are separators, for the first topic.
      const [first, second] = [await cell(1).boundingBox(), await cell(2).boundingBox()];
      const heading = await page.getByTitle('calm', { exact: true }).boundingBox();
      assert.ok(
        first && second && heading && heading.x + heading.width < first.x,
        'a heading covers no card',
      );
      assert.ok(second.width > 400 && second.x + second.width < 1440, 'two columns use the width');
      // The keys scroll to the last topic.
      const rows = page.locator('label', { hasText: /^Rows/ }).locator('select');
      await rows.selectOption('Topic');
      await cell(5).waitFor();
      await cell(1)
        .getByRole('button', { name: /^Row 1/ })
        .focus();
      for (let topic = 1; topic < 20; topic++) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('j');
      await page.keyboard.press('5');
      await cell(78).getByRole('button', { name: 'Rate 5', pressed: true }).waitFor();
    },
  },
  {
    title: 'the dialog that runs a workflow over a table',
    async visit({ service, page, check }) {
      await page.goto(`/flow/${await service.createWorkflow(POEM)}`);
      await page.getByRole('button', { name: 'Run options' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Run over a table' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Run over a table' });
      await paste(dialog.getByLabel('Cells', { exact: true }), 'Topic\tmood\nthe sea, at night\tcalm\n');
      await dialog.getByText('0 credits for 1 row').waitFor();
      await check('batch-table', () => dialog.waitFor());
    },
  },
];
