// Tests what the panels beside the board list: versions and their changes, and the outline of a phone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpFlowPages } from './flow-dom.ts';
import { clickTool, PICTURE } from './flow-page.ts';

const PHONE = { width: 390, height: 844, colorScheme: 'light' } as const;

describe('the panels of the board', () => {
  const flow = setUpFlowPages();

  it('lists versions with their author and a summary of the changes', async () => {
    const id = await flow.create(PICTURE);
    await flow.send('PUT', `/workflows/${id}`, {
      name: 'Board',
      ...PICTURE,
      nodes: PICTURE.nodes.map((node, index) =>
        index === 0 ? { ...node, data: { ...DATA, config: { value: 'a whale' } } } : node,
      ),
    });
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await clickTool(page, 'Versions');
    const panel = page.getByRole('complementary', { name: 'Versions' });
    await panel.getByText('Text of Idea changed').waitFor();
    await panel.getByText('Created with 3 nodes').waitFor();
    await panel.getByText('Ana · ').first().waitFor();
    assert.equal(await panel.getByRole('listitem').count(), 2);
    assert.deepEqual(testPage.errors, []);
  });

  it('shows why the changes of a version could not be loaded, and loads them on retry', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page } = testPage;
    await page.route(
      '**/versions/1',
      route => route.fulfill({ status: 403, json: { error: 'No access.', code: 'forbidden' } }),
      { times: 1 },
    );
    await clickTool(page, 'Versions');
    const panel = page.getByRole('complementary', { name: 'Versions' });
    const alert = panel.getByRole('alert');
    await alert.getByText('No access.').waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await panel.getByText('Created with 3 nodes').waitFor();
    assert.equal(await alert.count(), 0);
  });

  it('shows the text of a sticky note in the outline of a phone', async () => {
    const data = {
      label: 'Note',
      category: 'utility',
      nodeType: 'utility:sticky_note',
      config: { text: 'Replace the models.' },
    };
    const node = { id: 'note', type: 'stickyNote', position: { x: 0, y: 0 }, data };
    const id = await flow.create({ nodes: [node], edges: [] });
    await using testPage = await flow.browser.open(flow.service.url, PHONE, flow.cookie);
    const { page } = testPage;
    await page.goto(`/flow/${id}`);
    const item = page.getByRole('list', { name: 'Outline' }).getByRole('listitem').first();
    await item.getByText('Replace the models.').waitFor();
  });

  it('counts warnings in the outline of a phone as warnings', async () => {
    const data = {
      label: 'Blur',
      category: 'utility',
      nodeType: 'utility:image_blur',
      config: { radius: 4000 },
    };
    const node = { id: 'blur', type: 'basedNode', position: { x: 0, y: 0 }, data };
    const id = await flow.create({ nodes: [node], edges: [] });
    await using testPage = await flow.browser.open(flow.service.url, PHONE, flow.cookie);
    const { page } = testPage;
    await page.goto(`/flow/${id}`);
    const item = page.getByRole('list', { name: 'Outline' }).getByRole('listitem').first();
    await item.getByText(/^\d+ warnings?$/).waitFor();
  });
});

const DATA = { label: 'Idea', category: 'input', nodeType: 'input:text' };
