// Creates docs/images/editor.webp, the README's picture of the editor. With `--record`, also creates
// docs/images/editor-recording.webp, which shows a search for a node type, a drag of a node, and a run. Needs Chromium.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import { signIn } from '../bench/sign-in.ts';
import { BROWSER_MISSING_REASON, openBrowser, VIEWS } from '../test/support/browser.ts';
import { startService } from './demo-service.ts';

const KEY = 'sk-editor-image-00000000';
const EXAMPLE =
  process.argv.find(arg => arg.startsWith('--example='))?.slice('--example='.length) ?? 'postcard';
const WIDTH = 1280;
const FRAME_WIDTH = 1120;
const FRAME_MS = 120;
const root = dirname(import.meta.dirname);

if (BROWSER_MISSING_REASON !== false) throw new Error(BROWSER_MISSING_REASON);
const folder = await mkdtemp(join(tmpdir(), 'graphwright-editor-'));
const [service, browser] = await Promise.all([
  startService({ folder, apiKey: KEY, signal: AbortSignal.timeout(180_000) }),
  openBrowser('new'),
]);
try {
  const cookie = await signIn({
    url: service.url,
    fetch: (path, init) =>
      fetch(service.url + path, {
        ...init,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      }),
  });
  await using testPage = await browser.open(service.url, VIEWS[2], cookie);
  const { page } = testPage;
  await page.goto(`/flow/${await createWorkflow(service.url, cookie)}`);
  await page.getByRole('application', { name: 'Workflow canvas' }).waitFor();
  const frames: Buffer[] = [];
  await recordRun(page, frames);
  const image = join(root, 'docs', 'images', 'editor.webp');
  await save(
    sharp(await page.screenshot())
      .resize(WIDTH)
      .webp({ quality: 82 }),
    image,
  );
  if (process.argv.includes('--record')) {
    await recordResult(page, frames);
    const recordedFrames = await Promise.all(
      frames.map(frame => sharp(frame).resize(FRAME_WIDTH).png().toBuffer()),
    );
    const recording = sharp(recordedFrames, { join: { animated: true } }).webp({
      quality: 78,
      delay: recordedFrames.map(() => FRAME_MS),
    });
    await save(recording, join(root, 'docs', 'images', 'editor-recording.webp'));
  }
} finally {
  await browser.close();
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}

async function createWorkflow(url: string, cookie: string): Promise<string> {
  const { name, nodes, edges } = JSON.parse(
    await readFile(join(root, 'examples', `${EXAMPLE}.json`), 'utf8'),
  ) as { readonly name?: string; readonly nodes: unknown; readonly edges: unknown };
  const response = await fetch(`${url}/api/v1/workflows`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ name: name ?? EXAMPLE, nodes, edges }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { readonly id: string }).id;
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

async function save(image: Sharp, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const { size } = await image.toFile(path);
  process.stdout.write(`${path}: ${size} bytes\n`);
}
