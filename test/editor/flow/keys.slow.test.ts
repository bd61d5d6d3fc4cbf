// Tests the keys of the board: connections, undo, search, and keys that are pressed right after the focus moved.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { setUpFlowPages } from './flow-dom.ts';
import { addNode, arrange, boardOf, nodeOf, PICTURE, type SentGraph, untilSaved } from './flow-page.ts';

describe('the keys of the board', () => {
  const flow = setUpFlowPages();

  it('connect ports, but neither to close a cycle nor with an incompatible type', async () => {
    const id = await flow.create(JOINED);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const edgesOf = async (): Promise<readonly string[]> => {
      await untilSaved(page);
      return (await flow.read(id)).edges.map(({ source, target }) => `${source} ${target}`);
    };
    await connectPorts(page, 'Output Text of B', 'Input Text 1 of A');
    await connectPorts(page, 'Output Image of Picture', 'Input Text 1 of C');
    // Edges are stored in the order in which they are drawn.
    await connectPorts(page, 'Output Text of B', 'Input Text 1 of C');
    assert.deepEqual(await edgesOf(), ['a b', 'b c']);
    await page.keyboard.press('Control+z');
    assert.deepEqual(await edgesOf(), ['a b']);
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
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
    await palette.getByRole('button', { name: 'Search all categories' }).click();
    await palette.getByRole('option', { name: /^Sandbox image/ }).waitFor();
    assert.equal(await palette.getByRole('button', { name: 'All' }).getAttribute('aria-pressed'), 'true');
  });

  it('bypass the selected nodes and restore them, each in one step', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const listBypassed = async (): Promise<readonly string[]> => {
      await untilSaved(page);
      return (await flow.read(id)).nodes.filter(({ data }) => data.bypassed).map(({ data }) => data.label);
    };
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('b');
    assert.deepEqual(await listBypassed(), ['Picture']);
    await nodeOf(page, 'Picture')
      .getByRole('img', { name: /^Bypassed/ })
      .waitFor();
    assert.ok(await page.getByRole('button', { name: 'Rerun this node' }).isDisabled());
    await page.keyboard.press('Control+z');
    assert.deepEqual(await listBypassed(), []);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('b');
    assert.equal((await listBypassed()).length, (await flow.read(id)).nodes.length);
    await page.keyboard.press('b');
    assert.deepEqual(await listBypassed(), []);
    assert.deepEqual(testPage.errors, []);
  });

  it('replaces the model of a node, says what is lost, and undoes it in one step', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const before = await flow.read(id);
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Replace Sandbox image' });
    await dialog.getByRole('button', { name: 'All models' }).click();
    await dialog.getByRole('combobox', { name: 'Search models' }).fill('sandbox edit');
    await dialog.getByText(/^Drops the settings Width/).waitFor();
    await dialog.getByRole('option', { name: /^Sandbox edit/ }).click();
    await untilSaved(page);
    const after = await flow.read(id);
    assert.deepEqual(
      after.nodes.map(({ data }) => data.nodeType),
      before.nodes.map(({ data }) => data.nodeType.replace('generate:sandbox', 'edit:sandbox')),
    );
    assert.equal(after.edges.length, before.edges.length);
    await page.keyboard.press('Control+z');
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
    await untilSaved(page);
    assert.deepEqual(
      (await flow.read(id)).nodes.map(({ data }) => data.nodeType),
      before.nodes.map(({ data }) => data.nodeType),
    );
    assert.deepEqual(testPage.errors, []);
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

  it('reach the field that a fix focuses', async () => {
    const id = await flow.create(nodeWith('Sum', 'utility:math', { operation: 'add', b: 1 }));
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page
      .getByRole('region', { name: 'Issues' })
      .getByRole('button', { name: /warning|error/ })
      .click();
    const fix = page.getByRole('button', { name: 'Set A' });
    await fix.waitFor();
    const input = await fix.evaluate(button => {
      (button as HTMLElement).click();
      return document.activeElement?.closest<HTMLElement>('[data-input]')?.dataset.input;
    });
    assert.equal(input, 'a');
  });

  it('reach the palette if they are typed into the search of an empty board', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await boardOf(page).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.getByRole('searchbox', { name: 'Search nodes' }).focus();
    await page.keyboard.type('video ed');
    const field = page.getByRole('dialog', { name: 'Add node' }).getByRole('combobox');
    assert.equal(await field.inputValue(), 'video ed');
    await addNode(page, 'Video Editor');
    await nodeOf(page, 'Video Editor').waitFor();
    assert.deepEqual(testPage.errors, []);
  });
});
const concat = (id: string, x: number): object => ({
  id,
  type: 'basedNode',
  position: { x, y: 0 },
  data: { label: id.toUpperCase(), category: 'utility', nodeType: 'utility:prompt_concat', config: {} },
});

const JOINED: SentGraph = {
  nodes: [
    concat('a', 0),
    concat('b', 340),
    concat('c', 680),
    {
      id: 'picture',
      type: 'basedNode',
      position: { x: 0, y: 400 },
      data: { label: 'Picture', category: 'model', nodeType: 'generate:sandbox', config: {} },
    },
  ],
  edges: [{ id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-text1' }],
};

async function connectPorts(page: Page, from: string, to: string): Promise<void> {
  for (const name of [from, to]) {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('c');
  }
}

function nodeWith(label: string, nodeType: string, config: object): SentGraph {
  const [category] = nodeType.split(':');
  const data = { label, category, nodeType, config };
  return {
    nodes: [{ id: label.toLowerCase(), type: 'basedNode', position: { x: 0, y: 0 }, data }],
    edges: [],
  };
}
