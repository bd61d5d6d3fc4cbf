// Tests groups, which are one, and that new nodes take free space.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import {
  addNode,
  boardOf,
  type FlowTests,
  nodeOf,
  PICTURE,
  startFlowTests,
  untilSaved,
} from './flow-page.ts';

describe('groups and free space', { skip: NO_BROWSER }, () => {
  let flow: FlowTests;

  before(async () => {
    flow = await startFlowTests();
  });
  after(() => flow?.close());

  it('wraps the selection in a frame that fits, and moves, copies, deletes and ungroups it as one', async () => {
    const id = await flow.create(PICTURE);
    await using opened = await flow.open(id);
    const { page } = opened;
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 }, modifiers: ['Shift'] });
    await page.keyboard.press('Control+g');
    const frame = nodeOf(page, 'Group');
    const outer = await frame.boundingBox();
    for (const label of ['Idea', 'Picture']) {
      const inner = await nodeOf(page, label).boundingBox();
      assert.ok(outer && inner);
      assert.ok(inner.x > outer.x && inner.y > outer.y, label);
      assert.ok(inner.x + inner.width < outer.x + outer.width, label);
      assert.ok(inner.y + inner.height < outer.y + outer.height, label);
    }
    await page.keyboard.press('Shift+ArrowDown');
    await untilSaved(page);
    const positions = async () =>
      Object.fromEntries(
        (await flow.read(id)).nodes
          .filter(node => !node.id.startsWith('group'))
          .map(node => [node.id, node.position.y]),
      );
    await waitUntil('the members to move', async () => (await positions()).idea === 64);
    assert.deepEqual(await positions(), { idea: 64, picture: 64, preview: 0 });
    await page.keyboard.press('Control+d');
    await waitUntil('the copy', async () => (await flow.read(id)).nodes.length === 7);
    await takeScreenshot(page, 'flow-group', VIEWS[2]);
    await page.keyboard.press('Delete');
    await waitUntil('the copy to be deleted', async () => (await flow.read(id)).nodes.length === 4);
    await nodeOf(page, 'Group').focus();
    await page.keyboard.press(' ');
    await page.keyboard.press('Shift+Control+g');
    await waitUntil('the frame to go', async () => (await flow.read(id)).nodes.length === 3);
    assert.deepEqual(opened.errors, []);
  });

  it('puts new, duplicated and pasted nodes where none is', async () => {
    const id = await flow.create(PICTURE);
    await using opened = await flow.open(id);
    const { page } = opened;
    for (const name of ['Text', 'Sandbox image', 'Preview']) {
      await boardOf(page).focus();
      await page.keyboard.press('n');
      await addNode(page, name);
    }
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('Control+d');
    await page.keyboard.press('Control+d');
    await untilSaved(page);
    await waitUntil('the copies', async () => (await flow.read(id)).nodes.length === 8);
    assert.deepEqual(await overlaps(page), []);
  });
});

/** Pairs of nodes that cover each other. */
const overlaps = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const nodes = [...document.querySelectorAll<HTMLElement>('[data-node-id]')].map(element => ({
      id: element.dataset.nodeId ?? '',
      box: element.getBoundingClientRect(),
    }));
    return nodes.flatMap((one, index) =>
      nodes
        .slice(index + 1)
        .filter(
          ({ box }) =>
            box.left < one.box.right - 1 &&
            one.box.left < box.right - 1 &&
            box.top < one.box.bottom - 1 &&
            one.box.top < box.bottom - 1,
        )
        .map(other => `${one.id} ${other.id}`),
    );
  });
