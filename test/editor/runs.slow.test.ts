// Tests the list of runs, and the page of a run with its results, timeline, error and webhook deliveries.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { edge } from '../support/workflows.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

const SCRIPT = '<img src=x onerror=alert(1)> & "quoted"';

const node = (id: string, nodeType: string, label: string, config: object, x: number) => ({
  id,
  type: 'basedNode',
  position: { x, y: 0 },
  data: { label, category: nodeType.split(':')[0] === 'input' ? 'input' : 'utility', nodeType, config },
});

describe('the run pages', () => {
  let receiver: Receiver;
  let fal: FalDouble;
  let completedRunId: string;
  let failedRunId: string;

  const editor = setUpSignedInPages(async () => {
    [fal, receiver] = await Promise.all([startFal(Buffer.from('x')), startReceiver()]);
    return { ALLOW_PRIVATE_NETWORK: 'true', FAL_KEY: 'fal-key', FAL_BASE_URL: fal.url };
  });
  after(async () => {
    await receiver?.close();
    await fal?.close();
  });

  it('suggest templates before the first run', async () => {
    await using testPage = await editor.open('/executions');
    await testPage.page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await testPage.page
      .getByRole('heading', { name: 'Start from a template that is ready to run' })
      .waitFor();
    const templates = testPage.page.getByRole('button', { name: /^Use template / });
    await templates.nth(4).waitFor();
    assert.equal(await templates.count(), 5);
    assert.deepEqual(testPage.errors, []);
  });

  it('list runs with their status and show a script in a name as text', async () => {
    const textWorkflow = await editor.service.createWorkflow({
      name: SCRIPT,
      nodes: [
        node('a', 'input:text', SCRIPT, { value: SCRIPT }, 0),
        node('b', 'utility:text_template', 'Say it', { template: 'It says: {{text}}' }, 400),
      ],
      edges: [edge('a.text > b.text')],
    });
    completedRunId = (
      await editor.service.runWorkflow(textWorkflow, { webhook: { url: `${receiver.url}/hook` } })
    ).id;
    const failingWorkflow = await editor.service.createWorkflow({
      name: 'Fetches what is not there',
      nodes: [
        node('u', 'input:text', 'Address', { value: `${receiver.url}/gone` }, 0),
        node('h', 'utility:http_request', 'Fetch it', {}, 400),
      ],
      edges: [edge('u.text > h.url')],
    });
    receiver.answer(res => res.writeHead(410).end('gone'));
    failedRunId = (await editor.service.runWorkflow(failingWorkflow)).id;
    await using testPage = await editor.open('/executions');
    const { page } = testPage;
    await page.getByRole('row').filter({ hasText: SCRIPT }).getByText('Completed').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'Fetches what is not there' })
      .getByText('Failed')
      .waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show results, inputs and each attempt of the webhook', async () => {
    await using testPage = await editor.open(`/executions/${completedRunId}`);
    const { page } = testPage;
    await page.getByText(`It says: ${SCRIPT}`).first().waitFor();
    await waitUntil('the first delivery', () => receiver.received.length > 0);
    const deliveryCount = receiver.received.length;
    await page.getByRole('button', { name: 'Resend' }).first().click();
    await page.getByText('The webhook is being resent.').waitFor();
    await waitUntil('another delivery', () => receiver.received.length > deliveryCount);
    assert.deepEqual(testPage.errors, []);
  });

  it('find runs by words, and list a batch as one row that opens the batch', async () => {
    const id = await editor.service.createWorkflow({
      name: 'Slogans',
      nodes: [node('a', 'input:text', 'Slogan', { value: 'Buy a boat' }, 0)],
      edges: [],
    });
    await editor.service.runWorkflow(id);
    const rows = ['Sell a tower', 'Rent a tower'].map(text => ({ inputs: { a: text } }));
    const { body } = await editor.service.request('POST', `/workflows/${id}/batches`, { rows });
    await waitUntil('the batch has completed', async () => {
      const batch = await editor.service.request('GET', `/batches/${body.batchId}`);
      return batch.body.status === 'COMPLETED';
    });
    await using testPage = await editor.open('/executions');
    const { page } = testPage;
    const slogans = page.getByRole('row').filter({ hasText: 'Slogans' });
    await slogans.filter({ hasText: 'Buy a boat' }).waitFor();
    const batch = slogans.filter({ hasText: '2 of 2 completed' });
    assert.equal(
      await batch.getByRole('link', { name: 'Slogans' }).getAttribute('href'),
      `/batches/${body.batchId}`,
    );
    assert.equal(await slogans.count(), 2);
    await page.getByLabel('Search runs').fill('tower sell');
    await slogans.filter({ hasText: 'Buy a boat' }).waitFor({ state: 'detached' });
    await batch.waitFor();
    await page.getByLabel('Search runs').fill('');
    await page.getByLabel('Started by').selectOption('api');
    await batch.waitFor({ state: 'detached' });
    await slogans.filter({ hasText: 'Buy a boat' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show the progress of a run over a slow connection', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `step${index}`);
    const id = await editor.service.createWorkflow({
      nodes: [
        node('text', 'input:text', 'Text', { value: 'x' }, 0),
        ...ids.map((step, index) => node(step, 'logic:delay', step, { ms: 400 }, 400 * (index + 1))),
      ],
      edges: ids.map((step, index) =>
        edge(index === 0 ? `text.text > ${step}.input` : `${ids[index - 1]}.output > ${step}.input`),
      ),
    });
    const run = await editor.service.startRun(id);
    await using testPage = await editor.open('/executions');
    const { page } = testPage;
    await page.route(`**/api/v1/executions/${run}`, async route => {
      const response = await route.fetch();
      await sleep(600);
      await route.fulfill({ response });
    });
    await page.goto(`/executions/${run}`);
    await page.getByRole('img', { name: /^step3: Completed/ }).waitFor();
    assert.equal((await editor.service.readExecution(run)).finishedAt, null);
  });

  it('shorten a long text and offer to copy all of it', async () => {
    const id = await editor.service.createWorkflow({
      nodes: [
        node('text', 'input:text', 'Text', { value: 'x'.repeat(30_000) }, 0),
        node('join', 'utility:prompt_concat', 'Join', {}, 400),
      ],
      edges: [edge('text.text > join.text1')],
    });
    const run = await editor.service.runWorkflow(id);
    await using testPage = await editor.open(`/executions/${run.id}`);
    const { page } = testPage;
    const figure = page.getByRole('figure', { name: 'Join' });
    await figure.getByText(/^x{20000}… Copy to get the full text\.$/).waitFor();
    await figure.getByRole('button', { name: 'Copy' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('link to the complete values of shortened results', async () => {
    const items = Array.from({ length: 18 }, (_, index) => `item ${index}`);
    const run = await editor.service.startRun(
      await editor.service.createWorkflow({
        nodes: [
          node('list', 'input:list', 'List', { items }, 0),
          node('text', 'input:text', 'Text', { value: 'x'.repeat(990_000) }, 0),
          node('join', 'utility:prompt_concat', 'Join', {}, 400),
        ],
        edges: [edge('list.list > join.text1'), edge('text.text > join.text2')],
      }),
    );
    assert.equal((await editor.service.waitForStatus(run)).status, 'COMPLETED');
    await using testPage = await editor.open(`/executions/${run}`);
    const { page } = testPage;
    const links = page.getByRole('link', { name: 'Open full result' });
    await links.nth(items.length - 1).waitFor();
    assert.equal(await links.first().getAttribute('href'), `/api/v1/executions/${run}/outputs/join`);
    const results = page.getByRole('listitem').filter({ hasText: 'Only part of this result is shown.' });
    assert.equal(await results.count(), items.length);
  });

  it('show the picture with the inputs and the steps of the run', async () => {
    const id = await editor.service.createWorkflow({
      name: 'Harbour',
      nodes: [
        node('a', 'input:text', 'Scene', { value: 'a harbour' }, 0),
        node('b', 'generate:sandbox', 'Picture', { width: 1280, height: 720 }, 400),
      ],
      edges: [edge('a.text > b.prompt')],
    });
    const run = await editor.service.runWorkflow(id, { inputs: { a: 'a red boat' } });
    await using testPage = await editor.open(`/executions/${run.id}`);
    const { page } = testPage;
    await page.getByRole('figure', { name: 'Picture' }).getByRole('img').waitFor();
    await page.getByRole('definition').filter({ hasText: 'a red boat' }).waitFor();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await page.getByText('Set for this run').waitFor();
    await page.getByRole('link', { name: 'Open workflow' }).click();
    await page.waitForURL(`**/flow/${id}`);
    assert.deepEqual(testPage.errors, []);
  });

  it('show why a run failed and resume the run', async () => {
    receiver.answer(res => res.writeHead(200, { 'content-type': 'text/plain' }).end('here again'));
    await using testPage = await editor.open(`/executions/${failedRunId}`);
    const { page } = testPage;
    await page.getByRole('heading', { name: 'Error' }).waitFor();
    await page.getByText('This run has no results.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.waitForURL(url => !url.pathname.endsWith(failedRunId));
    await page.getByText('Completed').first().waitFor();
  });

  it('show a script in the response of a provider as text', async () => {
    fal.polls = 0;
    fal.result = { status: 422, body: { detail: SCRIPT } };
    const id = await editor.service.createWorkflow({
      name: 'Paints',
      nodes: [node('m', 'generate:fal_seedream', 'Painter', { prompt: 'a fox' }, 0)],
      edges: [],
    });
    const run = await editor.service.runWorkflow(id);
    const message = String(run.error?.message);
    assert.ok(message.includes(SCRIPT), message);
    await using testPage = await editor.open('/executions');
    const { page } = testPage;
    await page.getByRole('link', { name: 'Paints' }).click();
    await page.getByText(message).first().waitFor();
    await page.goto(`/flow/${id}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const banner = page.getByRole('region', { name: 'Run' });
    await banner.getByText(message).waitFor();
    await page.locator('[data-node-id=m]').click();
    await page.getByRole('complementary', { name: 'Inspector' }).getByText(message).waitFor();
    assert.equal(await page.locator('img[src=x]').count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('filter runs by the status in the address', async () => {
    await using testPage = await editor.open('/executions');
    const { page } = testPage;
    await page.getByLabel('Status').selectOption('FAILED');
    await page.getByText(SCRIPT).waitFor({ state: 'detached' });
    await page.getByText('Fetches what is not there').waitFor();
    assert.equal(new URL(page.url()).search, '?status=FAILED');
    await page.getByLabel('Status').selectOption('CANCELLED');
    await page.getByRole('heading', { name: 'No matching runs' }).waitFor();
  });
});
