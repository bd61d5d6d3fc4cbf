// Tests that groups act as one node, and that new nodes are placed in free space.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { BROWSER_MISSING_REASON, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import {
  addNode,
  arrange,
  boardOf,
  nodeOf,
  PICTURE,
  type SentGraph,
  type StoredWorkflow,
  untilSaved,
} from './flow-page.ts';

describe('groups and the placement of nodes', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('move, copy, delete and ungroup the nodes of a group together', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 }, modifiers: ['Shift'] });
    await page.keyboard.press('Control+g');
    const frame = nodeOf(page, 'Group');
    const frameBox = await frame.boundingBox();
    for (const label of ['Idea', 'Picture']) {
      const innerBox = await nodeOf(page, label).boundingBox();
      assert.ok(frameBox && innerBox);
      assert.ok(innerBox.x > frameBox.x && innerBox.y > frameBox.y, label);
      assert.ok(innerBox.x + innerBox.width < frameBox.x + frameBox.width, label);
      assert.ok(innerBox.y + innerBox.height < frameBox.y + frameBox.height, label);
    }
    await page.keyboard.press('Shift+ArrowDown');
    await untilSaved(page);
    const readPositions = async () =>
      Object.fromEntries(
        (await flow.read(id)).nodes
          .filter(node => !node.id.startsWith('group'))
          .map(node => [node.id, node.position.y]),
      );
    await waitUntil('the members to move', async () => (await readPositions()).idea === 64);
    assert.deepEqual(await readPositions(), { idea: 64, picture: 64, preview: 0 });
    await page.keyboard.press('Control+d');
    await waitUntil('the copy', async () => (await flow.read(id)).nodes.length === 7);
    await takeScreenshot(page, 'flow-group', VIEWS[2]);
    await page.keyboard.press('Delete');
    await waitUntil('the copy to be deleted', async () => (await flow.read(id)).nodes.length === 4);
    await nodeOf(page, 'Group').focus();
    await page.keyboard.press(' ');
    await page.keyboard.press('Shift+Control+g');
    await waitUntil('the frame to go', async () => (await flow.read(id)).nodes.length === 3);
    assert.deepEqual(testPage.errors, []);
  });

  it('place new and duplicated nodes in free space', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
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
    assert.deepEqual(await findOverlaps(page), []);
  });

  it('shows each new node wholly, beside the inspector and the minimap', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.setViewportSize({ width: 1280, height: 720 });
    for (const [name, label] of [
      ['Text', 'Text'],
      ['Sandbox image', 'Sandbox image'],
      ['Preview', 'Preview 2'],
      ['Text', 'Text 2'],
      ['Sandbox image', 'Sandbox image 2'],
    ] as const) {
      await page.keyboard.press('n');
      await addNode(page, name);
      await untilWhollyVisible(page, label);
    }
    // The inspector opens over the right part of the board.
    await page.keyboard.press('Escape');
    await boardOf(page).focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+1');
    const isInspectorOpen = (): Promise<boolean> =>
      page.getByRole('complementary', { name: 'Inspector' }).isVisible();
    await waitUntil('the inspector to close', async () => !(await isInspectorOpen()));
    await nodeOf(page, 'Sandbox image 2').click({ position: { x: 40, y: 10 } });
    await untilWhollyVisible(page, 'Sandbox image 2');
    assert.ok(await isInspectorOpen());
  });

  // In these templates, straight connections would not cross nodes, but curves can run behind nodes.
  for (const name of ['storyboard-to-video', 'localize-a-video'])
    it(`arrange ${name} with no connection behind another node`, async () => {
      const file = join(import.meta.dirname, `../../../templates/workflows/${name}/template.json`);
      const { workflow } = JSON.parse(await readFile(file, 'utf8')) as { readonly workflow: SentGraph };
      const { nodes, edges } = workflow;
      const id = await flow.create({ nodes, edges });
      await using testPage = await flow.open(id);
      const { page } = testPage;
      await arrange(page);
      await takeScreenshot(page, `flow-arranged-${name}`, VIEWS[2]);
      const storedWorkflow = await flow.read(id);
      assert.deepEqual(await findHiddenEdges(page, storedWorkflow.edges), []);
      assert.deepEqual(await findOverlaps(page), []);
    });
});

/** Returns the connections whose curve runs behind another node. */
const findHiddenEdges = (page: Page, edges: StoredWorkflow['edges']): Promise<readonly string[]> =>
  page.evaluate(edges => {
    const nodes = [...document.querySelectorAll<HTMLElement>('[data-node-id]')]
      .filter(
        element => element.closest('.react-flow__node-stickyNote, .react-flow__node-groupFrame') === null,
      )
      .map(element => ({ id: element.dataset.nodeId ?? '', box: element.getBoundingClientRect() }));
    const centerOf = (node: string, handle: string) => {
      const port = document.querySelector(`[data-node-id="${node}"] [data-port="${handle}"]`);
      const { x = 0, y = 0, width = 0, height = 0 } = port?.getBoundingClientRect() ?? {};
      return { x: x + width / 2, y: y + height / 2, isFound: port !== null };
    };
    return edges.flatMap(({ source, target, sourceHandle = '', targetHandle = '' }) => {
      const [from, to] = [centerOf(source, sourceHandle), centerOf(target, targetHandle)];
      if (!from.isFound || !to.isFound) return [`${source} ${target} has no ports`];
      const isOver = ({ left, right, top, bottom }: DOMRect): boolean =>
        Array.from({ length: 101 }, (_, step) => step / 100).some(t => {
          const x = from.x + (to.x - from.x) * (1.5 * t - 1.5 * t ** 2 + t ** 3);
          const y = from.y + (to.y - from.y) * (3 * t ** 2 - 2 * t ** 3);
          return x > left && x < right && y > top && y < bottom;
        });
      return nodes
        .filter(({ id, box }) => id !== source && id !== target && isOver(box))
        .map(({ id }) => `${source} ${target} behind ${id}`);
    });
  }, edges);

/** Returns the pairs of nodes that cover each other. */
const findOverlaps = (page: Page): Promise<readonly string[]> =>
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

/** Waits until the node is inside of the board, and not below the minimap or the zoom buttons. */
async function untilWhollyVisible(page: Page, label: string): Promise<void> {
  await waitUntil(`${label} to be wholly visible`, async () => {
    const [board, node] = await Promise.all([boardOf(page).boundingBox(), nodeOf(page, label).boundingBox()]);
    if (board === null || node === null) return false;
    const right = node.x + node.width;
    const bottom = node.y + node.height;
    const isInside =
      node.x >= board.x &&
      node.y >= board.y &&
      right <= board.x + board.width &&
      bottom <= board.y + board.height;
    const isBesideMinimap = node.x >= board.x + 195 || bottom <= board.y + board.height - 170;
    return isInside && isBesideMinimap;
  });
}
