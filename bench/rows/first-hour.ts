// Measures the first hour: the time from the first start to the end of a template's run in a browser, the first paint of
// the gallery, and the storage of copied templates.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { SHIPPED_FOLDER } from '../../src/runs/templates/shipped-templates.ts';
import { readTemplateFolder } from '../../src/runs/templates/template-files.ts';
import { BROWSER_MISSING_REASON, openBrowser, type TestBrowser, VIEWS } from '../../test/support/browser.ts';
import { findFreePort } from '../../test/support/network/free-port.ts';
import { median, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startBenchService, startPlainService } from '../service.ts';
import { signIn } from '../sign-in.ts';
import { measureLargestPaintMs } from './editor.ts';

const CLI = join(import.meta.dirname, '../../bin/graphwright.js');
const TEMPLATE = 'Make a picture';
const LINK_TIMEOUT_MS = 60_000;
const COPY_CONCURRENCY = 10;

export async function* runFirstHourRows(isShort: boolean): AsyncGenerator<Row> {
  const rounds = isShort ? 1 : 3;
  const { templates } = readTemplateFolder(SHIPPED_FOLDER);
  const sizes = await Promise.all(templates.map(({ folder }) => stat(join(folder, 'card.webp'))));
  yield {
    figure: `cards of all ${templates.length} templates`,
    value: sizes.reduce((sum, { size }) => sum + size, 0) / 1e6,
    unit: 'MB',
    target: { value: 1, is: 'at most' },
  };
  yield await measureCopies(isShort ? 20 : 10_000);
  if (BROWSER_MISSING_REASON !== false) {
    process.stderr.write(`${BROWSER_MISSING_REASON}\n`);
    return;
  }
  const browser = await openBrowser('new');
  try {
    yield* await measureFirstRun(browser, rounds);
    yield await measureGallery(browser, templates.length, rounds);
  } finally {
    await browser.close();
  }
}

/** Copies one template many times. All copies share the files of its sample. */
async function measureCopies(count: number): Promise<Row> {
  const folder = await makeFolder();
  const service = await startBenchService(folder);
  try {
    const copy = async (): Promise<void> => {
      const response = await service.fetch('/api/v1/templates/tpl_one-prompt-four-models/duplicate', {
        method: 'POST',
        body: '{}',
      });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    };
    await copy();
    const media = join(folder, 'data', 'media');
    const bytesBefore = await readFolderSize(media);
    const { seconds } = await runLoad(COPY_CONCURRENCY, { count: count - 1 }, copy);
    return {
      figure: `bytes of media that ${count} copies of a template need, compared with one copy`,
      value: (await readFolderSize(media)) / bytesBefore,
      unit: 'times',
      target: { value: 1, is: 'at most' },
      note: `${Math.round(bytesBefore / 1000)} KB; ${Math.round((count - 1) / seconds)} copies per second`,
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

async function readFolderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

async function measureFirstRun(browser: TestBrowser, rounds: number): Promise<readonly Row[]> {
  const results: FirstRun[] = [];
  for (let round = 0; round < rounds; round++) results.push(await runFirstTemplate(browser));
  const seconds = results.map(({ ms }) => ms / 1000);
  return [
    {
      figure: 'from the first start in an empty folder to a template that has run, by clicks in a browser',
      value: median(seconds),
      unit: 's',
      target: { value: 15, is: 'at most' },
      note: `rounds ${seconds.map(value => value.toFixed(1)).join(', ')}; the setup link after ${median(results.map(({ linkMs }) => linkMs)).toFixed(0)} ms`,
    },
    {
      figure: 'clicks on that way',
      value: Math.max(...results.map(({ clicks }) => clicks)),
      unit: '',
      target: { value: 6, is: 'at most' },
      note: 'name, email and password are typed',
    },
  ];
}

interface FirstRun {
  readonly ms: number;
  readonly linkMs: number;
  readonly clicks: number;
}

/** Starts the service as `npm start` does, opens the setup link that the service prints, and runs a template. */
async function runFirstTemplate(browser: TestBrowser): Promise<FirstRun> {
  const folder = await makeFolder();
  const port = await findFreePort();
  const startMs = performance.now();
  const child = spawn(process.execPath, [CLI, 'serve'], {
    env: { ...process.env, PORT: String(port), DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    const link = await readSetUpLink(child);
    const linkMs = performance.now() - startMs;
    await using setupPage = await browser.open(new URL(link).origin, VIEWS[2]);
    const { page } = setupPage;
    await page.goto(link);
    let clicks = 0;
    const click = async (locator: Locator): Promise<void> => {
      clicks++;
      await locator.click();
    };
    await click(page.getByLabel('Name'));
    await page.keyboard.type('Ana');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ana@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse battery');
    await click(page.getByRole('button', { name: 'Create account' }));
    await click(page.getByRole('button', { name: `Use template ${TEMPLATE}` }));
    await click(page.getByRole('button', { name: 'Run', exact: true }));
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Completed').waitFor();
    return { ms: performance.now() - startMs, linkMs, clicks };
  } finally {
    await stop(child);
    await removeFolder(folder);
  }
}

async function readSetUpLink({ stdout, stderr }: ChildProcess): Promise<string> {
  let output = '';
  for (const stream of [stdout, stderr]) stream?.on('data', chunk => (output += String(chunk)));
  for (let waitedMs = 0; waitedMs < LINK_TIMEOUT_MS; waitedMs += 10) {
    const [link] = /http\S+\/setup#[\w-]+/.exec(output) ?? [];
    if (link !== undefined) return link;
    await sleep(10);
  }
  throw new Error(`The service printed no setup link within a minute:\n${output.slice(-2000)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function measureGallery(browser: TestBrowser, count: number, rounds: number): Promise<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const cookie = await signIn(service);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using gallery = await browser.open(service.url, VIEWS[2], cookie);
      await gallery.page.goto('/templates');
      await gallery.page.getByRole('button', { name: `Use template ${TEMPLATE}` }).waitFor();
      await gallery.page.waitForLoadState('networkidle');
      times.push(await measureLargestPaintMs(gallery.page));
    }
    return {
      figure: `largest contentful paint of the gallery with ${count} templates, headless Chromium, cold cache`,
      value: median(times),
      unit: 'ms',
      target: { value: 600, is: 'at most' },
      note: `rounds ${times.map(Math.round).join(', ')}`,
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}
