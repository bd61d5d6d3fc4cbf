// Tests imports to and exports from the board: dropped files, images that contain a graph, text.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { readText } from '../../../editor/board/png-text.ts';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, nodeOf, PICTURE, untilSaved } from './flow-page.ts';

const EMPTY = {
  nodes: [
    {
      id: 'picture',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'Picture', category: 'output', nodeType: 'output:preview', config: {} },
    },
  ],
  edges: [],
};

describe('import, export and the clipboard', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('export a PNG with its graph and import dropped PNG, JSON and media files', async () => {
    const from = await flow.create(PICTURE);
    await using testPage = await flow.open(from);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const files: Awaited<ReturnType<typeof save>>[] = [];
    for (const name of ['Download as PNG with the workflow', 'Download as JSON', 'Download as SVG'])
      files.push(await save(page, name));
    const [png, json, svg] = files.map(({ bytes }) => bytes);
    assert.ok(png && json && svg);
    assert.deepEqual(JSON.parse(readText(png) ?? ''), JSON.parse(json.toString()));
    assert.match(svg.toString(), /^<svg[^>]*>.*Picture/s);
    assert.deepEqual(
      files.map(({ name }) => name),
      ['Board.png', 'Board.json', 'Board.svg'],
    );

    const id = await flow.create(EMPTY);
    await page.goto(`/flow/${id}`);
    await boardOf(page).waitFor();
    await drop(page, { name: 'board.png', type: 'image/png', bytes: png }, BOARD_PANE);
    await nodeOf(page, 'Idea').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Undo' }).click();
    await nodeOf(page, 'Idea').waitFor({ state: 'detached' });
    await drop(page, { name: 'board.json', type: 'application/json', bytes: json }, BOARD_PANE);
    await nodeOf(page, 'Idea').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Undo' }).click();

    const photo = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await drop(page, { name: 'a photo.png', type: 'image/png', bytes: photo }, '[data-port="in-input"]');
    await page.getByRole('figure', { name: 'Result of a photo' }).locator('img').waitFor();
    await nodeOf(page, 'a photo').waitFor();
    await untilSaved(page);
    const storedWorkflow = await flow.read(id);
    assert.deepEqual(
      storedWorkflow.edges.map(({ target, targetHandle }) => [target, targetHandle]),
      [['picture', 'in-input']],
    );
    assert.match(String(storedWorkflow.nodes.at(-1)?.data.config?.url), /^http/);
    assert.deepEqual(testPage.errors, []);
  });

  it('paste nodes from another tab and plain text as a new node', async () => {
    const from = await flow.create(PICTURE);
    await using testPage = await flow.open(from);
    const { page, context } = testPage;
    await boardOf(page).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    const id = await flow.create(EMPTY);
    const otherPage = await context.newPage();
    await otherPage.goto(`/flow/${id}`);
    await boardOf(otherPage).focus();
    const pointer = { x: 420, y: 520 };
    await otherPage.mouse.move(pointer.x, pointer.y);
    await otherPage.keyboard.press('Control+v');
    await nodeOf(otherPage, 'Idea').waitFor();
    // The pasted nodes take the free space nearest to the pointer.
    const pasted = otherPage.locator('.react-flow__node.selected');
    await pasted.nth(2).waitFor();
    const boxes = await Promise.all((await pasted.all()).map(node => node.boundingBox()));
    const middle = middleOf(boxes.flatMap(box => box ?? []));
    assert.ok(
      Math.hypot(middle.x + 130 - pointer.x, middle.y + 60 - pointer.y) < 260,
      JSON.stringify(middle),
    );
    await untilSaved(otherPage);
    const [before, after] = await Promise.all([flow.read(from), flow.read(id)]);
    const dataOf = ({ nodes }: typeof before): readonly object[] => nodes.slice(-3).map(({ data }) => data);
    // A new input has a name.
    const withName = (data: object): object =>
      'label' in data && data.label === 'Idea' ? { ...data, name: 'idea' } : data;
    assert.deepEqual(dataOf(after), dataOf(before).map(withName));
    assert.equal(after.edges.length, before.edges.length);
    await paste(otherPage, 'a lighthouse\nat dawn');
    await nodeOf(otherPage, 'Text').getByText('a lighthouse').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('paste cells of a spreadsheet as one node that one undo removes', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const uploads: string[] = [];
    page.on('request', request => request.url().includes('/media') && uploads.push(request.url()));
    const nodes = page.locator('[data-node-id]');
    await nodes.nth(2).waitFor();
    // Excel and LibreOffice add a picture of the cells.
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'a red fox\tat dawn\r\n');
      clipboardData.setData('text/html', '<table><tr><td>a red fox</td><td>at dawn</td></tr></table>');
      clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
      document.body.dispatchEvent(
        new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }),
      );
    });
    await nodeOf(page, 'Text').getByText('a red fox').waitFor();
    await untilSaved(page);
    assert.equal(await nodes.count(), 4);
    assert.deepEqual(uploads, []);
    await page.keyboard.press('Control+z');
    await nodes.nth(3).waitFor({ state: 'detached' });
    assert.deepEqual(testPage.errors, []);
  });

  it('work without a clipboard API, with keys that are read by their character', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    // Browsers have no clipboard API on plain http.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('Control+c');
    await page.keyboard.press('Control+v');
    const nodes = page.locator('[data-node-id]');
    await nodes.nth(3).waitFor();
    // The key Z of a German keyboard is in the place of the key Y of an American keyboard.
    await press(page, { key: 'z', code: 'KeyY', ctrlKey: true });
    await nodes.nth(3).waitFor({ state: 'detached' });
    await press(page, { key: 'y', code: 'KeyZ', ctrlKey: true });
    await nodes.nth(3).waitFor();
    await press(page, { key: '?', code: 'Minus', shiftKey: true });
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });
});

interface Point {
  readonly x: number;
  readonly y: number;
}

function middleOf(points: readonly Point[]): Point {
  const getMiddle = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
  return { x: getMiddle(points.map(({ x }) => x)), y: getMiddle(points.map(({ y }) => y)) };
}

const BOARD_PANE = '.react-flow__pane';

interface DroppedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

async function drop(page: Page, { name, type, bytes }: DroppedFile, selector: string): Promise<void> {
  await page.evaluate(
    ({ name, type, base64, selector }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), char => char.charCodeAt(0))], name, { type }));
      const target = document.querySelector(selector);
      const { left, top, width, height } = target?.getBoundingClientRect() ?? new DOMRect();
      const [clientX, clientY] = [left + Math.min(width / 2, 200), top + Math.min(height / 2, 300)];
      for (const kind of ['dragover', 'drop'])
        target?.dispatchEvent(
          new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data, clientX, clientY }),
        );
    },
    { name, type, base64: bytes.toString('base64'), selector },
  );
}

/** Pastes as the browser's menu does. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(pasted => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    document.body.dispatchEvent(
      new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }),
    );
  }, text);
}

async function save(page: Page, name: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey?: boolean;
  readonly shiftKey?: boolean;
}

async function press(page: Page, keys: KeyPress): Promise<void> {
  await page.evaluate(
    init =>
      (document.activeElement ?? document.body).dispatchEvent(
        new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }),
      ),
    keys,
  );
}
