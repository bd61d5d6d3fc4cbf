// Tests the board in a browser: building, connecting and running a workflow, by mouse and by keyboard alone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertAccessible, BROWSER_MISSING_REASON, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { setUpFlowTests } from './flow-browser.ts';
import {
  addNode,
  arrange,
  boardOf,
  clickTool,
  connect,
  nodeOf,
  PICTURE,
  untilRendered,
  untilSaved,
} from './flow-page.ts';

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
    await options.filter({ hasText: '(Video, Audio → Video)' }).locator('svg path').first().waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('offers to search all categories if a category has no match', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await boardOf(page).focus();
    await page.keyboard.press('n');
    const palette = page.getByRole('dialog', { name: 'Add node' });
    await palette.getByRole('button', { name: 'Output' }).click();
    await palette.getByRole('combobox').fill('sandbox');
    await palette.getByText('No results.').waitFor();
    await takeScreenshot(page, 'flow-palette-empty', VIEWS[2]);
    await assertAccessible(page);
    await palette.getByRole('button', { name: 'Search all categories' }).click();
    await palette.getByRole('option', { name: /^Sandbox image/ }).waitFor();
    assert.equal(await palette.getByRole('button', { name: 'All' }).getAttribute('aria-pressed'), 'true');
  });

  it('creates and runs a workflow with the keyboard only', async () => {
    const id = await flow.create(NOTE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await boardOf(page).focus();
    for (const name of ['Text', 'Sandbox image']) {
      await boardOf(page).focus();
      await page.keyboard.press('n');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await nodeOf(page, name).waitFor();
    }
    await nodeOf(page, 'Text').focus();
    await page.keyboard.press('c');
    await page.keyboard.press('Tab');
    const target = page.getByRole('button', { name: 'Input Prompt of Sandbox image', exact: true });
    for (let presses = 0; presses < 12; presses++) {
      if (await target.evaluate(element => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('c');
    await untilSaved(page);
    assert.equal((await flow.read(id)).edges.length, 1);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('figure', { name: 'Result of Sandbox image' }).locator('img').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('refuses a connection that closes a cycle or has incompatible types', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await connect(page, 'Output Image of Picture', 'Input Prompt of Picture');
    assert.equal(await page.getByRole('status', { name: 'Saving' }).textContent(), 'Saved');
    assert.equal((await flow.read(id)).edges.length, 2);
  });

  it('never saves a workflow that was only viewed', async () => {
    const id = await flow.create(PICTURE);
    const { updatedAt } = await flow.read(id);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    await boardOf(page).hover();
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(1500);
    assert.equal((await flow.read(id)).updatedAt, updatedAt);
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
  });

  it('undoes each duplication, move and deletion in one step', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const before = await flow.read(id);
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('Control+d');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    await page.getByRole('heading', { name: 'Start building your workflow' }).waitFor();
    for (let steps = 0; steps < 5; steps++) await page.keyboard.press('Control+z');
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
    await untilSaved(page);
    assert.deepEqual((await flow.read(id)).nodes, before.nodes);
  });

  it('finds a node by its name and undoes an arrangement in one step', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.keyboard.press('Control+f');
    await page.getByRole('dialog', { name: 'Find node' }).getByRole('combobox').fill('prev');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label').waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-node-id') === 'preview');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await arrange(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilSaved(page);
    assert.deepEqual(
      (await flow.read(id)).nodes.map(({ position }) => position.y),
      [0, 0, 0],
    );
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

  it('is accessible in both themes with the inspector and dialogs open', async () => {
    const id = await flow.create(PICTURE);
    for (const view of [VIEWS[2], VIEWS[1]]) {
      await using testPage = await flow.open(id, view);
      const { page } = testPage;
      await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
      await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
      await takeScreenshot(page, 'flow-inspector', view);
      await assertAccessible(page);
      for (const name of ['Add node', 'Run history', 'Versions', 'Export', 'Share']) {
        await clickTool(page, name);
        const panel = page.getByRole(/^(Run|Ver)/.test(name) ? 'complementary' : 'dialog', { name });
        await panel.waitFor();
        await page.waitForTimeout(250);
        await takeScreenshot(page, `flow-${name.toLowerCase().replace(' ', '-')}`, view);
        await assertAccessible(page);
        await page.keyboard.press('Escape');
        await panel.waitFor({ state: 'detached' });
      }
      assert.deepEqual(testPage.errors, []);
    }
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
