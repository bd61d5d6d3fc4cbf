// Tests what nodes show: fields that are edited in place, other settings, and results of every kind.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { BROWSER_MISSING_REASON, takeScreenshot, VIEWS } from '../../support/browser.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { clickTool, ideaOf, nodeOf, PICTURE, type SentGraph, untilIdea } from './flow-page.ts';

describe('node cards', { skip: BROWSER_MISSING_REASON }, () => {
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

  it('edit JSON, lists and files in place', async () => {
    const input = (kind: string, x: number) => ({
      id: kind,
      type: 'basedNode',
      position: { x, y: 0 },
      data: { label: kind, category: 'input', nodeType: `input:${kind}`, config: {} },
    });
    const id = await flow.create({
      nodes: [input('json', 0), input('list', 320), input('image', 640)],
      edges: [],
    });
    const configOf = async (node: string) =>
      (await flow.read(id)).nodes.find(each => each.id === node)?.data.config ?? {};
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const json = page.getByRole('textbox', { name: 'JSON of json' });
    await json.fill('{ "lens": 35');
    assert.equal(await json.getAttribute('aria-invalid'), 'true');
    assert.equal(await json.inputValue(), '{ "lens": 35', 'text that is not valid yet stays');
    await json.fill('{ "lens": 35 }');
    await waitUntil('the JSON to be saved', async () => {
      const { value } = await configOf('json');
      return (value as { lens?: number } | undefined)?.lens === 35;
    });
    const list = page.getByRole('textbox', { name: 'Items of list' });
    await list.click();
    await page.keyboard.type('a red boat\n');
    await page.keyboard.type('12\n');
    assert.equal(await list.inputValue(), 'a red boat\n12\n');
    await waitUntil('the list to be saved', async () =>
      isDeepStrictEqual((await configOf('list')).items, ['a red boat', 12]),
    );
    const image = nodeOf(page, 'image');
    const buffer = Buffer.from(await noiseImage(64, 48, 'png'));
    await image
      .locator('input[type=file]')
      .setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer });
    await page.getByRole('figure', { name: 'Result of image' }).locator('img').waitFor();
    const url = page.getByRole('textbox', { name: 'URL of image' });
    await waitUntil(
      'the file to be saved',
      async () => (await configOf('image')).url === (await url.inputValue()),
    );
    await page.keyboard.press('Escape');
    await url.fill('');
    await waitUntil('the file to be removed', async () => (await configOf('image')).url === undefined);
    await page.getByRole('button', { name: 'Choose from library for image' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose file' });
    await dialog.getByRole('button', { name: 'photo.png' }).first().click();
    await waitUntil('the choice to be saved', async () =>
      /photo\.png$/.test(String((await configOf('image')).url)),
    );
    await takeScreenshot(page, 'flow-inputs', VIEWS[2]);
    assert.deepEqual(testPage.errors, []);
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
    await page.waitForTimeout(300);
    const boxOf = async (label: string) => {
      const box = await nodeOf(page, label).boundingBox();
      assert.ok(box);
      return box;
    };
    const [card, next] = [await boxOf('Picture'), await boxOf('Below')];
    assert.ok(
      card.y + card.height <= next.y,
      `the card ends at ${card.y + card.height}, the next starts at ${next.y}`,
    );
    assert.ok(((await image.boundingBox())?.height ?? 0) >= 150, 'the result stays readable');
    await takeScreenshot(page, 'flow-tall-result', VIEWS[2]);
    await nodeOf(page, 'Below').click({ position: { x: 90, y: 20 } });
    await page.keyboard.press('Delete');
    await waitUntil(
      'the result to grow',
      async () => ((await boxOf('Picture')).height ?? 0) > card.height + 20,
    );
    assert.deepEqual(testPage.errors, []);
  });

  it('show changed settings as one line and hide connected fields', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const picture = nodeOf(page, 'Picture');
    assert.equal(await picture.getByRole('textbox').count(), 0);
    const chips = picture.getByRole('list', { name: 'Changed settings' });
    assert.deepEqual(await chips.getByRole('listitem').allTextContents(), [
      'Width 64',
      'Height 64',
      'Seed 1',
    ]);
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
