// Measures the web application: bundling time, transfer size, and time to the first page.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { type Bundle, bundleEditor } from '../../src/bundle/bundle-editor.ts';
import { BROWSER_MISSING_REASON, openBrowser, VIEWS } from '../../test/support/browser.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startPlainService, storeWorkflow } from '../service.ts';
import { signIn, withSession } from '../sign-in.ts';

const CLI = join(import.meta.dirname, '../../bin/graphwright.js');
const NOTE = {
  id: 'note',
  type: 'stickyNote',
  position: { x: 0, y: 0 },
  data: { label: 'Note', category: 'utility', nodeType: 'utility:sticky_note', config: { text: 'A note' } },
};

export async function* runEditorRows(isShort: boolean): AsyncGenerator<Row> {
  const rounds = isShort ? 1 : 5;
  yield await measureBundling(rounds);
  yield* createSizeRows(await bundleEditor());
  if (BROWSER_MISSING_REASON !== false) {
    process.stderr.write(`${BROWSER_MISSING_REASON}\n`);
    return;
  }
  yield await measureWorkflowsPage(isShort ? 10 : 100, rounds);
}

async function measureBundling(rounds: number): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = await makeFolder();
    const startMs = performance.now();
    await promisify(execFile)(process.execPath, [CLI, 'editor', 'build', '--out', folder]);
    times.push((performance.now() - startMs) / 1000);
    await removeFolder(folder);
  }
  return {
    figure: 'bundling the application in a new process, including compression and process start',
    value: median(times),
    unit: 's',
    target: { value: 1.5, is: 'at most' },
    note: `rounds ${times.map(time => time.toFixed(2)).join(', ')}`,
  };
}

function* createSizeRows({ manifest, files }: Bundle): Generator<Row> {
  // The smallest files have no compressed copy and are sent as they are.
  const getSize = (name: string, ending: string): number =>
    (files.get(name + ending) ?? files.get(name))?.length ?? 0;
  const getTotalKb = (names: Iterable<string>, ending: '.br' | '.gz' = '.gz'): number =>
    [...new Set(names)].reduce((sum, name) => sum + getSize(name, ending), 0) / 1000;
  const getScripts = (page: string): readonly string[] => manifest.scripts[page] ?? [];
  yield {
    figure: 'script of the first load of /workflows, as browsers get it (Brotli)',
    value: getTotalKb(getScripts('workflows'), '.br'),
    unit: 'KB',
    target: { value: 110, is: 'at most' },
  };
  yield {
    figure: 'script of a board, as browsers get it (Brotli)',
    value: getTotalKb(getScripts('flow'), '.br'),
    unit: 'KB',
    target: { value: 270, is: 'at most' },
  };
  const otherPages = Object.keys(manifest.scripts).filter(page => page !== 'flow');
  yield {
    figure: 'scripts and styles of all pages except the editor (gzip)',
    value: getTotalKb([...otherPages.flatMap(getScripts), manifest.styles]),
    unit: 'KB',
    target: { value: 350, is: 'at most' },
  };
}

async function measureWorkflowsPage(count: number, rounds: number): Promise<Row> {
  const folder = await makeFolder();
  const [service, browser] = await Promise.all([startPlainService(folder), openBrowser('new')]);
  try {
    const cookie = await signIn(service);
    for (let index = 0; index < count; index++)
      await storeWorkflow(withSession(service, cookie), {
        name: `Workflow ${index}`,
        nodes: [NOTE],
        edges: [],
      });
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using editorPage = await browser.open(service.url, VIEWS[2], cookie);
      await editorPage.page.goto('/workflows');
      await editorPage.page
        .getByRole('link', { name: `Workflow ${count - 1}` })
        .first()
        .waitFor();
      times.push(await measureLargestPaintMs(editorPage.page));
    }
    return {
      figure: `largest contentful paint of /workflows with ${count} workflows, headless Chromium, cold cache`,
      value: median(times),
      unit: 'ms',
      target: { value: 600, is: 'at most' },
      note: `rounds ${times.map(Math.round).join(', ')}`,
    };
  } finally {
    await browser.close();
    await service.stop();
    await removeFolder(folder);
  }
}

/** Returns the time of the page's largest contentful paint. */
export const measureLargestPaintMs = async (page: Page): Promise<number> =>
  Number(
    await page.evaluate(
      `new Promise(resolve => new PerformanceObserver(list => resolve(list.getEntries().at(-1).startTime))
        .observe({ type: 'largest-contentful-paint', buffered: true }))`,
    ),
  );
