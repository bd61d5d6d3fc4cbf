// Tests the editor without a pointer: the order of Tab, and a workflow that is created, edited, run and viewed by keys.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, nodeOf, PICTURE, untilSaved } from './flow-page.ts';

describe('the editor with a keyboard', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('moves the focus in a circle through bar, nodes, inspector and zoom bar', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    for (const key of ['Tab', 'Shift+Tab']) {
      await page.getByRole('toolbar').getByRole('button', { name: 'Open menu' }).focus();
      const parts: string[] = [];
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press(key);
        const part = await readFocusedPart(page);
        if (part !== parts.at(-1)) parts.push(part);
        if (part === 'bar' && parts.length > 1) break;
      }
      const circle = ['canvas', 'idea', 'picture', 'preview', 'inspector', 'zoom'];
      const expected = key === 'Tab' ? ['bar', ...circle, 'bar'] : [...circle.toReversed(), 'bar'];
      assert.deepEqual(parts, expected, key);
    }
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  it('reaches the inspector of each node, and returns to the node', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const shownLabel = () =>
      page
        .getByRole('complementary', { name: 'Inspector' })
        .getByLabel('Label', { exact: true })
        .inputValue();
    for (const [nodeId, name] of [
      ['idea', 'Idea'],
      ['picture', 'Picture'],
    ] as const) {
      await boardOf(page).focus();
      await tabToNode(page, nodeId);
      await page.keyboard.press('Enter');
      for (let presses = 0; (await readFocusedPart(page)) === nodeId; presses++) {
        assert.ok(presses < 20, `Tab does not leave ${name}`);
        await page.keyboard.press('Tab');
      }
      assert.deepEqual([await readFocusedPart(page), await shownLabel()], ['inspector', name]);
      for (let presses = 0; (await readFocusedPart(page)) === 'inspector'; presses++) {
        assert.ok(presses < 20, `Shift+Tab does not leave the inspector of ${name}`);
        await page.keyboard.press('Shift+Tab');
      }
      assert.equal(await readFocusedPart(page), nodeId);
    }
    // A preview without a result has no field.
    await tabToNode(page, 'preview');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.matches('input')), true);
    assert.deepEqual([await readFocusedPart(page), await shownLabel()], ['inspector', 'Preview']);
    assert.deepEqual(testPage.errors, []);
  });

  it('returns the focus to the node after Escape closes a dialog or menu', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').focus();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Add node' }).waitFor();
    await page.keyboard.press('Escape');
    await untilFocused(page, 'idea');
    // The menu loads after the first paint. A key that opens it earlier does not focus its first item.
    await page.locator('[aria-haspopup="menu"][aria-hidden]').waitFor({ state: 'attached' });
    await page.keyboard.press('.');
    const focusedItem = page.locator('[role="menuitem"]:focus');
    await focusedItem.filter({ hasText: 'Run to here' }).waitFor();
    await page.keyboard.type('du');
    await focusedItem.filter({ hasText: 'Duplicate' }).waitFor();
    await page.keyboard.press('Escape');
    await untilFocused(page, 'idea');
    await page.keyboard.press('F2');
    await page.keyboard.type('Motif');
    await page.keyboard.press('Escape');
    await nodeOf(page, 'Motif').waitFor();
    await untilFocused(page, 'idea');
    await page.keyboard.press('ArrowDown');
    await untilSaved(page);
    assert.equal((await flow.read(id)).nodes.find(node => node.id === 'idea')?.position.y, 8);
  });

  it('creates, edits and runs a graph of three nodes', async () => {
    const id = await flow.create(NOTE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await boardOf(page).focus();
    for (const name of ['Text', 'Sandbox image', 'Preview']) {
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'Add node' });
      await dialog.getByRole('combobox').waitFor();
      await page.keyboard.type(name);
      await dialog.getByRole('option', { name, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await nodeOf(page, name).waitFor();
      await page.waitForFunction(() => document.activeElement?.hasAttribute('data-node-id'));
    }
    await connectByKeys(page, 'Text', 'Input Prompt of Sandbox image');
    await connectByKeys(page, 'Sandbox image', 'Input Input of Preview');
    await nodeOf(page, 'Text').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('a gull');
    await page.keyboard.press('Escape');
    // A number and a choice, in the inspector of the second node.
    await nodeOf(page, 'Sandbox image').focus();
    await page.keyboard.press('F2');
    await tabTo(page, 'Seed');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('7');
    await tabTo(page, 'Style');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await untilSaved(page);
    await waitUntil('the fields to be saved', async () => {
      const { nodes } = await flow.read(id);
      const [, text, image] = nodes.map(({ data }) => data.config);
      return text?.value === 'a gull' && image?.seed === 7 && image.style !== undefined;
    });
    await page.keyboard.press('Control+Enter');
    await flow.untilRuns(id, 1);
    await page.getByRole('figure', { name: 'Result of Preview' }).locator('img').waitFor();
    await nodeOf(page, 'Preview').focus();
    await page.keyboard.press('Enter');
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'Open result',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Result of Preview' }).locator('img').waitFor();
    assert.deepEqual(testPage.errors, []);
  });
});

const NOTE = {
  nodes: [
    {
      id: 'note',
      type: 'stickyNote',
      position: { x: 0, y: -400 },
      data: {
        label: 'Note',
        category: 'utility',
        nodeType: 'utility:sticky_note',
        config: { text: 'Hello' },
      },
    },
  ],
  edges: [],
};

/** Returns the id of the node or the name of the region that has the focus. */
const readFocusedPart = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    const node = activeElement?.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
    const region = activeElement?.closest<HTMLElement>('[data-focus-region]')?.dataset.focusRegion;
    return node ?? region ?? String(activeElement?.tagName);
  });

const untilFocused = (page: Page, nodeId: string): Promise<unknown> =>
  page.waitForFunction(id => document.activeElement?.getAttribute('data-node-id') === id, nodeId);

/** Presses Tab until the node has the focus. */
async function tabToNode(page: Page, nodeId: string): Promise<void> {
  for (let presses = 0; (await readFocusedPart(page)) !== nodeId; presses++) {
    assert.ok(presses < 20, `Tab does not reach ${nodeId}.`);
    await page.keyboard.press('Tab');
  }
}

/** Presses Tab until the control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    const label = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? '';
    });
    if (label === name) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${name}.`);
}

async function connectByKeys(page: Page, from: string, to: string): Promise<void> {
  await nodeOf(page, from).focus();
  await page.keyboard.press('c');
  await page.keyboard.press('Tab');
  await tabTo(page, to);
  await page.keyboard.press('c');
}
