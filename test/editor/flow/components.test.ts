// Tests components in the editor: making one of nodes, using it, and unpacking it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, NO_BROWSER, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import {
  boardOf,
  type FlowTests,
  nodeOf,
  PICTURE,
  type Stored,
  startFlowTests,
  untilSaved,
} from './flow-page.ts';

const HEAD = { position: { x: 90, y: 20 } };
const CALL = 'component:call';

const findCall = ({ nodes }: Stored) => nodes.find(({ data }) => data.nodeType === CALL);
const shapeOf = ({ nodes, edges }: Stored): unknown => ({
  nodes: nodes.map(({ id, data }) => [id, data.nodeType]),
  edges: edges.map(edge => [edge.source, edge.sourceHandle, edge.target, edge.targetHandle]),
});

async function makeComponent(page: Page, name: string, labels: readonly string[]): Promise<void> {
  for (const [index, label] of labels.entries())
    await nodeOf(page, label).click(index === 0 ? HEAD : { ...HEAD, modifiers: ['Shift'] });
  await page.keyboard.press('m');
  const dialog = page.getByRole('dialog', { name: 'Make a component' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Make a component' }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('components in the editor', { skip: NO_BROWSER }, () => {
  let flow: FlowTests;

  before(async () => {
    flow = await startFlowTests();
  });
  after(() => flow?.close());

  const untilCall = async (id: string): Promise<NonNullable<ReturnType<typeof findCall>>> => {
    await waitUntil('the call to be saved', async () => findCall(await flow.read(id)) !== undefined);
    const call = findCall(await flow.read(id));
    assert.ok(call);
    return call;
  };

  it('makes one of the selection in one undo step, and unpacks it to the same nodes', async () => {
    const id = await flow.create(PICTURE);
    const before = await flow.read(id);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click(HEAD);
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Make a component' });
    await dialog.getByText('Idea', { exact: true }).waitFor();
    await takeScreenshot(page, 'component-make', VIEWS[2]);
    await assertAccessible(page);
    await dialog.getByLabel('Name').fill('Drawing');
    await dialog.getByRole('button', { name: 'Make a component' }).click();
    await dialog.waitFor({ state: 'detached' });
    await nodeOf(page, 'Drawing').getByText('Idea', { exact: true }).waitFor();
    const call = await untilCall(id);
    assert.deepEqual(shapeOf(await flow.read(id)), {
      nodes: [
        ['idea', 'input:text'],
        ['preview', 'output:preview'],
        [call.id, CALL],
      ],
      edges: [
        ['idea', 'out-text', call.id, 'in-idea-2'],
        [call.id, 'out-picture-2', 'preview', 'in-input'],
      ],
    });
    const component = await flow.read(String(call.data.config?.workflowId));
    assert.equal(component.name, 'Drawing');
    assert.deepEqual(shapeOf(component), {
      nodes: [
        ['picture', 'generate:sandbox'],
        ['idea-2', 'input:text'],
        ['picture-2', 'output:preview'],
      ],
      edges: [
        ['idea-2', 'out-text', 'picture', 'in-prompt'],
        ['picture', 'out-image', 'picture-2', 'in-input'],
      ],
    });
    assert.deepEqual(
      component.nodes[1]?.data.config,
      { value: 'a boat' },
      'its default is the value outside',
    );

    await page.keyboard.press('Control+z');
    await waitUntil('undo', async () => findCall(await flow.read(id)) === undefined);
    assert.deepEqual(shapeOf(await flow.read(id)), shapeOf(before));
    await page.keyboard.press('Control+Shift+z');
    await untilCall(id);

    await nodeOf(page, 'Drawing').click(HEAD);
    await page.keyboard.press('u');
    await nodeOf(page, 'Picture').waitFor();
    await waitUntil('the nodes to be saved', async () => findCall(await flow.read(id)) === undefined);
    const unpacked = await flow.read(id);
    assert.deepEqual(unpacked.nodes.map(node => node.id).sort(), ['idea', 'picture', 'preview']);
    assert.deepEqual(
      unpacked.edges.map(edge => [edge.source, edge.sourceHandle, edge.target, edge.targetHandle]).sort(),
      before.edges.map(edge => [edge.source, edge.sourceHandle, edge.target, edge.targetHandle]).sort(),
    );
    await page.keyboard.press('Control+z');
    await untilCall(id);
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps the board and the name when the service cannot be reached or refuses', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    testPage.discard();
    const refused = page.route('**/api/v1/workflows', route =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await refused;
    await nodeOf(page, 'Picture').click(HEAD);
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Make a component' });
    await dialog.getByLabel('Name').fill('Kept');
    await dialog.getByRole('button', { name: 'Make a component' }).click();
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Kept');
    await page.unroute('**/api/v1/workflows');
    await dialog.getByRole('button', { name: 'Make a component' }).click();
    await nodeOf(page, 'Kept').waitFor();
    await untilCall(id);
  });

  it('selects the nodes between the selected ones', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').click(HEAD);
    await nodeOf(page, 'Preview').click({ ...HEAD, modifiers: ['Shift'] });
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Make a component' });
    await dialog.getByText('Picture connects selected nodes').waitFor();
    await dialog.getByRole('button', { name: 'Select them too' }).click();
    await dialog.getByLabel('Name').fill('All');
    await page.keyboard.press('Enter');
    await nodeOf(page, 'All').waitFor();
    await waitUntil('the call to be alone', async () => (await flow.read(id)).nodes.length === 1);
    assert.deepEqual(testPage.errors, []);
  });

  it('offers both in the menu of a node', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click({ ...HEAD, button: 'right' });
    const menu = page.getByRole('menu', { name: 'Board actions' });
    await menu.getByRole('menuitem', { name: 'Make a component' }).waitFor();
    assert.equal(await menu.getByRole('menuitem', { name: 'Unpack component' }).count(), 0);
    await page.keyboard.press('Escape');
    await makeComponent(page, 'Drawing', ['Picture']);
    await boardOf(page).focus();
    await nodeOf(page, 'Drawing').click({ ...HEAD, button: 'right' });
    await menu.getByRole('menuitem', { name: 'Unpack component' }).click();
    await nodeOf(page, 'Picture').waitFor();
    await untilSaved(page);
    assert.deepEqual(testPage.errors, []);
  });
});
