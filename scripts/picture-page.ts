// Opens the web application of a new service in Chromium, for the pictures of the documentation.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Sharp } from 'sharp';
import { signIn } from '../bench/sign-in.ts';
import { BROWSER_MISSING_REASON, openBrowser, VIEWS } from '../test/support/browser.ts';
import { startService } from './demo-service.ts';

const KEY = 'sk-documentation-images-00';
const START_TIMEOUT_MS = 180_000;
const IMAGES = join(import.meta.dirname, '../docs/images');

export interface PicturePage extends AsyncDisposable {
  /** Signed in, on a desktop. */
  readonly page: Page;
  /** Sends a request of the API as the signed-in user. Throws the response if it is no success. */
  post<T>(path: string, body: unknown): Promise<T>;
}

export async function openPicturePage(): Promise<PicturePage> {
  if (BROWSER_MISSING_REASON !== false) throw new Error(BROWSER_MISSING_REASON);
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-images-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const service = stack.use(
    await startService({ folder, apiKey: KEY, signal: AbortSignal.timeout(START_TIMEOUT_MS) }),
  );
  const browser = await openBrowser('new');
  stack.defer(() => browser.close());
  const { url } = service;
  const cookie = await signIn({
    url,
    fetch: (path, init) =>
      fetch(url + path, {
        ...init,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      }),
  });
  const { page } = stack.use(await browser.open(url, VIEWS[2], cookie));
  const opened = stack.move();
  return {
    page,
    async post<T>(path: string, body: unknown): Promise<T> {
      const response = await fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as T;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Stores the picture as docs/images/NAME.webp, and prints its size. */
export async function savePicture(picture: Sharp, name: string): Promise<void> {
  const path = join(IMAGES, `${name}.webp`);
  await mkdir(dirname(path), { recursive: true });
  const { size } = await picture.toFile(path);
  process.stdout.write(`${path}: ${size} bytes\n`);
}
