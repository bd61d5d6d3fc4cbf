// Tests components that are open in place: the way back, versions, updates of their calls, and who may edit them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, NO_BROWSER, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { type FlowTests, nodeOf, type Stored, startFlowTests, untilSaved } from './flow-page.ts';

const HEAD = { position: { x: 90, y: 20 } };

interface Place {
  readonly x: number;
  readonly y?: number;
}

const at = (
  { x, y = 0 }: Place,
  id: string,
  label: string,
  nodeType: string,
  config: object = {},
): object => ({
  id,
  type: 'basedNode',
  position: { x, y },
  data: {
    label,
    category: nodeType === 'component:call' ? 'logic' : nodeType.split(':')[0],
    nodeType,
    config,
  },
});
const wire = (id: string, from: string, to: string): object => {
  const [source, sourceHandle] = from.split('.');
  const [target, targetHandle] = to.split('.');
  return { id, source, target, sourceHandle: `out-${sourceHandle}`, targetHandle: `in-${targetHandle}` };
};

/** A component that joins two texts. */
const COMPONENT = {
  nodes: [
    at({ x: 0 }, 'left', 'Left', 'input:text', { value: 'a' }),
    at({ x: 0, y: 220 }, 'right', 'Right', 'input:text', { value: 'b' }),
    at({ x: 340 }, 'join', 'Join', 'utility:text_template', { template: '{{x}} and {{y}}' }),
    at({ x: 760 }, 'out', 'Sentence', 'output:preview'),
  ],
  edges: [
    wire('a', 'left.text', 'join.x'),
    wire('b', 'right.text', 'join.y'),
    wire('c', 'join.text', 'out.input'),
  ],
};

const callOf = (workflow: Stored) => workflow.nodes.find(({ id }) => id === 'call')?.data.config;

describe('a component that is open in place', { skip: NO_BROWSER }, () => {
  let flow: FlowTests;

  before(async () => {
    flow = await startFlowTests();
  });
  after(() => flow?.close());

  /** Creates a component and a workflow that calls it with two texts. */
  const createBoth = async (): Promise<{ readonly component: string; readonly caller: string }> => {
    const { id: component } = await flow.send<Stored>('POST', '/workflows', { name: 'Joiner', ...COMPONENT });
    const ports = await flow.send<object>('GET', `/workflows/${component}/interface`);
    const { id: caller } = await flow.send<Stored>('POST', '/workflows', {
      name: 'Letter',
      nodes: [
        at({ x: 0 }, 'first', 'First', 'input:text', { value: 'bread' }),
        at({ x: 0, y: 220 }, 'second', 'Second', 'input:text', { value: 'butter' }),
        at({ x: 340 }, 'call', 'Joiner', 'component:call', { ...ports, workflowId: component, values: {} }),
        at({ x: 760 }, 'preview', 'Preview', 'output:preview'),
      ],
      edges: [
        wire('a', 'first.text', 'call.left'),
        wire('b', 'second.text', 'call.right'),
        wire('c', 'call.out', 'preview.input'),
      ],
    });
    return { component, caller };
  };
  const path = (page: Page) => page.getByRole('navigation', { name: 'Path' });
  const notice = (page: Page) => page.getByRole('region', { name: 'Component' });
  const title = (page: Page) => page.getByRole('textbox', { name: 'Workflow name' });

  it('opens by double click and by key, and comes back to the call', async () => {
    const { component, caller } = await createBoth();
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await path(page).getByRole('link', { name: 'Letter' }).waitFor();
    assert.equal(await title(page).inputValue(), 'Joiner');
    assert.equal(new URL(page.url()).pathname, `/flow/${component}`);
    assert.equal(await notice(page).count(), 0, 'the call uses the current version');
    await takeScreenshot(page, 'component-in-place', VIEWS[2]);
    await assertAccessible(page);
    await path(page).getByRole('button', { name: 'Back to Letter' }).click();
    await page.waitForURL(`**/flow/${caller}`);
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-node-id')), 'call');
    await page.keyboard.press('o');
    await path(page).waitFor();
    await page.keyboard.press('Shift+O');
    await page.waitForURL(`**/flow/${caller}`);
    assert.deepEqual(testPage.errors, []);
  });

  it('becomes a new version when it is edited, and offers to update the caller in one step', async () => {
    const { component, caller } = await createBoth();
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await nodeOf(page, 'Right').click(HEAD);
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label').fill('Last');
    await untilSaved(page);
    await notice(page).getByText('Letter uses version 1. You are editing version 2.').waitFor();
    assert.equal(callOf(await flow.read(caller))?.version, 1);
    await takeScreenshot(page, 'component-edited', VIEWS[2]);
    await notice(page).getByRole('button', { name: 'Update Letter' }).click();
    await page.waitForURL(`**/flow/${caller}`);
    await page.getByText('Joiner was updated to version 2.').waitFor();
    await nodeOf(page, 'Joiner').getByText('Last', { exact: true }).waitFor();
    await waitUntil('the caller to be saved', async () => callOf(await flow.read(caller))?.version === 2);
    await page.keyboard.press('Control+z');
    await waitUntil('undo', async () => callOf(await flow.read(caller))?.version === 1);
    assert.ok(component);
    assert.deepEqual(testPage.errors, []);
  });

  it('marks calls of an earlier version, shows what differs, and takes the new one', async () => {
    const { component, caller } = await createBoth();
    // The second input is gone, and there is another.
    await flow.send('PUT', `/workflows/${component}`, {
      nodes: [
        at({ x: 0 }, 'left', 'Left side', 'input:text', { value: 'a' }),
        at({ x: 0, y: 220 }, 'count', 'Count', 'input:number', { value: 2 }),
        at({ x: 340 }, 'join', 'Join', 'utility:text_template', { template: '{{x}} and {{y}}' }),
        at({ x: 760 }, 'out', 'Sentence', 'output:preview'),
      ],
      edges: [
        wire('a', 'left.text', 'join.x'),
        wire('b', 'count.number', 'join.y'),
        wire('c', 'join.text', 'out.input'),
      ],
    });
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').getByRole('button', { name: 'Update available: version 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update Joiner' });
    await dialog.getByText('1 connection will be removed').waitFor();
    const rows = await dialog.getByRole('row').allTextContents();
    assert.deepEqual(rows, [
      'PortChange',
      'Input RightRemoved',
      'Input LeftRenamed from Left to Left side',
      'Input CountAdded',
    ]);
    await takeScreenshot(page, 'component-update', VIEWS[2]);
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Use version 2' }).click();
    await dialog.waitFor({ state: 'detached' });
    await waitUntil('the caller to be saved', async () => callOf(await flow.read(caller))?.version === 2);
    assert.deepEqual((await flow.read(caller)).edges.map(({ source }) => source).sort(), ['call', 'first']);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await waitUntil('undo', async () => callOf(await flow.read(caller))?.version === 1);
    assert.equal((await flow.read(caller)).edges.length, 3);
    assert.deepEqual(testPage.errors, []);
  });

  it('shows the version that the call uses, and edits only the current one', async () => {
    const { component, caller } = await createBoth();
    await flow.send('PUT', `/workflows/${component}`, {
      ...COMPONENT,
      nodes: [...COMPONENT.nodes, at({ x: 0, y: 440 }, 'extra', 'Extra', 'input:text', { value: 'c' })],
    });
    await using testPage = await flow.open(caller);
    const { page } = testPage;
    await nodeOf(page, 'Joiner').dblclick(HEAD);
    await notice(page)
      .getByText('Letter uses version 1, which is open for viewing. The current version is 2.')
      .waitFor();
    assert.equal(await nodeOf(page, 'Extra').count(), 0);
    await page.getByRole('status', { name: 'Saving' }).getByText('View only').waitFor();
    await takeScreenshot(page, 'component-earlier', VIEWS[3]);
    await nodeOf(page, 'Right').click(HEAD);
    await page.keyboard.press('Delete');
    await page.getByText('An earlier version is open for viewing.').waitFor();
    await nodeOf(page, 'Right').waitFor();
    await page.reload();
    await notice(page).getByRole('link', { name: 'Edit current version' }).click();
    await nodeOf(page, 'Extra').waitFor();
    await notice(page).getByText('You are editing version 2.').waitFor();
    assert.equal((await flow.read(component)).nodes.length, 5);
    assert.deepEqual(testPage.errors, []);
  });
});
