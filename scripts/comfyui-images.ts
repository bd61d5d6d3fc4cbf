// Creates the pictures of docs/comfyui.md: the board of an imported graph, and the dialog with its inputs and outputs. Needs
// Chromium.
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { TEXT_TO_IMAGE } from '../test/graph/comfyui/ui-files.ts';
import { openPicturePage, savePicture } from './picture-page.ts';

const WIDTH = 1280;

await using pictures = await openPicturePage();
const { page, post } = pictures;
// With a server, the board does not ask for one.
await post('/credentials', {
  kind: 'comfyui',
  name: 'GPU 1',
  owner: 'workspace',
  values: { baseUrl: 'http://127.0.0.1:8188' },
});
const { workflow } = await post<{ readonly workflow: { readonly id: string } }>('/workflows/import', {
  name: 'Fox',
  source: TEXT_TO_IMAGE,
});
await page.goto(`/flow/${workflow.id}`);
await page.getByRole('application', { name: 'Workflow canvas' }).waitFor();
await page.getByRole('group', { name: 'Fox', exact: true }).click({ position: { x: 90, y: 20 } });
const inspector = page.getByRole('complementary', { name: 'Inspector' });
await inspector.getByRole('button', { name: 'Inputs and outputs' }).waitFor();
await page.waitForLoadState('networkidle');
await savePage(page, 'comfyui-board');
await inspector.getByRole('button', { name: 'Inputs and outputs' }).click();
const dialog = page.getByRole('dialog', { name: 'Inputs and outputs' });
await dialog.getByRole('group', { name: 'Graph' }).locator('canvas').waitFor();
await dialog.getByLabel('Seed of KSampler').selectOption('field');
await dialog.getByLabel('Width of EmptyLatentImage').selectOption('port');
await dialog.getByRole('heading', { name: 'Inputs', exact: true }).scrollIntoViewIfNeeded();
await page.waitForLoadState('networkidle');
await savePage(page, 'comfyui-inputs');

async function savePage(shown: Page, name: string): Promise<void> {
  const screenshot = await shown.screenshot({ animations: 'disabled' });
  await savePicture(sharp(screenshot).resize(WIDTH).webp({ quality: 82 }), name);
}
