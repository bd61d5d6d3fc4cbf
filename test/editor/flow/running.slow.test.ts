// Tests runs on the board: partial runs with their price, reused and pinned results, the run history, approvals, and
// errors.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openStream } from '../../support/http/sse.ts';
import { KEY } from '../../support/service.ts';
import { cutFirstStream, listEventIds, readStreams } from './cut-stream.ts';
import { setUpFlowPages } from './flow-dom.ts';
import {
  type FlowTests,
  fillIdea,
  nodeOf,
  PICTURE,
  pictureOf,
  type SentGraph,
  untilRendered,
  untilSaved,
} from './flow-page.ts';

const LISTS: SentGraph = {
  nodes: [
    createNode('list', 0, 'input', 'input:list', { items: ['a boat', 'a whale', 'a gull'] }),
    createNode('picture', 340, 'model', 'generate:sandbox', { seed: 3, width: 96, height: 64 }),
    createNode('data', 340, 'input', 'input:json', { value: { boats: [{ name: 'Ida', length: 12 }] } }, 600),
    createNode('preview', 760, 'output', 'output:preview', {}, 600),
  ],
  edges: [
    { id: 'a', source: 'list', target: 'picture', sourceHandle: 'out-list', targetHandle: 'in-prompt' },
    { id: 'b', source: 'data', target: 'preview', sourceHandle: 'out-json', targetHandle: 'in-input' },
  ],
};

const WAITING: SentGraph = {
  nodes: [
    createNode('text', 0, 'input', 'input:text', { value: 'a boat' }),
    createNode('ask', 340, 'logic', 'logic:approval', {}),
    createNode('preview', 680, 'output', 'output:preview', {}),
  ],
  edges: [
    { id: 'a', source: 'text', target: 'ask', sourceHandle: 'out-text', targetHandle: 'in-input' },
    { id: 'b', source: 'ask', target: 'preview', sourceHandle: 'out-approved', targetHandle: 'in-input' },
  ],
};

const FAILING: SentGraph = {
  nodes: [
    createNode('text', 0, 'input', 'input:text', { value: 'no JSON' }),
    createNode('parse', 340, 'utility', 'utility:json_extract', { paths: { a: '$.a' } }),
    createNode('ask', 0, 'logic', 'logic:approval', { message: 'Shall it go on?' }, 400),
    createNode('preview', 340, 'output', 'output:preview', {}, 400),
  ],
  edges: [
    { id: 'a', source: 'text', target: 'parse', sourceHandle: 'out-text', targetHandle: 'in-json' },
    { id: 'b', source: 'text', target: 'ask', sourceHandle: 'out-text', targetHandle: 'in-input' },
    { id: 'c', source: 'ask', target: 'preview', sourceHandle: 'out-approved', targetHandle: 'in-input' },
  ],
};

describe('a run on the board', () => {
  const flow = setUpFlowPages();

  it('runs only to the selected node after showing its price', async () => {
    // Uses a text that no other test uses, so that its result is not cached.
    const id = await flow.create(pictureOf('a boat that is new'));
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await select(page, 'Picture');
    await page.getByRole('button', { name: 'Run to here' }).click();
    const plan = page.getByRole('region', { name: 'Run part of the workflow' });
    await plan.getByRole('status', { name: 'Price of these nodes' }).filter({ hasText: 'Free' }).waitFor();
    assert.match((await plan.textContent()) ?? '', /2 nodes to run/);
    assert.equal(await page.locator('[data-plan="run"]').count(), 2);
    assert.equal(await page.locator('[data-plan="excluded"]').count(), 1);
    await plan.getByRole('button', { name: 'Run nodes' }).click();
    await untilRun(page, 'Completed');
    const [first] = await flow.runs(id);
    assert.deepEqual(statesOf(first), ['idea COMPLETED', 'picture COMPLETED']);

    await page.getByRole('button', { name: 'Rerun this node' }).click();
    await plan.filter({ hasText: '1 result reused' }).waitFor();
    await page.keyboard.press('Enter');
    await flow.untilRuns(id, 2);
    await untilRun(page, 'Completed');
    const [second] = await flow.runs(id);
    assert.deepEqual(statesOf(second)[0], 'idea COMPLETED cached');
    assert.equal(second?.resumedFromId, first?.id);
    assert.deepEqual(testPage.errors, []);
  });

  it('reuses a pinned result although its node has changed', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilRun(page, 'Completed');
    const [first] = await flow.runs(id);
    await select(page, 'Picture');
    await page.getByRole('button', { name: 'Pin result' }).click();
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByLabel('Seed', { exact: true })
      .fill('9');
    await untilSaved(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await flow.untilRuns(id, 2);
    await untilRun(page, 'Completed');
    const [second] = await flow.runs(id);
    assert.deepEqual(statesOf(second), ['picture COMPLETED cached', 'preview COMPLETED']);
    assert.equal(urlOf(second), urlOf(first));
    await page.getByRole('button', { name: 'Unpin' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('shows an earlier run, compares with it and uses its inputs', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilRun(page, 'Completed');
    await select(page, 'Idea');
    const text = page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Text', { exact: true });
    await text.fill('a whale');
    await untilSaved(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await flow.untilRuns(id, 2);
    await untilRun(page, 'Completed');
    const { updatedAt } = await flow.read(id);
    const [second, first] = await flow.runs(id);

    await page.getByRole('button', { name: 'Run history' }).click();
    const history = page.getByRole('complementary', { name: 'Run history' });
    await history.getByRole('listitem').nth(1).waitFor();
    await history.getByRole('button', { name: 'Show on board' }).nth(1).click();
    const figure = page.getByRole('figure', { name: 'Result of Picture' });
    await figure.locator(`img[src="${urlOf(first)}"]`).waitFor();
    assert.equal((await flow.read(id)).updatedAt, updatedAt);
    assert.equal(await text.inputValue(), 'a whale');

    await figure.getByRole('button').click();
    const result = page.getByRole('dialog', { name: 'Result of Picture' });
    await result.getByLabel('Compare with').selectOption(`run ${second?.id}`);
    await result.getByRole('slider', { name: 'Comparison slider' }).fill('30');
    assert.equal(await result.locator(`img[src="${urlOf(second)}"]`).count(), 1);
    await page.keyboard.press('Escape');

    await page.getByRole('region', { name: 'Run' }).getByRole('button', { name: 'Use these inputs' }).click();
    await page.waitForFunction(() =>
      document.body.textContent?.includes('inputs of that run are now on the board'),
    );
    await select(page, 'Idea');
    assert.equal(await text.inputValue(), 'a boat');
    await page.getByRole('toolbar').getByRole('button', { name: 'Undo' }).click();
    assert.equal(await text.inputValue(), 'a whale');
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps what the user changes while the inputs of an earlier run are loading', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('POST', `/workflows/${id}/run`, {});
    await flow.untilRuns(id, 1);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await fillIdea(page, 'a whale');
    await page.getByRole('button', { name: 'Run history' }).click();
    const isEdited = Promise.withResolvers<void>();
    await page.route('**/executions/*/workflow', async route => {
      await isEdited.promise;
      await route.continue();
    });
    await page
      .getByRole('complementary', { name: 'Run history' })
      .getByRole('button', { name: 'Use these inputs' })
      .click();
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label').fill('Motif');
    isEdited.resolve();
    await nodeOf(page, 'Motif').getByText('a boat').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps the newer of two plans if the price of the older one arrives late and is refused', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await select(page, 'Idea');
    const [isRequested, isReplaced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/estimate', async route => {
      if (!route.request().postData()?.includes('"targets":["idea"]')) return route.continue();
      isRequested.resolve();
      await isReplaced.promise;
      return route.fulfill({ status: 400, json: { error: 'Too late.', code: 'invalid_request' } });
    });
    await page.getByRole('button', { name: 'Run to here' }).click();
    await isRequested.promise;
    await select(page, 'Preview');
    await page.getByRole('button', { name: 'Run to here' }).click();
    const plan = page.getByRole('region', { name: 'Run part of the workflow' });
    await plan.filter({ hasText: '3 nodes to run' }).waitFor();
    const response = page.waitForResponse(each => each.status() === 400);
    isReplaced.resolve();
    await (await response).finished();
    await untilRendered(page);
    await plan.getByRole('button', { name: 'Run nodes' }).click();
    await untilRun(page, 'Completed');
  });

  it('does not take the focus from a field when the price of a plan arrives', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await select(page, 'Picture');
    const isFocused = Promise.withResolvers<void>();
    await page.route('**/estimate', async route => {
      await isFocused.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Run to here' }).click();
    const field = page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label');
    await field.focus();
    isFocused.resolve();
    const price = page.getByRole('status', { name: 'Price of these nodes' });
    await price.filter({ hasText: 'Free' }).waitFor();
    assert.ok(await field.evaluate(element => element === document.activeElement));
  });

  it('resumes an interrupted event stream without losing or repeating events', async () => {
    const id = await flow.create(WAITING);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    testPage.discard();
    await cutFirstStream(page);
    // The first two reconnects fail as well.
    let requestCount = 0;
    await page.route('**/executions/*/events', route =>
      [2, 3].includes(++requestCount) ? route.abort('connectionreset') : route.continue(),
    );
    await page.reload();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await nodeOf(page, 'ask').getByRole('button', { name: 'Approve', exact: true }).waitFor();
    const [run] = await flow.runs(id);
    const path = `/executions/${run?.id}`;
    await flow.send('POST', `${path}/resume`, { decision: { nodeId: 'ask', approved: true } });
    await untilRun(page, 'Completed');
    const streams = await readStreams(page);
    assert.equal(requestCount, streams.length + 2);
    const ids = streams.map(listEventIds);
    assert.deepEqual(
      streams.map(({ lastEventId }) => lastEventId),
      [null, ...ids.slice(0, -1).map(before => String(before.at(-1)))],
    );
    const wholeStream = await openStream(`${flow.service.url}/api/v1${path}/events`, {
      authorization: `Bearer ${KEY}`,
      'last-event-id': '0',
    });
    await wholeStream.closed;
    const [snapshot = 0, ...receivedIds] = ids.flat();
    // A late connection receives the newest state of each node, which earlier connections have received too.
    const newestIds = wholeStream.events.flatMap(event => event.id ?? []).filter(event => event > snapshot);
    assert.ok(
      newestIds.length > 1 && streams.length > 1,
      `${newestIds.length} events in ${streams.length} streams`,
    );
    assert.deepEqual(
      newestIds.filter(event => !receivedIds.includes(event)),
      [],
    );
    assert.deepEqual(
      receivedIds,
      [...new Set(receivedIds)].sort((a, b) => a - b),
    );
  });

  it('keeps its results, the view and the selection after an undo', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const image = page.getByRole('figure', { name: 'Result of Picture' }).locator('img');
    await image.waitFor();
    await fillIdea(page, 'a whale');
    await untilSaved(page);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    const view = page.locator('.react-flow__viewport');
    await page.waitForFunction(() => document.querySelector('[data-moving]') === null);
    const before = await view.getAttribute('style');
    await page.getByRole('toolbar').getByRole('button', { name: 'Undo' }).click();
    await nodeOf(page, 'Idea').getByText('a boat').waitFor();
    assert.ok(await image.isVisible());
    assert.equal(await view.getAttribute('style'), before);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    assert.equal(await inspector.getByLabel('Text', { exact: true }).inputValue(), 'a boat');
  });

  it('stays visible after a reload until the user hides it', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const image = page.getByRole('figure', { name: 'Result of Picture' }).locator('img');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilRun(page, 'Completed');
    await page.reload();
    await image.waitFor();
    await page.getByRole('button', { name: 'Hide run' }).click();
    const runBanner = page.getByRole('region', { name: 'Run', exact: true });
    await runBanner.waitFor({ state: 'detached' });
    await page.reload();
    await image.waitFor();
    assert.equal(await runBanner.count(), 0);
    // A deleted run is not an error for the user.
    await page.evaluate(key => sessionStorage.setItem(key, 'run_gone'), `graphwright-run:${id}`);
    const [runResponse] = await Promise.all([
      page.waitForResponse(response => response.url().includes('run_gone')),
      page.reload(),
    ]);
    assert.ok(runResponse.status() >= 400);
    await page.waitForFunction(key => sessionStorage.getItem(key) === null, `graphwright-run:${id}`);
    assert.equal(await runBanner.count(), 0);
  });

  it('shows the results of a list as a gallery and JSON as a tree', async () => {
    const id = await flow.create(LISTS);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilRun(page, 'Completed');
    const figure = page.getByRole('figure', { name: 'Result of picture' });
    await pressWhenDialogOpens(page, 'ArrowRight');
    await figure.getByRole('button').nth(1).click();
    const dialog = page.getByRole('dialog', { name: 'Result of picture' });
    await dialog.getByRole('status').filter({ hasText: '3 of 3' }).waitFor();
    await dialog.getByRole('button', { name: '1 of 3' }).click();
    await dialog.getByRole('status').filter({ hasText: '1 of 3' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('figure', { name: 'Result of preview' }).getByRole('button').click();
    const tree = page.getByRole('dialog', { name: 'Result of preview' });
    await tree.getByText('"Ida"').waitFor({ state: 'hidden' });
    await tree.getByRole('group').filter({ hasText: 'boats' }).last().waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('shows only the error if the next run does not start', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilRun(page, 'Completed');
    const body = JSON.stringify({ error: 'This run cannot start.', code: 'validation_failed' });
    await page.route('**/run', route =>
      route.fulfill({ status: 400, contentType: 'application/json', body }),
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilRun(page, 'This run cannot start.');
    const banner = page.getByRole('region', { name: 'Run', exact: true });
    assert.equal((await banner.textContent())?.includes('Completed'), false);
  });

  it('sets assignees, shows whom it asks, and decides with a comment', async () => {
    const id = await flow.create(FAILING);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await select(page, 'ask');
    const email = page.getByLabel('Email or name of an assignee');
    await email.fill('no email');
    await email.press('Enter');
    await page.getByText('Enter an email address.').waitFor();
    await email.fill('guest@example.org');
    await email.press('Enter');
    await page.getByRole('button', { name: 'Remove guest@example.org' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const node = nodeOf(page, 'ask');
    await node.getByText('Asked: guest@example.org').waitFor();
    await node.getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Shall it go on?').waitFor();
    await dialog.getByLabel('Comment (optional)').fill('Fine');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilRun(page, 'Failed');
    await page.getByText(/^Approved by /).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('asks for approval and offers to retry a failed node', async () => {
    const id = await flow.create(FAILING);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Shall it go on?').last().waitFor();
    await select(page, 'ask');
    const runAgain = page.getByRole('button', { name: 'Rerun this node' });
    assert.equal(await runAgain.isDisabled(), true);
    await nodeOf(page, 'ask').getByRole('button', { name: 'Approve', exact: true }).click();
    await untilRun(page, 'Failed');
    assert.equal(await runAgain.isEnabled(), true);
    await nodeOf(page, 'parse').getByRole('button', { name: 'Retry from here' }).click();
    const plan = page.getByRole('region', { name: 'Run part of the workflow' });
    await plan.filter({ hasText: '1 node to run' }).waitFor();
    await page.keyboard.press('Escape');
    await plan.waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });
});

function createNode(
  id: string,
  x: number,
  category: string,
  nodeType: string,
  config: object,
  y = 0,
): SentGraph['nodes'][number] {
  return { id, type: 'basedNode', position: { x, y }, data: { label: id, category, nodeType, config } };
}

async function select(page: Page, label: string): Promise<void> {
  await nodeOf(page, label).click({ position: { x: 90, y: 20 } });
  await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
}

/** Presses a key in the task in which the next dialog opens. */
const pressWhenDialogOpens = (page: Page, pressedKey: string): Promise<void> =>
  page.evaluate(key => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('dialog[open]') === null) return;
      observer.disconnect();
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    });
    observer.observe(document.body, { childList: true, subtree: true });
  }, pressedKey);

const untilRun = (page: Page, state: string): Promise<void> =>
  page.getByRole('region', { name: 'Run', exact: true }).filter({ hasText: state }).waitFor();

type Run = Awaited<ReturnType<FlowTests['runs']>>[number] | undefined;

const statesOf = (run: Run): readonly string[] =>
  (run?.nodeStates ?? []).map(
    ({ nodeId, status, cached }) => `${nodeId} ${status}${cached ? ' cached' : ''}`,
  );

const urlOf = (run: Run): string | undefined =>
  run?.nodeStates.find(({ nodeId }) => nodeId === 'picture')?.outputUrl;
