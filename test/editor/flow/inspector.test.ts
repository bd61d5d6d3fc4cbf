// The inspector's fields: JSON with an editor, lists by rows, secrets by name, ports that a text gives rise to, defaults.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertAccessible, NO_BROWSER, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { type FlowTests, nodeOf, type SentGraph, startFlowTests, untilSaved } from './flow-page.ts';

const GRAPH = {
  secrets: { TOKEN: 'abc', OTHER: 'def' },
  nodes: [
    place('json', 'input', 'input:json', { value: { a: 1 } }, 0),
    place('list', 'input', 'input:list', { items: ['one', 2] }, 300),
    place('template', 'utility', 'utility:text_template', { template: 'A {{first}} text' }, 600),
  ],
  edges: [],
};

describe('the inspector', { skip: NO_BROWSER }, () => {
  let flow: FlowTests;

  before(async () => {
    flow = await startFlowTests();
  });
  after(() => flow?.close());

  it('edits JSON, lists and templates, each as what it is', async () => {
    const id = await flow.create(GRAPH);
    await using opened = await flow.open(id, VIEWS[3]);
    const { page } = opened;
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const configOf = async (nodeId: string): Promise<unknown> => {
      await untilSaved(page);
      return (await flow.read(id)).nodes.find(node => node.id === nodeId)?.data.config;
    };

    await nodeOf(page, 'json').click({ position: { x: 90, y: 20 } });
    const code = inspector.locator('.cm-content');
    await code.click();
    await page.keyboard.press('Control+a');
    // Brackets are closed as they are typed, and Backspace deletes no node.
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText('{"b": [true, "ü"]');
    await inspector.getByText(/This is not JSON/).waitFor();
    await page.keyboard.insertText('}');
    await inspector.getByText(/This is not JSON/).waitFor({ state: 'detached' });
    assert.deepEqual(await configOf('json'), { value: { b: [true, 'ü'] } });
    await takeScreenshot(page, 'flow-code', VIEWS[3]);
    await assertAccessible(page);

    await nodeOf(page, 'list').click({ position: { x: 90, y: 20 } });
    await inspector.getByRole('button', { name: 'Add an item' }).click();
    await inspector.getByLabel('Item 3', { exact: true }).fill('{"c": 3}');
    await inspector.getByRole('button', { name: 'Move item 3 up' }).click();
    await inspector.getByRole('button', { name: 'Remove item 1' }).click();
    assert.deepEqual((await configOf('list')) as object, { items: [{ c: 3 }, 2] });
    await takeScreenshot(page, 'flow-list', VIEWS[3]);
    await assertAccessible(page);

    await nodeOf(page, 'template').click({ position: { x: 90, y: 20 } });
    const field = inspector.getByLabel('Template', { exact: true });
    await field.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' {{second}} {{to');
    await page.getByRole('button', { name: 'Input second of template' }).waitFor();
    await inspector.getByRole('button', { name: '{{secrets.TOKEN}}' }).click();
    assert.equal(await field.inputValue(), 'A {{first}} text {{second}} {{secrets.TOKEN}}');
    assert.deepEqual(await configOf('template'), {
      template: 'A {{first}} text {{second}} {{secrets.TOKEN}}',
    });
    await page.keyboard.press('Control+z');
    assert.deepEqual(opened.errors, []);
  });

  it('chooses a video template by its picture, and shows a still of it', async () => {
    const id = await flow.create(VIDEO);
    await using opened = await flow.open(id);
    const { page } = opened;
    await nodeOf(page, 'video').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Choose by picture' }).click();
    const dialog = page.getByRole('dialog', { name: 'Video templates' });
    await dialog.getByRole('listitem').nth(2).waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('dialog img')].every(img => img.naturalWidth > 0),
    );
    await takeScreenshot(page, 'flow-video-templates', VIEWS[2]);
    await assertAccessible(page);
    await dialog.getByRole('button').filter({ hasText: /quote/i }).first().click();
    const still = inspector.getByRole('figure', { name: 'A still of the video' });
    await still.locator('img').waitFor();
    const first = await still.locator('img').getAttribute('src');
    await still.getByRole('slider', { name: 'Time of the still' }).fill('0');
    await page.waitForFunction(
      ([src]) =>
        document.querySelector('figure[aria-label="A still of the video"] img')?.getAttribute('src') !== src,
      [first],
    );
    await takeScreenshot(page, 'flow-still', VIEWS[2]);
    await assertAccessible(page);
    assert.deepEqual(opened.errors, []);
  });
});

const VIDEO: SentGraph = {
  nodes: [place('video', 'video', 'video:renderer', {}, 0)],
  edges: [],
};

function place(
  id: string,
  category: string,
  nodeType: string,
  config: object,
  y: number,
): SentGraph['nodes'][number] {
  return { id, type: 'basedNode', position: { x: 0, y }, data: { label: id, category, nodeType, config } };
}
