// Tests components in the editor: making a component of nodes, calling it, and unpacking it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { signUpUser } from '../../support/accounts/first-user.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { boardOf, nodeOf, PICTURE, type SentGraph, type StoredWorkflow, untilSaved } from './flow-page.ts';

const HEAD = { position: { x: 90, y: 20 } };
const CALL = 'component:call';

const findCall = ({ nodes }: StoredWorkflow) => nodes.find(({ data }) => data.nodeType === CALL);
const shapeOf = ({ nodes, edges }: StoredWorkflow): unknown => ({
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

const createNode = (id: string, nodeType: string) => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: id, nodeType },
});

describe('components in the editor', () => {
  const flow = setUpFlowPages();

  const untilCall = async (id: string): Promise<NonNullable<ReturnType<typeof findCall>>> => {
    await waitUntil('the call to be saved', async () => findCall(await flow.read(id)) !== undefined);
    const call = findCall(await flow.read(id));
    assert.ok(call);
    return call;
  };

  it('are created from the selection in one undo step and unpacked to the same nodes', async () => {
    const id = await flow.create(PICTURE);
    const before = await flow.read(id);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click(HEAD);
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Make a component' });
    await dialog.getByText('Idea', { exact: true }).waitFor();
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
      'the default of the input is the value of the original node',
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

  it('keep the typed name in their dialog if the service is unreachable', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    testPage.discard();
    await page.route('**/api/v1/workflows', route =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
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

  it('offer to include the nodes between the selected nodes', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').click(HEAD);
    await nodeOf(page, 'Preview').click({ ...HEAD, modifiers: ['Shift'] });
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Make a component' });
    await dialog.getByText('Picture connects selected nodes').waitFor();
    await dialog.getByRole('button', { name: 'Select it too' }).click();
    await dialog.getByLabel('Name').fill('All');
    await page.keyboard.press('Enter');
    await nodeOf(page, 'All').waitFor();
    await waitUntil('the call to be alone', async () => (await flow.read(id)).nodes.length === 1);
    assert.deepEqual(testPage.errors, []);
  });

  it('are not offered in the palette if they call this workflow', async () => {
    const component = await flow.create(PICTURE);
    const caller = await flow.create({
      nodes: [
        {
          ...createNode('c', 'component:call'),
          data: { label: 'C', nodeType: 'component:call', config: { workflowId: component } },
        },
      ],
      edges: [],
    });
    await flow.send('PUT', `/workflows/${caller}`, { name: 'Otter caller' });
    const makerId = await flow.create(PICTURE);
    await flow.send('PUT', `/workflows/${makerId}`, { name: 'Otter maker' });
    await using testPage = await flow.open(component);
    const { page } = testPage;
    await boardOf(page).focus();
    await page.keyboard.press('n');
    const palette = page.getByRole('dialog', { name: 'Add node' });
    await palette.getByRole('combobox').fill('otter');
    await palette.getByRole('option', { name: 'Otter maker' }).waitFor();
    assert.equal(await palette.getByRole('option', { name: 'Otter caller' }).count(), 0);
  });

  it('are added from the palette and the library and edited in the inspector', async () => {
    const component = await flow.create({
      nodes: [
        {
          ...createNode('words', 'input:text'),
          data: { label: 'Words', nodeType: 'input:text', config: { value: 'a fox' } },
        },
        {
          ...createNode('size', 'input:number'),
          data: { label: 'Size', nodeType: 'input:number', config: { value: 64 } },
        },
        { ...createNode('draw', 'generate:sandbox'), data: { label: 'Draw', nodeType: 'generate:sandbox' } },
        { ...createNode('image', 'output:preview'), data: { label: 'Image', nodeType: 'output:preview' } },
        { ...createNode('said', 'output:preview'), data: { label: 'Said', nodeType: 'output:preview' } },
      ],
      edges: [
        { source: 'words', target: 'draw', sourceHandle: 'out-text', targetHandle: 'in-prompt' },
        { source: 'draw', target: 'image', sourceHandle: 'out-image', targetHandle: 'in-input' },
        { source: 'words', target: 'said', sourceHandle: 'out-text', targetHandle: 'in-input' },
      ],
    });
    await flow.send('PUT', `/workflows/${component}`, { name: 'Fox maker' });
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await boardOf(page).focus();
    await page.keyboard.press('n');
    const palette = page.getByRole('dialog', { name: 'Add node' });
    await palette.getByRole('combobox').fill('fox mak');
    await palette.getByRole('option', { name: 'Fox maker' }).waitFor();
    await page.keyboard.press('Enter');
    await nodeOf(page, 'Fox maker').waitFor();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const words = inspector.getByLabel('Words', { exact: true });
    await waitUntil('the default', async () => (await words.getAttribute('placeholder')) === 'a fox');
    await words.fill('a hare');
    await inspector.getByLabel('Size', { exact: true }).fill('32');
    await inspector.getByLabel('Result shown on the node').selectOption('Said');
    const call = await untilCall(id);
    await waitUntil('the values to be saved', async () => {
      const config = findCall(await flow.read(id))?.data.config;
      return JSON.stringify(config?.values) === '{"words":"a hare","size":32}';
    });
    assert.equal(call.data.config?.version, 1);

    await flow.send('PUT', `/workflows/${component}`, {
      nodes: (await flow.read(component)).nodes.filter(node => node.id !== 'said' && node.id !== 'size'),
      edges: (await flow.read(component)).edges.filter(edge => edge.target !== 'said'),
    });
    await page.reload();
    await nodeOf(page, 'Fox maker').click(HEAD);
    await inspector.getByRole('button', { name: 'Use version 2' }).click();
    await inspector.getByLabel('Size', { exact: true }).waitFor({ state: 'detached' });
    await inspector.getByLabel('Version').selectOption('Latest version');
    await waitUntil('the version to be saved', async () => {
      const config = findCall(await flow.read(id))?.data.config;
      return config?.version === 'latest' && Array.isArray(config.outputs) && config.outputs.length === 1;
    });
    await page.keyboard.press('Control+z');

    await page.getByRole('button', { name: 'Close inspector' }).click();
    await boardOf(page).focus();
    await page.keyboard.press('l');
    const library = page.getByRole('complementary', { name: 'Library' });
    await library.getByRole('button', { name: 'Fox maker' }).click();
    await nodeOf(page, 'Fox maker 2').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  /** Creates a workflow that calls the component as its only node. */
  const createCaller = async (
    name: string,
    component: SentGraph,
    version: number | 'latest' = 1,
  ): Promise<string> => {
    const workflowId = await flow.create(component);
    await flow.send('PUT', `/workflows/${workflowId}`, { name });
    const call = {
      ...createNode('call', CALL),
      data: { label: name, nodeType: CALL, config: { workflowId, version } },
    };
    return flow.create({ nodes: [call], edges: [] });
  };

  it('show the progress and the result of a run on the call', async () => {
    const { nodes, edges } = PICTURE;
    const id = await createCaller('Boat', { nodes, edges });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await flow.untilRuns(id, 1);
    const node = nodeOf(page, 'Boat');
    await node.getByRole('img', { name: 'Completed' }).waitFor();
    await node.getByRole('figure', { name: 'Result of Boat' }).locator('img').waitFor();
    await node.click(HEAD);
    await node.getByRole('button', { name: 'Open result' }).click();
    await page.getByRole('dialog', { name: 'Result of Preview' }).locator('img').first().waitFor();
    await page.keyboard.press('Escape');

    // Without the run, the node still shows the newest result.
    await page.getByRole('button', { name: 'Hide run' }).click();
    await page.reload();
    await node.getByRole('figure', { name: 'Result of Boat' }).locator('img').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show their first failed node with its path', async () => {
    const id = await createCaller('Picker', {
      nodes: [
        {
          ...createNode('all', 'input:list'),
          data: { label: 'All', nodeType: 'input:list', config: { items: ['a'] } },
        },
        {
          ...createNode('tenth', 'utility:list_item'),
          data: { label: 'Tenth', nodeType: 'utility:list_item', config: { index: 9 } },
        },
        { ...createNode('shown', 'output:preview'), data: { label: 'Shown', nodeType: 'output:preview' } },
      ],
      edges: [
        { source: 'all', target: 'tenth', sourceHandle: 'out-list', targetHandle: 'in-list' },
        { source: 'tenth', target: 'shown', sourceHandle: 'out-item', targetHandle: 'in-input' },
      ],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const node = nodeOf(page, 'Picker');
    await node.getByText('Tenth (tenth): The list has 1 item and no index 9.').waitFor();
    await node.getByRole('button', { name: 'Open component' }).waitFor();
    await page
      .getByRole('region', { name: 'Run', exact: true })
      .getByRole('button', { name: 'Show issue' })
      .click();
    await waitUntil('the node to have the focus', () =>
      page.evaluate(() => document.activeElement?.getAttribute('data-node-id') === 'call'),
    );
  });

  const createReview = (message: string): SentGraph => ({
    nodes: [
      {
        ...createNode('words', 'input:text'),
        data: { label: 'Words', nodeType: 'input:text', config: { value: 'a fox' } },
      },
      {
        ...createNode('ask', 'logic:approval'),
        data: { label: 'Ask', nodeType: 'logic:approval', config: { message } },
      },
      { ...createNode('shown', 'output:preview'), data: { label: 'Shown', nodeType: 'output:preview' } },
    ],
    edges: [
      { source: 'words', target: 'ask', sourceHandle: 'out-text', targetHandle: 'in-input' },
      { source: 'ask', target: 'shown', sourceHandle: 'out-approved', targetHandle: 'in-input' },
    ],
  });

  it('ask for the approvals of their nodes on the call', async () => {
    const id = await createCaller('Review', createReview('Is the fox good?'));
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const node = nodeOf(page, 'Review');
    await node.getByText('Is the fox good?').waitFor();
    await node.getByRole('img', { name: 'Waiting for approval, 1 of 3 nodes' }).waitFor();
    await node.getByRole('button', { name: 'Approve' }).click();
    await node.getByRole('figure', { name: 'Result of Review' }).getByText('a fox').waitFor();

    // While the next run waits, the node shows the earlier result, but the last run has no result.
    await node.click(HEAD);
    const lastRun = page.getByRole('region', { name: 'Last run' });
    await lastRun.getByRole('button', { name: 'Open result' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await node.getByRole('button', { name: 'Approve' }).waitFor();
    await lastRun.getByText('Waiting for approval').waitFor();
    assert.equal(await lastRun.getByRole('button', { name: 'Open result' }).count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('show the question that was asked if the component asks another since', async () => {
    const id = await createCaller('Check', createReview('Is the fox red?'), 'latest');
    const component = String(findCall(await flow.read(id))?.data.config?.workflowId);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await nodeOf(page, 'Check').getByText('Is the fox red?').waitFor();
    await flow.send('PUT', `/workflows/${component}`, createReview('Is the fox brown?'));
    await nodeOf(page, 'Check').click(HEAD);
    await page.keyboard.press('o');
    await page.getByRole('navigation', { name: 'Path' }).waitFor();
    await page.keyboard.press('Shift+O');
    await nodeOf(page, 'Check').getByText('Is the fox red?').waitFor();
    assert.equal(await page.getByText('Is the fox brown?').count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('rerun from the call with the results of earlier nodes', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await makeComponent(page, 'Drawing', ['Picture']);
    await untilSaved(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await flow.untilRuns(id, 1);
    await nodeOf(page, 'Drawing').getByRole('img', { name: 'Completed' }).waitFor();
    await nodeOf(page, 'Drawing').click(HEAD);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    assert.equal(await inspector.getByRole('button', { name: 'Pin result' }).count(), 0);
    await inspector.getByRole('button', { name: 'Run from here' }).click();
    const plan = page.getByRole('region', { name: 'Run part of the workflow' });
    await plan.getByText('2 nodes to run, 1 result reused').waitFor();
    await plan.getByRole('button', { name: 'Run nodes' }).click();
    await flow.untilRuns(id, 2);
    const [run] = await flow.runs(id);
    assert.deepEqual(
      run?.nodeStates.map(({ status }) => status),
      ['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED'],
    );
    assert.deepEqual(testPage.errors, []);
  });

  it('are created in the team of the workflow', async () => {
    const team = await flow.send<{ readonly id: string }>('POST', '/teams', { name: 'Studio' });
    const folder = await flow.send<{ readonly id: string }>('POST', '/folders', {
      name: 'Ads',
      teamId: team.id,
    });
    const id = await flow.create(PICTURE);
    await flow.send('PUT', `/workflows/${id}`, { folderId: folder.id });
    await using testPage = await flow.open(id);
    await makeComponent(testPage.page, 'Shared', ['Picture']);
    const { data } = await untilCall(id);
    const component = await flow.send<object>('GET', `/workflows/${data.config?.workflowId}`);
    assert.partialDeepStrictEqual(component, { name: 'Shared', teamId: team.id, folderId: folder.id });
  });

  it('show only name, ports and values to editors who cannot read them', async () => {
    const id = await createCaller('Secret recipe', PICTURE);
    const email = 'dora@example.com';
    const guest = await signUpUser(flow.service, { email, name: 'Dora' });
    await flow.send('PUT', `/workflows/${id}/permissions`, { email, role: 'EDIT' });
    await using testPage = await flow.open(id, undefined, guest);
    const { page } = testPage;
    await nodeOf(page, 'Secret recipe').click(HEAD);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText("You don't have permission to view the versions of this component.").waitFor();
    await inspector.getByLabel('Idea', { exact: true }).fill('a cake');
    await waitUntil('the value to be saved', async () => {
      const { values } = findCall(await flow.read(id))?.data.config ?? {};
      return JSON.stringify(values) === '{"idea":"a cake"}';
    });
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    await page
      .getByRole('listitem')
      .getByText(/permission|not found/i)
      .waitFor();
  });

  it('are created and unpacked from the menu of a node', async () => {
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
