// Creates the pictures of docs/comfyui.md: the board of an imported graph, and the dialog with its inputs and outputs. Needs
// Chromium.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { signIn } from '../bench/sign-in.ts';
import { TEXT_TO_IMAGE } from '../test/graph/comfyui/ui-files.ts';
import { BROWSER_MISSING_REASON, openBrowser, VIEWS } from '../test/support/browser.ts';
import { startService } from './demo-service.ts';

const KEY = 'sk-comfyui-images-0000000';
const WIDTH = 1280;
const root = dirname(import.meta.dirname);

if (BROWSER_MISSING_REASON !== false) throw new Error(BROWSER_MISSING_REASON);
const folder = await mkdtemp(join(tmpdir(), 'graphwright-comfyui-'));
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
  await addServer(service.url, cookie);
  await page.goto(`/flow/${await importGraph(service.url, cookie)}`);
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
} finally {
  await browser.close();
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}

/** Stores the address of a server, so that the board does not ask for one. */
async function addServer(url: string, cookie: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({
      kind: 'comfyui',
      name: 'GPU 1',
      owner: 'workspace',
      values: { baseUrl: 'http://127.0.0.1:8188' },
    }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function importGraph(url: string, cookie: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/workflows/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ name: 'Fox', source: TEXT_TO_IMAGE }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { readonly workflow: { readonly id: string } }).workflow.id;
}

async function savePage(page: Page, name: string): Promise<void> {
  const path = join(root, 'docs', 'images', `${name}.webp`);
  const { size } = await sharp(await page.screenshot({ animations: 'disabled' }))
    .resize(WIDTH)
    .webp({ quality: 82 })
    .toFile(path);
  process.stdout.write(`${path}: ${size} bytes\n`);
}
