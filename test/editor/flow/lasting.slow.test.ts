// Tests rare conditions of an open board: full storage, an update of the service, two users, large results, plain http
// and other keyboard layouts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signUpUser } from '../../support/accounts/first-user.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowPages } from './flow-dom.ts';
import {
  boardOf,
  fillIdea,
  ideaOf,
  nodeOf,
  PICTURE,
  type SentGraph,
  untilIdea,
  untilSaved,
} from './flow-page.ts';

describe('an open board', () => {
  const flow = setUpFlowPages();

  it('warns once that the storage of the browser is full and still saves', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      const restorePut = () => {
        IDBObjectStore.prototype.put = put;
      };
      Object.assign(window, { restorePut });
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    // In Node, all pages share the prototype.
    await using _ = { [Symbol.asyncDispose]: () => page.evaluate('window.restorePut()') as Promise<void> };
    await fillIdea(page, 'a whale');
    const banner = page.getByText('This browser cannot store a local draft');
    await banner.waitFor();
    await untilSaved(page);
    await fillIdea(page, 'a gull');
    await untilIdea(flow, id, 'a gull');
    // A toast disappears after some seconds.
    assert.ok((await banner.count()) <= 1);
    await page.getByRole('button', { name: 'Export', exact: true }).last().click();
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('asks to reload after an update of the service without losing changes', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page, context } = testPage;
    testPage.discard();
    await page.addInitScript(() => {
      const eventSources: EventSource[] = [];
      Object.assign(window, { eventSources });
      window.EventSource = class extends EventSource {
        constructor(url: string | URL) {
          super(url);
          eventSources.push(this);
        }
      };
    });
    await page.reload();
    await boardOf(page).waitFor();
    // The page of the next release references another script.
    await page.route(`**/flow/${id}`, async route => {
      if (route.request().isNavigationRequest()) return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replace(/(<script type="module" src=")[^"]*/, '$1/next.js');
      return route.fulfill({ response, body });
    });
    await context.route(`**/api/v1/workflows/${id}?autosave=true`, route => route.abort());
    await fillIdea(page, 'a whale');
    await page.getByRole('status', { name: 'Saving' }).filter({ hasText: 'Offline' }).waitFor();
    // The stream closes and opens again, as after a restart of the service.
    await page.evaluate(() => {
      const { eventSources } = window as unknown as { eventSources: readonly EventSource[] };
      for (const kind of ['error', 'open'])
        for (const events of eventSources) events.dispatchEvent(new Event(kind));
    });
    await page.getByText('Graphwright was updated').waitFor();
    await context.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await nodeOf(page, 'Idea').getByText('a whale').waitFor();
    await untilIdea(flow, id, 'a whale');
  });

  it('requests the stream of workflow events again after a refusal', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    // The refusal is logged to the console.
    testPage.discard();
    // Closes the first page, because its stream can respond late and would be counted.
    const address = page.url();
    await page.goto('about:blank');
    const refusal = { code: 'too_many_streams', error: 'Close one.' };
    await page.route('**/workflows/*/events', route => route.fulfill({ status: 429, json: refusal }), {
      times: 1,
    });
    const statuses: number[] = [];
    page.on('response', response => {
      if (/\/workflows\/[^/]+\/events$/.test(response.url())) statuses.push(response.status());
    });
    await page.goto(address);
    await waitUntil('the second response', () => statuses.length >= 2);
    assert.deepEqual(statuses.slice(0, 2), [429, 200]);
  });

  it('shows other users, merges their changes and compares with a version', async () => {
    const id = await flow.create(PICTURE);
    const email = 'ben@example.com';
    const guestCookie = await signUpUser(flow.service, { email, name: 'Ben Guest' });
    await flow.send('PUT', `/workflows/${id}/permissions`, { email, role: 'EDIT' });
    await using testPage = await flow.open(id);
    await using guestPage = await flow.open(id, undefined, guestCookie);
    const { page } = testPage;
    await page.getByRole('list', { name: 'Other editors' }).getByText('Ben Guest').waitFor();
    const { updatedAt } = await flow.read(id);
    await nodeOf(guestPage.page, 'Preview').click({ position: { x: 90, y: 20 } });
    await nodeOf(page, 'Preview').getByText('Ben Guest').waitFor();
    await guestPage.page.keyboard.press('Escape');
    await nodeOf(page, 'Preview').getByText('Ben Guest').waitFor({ state: 'detached' });
    // Viewing does not change the board or its history.
    assert.equal((await flow.read(id)).updatedAt, updatedAt);
    assert.ok(await guestPage.page.getByRole('button', { name: 'Undo' }).isDisabled());
    await fillIdea(guestPage.page, 'a whale');
    await page.getByRole('log').getByText('Ben Guest changed Idea.').waitFor();
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label').fill('Painting');
    await nodeOf(guestPage.page, 'Painting').waitFor();
    await nodeOf(page, 'Idea').getByText('a whale').waitFor();
    await untilSaved(page);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Versions' }).click();
    const versions = page.getByRole('complementary', { name: 'Versions' });
    await versions.getByRole('listitem').last().getByRole('button', { name: 'Compare with board' }).click();
    const banner = page.getByRole('region', { name: 'Version comparison' });
    await banner.getByText('2 changed').waitFor();
    assert.equal(await page.locator('[data-diff="changed"]').count(), 2);
    await banner.getByRole('button', { name: 'Done' }).click();
    await page.locator('[data-diff]').first().waitFor({ state: 'detached' });
  });

  it('saves and runs the workflow that is on the screen', async () => {
    const [first, second] = [await flow.create(PICTURE), await flow.create(PICTURE)];
    await using testPage = await flow.open(first);
    const { page } = testPage;
    await fillIdea(page, 'a whale');
    // Navigates to another board with the browser's history before the first board is saved.
    await page.evaluate(path => {
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `/flow/${second}`);
    await nodeOf(page, 'Idea').getByText('a boat').waitFor();
    await fillIdea(page, 'a gull');
    await page.keyboard.press('Control+Enter');
    await flow.untilRuns(second, 1);
    const [run] = await flow.runs(second);
    assert.equal(run?.nodeStates.find(({ nodeId }) => nodeId === 'idea')?.text, 'a gull');
    assert.equal(ideaOf(await flow.read(second)), 'a gull');
    assert.ok(['a boat', 'a whale'].includes(String(ideaOf(await flow.read(first)))));
    assert.deepEqual(testPage.errors, []);
  });

  it('shows only a part of a result of ten megabytes', async () => {
    const id = await flow.create(LARGE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const figure = page.getByRole('figure', { name: 'Result of Preview' });
    await figure.waitFor();
    await flow.untilRuns(id, 1);
    const [run] = await flow.runs(id);
    // More than a workflow may contain, as the result of a node that fetches.
    const value = Array.from({ length: 40_000 }, (_, n) => ({ n, text: 'x'.repeat(250) }));
    const nodeStates = run?.nodeStates.map(state => ({ ...state, value }));
    await page.route('**/executions/*/events', route =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `id: 1\nevent: snapshot\ndata: ${JSON.stringify({ ...run, nodeStates })}\n\n`,
      }),
    );
    await page.reload();
    await figure.waitFor();
    assert.ok(((await figure.textContent()) ?? '').length < 2000);
    await figure.getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Result of Preview' });
    await dialog.waitFor();
    assert.ok(((await dialog.textContent()) ?? '').length < 100_000);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps a node of an unknown type with its settings and edges', async () => {
    const id = await flow.create(PICTURE);
    const before = await flow.read(id);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    // The service does not know the type, as after a downgrade.
    await page.route('**/api/v1/nodes?*', async route => {
      const response = await route.fetch();
      const { nodes } = (await response.json()) as { nodes: readonly { nodeType: string }[] };
      const knownNodes = nodes.filter(({ nodeType }) => nodeType !== 'generate:sandbox');
      return route.fulfill({ response, json: { nodes: knownNodes } });
    });
    await page.reload();
    await nodeOf(page, 'Picture').getByText('Unknown type: generate:sandbox').waitFor();
    await fillIdea(page, 'a whale');
    await untilIdea(flow, id, 'a whale');
    const { nodes, edges } = await flow.read(id);
    assert.deepEqual(nodes.slice(1), before.nodes.slice(1));
    assert.deepEqual(edges, before.edges);
  });

  it('keeps the undo history after a reload', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const before = (await flow.read(id)).nodes;
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('Escape');
    for (let steps = 0; steps < 5; steps++) {
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+d');
    }
    await untilSaved(page);
    await page.reload();
    await boardOf(page).waitFor();
    const undo = page.getByRole('toolbar').getByRole('button', { name: 'Undo' });
    for (let steps = 0; steps < 5; steps++) await undo.click();
    await page.waitForFunction(() => document.querySelectorAll('[data-node-id]').length === 3);
    await waitUntil('the board to be as it was', async () => (await flow.read(id)).nodes.length === 3);
    assert.deepEqual((await flow.read(id)).nodes, before);
  });
});

const LARGE: SentGraph = {
  nodes: [
    {
      id: 'json',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: {
        label: 'Data',
        category: 'input',
        nodeType: 'input:json',
        config: { value: Array.from({ length: 3000 }, (_, n) => ({ n, text: 'x'.repeat(250) })) },
      },
    },
    {
      id: 'preview',
      type: 'basedNode',
      position: { x: 400, y: 0 },
      data: { label: 'Preview', category: 'output', nodeType: 'output:preview' },
    },
  ],
  edges: [{ id: 'a', source: 'json', target: 'preview', sourceHandle: 'out-json', targetHandle: 'in-input' }],
};
