// Measures the editor's board at the maximum workflow size, next to a plain React Flow board with the same nodes.

import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { NO_BROWSER, openBrowser, type TestBrowser, VIEWS } from '../../test/support/browser.ts';
import { type BenchBoard, makeBoard } from '../board/boards.ts';
import { drag, type Frames, type Meter, openMeter, pan, zoom } from '../board/gestures.ts';
import { findGap, findMiddleNode, readView, zoomTo } from '../board/view.ts';
import { median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';
import { signIn } from '../sign-in.ts';

const SEED = 16;
const LARGE = { nodes: 1000, edges: 1500, frameMs: 12 };
const MIDDLE = { nodes: 300, edges: 450, frameMs: 6 };
/** The zoom at which nodes are readable and about fifty are on the screen. */
const NEAR_ZOOM = 0.36;
/** The height in pixels of the bar above the board and the space below the bar. */
const BARS = 80;
/** The time after which the cards in view are mounted. */
const MOUNTING_MS = 3000;
const KEYS = 'a lighthouse on a cliff, seen from the air';

export async function* runBoardRows(isShort: boolean): AsyncGenerator<Row> {
  if (NO_BROWSER !== false) {
    process.stderr.write(`${NO_BROWSER}\n`);
    return;
  }
  const folder = await makeFolder();
  const [service, browser] = await Promise.all([startBenchService(folder), openBrowser('new')]);
  try {
    const cookie = await signIn(service);
    const bench: Bench = { service, browser, cookie, rounds: isShort ? 1 : 5 };
    // A plain board of 1,000 nodes takes most of a minute. The smaller board is enough to prove that the rows run.
    for (const size of isShort ? [MIDDLE] : [LARGE, MIDDLE]) yield* measureSize(bench, size);
  } finally {
    await browser.close();
    await service.stop();
    await removeFolder(folder);
  }
}

interface Bench {
  readonly service: BenchService;
  readonly browser: TestBrowser;
  readonly cookie: string;
  readonly rounds: number;
}

type Size = typeof LARGE;

async function* measureSize(bench: Bench, size: Size): AsyncGenerator<Row> {
  const board = makeBoard(size.nodes, size.edges, SEED);
  const id = await store(bench, board);
  const name = `${size.nodes} nodes, ${board.edges.length} edges`;
  if (size === LARGE) yield await measureOpening(bench, id, name);
  await using editorPage = await bench.browser.open(bench.service.url, VIEWS[2], bench.cookie);
  const { page } = editorPage;
  const meter = await openMeter(page);
  await openBoard(page, id);
  if (size === LARGE) yield heapRow(name, await meter.heapMB());
  const bare = await measureBare(bench, board);
  yield* gestureRows(name, size, await measureGestures(page, meter, board), bare);
  yield await measureSaving(page, bench.rounds, name);
  if (size === LARGE) yield await measureTyping(page, name);
}

/** Acts as the person in the browser, because the key belongs to another user. */
async function store({ service, cookie }: Bench, board: BenchBoard): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/workflows`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ name: 'Board', ...board }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { id: string }).id;
}

async function openBoard(page: Page, id: string): Promise<void> {
  await page.goto(`/flow/${id}`);
  await page.getByRole('application', { name: 'Workflow canvas' }).waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle');
}

/** Measures the time from navigation until the save state changes after an edit made as soon as the board was there. */
async function measureOpening(
  { service, browser, cookie, rounds }: Bench,
  id: string,
  name: string,
): Promise<Row> {
  const times: number[] = [];
  const tasks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using editorPage = await browser.open(service.url, VIEWS[2], cookie);
    const { page } = editorPage;
    const meter = await openMeter(page);
    await page.addInitScript(WATCH_FIRST_EDIT);
    await page.goto(`/flow/${id}`, { waitUntil: 'commit' });
    times.push(Number(await page.evaluate('globalThis.firstEdit')));
    tasks.push(await meter.taskMs());
  }
  return {
    figure: `${name}: navigation to first edit`,
    value: median(times) / 1000,
    unit: 's',
    target: { value: 2, is: 'at most' },
    note: `main thread ${(median(tasks) / 1000).toFixed(2)} s; rounds ${times.map(time => (time / 1000).toFixed(2)).join(', ')}`,
  };
}

/** Moves the first node in the first frame that has a board, and records the time of the next painted frame. */
const WATCH_FIRST_EDIT = `globalThis.firstEdit = new Promise(resolve => {
  const look = () => {
    const board = document.querySelector('[role=application][aria-label="Workflow canvas"]');
    if (board === null) return requestAnimationFrame(look);
    board.focus();
    const press = key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    const edit = () => {
      press('Enter');
      press('ArrowRight');
      const [state] = document.querySelectorAll('[role=status][aria-label=Saving]');
      if (state.textContent === 'Saved') return requestAnimationFrame(edit);
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    };
    edit();
  };
  requestAnimationFrame(look);
});`;

const heapRow = (name: string, value: number): Row => ({
  figure: `${name}: heap after opening`,
  value,
  unit: 'MB',
  target: { value: 120, is: 'at most' },
});

type Gestures = Readonly<Record<'pan' | 'zoom' | 'drag of 50', readonly Frames[]>>;

/** Runs each gesture with the whole board in view, and with about fifty readable nodes. */
async function measureGestures(page: Page, meter: Meter, board: BenchBoard): Promise<Gestures> {
  const frames = { pan: [] as Frames[], zoom: [] as Frames[], 'drag of 50': [] as Frames[] };
  for (const zoomLevel of [undefined, NEAR_ZOOM]) {
    if (zoomLevel !== undefined) await zoomTo(page, zoomLevel);
    frames.pan.push(await pan(page, meter, findGap(await readView(page), board)));
    frames.zoom.push(await zoom(page, meter));
    frames['drag of 50'].push(await dragFifty(page, meter, board));
  }
  return frames;
}

async function dragFifty(page: Page, meter: Meter, board: BenchBoard): Promise<Frames> {
  const view = await readView(page);
  const gap = findGap(view, board);
  // About fifty nodes in ten columns of five, from a point on the board below its bars.
  const half = { x: Math.min(5 * 420 * view.zoom, 680), y: Math.min(2.5 * 520 * view.zoom, gap.y - BARS) };
  await page.keyboard.press('Escape');
  await page.keyboard.down('Shift');
  await page.mouse.move(gap.x - half.x, gap.y - half.y);
  await page.mouse.down();
  await page.mouse.move(gap.x, gap.y, { steps: 5 });
  await page.mouse.move(gap.x + half.x, gap.y + half.y, { steps: 10 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  return drag(page, meter, findMiddleNode(await readView(page), board));
}

const getPackagePath = (name: string): string => join(import.meta.dirname, '../../node_modules', name);

async function measureBare({ service, browser, cookie }: Bench, board: BenchBoard): Promise<Gestures> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../board/bare.js')],
    // The benchmark has its own React for Remotion, and two copies of React on one page draw nothing.
    alias: { react: getPackagePath('react'), 'react-dom': getPackagePath('react-dom') },
    outdir: 'out',
    bundle: true,
    minify: true,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const text = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  await using editorPage = await browser.open(service.url, VIEWS[2], cookie);
  const { page } = editorPage;
  await page.setContent('<div id="root"></div>');
  await page.addStyleTag({ content: text('.css') });
  await page.evaluate(`globalThis.board = ${JSON.stringify(board)}`);
  await page.addScriptTag({ content: text('.js') });
  await page.locator('.react-flow__node').first().waitFor();
  return await measureGestures(page, await openMeter(page), board);
}

function* gestureRows(name: string, { frameMs }: Size, ours: Gestures, bare: Gestures): Generator<Row> {
  for (const gesture of ['pan', 'zoom', 'drag of 50'] as const) {
    const worst = (frames: readonly Frames[]): number => Math.max(...frames.map(({ p95 }) => p95));
    const [far, near] = ours[gesture];
    yield {
      figure: `${name}: ${gesture}, script per frame, p95`,
      value: worst(ours[gesture]),
      unit: 'ms',
      target: { value: frameMs, is: 'at most' },
      baseline: { name: 'bare React Flow', value: worst(bare[gesture]) },
      note: `whole board ${far?.p95.toFixed(1)}, whole main thread ${far?.taskP95.toFixed(1)}; fifty readable nodes ${near?.p95.toFixed(1)}, whole main thread ${near?.taskP95.toFixed(1)}`,
    };
  }
}

const CHANGES_A_ROUND = 4;

/** Measures the time from a change until the page shows it as saved, which happens only after the response. */
async function measureSaving(page: Page, rounds: number, name: string): Promise<Row> {
  await page.keyboard.press('Escape');
  await page.getByRole('application', { name: 'Workflow canvas' }).focus();
  await page.keyboard.press('Enter');
  const times: number[] = [];
  for (let index = 0; index < CHANGES_A_ROUND * rounds; index++)
    times.push((await page.evaluate(SAVE_A_CHANGE)) as number);
  const ascending = times.toSorted((a, b) => a - b);
  return {
    figure: `${name}: change to saved, p95`,
    value: quantile(ascending, 0.95) / 1000,
    unit: 's',
    target: { value: 2.2, is: 'at most' },
    note: `median ${(median(times) / 1000).toFixed(2)} of ${times.length} changes, each after the last was saved; including the autosave delay of 0.7 s`,
  };
}

const SAVE_A_CHANGE = `new Promise(resolve => {
  const [state] = document.querySelectorAll('[role=status][aria-label=Saving]');
  const begun = performance.now();
  let wasUnsaved = false;
  const watch = new MutationObserver(() => {
    if (state.textContent !== 'Saved') { wasUnsaved = true; return; }
    if (!wasUnsaved) return;
    watch.disconnect();
    resolve(performance.now() - begun);
  });
  watch.observe(state, { childList: true, characterData: true, subtree: true });
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
})`;

/** Measures the time from a key event to the frame that shows the text, in a field on a node, where cards are drawn. */
async function measureTyping(page: Page, name: string): Promise<Row> {
  await page.keyboard.press('Escape');
  await zoomTo(page, NEAR_ZOOM);
  const field = page.locator('textarea[data-card-field]').first();
  await field.waitFor();
  await page.waitForTimeout(MOUNTING_MS);
  const cards = await page.locator('[data-node-id]').count();
  await field.focus();
  await page.evaluate(WATCH_KEYS);
  for (const key of KEYS.repeat(3)) await page.keyboard.type(key, { delay: 40 });
  const times = (await page.evaluate('globalThis.keyTimes')) as number[];
  return {
    figure: `${name}: typing in a field on a node, key to paint, p95`,
    value: quantile(
      times.toSorted((a, b) => a - b),
      0.95,
    ),
    unit: 'ms',
    target: { value: 32, is: 'at most' },
    note: `median ${median(times).toFixed(1)} of ${times.length} keys, ${cards} cards drawn`,
  };
}

const WATCH_KEYS = `
  globalThis.keyTimes = [];
  document.addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { globalThis.keyTimes.push(performance.now() - timeStamp); };
    port2.postMessage(undefined);
  }), { capture: true });
`;
