// Tests the canvas by mouse and touch: inserting nodes into edges, guides, selection, the menu, and large boards.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { makeBoard } from '../../../bench/board/boards.ts';
import { getPortOffset } from '../../../src/graph/dims.ts';
import { BROWSER_MISSING_REASON, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, nodeOf, PICTURE, type SentGraph, untilSaved } from './flow-page.ts';

const JOIN = 'utility:prompt_concat';
const text = (id: string, x: number, y: number, nodeType = JOIN): object => ({
  id,
  type: 'basedNode',
  position: { x, y },
  data: { label: id.toUpperCase(), category: 'utility', nodeType, config: {} },
});
const THREE_NODES = {
  nodes: [text('a', 0, 0, 'input:text'), text('b', 700, 0), text('c', 350, 320)],
  edges: [{ id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-text1' }],
};

type Spot = readonly [x: number, y: number];

async function headerOf(page: Page, label: string): Promise<Spot> {
  const box = await nodeOf(page, label).boundingBox();
  assert.ok(box, `${label} is on the screen`);
  return [box.x + box.width / 2, box.y + 12];
}

async function portOf(page: Page, name: string): Promise<Spot> {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox();
  assert.ok(box, `${name} is on the screen`);
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function dragTo(page: Page, from: Spot, to: Spot): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 4 });
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}

describe('the canvas', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  const wiresOf = async (id: string): Promise<readonly string[]> =>
    (await flow.read(id)).edges.map(({ source, target }) => `${source} ${target}`).sort();

  it('inserts a node into the edge that it is dropped on and detaches it with Alt', async () => {
    const id = await flow.create(THREE_NODES);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const [from, to] = [await portOf(page, 'Output Text of A'), await portOf(page, 'Input Text 1 of B')];
    const middle: Spot = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    await dragTo(page, await headerOf(page, 'C'), middle);
    await untilSaved(page);
    assert.deepEqual(await wiresOf(id), ['a c', 'c b']);
    await page.keyboard.down('Alt');
    const [x, y] = await headerOf(page, 'C');
    await dragTo(page, [x, y], [x, y + 150]);
    await page.keyboard.up('Alt');
    await untilSaved(page);
    assert.deepEqual(await wiresOf(id), ['a b']);
    for (const expected of [['a c', 'c b'], ['a b']]) {
      await page.keyboard.press('Control+z');
      await untilSaved(page);
      assert.deepEqual(await wiresOf(id), expected);
    }
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
    assert.deepEqual(testPage.errors, []);
  });

  it('says at a port why a connection cannot end there, while it is dragged', async () => {
    const id = await flow.create({
      nodes: [text('a', 0, 0, 'input:text'), text('b', 700, 0, 'edit:sandbox')],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const image = await portOf(page, 'Input Image of B');
    await page.mouse.move(...(await portOf(page, 'Output Text of A')));
    await page.mouse.down();
    await page.mouse.move(image[0] - 100, image[1], { steps: 4 });
    await page.mouse.move(...image, { steps: 4 });
    await page.getByText('takes an image').waitFor();
    await takeScreenshot(page, 'flow-rejection', VIEWS[2]);
    // Released here, the connection is given up: the palette opens only on the empty board.
    await page.mouse.up();
    await page.getByText('takes an image').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.mouse.move(...(await portOf(page, 'Output Text of A')));
    await page.mouse.down();
    await page.mouse.move(...image, { steps: 4 });
    await page.getByText('takes an image').waitFor();
    await page.mouse.move(...(await portOf(page, 'Input Prompt of B')), { steps: 4 });
    await page.getByText('takes an image').waitFor({ state: 'detached' });
    await page.mouse.up();
    await untilSaved(page);
    assert.deepEqual(await wiresOf(id), ['a b']);
    assert.deepEqual(testPage.errors, []);
  });

  it('edits a note after a double click', async () => {
    const id = await flow.create({
      nodes: [
        {
          id: 'note',
          type: 'stickyNote',
          position: { x: 0, y: 0 },
          data: {
            label: 'Note',
            category: 'utility',
            nodeType: 'utility:sticky_note',
            config: { text: 'Old' },
          },
        },
      ],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByText('Old').dblclick();
    const field = page.getByRole('textbox', { name: 'Text of the note' });
    await field.fill('# New');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'New' }).waitFor();
    await untilSaved(page);
    assert.equal((await flow.read(id)).nodes[0]?.data.config?.text, '# New');
    assert.deepEqual(testPage.errors, []);
  });

  it('snaps a dragged node to its neighbors and shows guides', async () => {
    const id = await flow.create(THREE_NODES);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Zoom to 100%' }).click();
    const [x, y] = await headerOf(page, 'C');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 200, y + 40, { steps: 4 });
    // Two pixels from the left edge of A.
    await page.mouse.move(x - 352, y + 40, { steps: 4 });
    assert.notEqual(await guidesOf(page), '');
    await page.mouse.up();
    assert.equal(await guidesOf(page), '');
    await untilSaved(page);
    assert.equal((await flow.read(id)).nodes.find(node => node.id === 'c')?.position.x, 0);
  });

  it('shows a node where another user has moved it after a canceled drag', async () => {
    const id = await flow.create(THREE_NODES);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const [x, y] = await headerOf(page, 'C');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 40, { steps: 4 });
    const { nodes, edges } = await flow.read(id);
    const position = { x: 350, y: 400 };
    await flow.send('PUT', `/workflows/${id}`, {
      nodes: nodes.map(node => (node.id === 'c' ? { ...node, position } : node)),
      edges,
    });
    await page.getByRole('log').getByText('Changed elsewhere: C.').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(
      await nodeOf(page, 'C').evaluate(element => element.style.transform),
      'translate(350px, 400px)',
    );
    await page.mouse.up();
  });

  it('aligns and arranges the nodes that the lasso selected', async () => {
    const id = await flow.create(THREE_NODES);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const [a, c] = [await nodeOf(page, 'A').boundingBox(), await nodeOf(page, 'C').boundingBox()];
    assert.ok(a && c);
    await page.keyboard.press('Shift+L');
    await page.mouse.move(a.x - 30, a.y - 30);
    await page.mouse.down();
    for (const [x, y] of [
      [a.x + a.width + 20, a.y - 30],
      [c.x + c.width + 20, c.y + c.height + 20],
      [c.x - 30, c.y + c.height + 20],
    ] as const)
      await page.mouse.move(x, y, { steps: 5 });
    await page.mouse.up();
    assert.equal(await page.locator('.react-flow__node.selected').count(), 2);
    await page.mouse.click(...(await headerOf(page, 'C')), { button: 'right' });
    await page.getByRole('menuitem', { name: 'Align left' }).click();
    await untilSaved(page);
    const leftEdges = (await flow.read(id)).nodes.map(({ position }) => position.x);
    assert.deepEqual(leftEdges, [0, 700, 0]);
    await page.keyboard.press('Escape');
    // One node has nothing to align with, and is no group.
    await page.mouse.click(...(await headerOf(page, 'B')), { button: 'right' });
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    for (const name of ['Align left', 'Align top', 'Ungroup'])
      assert.equal(await page.getByRole('menuitem', { name }).count(), 0, name);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Arrange' }).click();
    await waitUntil('the layout to be saved', async () => {
      const { nodes } = await flow.read(id);
      return new Set(nodes.map(({ position }) => position.x)).size === 2 && nodes[1]?.position.x !== 700;
    });
    assert.deepEqual(testPage.errors, []);
  });

  it('connects to the compatible port of a node and highlights compatible ports', async () => {
    const id = await flow.create(THREE_NODES);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const [from, to] = [await portOf(page, 'Output Text of B'), await headerOf(page, 'C')];
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(to[0] + 40, to[1] + 4, { steps: 6 });
    await nodeOf(page, 'C').locator('[data-fit="yes"]').first().waitFor();
    assert.equal(await nodeOf(page, 'A').locator('[data-fit="yes"]').count(), 0);
    await page.mouse.move(...to, { steps: 2 });
    await page.mouse.up();
    await untilSaved(page);
    assert.deepEqual(await wiresOf(id), ['a b', 'b c']);
  });

  it('selects and moves painted nodes of a large board', async () => {
    const board = makeBoard(200, 300, 3);
    const id = await flow.create(board);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    assert.equal(await page.locator('[data-node-id]').count(), 0);
    await takeScreenshot(page, 'flow-far', VIEWS[2]);
    const before = await flow.read(id);
    const node = before.nodes[95];
    assert.ok(node);
    const view = await viewOf(page);
    const spot: Spot = [
      view.x + (node.position.x + 130) * view.zoom,
      view.y + (node.position.y + 60) * view.zoom,
    ];
    await page.mouse.click(...spot);
    const label = page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label');
    await label.waitFor();
    assert.equal(await label.inputValue(), node.data.label);
    // Control turns off snapping.
    await page.keyboard.down('Control');
    await dragTo(page, spot, [spot[0] + 30, spot[1] + 20]);
    await page.keyboard.up('Control');
    await untilSaved(page);
    const moved = (await flow.read(id)).nodes[95]?.position;
    assert.ok(moved);
    assert.deepEqual(
      [moved.x - node.position.x, moved.y - node.position.y],
      [Math.round(30 / view.zoom), Math.round(20 / view.zoom)],
    );
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Shift+2');
    await nodeOf(page, node.data.label).waitFor();
    await untilSaved(page);
    assert.deepEqual((await flow.read(id)).nodes, before.nodes);
    assert.deepEqual(testPage.errors, []);
  });

  it('draws an edge between nodes that are painted while the view moves', async () => {
    const id = await flow.create(PAIRS);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.evaluate(KEEP_MOVING);
    await page.getByRole('button', { name: 'Zoom to 100%' }).click();
    const { x, y, zoom } = await viewOf(page);
    const spotOf = (dx: number, dy: number): Spot => [x + (MIDDLE.x + dx) * zoom, y + (MIDDLE.y + dy) * zoom];
    assert.equal(await page.locator('[data-node-id]').count(), 0);
    await dragTo(page, spotOf(260, getPortOffset(0)), spotOf(400, getPortOffset(1)));
    await page.evaluate('clearInterval(globalThis.moving)');
    await untilSaved(page);
    const { nodes, edges } = await flow.read(id);
    assert.deepEqual(
      edges
        .slice(PAIRS.edges.length)
        .map(({ source, target, sourceHandle, targetHandle }) => [
          source,
          sourceHandle,
          target,
          targetHandle,
        ]),
      [['text-36', 'out-text', 'joined-37', 'in-text2']],
    );
    assert.deepEqual(nodes[36]?.position, MIDDLE);
    await nodeOf(page, 'text 36').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('shows the value of a connection and a note without its scripts and images', async () => {
    const note =
      '# Read me\n\n**bold** <img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://example.com)';
    const id = await flow.create({
      nodes: [
        ...PICTURE.nodes,
        {
          id: 'note',
          type: 'stickyNote',
          position: { x: 0, y: 420 },
          data: {
            label: 'Note',
            category: 'utility',
            nodeType: 'utility:sticky_note',
            config: { text: note },
          },
        },
        {
          id: 'frame',
          type: 'groupFrame',
          position: { x: -40, y: -80 },
          style: { width: 700, height: 480 },
          data: {
            label: 'Frame',
            category: 'utility',
            nodeType: 'utility:group',
            config: { childNodeIds: ['idea', 'picture'] },
          },
        },
      ],
      edges: PICTURE.edges,
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Note').getByRole('heading', { name: 'Read me' }).waitFor();
    assert.equal(await nodeOf(page, 'Note').locator('img').count(), 0);
    const links = await nodeOf(page, 'Note')
      .getByRole('link')
      .evaluateAll(all => all.map(a => a.getAttribute('href')));
    assert.deepEqual(links, ['https://example.com']);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('figure', { name: 'Result of Preview' }).locator('img').waitFor();
    const [from, to] = [
      await portOf(page, 'Output Text of Idea'),
      await portOf(page, 'Input Prompt of Picture'),
    ];
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    await boardOf(page).getByText('Idea · TEXT').waitFor();
    await takeScreenshot(page, 'flow-edge-value', VIEWS[2]);
    await page.getByRole('button', { name: 'Collapse Frame' }).click();
    await nodeOf(page, 'Picture').waitFor({ state: 'detached' });
    assert.equal(await nodeOf(page, 'Preview').count(), 1);
    await page.getByRole('button', { name: 'Expand Frame' }).click();
    await nodeOf(page, 'Picture').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('supports touch for panning, zooming, the menu and connecting', async () => {
    const id = await flow.create({ ...THREE_NODES, edges: [] });
    await using testPage = await flow.open(id);
    const { page, context } = testPage;
    testPage.discard();
    const touch = await context.newCDPSession(page);
    // A page detects touch support only while the page loads.
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    await page.reload();
    await boardOf(page).waitFor();
    const start = await viewOf(page);
    await swipe(touch, [[[700, 760]], [[720, 740]], [[760, 700]], [[800, 690]]]);
    await waitUntil('the board to be panned', async () => Math.abs((await viewOf(page)).x - start.x) > 40);
    assert.equal((await viewOf(page)).zoom, start.zoom);
    await swipe(touch, [
      [
        [600, 700],
        [800, 700],
      ],
      [
        [560, 700],
        [840, 700],
      ],
      [
        [500, 700],
        [900, 700],
      ],
    ]);
    await waitUntil('the board to be zoomed', async () => (await viewOf(page)).zoom > start.zoom * 1.2);
    await page.getByRole('button', { name: 'Zoom to fit' }).click();
    const [from, to] = [await portOf(page, 'Output Text of A'), await portOf(page, 'Input Text 1 of B')];
    await swipe(touch, [[from], [[from[0] + 30, from[1] + 10]], [[to[0] - 20, to[1]]], [to]]);
    await waitUntil('the connection to be saved', async () => (await wiresOf(id)).includes('a b'));
    const [x, y] = await headerOf(page, 'C');
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await page.getByRole('menu').waitFor();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await nodeOf(page, 'C').nth(1).waitFor();
    assert.deepEqual(testPage.errors, []);
  });
});

const guidesOf = async (page: Page): Promise<unknown> =>
  page.evaluate(
    `[...document.querySelectorAll('.react-flow > svg[aria-hidden] path')].map(path => path.getAttribute('d') ?? '').join('')`,
  );

const GRID = Array.from({ length: 64 }, (_, index) => ({
  index,
  position: { x: (index % 8) * 400, y: Math.floor(index / 8) * 300 },
}));
/** Near the center of text-36. */
const MIDDLE = { x: 1600, y: 1200 };
/** Pairs of connected nodes, more than the editor mounts at the same time. */
const PAIRS: SentGraph = {
  nodes: GRID.map(({ index, position }) =>
    index % 2 === 0
      ? pairNode(`text-${index}`, position, 'input:text', { value: 'a boat' })
      : pairNode(`joined-${index}`, position, 'utility:prompt_concat', {}),
  ),
  edges: GRID.filter(({ index }) => index % 2 === 1).map(({ index }) => ({
    id: `edge-${index}`,
    source: `text-${index - 1}`,
    target: `joined-${index}`,
    sourceHandle: 'out-text',
    targetHandle: 'in-text1',
  })),
};

function pairNode(id: string, position: object, nodeType: string, config: object): object {
  const [category] = nodeType.split(':');
  return {
    id,
    type: 'basedNode',
    position,
    data: { label: id.replace('-', ' '), category, nodeType, config },
  };
}

/** Turns the wheel back and forth by an invisible amount. */
const KEEP_MOVING = `
  let deltaY = 1;
  globalThis.moving = setInterval(() => {
    deltaY = -deltaY;
        document.querySelector('.react-flow__pane').dispatchEvent(new WheelEvent('wheel', { clientX: 720, clientY: 480, deltaY, bubbles: true, cancelable: true }));
  }, 40);
`;

const viewOf = async (
  page: Page,
): Promise<{ readonly x: number; readonly y: number; readonly zoom: number }> =>
  (await page.evaluate(`(() => {
    const { left, top } = document.querySelector('.react-flow').getBoundingClientRect();
    const { e, f, a } = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform);
    return { x: left + e, y: top + f, zoom: a };
  })()`)) as { x: number; y: number; zoom: number };

/**
 * Moves one or two fingers along a path. Sends the events without waiting for each, because a finger that rests for half a
 * second opens the menu.
 */
async function swipe(touch: CDPSession, path: readonly (readonly Spot[])[]): Promise<void> {
  const moves = path.map((spots, index) =>
    touch.send('Input.dispatchTouchEvent', {
      type: index === 0 ? 'touchStart' : 'touchMove',
      touchPoints: spots.map(([x, y], id) => ({ x, y, id })),
    }),
  );
  await Promise.all([
    ...moves,
    touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
  ]);
}
