// Tests the code editor of JSON fields and of the code node, in Chromium: typing, completion, undo, and a program's log.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { nodeOf, untilSaved } from './flow-page.ts';

const GRAPH = {
  nodes: [
    {
      id: 'program',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: {
        label: 'program',
        category: 'utility',
        nodeType: 'utility:code',
        config: {
          code: 'export default () => ({ out: 1 })',
          inputs: [],
          outputs: [{ id: 'out', type: 'NUMBER' }],
        },
      },
    },
  ],
  edges: [],
};

const JSON_NODE = {
  nodes: [
    {
      id: 'json',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'json', category: 'input', nodeType: 'input:json', config: { value: { a: 1 } } },
    },
  ],
  edges: [],
};

describe('the code editor', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('runs an edited program and shows its log or error', async () => {
    const id = await flow.create(GRAPH);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const replaceCode = async (text: string): Promise<void> => {
      await inspector.getByRole('textbox', { name: 'Code', exact: true }).locator('.cm-line').first().click();
      await page.keyboard.press('Control+a');
      // Chrome would keep the style of the replaced text, which the security policy forbids.
      await page.keyboard.type(text.slice(0, 1));
      await page.keyboard.insertText(text.slice(1));
      await untilSaved(page);
    };
    // A program is free, so the run needs no confirmation.
    const runNode = (): Promise<void> =>
      inspector.getByRole('button', { name: 'Run this node', exact: true }).click();

    await nodeOf(page, 'program').click({ position: { x: 90, y: 20 } });
    await inspector.getByText('({}) => { out: number }', { exact: true }).waitFor();
    await replaceCode('export default () => { console.log("counted", 6 * 7); return { out: 42 } }');
    await runNode();
    await inspector.getByRole('log').getByText('counted 42').waitFor();

    await replaceCode('export default () => {\n  return null.a;\n}');
    await runNode();
    await inspector.getByText(/line 2, column 14/).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('edits JSON', async () => {
    const id = await flow.create(JSON_NODE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await nodeOf(page, 'json').click({ position: { x: 90, y: 20 } });
    const code = inspector.locator('.cm-content');
    await code.click();
    await page.keyboard.press('Control+a');
    // The editor closes brackets automatically, and Backspace does not delete the node.
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText('{"b": [true, "ü"]');
    await inspector.getByText(/Invalid JSON/).waitFor();
    await page.keyboard.insertText('}');
    await inspector.getByText(/Invalid JSON/).waitFor({ state: 'detached' });
    await untilSaved(page);
    assert.deepEqual((await flow.read(id)).nodes[0]?.data.config, { value: { b: [true, 'ü'] } });
    assert.deepEqual(testPage.errors, []);
  });

  it('shows changes by undo and redo in a JSON field', async () => {
    const id = await flow.create(JSON_NODE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'json').click({ position: { x: 90, y: 20 } });
    const code = page.getByRole('complementary', { name: 'Inspector' }).locator('.cm-content');
    await code.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('7');
    const showsText = (text: string) => code.filter({ hasText: text }).waitFor();
    await showsText('7');
    const bar = page.getByRole('toolbar', { name: 'Workflow' });
    await bar.getByRole('button', { name: 'Undo' }).click();
    await showsText('"a"');
    await bar.getByRole('button', { name: 'Redo' }).click();
    await showsText('7');
    assert.deepEqual(testPage.errors, []);
  });

  it('opens large, with the log below', async () => {
    const id = await flow.create(GRAPH);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'program').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Open large editor' }).click();
    const dialog = page.getByRole('dialog', { name: 'Code of program' });
    const code = dialog.getByRole('textbox', { name: 'Code', exact: true });
    await code.locator('.cm-line').first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('e');
    await page.keyboard.insertText('xport default () => { console.log("large"); return { out: 1 } }');
    await dialog.getByRole('button', { name: 'Run this node' }).click();
    const log = dialog.getByRole('log');
    await log.getByText('large').waitFor();
    const [codeBox, logBox] = [await code.boundingBox(), await log.boundingBox()];
    assert.ok((codeBox?.width ?? 0) > 800, `the code is ${codeBox?.width} px wide`);
    assert.ok((logBox?.y ?? 0) > (codeBox?.y ?? 0) + (codeBox?.height ?? 0), 'the log is below the code');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.match((await inspector.getByRole('textbox', { name: 'Code' }).textContent()) ?? '', /"large"/);
    assert.deepEqual(testPage.errors, []);
  });

  it('completes the names of ports and the members of their values', async () => {
    const [node] = GRAPH.nodes;
    const config = { ...node?.data.config, inputs: [{ id: 'photo', type: 'IMAGE' }] };
    const id = await flow.create({ ...GRAPH, nodes: [{ ...node, data: { ...node?.data, config } }] });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'program').click({ position: { x: 90, y: 20 } });
    const code = page
      .getByRole('complementary', { name: 'Inspector' })
      .getByRole('textbox', { name: 'Code', exact: true });
    await code.locator('.cm-line').first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('export default ({ pho');
    // By mouse, because the list ignores keys immediately after it appears.
    await page.getByRole('option', { name: /photo/ }).click();
    await page.keyboard.type(' }) => ({ out: photo.');
    await page.getByRole('option', { name: /height/ }).waitFor();
    await page.keyboard.type('wi');
    // Until the list is filtered, a click is taken for an option of the new list.
    await page.getByRole('option', { name: /height/ }).waitFor({ state: 'detached' });
    await page.getByRole('option', { name: /width/ }).click();
    assert.match(
      (await code.textContent()) ?? '',
      /export default \(\{ photo \}\) => \(\{ out: photo\.width/,
    );
    assert.deepEqual(testPage.errors, []);
  });
});
