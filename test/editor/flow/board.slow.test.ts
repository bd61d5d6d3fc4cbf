// Tests the board with a mouse, in Chromium: building and running a workflow, viewing one, and the size of targets.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { addNode, boardOf, connect, nodeOf, PICTURE, untilRendered, untilSaved } from './flow-page.ts';

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

describe('the board', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('creates, connects and runs a workflow by mouse', async () => {
    const id = await flow.create(NOTE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const canvas = await boardOf(page).boundingBox();
    assert.ok(canvas);
    await page.mouse.dblclick(canvas.x + 300, canvas.y + 420);
    await addNode(page, 'Sandbox image');
    await page.getByRole('button', { name: 'Close inspector' }).click();
    await page.mouse.dblclick(canvas.x + 30, canvas.y + 420);
    await addNode(page, 'Text');
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByLabel('Text', { exact: true })
      .fill('a lighthouse');
    await page.getByRole('button', { name: 'Close inspector' }).click();
    await page.getByRole('button', { name: 'Zoom to fit' }).click();
    await untilRendered(page);
    await connect(page, 'Output Text of Text', 'Input Prompt of Sandbox image');
    await untilSaved(page);
    const storedWorkflow = await flow.read(id);
    assert.deepEqual(
      storedWorkflow.edges.map(({ sourceHandle, targetHandle }) => [sourceHandle, targetHandle]),
      [['out-text', 'in-prompt']],
    );
    await page.getByRole('status', { name: 'Price' }).filter({ hasText: 'Free' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const figure = page.getByRole('figure', { name: 'Result of Sandbox image' });
    await figure.locator('img').waitFor();
    await figure.getByRole('button').click();
    await page.getByRole('dialog', { name: 'Result of Sandbox image' }).locator('img').waitFor();
    await page.keyboard.press('Escape');
    // The palette shows the latest result of each node type, or the icon of a type without results.
    await page.getByRole('button', { name: 'Add node', exact: true }).click();
    const options = page.getByRole('dialog', { name: 'Add node' }).getByRole('option');
    const resultImage = options.filter({ hasText: 'Sandbox image' }).locator('img');
    assert.equal(await resultImage.getAttribute('src'), await figure.locator('img').getAttribute('src'));
    await page.getByRole('combobox', { name: 'Search nodes' }).fill('sound');
    await options.filter({ hasText: '(Video, Audio → Video)' }).locator('svg path').first().waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('never saves a workflow that was only viewed', async () => {
    const id = await flow.create(PICTURE);
    const { updatedAt } = await flow.read(id);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const writes: string[] = [];
    page.on('request', request => request.method() === 'PUT' && writes.push(request.url()));
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    const view = page.locator('.react-flow__viewport');
    const before = await view.getAttribute('style');
    await boardOf(page).hover();
    await page.mouse.wheel(0, 300);
    await waitUntil('the view to move', async () => (await view.getAttribute('style')) !== before);
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
    // A page that is left saves a change that it has not saved yet.
    await page.goto('/workflows');
    assert.deepEqual(writes, []);
    assert.equal((await flow.read(id)).updatedAt, updatedAt);
  });

  it('has targets of at least 24 pixels and respects reduced motion', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Zoom to 100%' }).click();
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    assert.deepEqual(await page.evaluate(SMALL_TARGETS), []);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('figure', { name: 'Result of Picture' }).locator('img').waitFor();
    assert.deepEqual(await page.evaluate(LONG_MOVEMENTS), []);
  });
});

/** Lists the controls that are smaller than 24 pixels. The target area of a port is a larger, invisible ring. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, input, select, textarea')]
  .filter(element => element.checkVisibility({ visibilityProperty: true }) && element.closest('[hidden]') === null)
  .map(element => {
    const { width, height } = element.getBoundingClientRect();
    const ring = element.matches('[data-port]') ? getComputedStyle(element, '::before') : undefined;
    const size = ring === undefined ? Math.min(width, height) : parseFloat(ring.width);
    return { name: element.getAttribute('aria-label') ?? element.textContent ?? element.outerHTML, size };
  })
  .filter(({ size }) => size > 0 && size < 23.9)
  .map(({ name, size }) => name + ': ' + size)`;

const LONG_MOVEMENTS = `document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().activeDuration > 10)
  .map(({ effect }) => effect.target.className)`;
