// Tests the pages of batches: the list, the grid of results, rating and comparing with the keyboard, and resuming.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { signInFirst } from '../support/accounts/first-person.ts';
import { checkViews, NO_BROWSER, openBrowser, type TestBrowser } from '../support/browser.ts';
import { waitUntil } from '../support/processes.ts';
import { ownAddressSettings, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const ROWS = 40;
const FIRST = 24;
const THINGS = ['a lighthouse', 'a red fox', 'a paper boat', 'a glass house', 'a quiet harbor'];

describe('batches in a browser', { skip: NO_BROWSER }, () => {
  let service: TestService;
  let browser: TestBrowser;
  let cookie: string;
  let batchId: string;

  before(async () => {
    [service, browser] = await Promise.all([startTestService(await ownAddressSettings()), openBrowser()]);
    cookie = await signInFirst(service);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const read = async () =>
    (await service.request<{ status: string; counts: Record<string, number> }>('GET', `/batches/${batchId}`))
      .body;

  it('are none at first', async () => {
    await checkViews(browser, { url: service.url, path: '/batches', name: 'batches-empty', cookie }, page =>
      page.getByRole('heading', { name: 'No batches yet' }).waitFor(),
    );
  });

  it('are shown as a grid of results with progress', async () => {
    const workflow = await service.create({
      name: 'Pictures of things',
      nodes: [node('what', 'input:text'), node('draw', 'generate:sandbox'), node('out', 'output:preview')],
      edges: [edge('what.text > draw.prompt'), edge('draw.image > out.input')],
    });
    const rows = Array.from({ length: ROWS }, (_, index) => ({
      key: `shot-${index + 1}`,
      inputs: { what: `${THINGS[index % THINGS.length]}, take ${index + 1}` },
    }));
    const { body } = await service.request<{ batchId: string }>('POST', `/workflows/${workflow}/batches`, {
      rows,
      firstRows: FIRST,
    });
    ({ batchId } = body);
    await waitUntil('the first rows', async () => (await read()).status === 'PAUSED');
    await checkViews(
      browser,
      { url: service.url, path: `/batches/${batchId}`, name: 'batch', cookie },
      async page => {
        await page.getByRole('article', { name: '1 · shot-1', exact: true }).waitFor();
        await page.getByText(`${FIRST} of ${ROWS}`).waitFor();
      },
    );
    await checkViews(browser, { url: service.url, path: '/batches', name: 'batches', cookie }, page =>
      page.getByRole('link', { name: 'Pictures of things' }).waitFor(),
    );
  });

  it('are rated, picked, filtered and compared with the keyboard', async () => {
    await using opened = await browser.open(service.url, undefined, cookie);
    const { page } = opened;
    await page.goto(`/batches/${batchId}`);
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
      const { body } = await service.request<{ data: { rating: number | null; isPicked: boolean }[] }>(
        'GET',
        `/batches/${batchId}/rows?limit=2`,
      );
      return body.data[0]?.rating === 4 && body.data[1]?.isPicked === true;
    });
    await page.getByLabel('Show').selectOption('picked');
    await second.waitFor();
    assert.equal(await page.getByRole('article').filter({ hasText: 'shot-' }).count(), 2);
  });

  it('go on when they are resumed, and the page follows', async () => {
    await using opened = await browser.open(service.url, undefined, cookie);
    const { page } = opened;
    await page.goto(`/batches/${batchId}`);
    await page.getByRole('button', { name: 'Resume' }).click();
    await waitUntil('the end of the batch', async () => (await read()).status === 'COMPLETED');
    await page.getByText(`${ROWS} of ${ROWS}`).waitFor();
    await page.getByText('Completed', { exact: true }).first().waitFor();
  });
});
