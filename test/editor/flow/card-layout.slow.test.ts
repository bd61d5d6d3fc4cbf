// Tests the size of nodes and the caret of their fields, in Chromium.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BROWSER_MISSING_REASON, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { clickTool, ideaOf, nodeOf, PICTURE, type SentGraph, untilIdea } from './flow-page.ts';

describe('the size and the fields of node cards', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('edit their main field in place as one undo step', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const field = nodeOf(page, 'Idea').getByRole('textbox', { name: 'Text of Idea' });
    await field.click();
    await page.keyboard.press('End');
    // In one task, because edits that are a second apart are two undo steps.
    await page.evaluate(() => {
      for (const text of [' at dawn', ', in fog']) document.execCommand('insertText', false, text);
    });
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-node-id') === 'idea');
    await page.keyboard.press('Control+z');
    assert.equal(await field.inputValue(), 'a boat');
    // The caret stays where it is, although each key changes the board.
    await field.click();
    await page.keyboard.press('Home');
    await page.keyboard.type('Paint ');
    assert.equal(await field.inputValue(), 'Paint a boat');
    await untilIdea(flow, id, 'Paint a boat');
    assert.deepEqual(testPage.errors, []);
  });

  it('show in the inspector the node whose field is edited', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'Picture').click({ position: { x: 90, y: 20 } });
    const label = page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label', { exact: true });
    assert.equal(await label.inputValue(), 'Picture');
    const field = nodeOf(page, 'Idea').getByRole('textbox', { name: 'Text of Idea' });
    await field.click();
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-card-field') === 'value');
    assert.equal(await label.inputValue(), 'Idea');
  });

  it('cut off a tall result only if another node is below', async () => {
    const picture = {
      id: 'picture',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: {
        label: 'Picture',
        category: 'model',
        nodeType: 'generate:sandbox',
        config: { prompt: 'a tower', width: 360, height: 640 },
      },
    };
    const below = {
      id: 'below',
      type: 'basedNode',
      position: { x: 40, y: 440 },
      data: { label: 'Below', category: 'input', nodeType: 'input:text', config: { value: 'x' } },
    };
    const id = await flow.create({ nodes: [picture, below], edges: [] });
    await flow.send('POST', `/workflows/${id}/run`, { targets: ['picture'] });
    await flow.untilRuns(id, 1);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Zoom to 100%' }).click();
    const image = page.getByRole('figure', { name: 'Result of Picture' }).locator('img');
    await image.waitFor();
    // The height of the card follows when the picture's size is known.
    await page.waitForFunction(() => {
      const img = document.querySelector<HTMLImageElement>('figure img');
      return img?.complete === true && img.naturalWidth > 0;
    });
    const boxOf = async (label: string) => {
      const box = await nodeOf(page, label).boundingBox();
      assert.ok(box);
      return box;
    };
    // The card grows with its picture. At its final size, the picture stays readable.
    await waitUntil('the result to grow', async () => ((await image.boundingBox())?.height ?? 0) >= 150);
    const [card, next] = [await boxOf('Picture'), await boxOf('Below')];
    assert.ok(
      card.y + card.height <= next.y,
      `the card ends at ${card.y + card.height}, the next starts at ${next.y}`,
    );
    await takeScreenshot(page, 'flow-tall-result', VIEWS[2]);
    await nodeOf(page, 'Below').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('Delete');
    await waitUntil(
      'the result to grow',
      async () => ((await boxOf('Picture')).height ?? 0) > card.height + 20,
    );
    assert.deepEqual(testPage.errors, []);
  });

  it('move when a field is dragged', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const box = await nodeOf(page, 'Idea').getByRole('textbox').boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 30, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + 110, { steps: 5 });
    await page.mouse.up();
    await waitUntil('the node to move', async () => {
      const { nodes } = await flow.read(id);
      return (nodes.find(node => node.id === 'idea')?.position.y ?? 0) > 50;
    });
    assert.equal(ideaOf(await flow.read(id)), 'a boat');
  });

  it('show results of every kind at their own aspect ratio', async () => {
    const id = await flow.create(RESULTS);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await clickTool(page, 'Run');
    await flow.untilRuns(id, 1);
    const aspects = { Tall: 9 / 16, Many: 9 / 16, Wide: 12 / 5 };
    for (const [label, aspect] of Object.entries(aspects)) {
      const picture = page.getByRole('figure', { name: `Result of ${label}` }).locator('img');
      await picture.waitFor();
      await waitUntil(`the picture of ${label}`, () =>
        picture.evaluate((element, expected) => {
          const image = element as HTMLImageElement;
          const isWhole = Math.abs(image.naturalWidth / image.naturalHeight - expected) < 0.02;
          const zoom = Number(
            /scale\((.+?)\)/.exec(
              document.querySelector<HTMLElement>('.react-flow__viewport')?.style.transform ?? '',
            )?.[1],
          );
          const { width, height } = image.getBoundingClientRect();
          // A wide picture fills the width, and a tall picture is at least 160 pixels high.
          const shownHeight = Math.min(height, width / expected) / zoom;
          return isWhole && shownHeight >= Math.min(160, 280 / expected);
        }, aspect),
      );
    }
    await page.getByRole('figure', { name: 'Result of Joined' }).getByText('one, two').waitFor();
    await page.getByRole('figure', { name: 'Result of Data' }).getByText('"name": "one"').waitFor();
    await page.getByRole('figure', { name: 'Result of Parts' }).getByText('two').waitFor();
    await takeScreenshot(page, 'flow-results', VIEWS[2]);
    assert.deepEqual(testPage.errors, []);
  });
});

function node(id: string, x: number, label: string, nodeType: string, config: object = {}, y = 0): object {
  const [family = ''] = nodeType.split(':');
  const category = { generate: 'model', edit: 'model' }[family] ?? family;
  return { id, type: 'basedNode', position: { x, y }, data: { label, category, nodeType, config } };
}

const RESULTS: SentGraph = {
  nodes: [
    node('one', 0, 'One', 'input:text', { value: 'one' }),
    node('two', 0, 'Two', 'input:text', { value: 'two' }, 300),
    node('joined', 400, 'Joined', 'utility:prompt_concat'),
    node('data', 400, 'Data', 'utility:json_build', { keys: ['name'] }, 400),
    node('parts', 800, 'Parts', 'utility:text_split', { separator: ', ' }),
    node('tall', 800, 'Tall', 'generate:sandbox', { width: 288, height: 512 }, 400),
    node('wide', 1200, 'Wide', 'generate:sandbox', { width: 768, height: 320 }),
    node('many', 1200, 'Many', 'utility:image_composite', {}, 400),
  ],
  edges: [
    edge('one', 'text', 'joined', 'text1'),
    edge('two', 'text', 'joined', 'text2'),
    edge('one', 'text', 'data', 'name'),
    edge('joined', 'text', 'parts', 'text'),
    edge('one', 'text', 'tall', 'prompt'),
    edge('one', 'text', 'wide', 'prompt'),
    edge('tall', 'image', 'many', 'image'),
    edge('tall', 'image', 'many', 'overlay'),
  ],
};

function edge(source: string, from: string, target: string, to: string): object {
  const ports = { sourceHandle: `out-${from}`, targetHandle: `in-${to}` };
  return { id: `${source}-${target}-${to}`, source, target, ...ports };
}
