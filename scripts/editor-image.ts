// Makes docs/images/editor.webp, the README's picture of the editor, and with `--record` a short recording of a workflow that
// is moved, run and looked at (test-output/editor.webp). Needs Chromium.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import { signIn } from '../bench/sign-in.ts';
import { NO_BROWSER, openBrowser, VIEWS } from '../test/support/browser.ts';
import { startService } from './demo-service.ts';

const KEY = 'sk-editor-image-00000000';
const EXAMPLE =
  process.argv.find(arg => arg.startsWith('--example='))?.slice('--example='.length) ?? 'postcard';
const WIDTH = 1280;
const FRAME_WIDTH = 800;
const FRAME_MS = 120;
const root = dirname(import.meta.dirname);

if (NO_BROWSER !== false) throw new Error(NO_BROWSER);
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
  await using opened = await browser.open(service.url, VIEWS[2], cookie);
  const { page } = opened;
  await page.goto(`/flow/${await createWorkflow(service.url, cookie)}`);
  await page.getByRole('application', { name: 'Workflow canvas' }).waitFor();
  const frames: Buffer[] = [];
  await showRun(page, frames);
  const image = join(root, 'docs', 'images', 'editor.webp');
  await save(
    sharp(await page.screenshot())
      .resize(WIDTH)
      .webp({ quality: 82 }),
    image,
  );
  if (process.argv.includes('--record')) {
    const small = await Promise.all(frames.map(frame => sharp(frame).resize(FRAME_WIDTH).png().toBuffer()));
    const film = sharp(small, { join: { animated: true } }).webp({
      quality: 60,
      delay: small.map(() => FRAME_MS),
    });
    await save(film, join(root, 'test-output', 'editor.webp'));
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
  const answer = await fetch(`${url}/api/v1/workflows`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ name: name ?? EXAMPLE, nodes, edges }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { readonly id: string }).id;
}

/** A node is moved and put back, then all is run until it is done. */
async function showRun(page: Page, frames: Buffer[]): Promise<void> {
  const take = async (): Promise<void> => void frames.push(await page.screenshot());
  const head = await page.locator('[data-node-id]').first().boundingBox();
  if (head !== null) {
    await page.mouse.move(head.x + 60, head.y + 10);
    await page.mouse.down();
    for (const step of [1, 2, 3, 4, 3, 2, 1, 0]) {
      await page.mouse.move(head.x + 60 + step * 12, head.y + 10 + step * 9);
      await take();
    }
    await page.mouse.up();
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const done = page.getByText('Completed', { exact: true });
  for (let tries = 0; tries < 100 && !(await done.isVisible()); tries++) await take();
  await done.waitFor();
  await page.waitForLoadState('networkidle');
  for (let rest = 0; rest < 8; rest++) await take();
}

async function save(picture: Sharp, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const { size } = await picture.toFile(path);
  process.stdout.write(`${path}: ${size} bytes\n`);
}
