// Tests what nodes show: fields that are edited in place, and other settings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { noiseImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { nodeOf, PICTURE } from './flow-page.ts';

describe('node cards', () => {
  const flow = setUpFlowPages();

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
});
