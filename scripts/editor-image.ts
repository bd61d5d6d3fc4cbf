// Creates docs/images/editor.webp, the README's picture of the editor. With `--record`, also creates
// docs/images/editor-recording.webp, which shows a search for a node type, a drag of a node, and a run. Needs Chromium.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { openPicturePage, savePicture } from './picture-page.ts';

const EXAMPLE =
  process.argv.find(arg => arg.startsWith('--example='))?.slice('--example='.length) ?? 'postcard';
const EXAMPLES = join(import.meta.dirname, '../examples');
const WIDTH = 1280;
const FRAME_WIDTH = 1120;
const FRAME_MS = 120;

await using pictures = await openPicturePage();
const { page, post } = pictures;
const {
  name = EXAMPLE,
  nodes,
  edges,
} = JSON.parse(await readFile(join(EXAMPLES, `${EXAMPLE}.json`), 'utf8')) as {
  readonly name?: string;
  readonly nodes: unknown;
  readonly edges: unknown;
};
const { id } = await post<{ readonly id: string }>('/workflows', { name, nodes, edges });
await page.goto(`/flow/${id}`);
await page.getByRole('application', { name: 'Workflow canvas' }).waitFor();
const frames: Buffer[] = [];
await recordRun(page, frames);
const screenshot = sharp(await page.screenshot()).resize(WIDTH);
await savePicture(screenshot.webp({ quality: 82 }), 'editor');
if (process.argv.includes('--record')) {
  await recordResult(page, frames);
  const recordedFrames = await Promise.all(
    frames.map(frame => sharp(frame).resize(FRAME_WIDTH).png().toBuffer()),
  );
  const recording = sharp(recordedFrames, { join: { animated: true } }).webp({
    quality: 78,
    delay: recordedFrames.map(() => FRAME_MS),
  });
  await savePicture(recording, 'editor-recording');
}

/** Searches the palette, drags a node back and forth, and runs the workflow. */
async function recordRun(page: Page, frames: Buffer[]): Promise<void> {
  const takeFrame = async (): Promise<void> => void frames.push(await page.screenshot());
  await recordPalette(page, takeFrame);
  const box = await page.locator('[data-node-id]').first().boundingBox();
  if (box !== null) {
    await page.mouse.move(box.x + 60, box.y + 10);
    await page.mouse.down();
    for (const step of [1, 2, 3, 4, 3, 2, 1, 0]) {
      await page.mouse.move(box.x + 60 + step * 12, box.y + 10 + step * 9);
      await takeFrame();
    }
    await page.mouse.up();
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const completed = page.getByText('Completed', { exact: true });
  for (let tries = 0; tries < 100 && !(await completed.isVisible()); tries++) await takeFrame();
  await completed.waitFor();
  await page.waitForLoadState('networkidle');
  await takeFrames(takeFrame, 8);
}

async function takeFrames(takeFrame: () => Promise<void>, count: number): Promise<void> {
  for (let frame = 0; frame < count; frame++) await takeFrame();
}

async function recordPalette(page: Page, takeFrame: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Add node', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Add node' });
  await dialog.getByRole('option').first().waitFor();
  await takeFrames(takeFrame, 5);
  for (const letter of 'video') {
    await page.keyboard.type(letter);
    await takeFrames(takeFrame, 2);
  }
  await takeFrames(takeFrame, 4);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

/** Opens the result of the run and records the dialog. */
async function recordResult(page: Page, frames: Buffer[]): Promise<void> {
  const takeFrame = async (): Promise<void> => void frames.push(await page.screenshot());
  await page.getByRole('figure', { name: 'Result of Preview' }).getByRole('button').first().click();
  const dialog = page.getByRole('dialog', { name: 'Result of Preview' });
  await dialog.locator('img').first().waitFor();
  await page.waitForLoadState('networkidle');
  await takeFrames(takeFrame, 14);
}
