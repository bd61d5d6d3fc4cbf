// Tests fields that only a connection can fill: typing makes a connected input node in one undo step.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowPages } from './flow-dom.ts';
import { nodeOf, untilSaved } from './flow-page.ts';

const VIEW = { width: 1440, height: 900, colorScheme: 'light' } as const;

describe('the fields of a template', () => {
  const flow = setUpFlowPages();

  it('create a connected input node as one undo step', async () => {
    const id = await flow.create({
      nodes: [
        {
          id: 'video',
          type: 'basedNode',
          position: { x: 500, y: 0 },
          data: {
            label: 'Video',
            category: 'utility',
            nodeType: 'video:renderer',
            config: { templateId: 'product-reel' },
          },
        },
      ],
      edges: [],
    });
    await using testPage = await flow.open(id, VIEW);
    const { page } = testPage;
    await nodeOf(page, 'Video').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const field = inspector.getByLabel('Product name', { exact: true });
    await field.click();
    // Stops the clock, because edits that are a second apart, as on a slow machine, would be two undo steps.
    await page.evaluate(async () => {
      const { now } = Date;
      const startMs = now();
      Date.now = () => startMs;
      for (const letter of 'Ember Two') {
        document.execCommand('insertText', false, letter);
        await new Promise(resolve => setTimeout(resolve));
      }
      Date.now = now;
    });
    assert.equal(await field.inputValue(), 'Ember Two');
    await nodeOf(page, 'Product name').waitFor();
    await waitUntil('the input to be saved', async () => {
      const { nodes, edges } = await flow.read(id);
      const input = nodes.find(({ data }) => data.label === 'Product name');
      return (
        input?.data.nodeType === 'input:text' &&
        input.data.config?.value === 'Ember Two' &&
        edges.some(edge => edge.source === input.id && edge.targetHandle === 'in-product')
      );
    });
    // The placeholder shows the default of a property without a port. A port has no default.
    assert.equal(await inspector.getByLabel('Price', { exact: true }).getAttribute('placeholder'), '');
    assert.equal(
      await inspector.getByLabel('Accent color', { exact: true }).getAttribute('placeholder'),
      '#ff6b3d',
    );
    await inspector.getByText('The name shown with the picture.').waitFor();
    await inspector.getByText('Short lines, shown one after the other. Three fit best.').waitFor();
    await inspector.getByLabel('Product picture', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await nodeOf(page, 'Product name').waitFor({ state: 'detached' });
    assert.equal(await field.inputValue(), '');
    await untilSaved(page);
    assert.equal((await flow.read(id)).nodes.length, 1);
    await inspector
      .getByText(/What you enter becomes a connected Text node/)
      .first()
      .waitFor();
    await inspector.getByLabel('Price', { exact: true }).fill('5');
    await nodeOf(page, 'Price').waitFor();
    await inspector.getByText('Changes the node “Price”.').waitFor();
    // An emptied field leaves no node behind.
    await inspector.getByLabel('Price', { exact: true }).fill('');
    await nodeOf(page, 'Price').waitFor({ state: 'detached' });
  });

  it('edit the slides of a slideshow, whose connections move with them', async () => {
    const data = { category: 'input', nodeType: 'input:image', config: { url: 'https://a.example/b.png' } };
    const id = await flow.create({
      nodes: [
        { id: 'photo', type: 'basedNode', position: { x: 0, y: 0 }, data: { label: 'Photo', ...data } },
        {
          id: 'video',
          type: 'basedNode',
          position: { x: 500, y: 0 },
          data: {
            label: 'Video',
            category: 'video',
            nodeType: 'video:renderer',
            config: {
              templateId: 'photo-slideshow',
              props: {
                photos: [
                  { image: '', caption: 'First' },
                  { image: '', caption: 'Second' },
                ],
              },
            },
          },
        },
      ],
      edges: [
        { id: 'e', source: 'photo', target: 'video', sourceHandle: 'out-image', targetHandle: 'in-photo1' },
      ],
    });
    await using testPage = await flow.open(id, VIEW);
    const { page } = testPage;
    await nodeOf(page, 'Video').click({ position: { x: 90, y: 20 } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const slides = inspector.getByRole('group', { name: 'Photos' });
    await slides.getByText('from Photo', { exact: true }).waitFor();
    // The ports of slides have no further fields.
    assert.equal(await inspector.getByLabel('Caption', { exact: true }).count(), 2);
    assert.equal(await inspector.getByLabel('Caption 1', { exact: true }).count(), 0);
    await slides.getByRole('button', { name: 'Move slide 1 down' }).click();
    await inspector.getByLabel('Caption', { exact: true }).nth(0).fill('Then');
    await slides.getByRole('button', { name: 'Add slide' }).click();
    await untilSaved(page);
    await waitUntil('the slides to be saved', async () => {
      const { nodes, edges } = await flow.read(id);
      const props = nodes.find(({ data }) => data.label === 'Video')?.data.config?.props as {
        photos: { caption: string }[];
      };
      return (
        JSON.stringify(props.photos.map(({ caption }) => caption)) === '["Then","First",""]' &&
        edges[0]?.targetHandle === 'in-photo2'
      );
    });
    assert.deepEqual(testPage.errors, []);
  });
});
