// Tests the inspector's fields: list rows, secret names, ports derived from text, defaults.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpFlowPages } from './flow-dom.ts';
import { nodeOf, type SentGraph, untilSaved } from './flow-page.ts';

const STILL_IMAGE = 'figure[aria-label="Video at the playhead"] img';

const GRAPH = {
  secrets: { TOKEN: 'abc', OTHER: 'def' },
  nodes: [
    createNode('list', 'input', 'input:list', { items: ['one', 2] }, 300),
    createNode('template', 'utility', 'utility:text_template', { template: 'A {{first}} text' }, 600),
  ],
  edges: [],
};

describe('the inspector', () => {
  const flow = setUpFlowPages();

  it('edits lists and templates with their own controls', async () => {
    const id = await flow.create(GRAPH);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const configOf = async (nodeId: string): Promise<unknown> => {
      await untilSaved(page);
      return (await flow.read(id)).nodes.find(node => node.id === nodeId)?.data.config;
    };

    await nodeOf(page, 'list').click({ position: { x: 90, y: 20 } });
    await inspector.getByRole('button', { name: 'Add item' }).click();
    await inspector.getByLabel('Item 3', { exact: true }).fill('{"c": 3}');
    await inspector.getByRole('button', { name: 'Move item 3 up' }).click();
    await inspector.getByRole('button', { name: 'Remove item 1' }).click();
    assert.deepEqual((await configOf('list')) as object, { items: [{ c: 3 }, 2] });

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
    assert.deepEqual(testPage.errors, []);
  });

  it('says that a node runs on this machine, and whose model it runs', async () => {
    const id = await flow.create({
      nodes: [createNode('upscale', 'utility', 'edit:upscale_local', {}, 0)],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'upscale').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('Runs on this machine. License of the model: MIT.').waitFor();
    const link = inspector.getByRole('link', { name: 'Where it comes from' });
    assert.equal(await link.getAttribute('href'), 'https://github.com/thekevinscott/UpscalerJS');
    assert.deepEqual(testPage.errors, []);
  });

  it('edits the ports of a program as rows', async () => {
    const config = {
      code: 'export default () => ({})',
      inputs: [{ id: 'photo', type: 'IMAGE' }],
      outputs: [{ id: 'out', type: 'ANY' }],
    };
    const id = await flow.create({
      nodes: [createNode('program', 'utility', 'utility:code', config, 0)],
      edges: [],
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const program = nodeOf(page, 'program');
    await program.click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const inputs = inspector.getByRole('group', { name: 'Inputs' });
    await inputs.getByRole('button', { name: 'Add to inputs' }).click();
    const name = inputs.getByLabel('Name of port 2');
    assert.equal(await name.inputValue(), 'input1');
    // Half a name is applied to no port.
    await name.fill('photo');
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    await inputs.getByText('Use letters, digits').waitFor();
    await name.fill('title');
    await name.press('Enter');
    await inputs.getByLabel('Type of port 2').selectOption('Text');
    await program.getByText('title', { exact: true }).waitFor();
    await inputs.getByRole('button', { name: 'Remove port 1' }).click();
    await program.getByText('photo', { exact: true }).waitFor({ state: 'detached' });
    await untilSaved(page);
    const [node] = (await flow.read(id)).nodes;
    assert.deepEqual(node?.data.config?.inputs, [{ id: 'title', type: 'TEXT' }]);
    assert.deepEqual(testPage.errors, []);
  });

  it('fixes issues one by one, all together and in the palette', async () => {
    const id = await flow.create(FLAWED);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const panel = page.getByRole('region', { name: 'Issues' });
    await panel.getByRole('button', { name: '8 warnings' }).click();
    await nodeOf(page, 'blur').getByRole('img', { name: '3 warnings' }).waitFor();

    await panel.getByRole('button', { name: 'Set to 200' }).click();
    await panel.getByRole('button', { name: '7 warnings' }).waitFor();
    await untilSaved(page);
    const radius = async (): Promise<unknown> => (await flow.read(id)).nodes[1]?.data.config?.radius;
    assert.equal(await radius(), 200);
    await page.keyboard.press('Control+z');
    await panel.getByRole('button', { name: '8 warnings' }).waitFor();

    await panel.getByRole('button', { name: 'Fix all 5' }).click();
    await panel.getByRole('button', { name: '3 warnings' }).waitFor();
    await page.getByRole('button', { name: 'Output Image of Video frame' }).waitFor();
    await untilSaved(page);
    assert.deepEqual(
      (await flow.read(id)).nodes.map(({ data }) => data.config),
      [{}, { radius: 200 }, {}, {}, {}, {}],
    );

    await panel.getByRole('button', { name: 'Set A' }).click();
    await page.waitForFunction(() => document.activeElement?.closest('[data-input="a"]') !== null);
    await page.keyboard.type('3');
    await panel.getByRole('button', { name: '2 warnings' }).waitFor();
    await panel.getByRole('button', { name: 'Set Input' }).click();
    await page
      .getByRole('dialog', { name: 'Add node' })
      .getByRole('option', { name: 'Number' })
      .first()
      .click();
    await panel.getByRole('button', { name: '1 warning' }).waitFor();
    await untilSaved(page);
    assert.deepEqual((await flow.read(id)).edges.at(-1)?.targetHandle, 'in-input');
    assert.deepEqual(testPage.errors, []);
  });

  it('edits the secrets of the workflow', async () => {
    const id = await flow.create(GRAPH);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.keyboard.press('/');
    await page.getByRole('dialog').getByRole('combobox').fill('secrets');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Secrets' });
    await dialog.getByRole('button', { name: 'Remove OTHER' }).click();
    await dialog.getByRole('button', { name: 'Remove OTHER' }).waitFor({ state: 'detached' });
    await dialog.getByLabel('Name').fill('NEW_ONE');
    await dialog.getByLabel('Value').fill('s3cret');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('button', { name: 'Remove NEW_ONE' }).waitFor();
    // Hosts can be added to a secret without typing the value of the secret again.
    await dialog.getByLabel('Name').fill('NEW_ONE');
    await dialog.getByLabel('Hosts (optional)').fill('api.example.com, *.example.org:8443');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.getByText('Sent only to api.example.com, *.example.org:8443').waitFor();
    const { secrets } = await flow.send<{ secrets: object }>('GET', `/workflows/${id}`);
    assert.deepEqual(secrets, {
      TOKEN: 'abc',
      NEW_ONE: { value: 's3cret', hosts: ['api.example.com', '*.example.org:8443'] },
    });
    await page.keyboard.press('Escape');
    // The board continues from the newer version without a conflict.
    await nodeOf(page, 'template').click({ position: { x: 90, y: 20 } });
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Label').fill('renamed');
    await untilSaved(page);
    assert.equal((await flow.read(id)).nodes[1]?.data.label, 'renamed');
    assert.deepEqual(testPage.errors, []);
  });

  it('selects a video template by its image and shows a frame of the video', async () => {
    const id = await flow.create(VIDEO);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await nodeOf(page, 'video').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Browse templates' }).click();
    const dialog = page.getByRole('dialog', { name: 'Video templates' });
    await dialog.getByRole('listitem').nth(2).waitFor();
    await dialog.getByRole('button').filter({ hasText: /quote/i }).first().click();
    const still = inspector.getByRole('figure', { name: 'Video frame' });
    await still.locator('img').waitFor();
    const first = await still.locator('img').getAttribute('src');
    await still.getByRole('slider', { name: 'Frame time' }).fill('0');
    await page.waitForFunction(
      ([src]) => document.querySelector('figure[aria-label="Video frame"] img')?.getAttribute('src') !== src,
      [first],
    );
    assert.deepEqual(testPage.errors, []);
  });

  it('loads templates and the scene editor again after a lost connection', async () => {
    const id = await flow.create(VIDEO);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const loseOnce = (path: string) =>
      page.route(`**${path}`, route => route.abort('connectionreset'), { times: 1 });
    await nodeOf(page, 'video').click({ position: { x: 90, y: 20 } });
    await loseOnce('/app/renderer/templates');
    await page.getByRole('button', { name: 'Browse templates' }).click();
    await page.getByRole('dialog', { name: 'Video templates' }).getByRole('listitem').nth(2).waitFor();
    await page.keyboard.press('Escape');
    await loseOnce('/app/renderer/scene-graph?include=schema');
    await page.getByRole('button', { name: 'Edit scenes' }).click();
    await page
      .getByRole('dialog', { name: 'Video scenes' })
      .getByRole('button', { name: 'Add a scene' })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('edits the layers of video scenes with stills that are not stored', async () => {
    const id = await flow.create(VIDEO);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    const configOf = async (): Promise<unknown> => {
      await untilSaved(page);
      return (await flow.read(id)).nodes[0]?.data.config;
    };
    const untilDrawn = async (before: string | null): Promise<string | null> => {
      await page.waitForFunction(
        ([selector, src]) => {
          const image = document.querySelector(String(selector));
          return image !== null && image.getAttribute('src') !== src;
        },
        [STILL_IMAGE, before],
      );
      return page.locator(STILL_IMAGE).getAttribute('src');
    };
    const media = await flow.send<{ data: readonly unknown[] }>('GET', '/media?limit=100');
    await nodeOf(page, 'video').click({ position: { x: 90, y: 20 } });
    await page.getByRole('button', { name: 'Edit scenes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Video scenes' });
    await dialog.getByRole('button', { name: 'Add a scene' }).click();
    const first = await untilDrawn(null);
    assert.match(first ?? '', /^data:image\/webp/);

    const layers = dialog.getByRole('region', { name: 'Layers' });
    await layers.getByRole('button', { name: 'Text: Hello' }).click();
    const form = dialog.getByRole('region', { name: 'Layer fields' });
    await form.getByLabel('Text', { exact: true }).fill('Good evening');
    await form.getByLabel('Font size', { exact: true }).fill('18vmin');
    const second = await untilDrawn(first);
    await layers.getByLabel('New layer').selectOption('shape');
    await layers.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByLabel('Shape', { exact: true }).selectOption('star');
    await layers.getByRole('button', { name: 'Move up' }).click();
    const third = await untilDrawn(second);
    await dialog.getByRole('slider', { name: 'Playhead' }).fill('0');
    await untilDrawn(third);
    await dialog
      .getByRole('button', { name: /^Scene 1/ })
      .first()
      .click();
    await form.getByRole('textbox', { name: 'Duration', exact: true }).fill('1.5s');
    const scene = (star: object | undefined, duration: unknown) => ({
      props: {
        sceneGraph: {
          fps: 30,
          width: 1080,
          height: 1080,
          scenes: [
            {
              duration,
              background: '#15100d',
              elements: [
                ...(star === undefined ? [] : [star]),
                {
                  type: 'text',
                  text: 'Good evening',
                  fontSize: '18vmin',
                  motion: { in: { preset: 'fade' } },
                },
              ],
            },
          ],
        },
      },
    });
    const star = { type: 'shape', shape: 'star', width: '40%', height: '20%', fill: '#ffffff' };
    assert.deepEqual(await configOf(), scene(star, '1.5s'));

    await layers.getByRole('button', { name: 'Shape' }).click();
    await layers.getByRole('button', { name: 'Remove layer' }).click();
    await layers.getByRole('button', { name: 'Shape' }).waitFor({ state: 'detached' });
    assert.deepEqual(await configOf(), scene(undefined, '1.5s'));
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await layers.getByRole('button', { name: 'Shape' }).waitFor();
    assert.deepEqual(await configOf(), scene(star, '1.5s'));
    const after = await flow.send<{ data: readonly unknown[] }>('GET', '/media?limit=100');
    assert.equal(after.data.length, media.data.length);
    assert.deepEqual(testPage.errors, []);
  });
});

/**
 * Eight warnings: a key, a number and an edge type at the blur; a mode, a port and two missing values at the sum; no
 * edge to the end.
 */
const FLAWED: SentGraph = {
  nodes: [
    createNode('film', 'input', 'input:video', {}, 0),
    createNode('blur', 'utility', 'utility:image_blur', { radius: 4000, sharpness: 2 }, 300),
    createNode('picture', 'input', 'input:image', {}, 600),
    createNode('sum', 'utility', 'utility:math', { operation: 'adding it' }, 900),
    createNode('end', 'output', 'output:preview', {}, 1200),
  ],
  edges: [
    { id: 'a', source: 'film', target: 'blur', sourceHandle: 'out-video', targetHandle: 'in-image' },
    { id: 'b', source: 'picture', target: 'sum', sourceHandle: 'out-image', targetHandle: 'in-c' },
  ],
};

const VIDEO: SentGraph = {
  nodes: [createNode('video', 'video', 'video:renderer', {}, 0)],
  edges: [],
};

function createNode(
  id: string,
  category: string,
  nodeType: string,
  config: object,
  y: number,
): SentGraph['nodes'][number] {
  return { id, type: 'basedNode', position: { x: 0, y }, data: { label: id, category, nodeType, config } };
}
