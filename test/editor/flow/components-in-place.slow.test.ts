// Tests components that are open in place: the path to the caller, versions, updates of calls, and permissions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../support/processes.ts';
import {
  CHANGED,
  COMPONENT,
  createCaller,
  createComponent,
  createNode,
  readCall,
} from './component-graphs.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { type FlowTests, nodeOf, untilRendered, untilSaved } from './flow-page.ts';

const HEAD = { position: { x: 90, y: 20 } };

/** Creates an account that may view the workflow, and returns its cookie. */
async function createViewer(flow: FlowTests, workflow: string): Promise<string> {
  const { userId, inviteUrl } = await flow.send<{ userId: number; inviteUrl: string }>(
    'POST',
    '/admin/users',
    { email: 'viewer@example.com', name: 'Vera', plan: 'self_hosted', invite: true },
  );
  await flow.send('PUT', `/workflows/${workflow}/permissions`, { userId, role: 'VIEW' });
  const body = { token: new URL(inviteUrl).hash.slice(1), password: 'correct horse battery' };
  const accepted = await post(flow, '/auth/accept-invite', body);
  return accepted.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

async function post(flow: FlowTests, path: string, body: unknown, cookie = ''): Promise<Response> {
  const response = await fetch(`${flow.service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response;
}

/** Returns a `send` function for POST requests of the account with the cookie. */
const sendAs =
  (flow: FlowTests, cookie: string): FlowTests['send'] =>
  async <T>(_: string, path: string, body?: unknown) =>
    (await (await post(flow, path, body, cookie)).json()) as T;

describe('a component that is open in place', () => {
  const flow = setUpFlowPages();

  const createComponentAndCaller = async (): Promise<{
    readonly component: string;
    readonly caller: string;
  }> => {
    const component = await createComponent(flow, 'Joiner');
    return { component, caller: await createCaller(flow, component, 'Letter') };
  };
  const breadcrumb = (page: Page) => page.getByRole('navigation', { name: 'Path' });
  const banner = (page: Page) => page.getByRole('region', { name: 'Component' });
  const title = (page: Page) => page.getByRole('textbox', { name: 'Workflow name' });

  it('opens by double click or key and returns to the call', async () => {
    const { component, caller } = await createComponentAndCaller();
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await breadcrumb(page).getByRole('link', { name: 'Letter' }).waitFor();
    assert.equal(await title(page).inputValue(), 'Joiner');
    assert.equal(new URL(page.url()).pathname, `/flow/${component}`);
    assert.equal(await banner(page).count(), 0, 'the call uses the current version');
    await breadcrumb(page).getByRole('button', { name: 'Back to Letter' }).click();
    await page.waitForURL(`**/flow/${caller}`);
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-node-id') === 'call');
    await page.keyboard.press('o');
    await breadcrumb(page).waitFor();
    await page.keyboard.press('Shift+O');
    await page.waitForURL(`**/flow/${caller}`);
    assert.deepEqual(testPage.errors, []);
  });

  it('does not open after the user has left the page', async () => {
    const { caller } = await createComponentAndCaller();
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    const hasLeft = Promise.withResolvers<void>();
    const request = page.waitForRequest('**/interface');
    await page.route('**/interface', async route => {
      await hasLeft.promise;
      await route.continue();
    });
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await request;
    await page.evaluate(() => history.pushState(null, '', '/workflows'));
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    const response = page.waitForResponse('**/interface');
    hasLeft.resolve();
    await (await response).finished();
    await untilRendered(page);
    assert.equal(new URL(page.url()).pathname, '/workflows');
  });

  it('becomes a new version by an edit and offers to update the caller', async () => {
    const { caller } = await createComponentAndCaller();
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await nodeOf(page, 'Right').click(HEAD);
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label').fill('Last');
    await untilSaved(page);
    await banner(page).getByText('Letter uses version 1. You are editing version 2.').waitFor();
    assert.equal((await readCall(flow, caller))?.version, 1);
    await banner(page).getByRole('button', { name: 'Update Letter' }).click();
    await page.waitForURL(`**/flow/${caller}`);
    await page.getByText('Joiner now uses version 2.').waitFor();
    await nodeOf(page, 'Joiner').getByText('Last', { exact: true }).waitFor();
    await waitUntil('the caller to be saved', async () => (await readCall(flow, caller))?.version === 2);
    await page.keyboard.press('Control+z');
    await waitUntil('undo', async () => (await readCall(flow, caller))?.version === 1);
    assert.deepEqual(testPage.errors, []);
  });

  it('marks a call of an earlier version and shows the difference', async () => {
    const { component, caller } = await createComponentAndCaller();
    await flow.send('PUT', `/workflows/${component}`, CHANGED);
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    const updateButton = nodeOf(page, 'Joiner').getByRole('button', { name: 'Update available: version 2' });
    await updateButton.waitFor();
    await updateButton.click();
    const dialog = page.getByRole('dialog', { name: 'Update Joiner' });
    await dialog.getByText('1 connection will be removed').waitFor();
    const rows = await dialog.getByRole('row').allTextContents();
    assert.deepEqual(rows, [
      'PortChange',
      'Input RightRemoved',
      'Input LeftRenamed from Left to Left side',
      'Input CountAdded',
    ]);
    await dialog.getByRole('button', { name: 'Use version 2' }).click();
    await dialog.waitFor({ state: 'detached' });
    await waitUntil('the caller to be saved', async () => (await readCall(flow, caller))?.version === 2);
    assert.deepEqual((await flow.read(caller)).edges.map(({ source }) => source).sort(), [
      'call',
      'text-left',
    ]);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await waitUntil('undo', async () => (await readCall(flow, caller))?.version === 1);
    assert.equal((await flow.read(caller)).edges.length, 3);
    assert.deepEqual(testPage.errors, []);
  });

  it('shows the version that the call uses as view-only', async () => {
    const { component, caller } = await createComponentAndCaller();
    await flow.send('PUT', `/workflows/${component}`, {
      ...COMPONENT,
      nodes: [
        ...COMPONENT.nodes,
        createNode({ x: 0, y: 440 }, 'extra', 'Extra', 'input:text', { value: 'c' }),
      ],
    });
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await banner(page)
      .getByText('Letter uses version 1, which is open for viewing. The current version is 2.')
      .waitFor();
    assert.equal(await nodeOf(page, 'Extra').count(), 0);
    await page.getByRole('status', { name: 'Saving' }).getByText('View only').waitFor();
    await nodeOf(page, 'Right').click(HEAD);
    await page.keyboard.press('Delete');
    await page.getByText('An earlier version is open for viewing.').waitFor();
    await nodeOf(page, 'Right').waitFor();
    await page.reload();
    await banner(page).getByRole('link', { name: 'Edit current version' }).click();
    await nodeOf(page, 'Extra').waitFor();
    await banner(page).getByText('You are editing version 2.').waitFor();
    assert.equal((await flow.read(component)).nodes.length, 5);
    assert.deepEqual(testPage.errors, []);
  });

  it('shows the run of its caller until the component runs by itself', async () => {
    const { component, caller } = await createComponentAndCaller();
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await flow.untilRuns(caller, 1);
    await nodeOf(page, 'Joiner').getByRole('img', { name: 'Completed' }).waitFor();
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    const run = page.getByRole('region', { name: 'Run', exact: true });
    await run.getByText('Run of Letter').waitFor();
    await nodeOf(page, 'Join').getByRole('img', { name: 'Completed' }).waitFor();
    await nodeOf(page, 'Sentence').getByText('a left and a right').waitFor();
    await page.reload();
    await run.getByText('Run of Letter').waitFor();
    await nodeOf(page, 'Sentence').getByText('a left and a right').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await flow.untilRuns(component, 1);
    await nodeOf(page, 'Sentence').getByText('a and b').waitFor();
    await run.getByText('Run of Letter').waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+O');
    await nodeOf(page, 'Preview').getByText('a left and a right').waitFor();
    assert.equal((await flow.runs(caller)).length, 1);
    assert.deepEqual(testPage.errors, []);
  });

  it('opens a component inside a component with the states of the outermost run', async () => {
    const innerId = await createComponent(flow, 'Joiner');
    const middle = await createCaller(flow, innerId, 'Middle');
    const { id: outer } = await flow.send<{ id: string }>('POST', '/workflows', {
      name: 'Outer',
      nodes: [createNode({ x: 0 }, 'a/b', 'Nested', 'component:call', { workflowId: middle, version: 1 })],
      edges: [],
    });
    await using testPage = await flow.open(outer);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await flow.untilRuns(outer, 1);
    await nodeOf(page, 'Nested').dblclick(HEAD);
    await nodeOf(page, 'Joiner').getByRole('img', { name: 'Completed' }).waitFor();
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await nodeOf(page, 'Sentence').getByText('a left and a right').waitFor();
    assert.deepEqual(await breadcrumb(page).getByRole('link').allTextContents(), ['Outer', 'Middle']);
    await breadcrumb(page).getByRole('button', { name: 'Back to Middle' }).click();
    await breadcrumb(page).getByRole('button', { name: 'Back to Outer' }).waitFor();
    await nodeOf(page, 'Joiner').getByRole('img', { name: 'Completed' }).waitFor();
    await breadcrumb(page).getByRole('link', { name: 'Outer' }).click();
    await page.waitForURL(`**/flow/${outer}`);
    assert.deepEqual(testPage.errors, []);
  });

  it('is view-only for users without edit permission', async () => {
    const component = await createComponent(flow, 'Joiner');
    const viewer = await createViewer(flow, component);
    const caller = await createCaller({ ...flow, send: sendAs(flow, viewer) }, component, 'Own letter');
    await using testPage = await flow.open(caller, undefined, viewer);
    const { page } = testPage;
    const forbiddenUrls: string[] = [];
    page.on('response', response => response.status() === 403 && forbiddenUrls.push(response.url()));
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await breadcrumb(page).getByRole('button', { name: 'Back to Own letter' }).waitFor();
    await nodeOf(page, 'Right').click(HEAD);
    await page.keyboard.press('Delete');
    await page.getByText('This workflow is open for viewing.').waitFor();
    await nodeOf(page, 'Right').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('status', { name: 'Saving' }).getByText('View only').waitFor();
    await breadcrumb(page).getByRole('button', { name: 'Back to Own letter' }).click();
    await page.waitForURL(`**/flow/${caller}`);
    // The inspector of the call cannot read the versions of the component.
    assert.deepEqual(
      testPage.errors.filter(text => !text.includes('403')),
      [],
    );
    assert.deepEqual(
      forbiddenUrls.filter(url => !url.includes('/versions')),
      [],
    );
  });
});
