// Measures the editor's board at the maximum workflow size, compared with a plain React Flow board with the same nodes.
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { BROWSER_MISSING_REASON, openBrowser, type TestBrowser, VIEWS } from '../../test/support/browser.ts';
import { type BenchBoard, makeBoard } from '../board/boards.ts';
import { drag, type FrameTimes, type Meter, openMeter, pan, zoom } from '../board/gestures.ts';
import { locateGap, locateMiddleHeader, readView, zoomTo } from '../board/view.ts';
import { median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';
import { signIn, withSession } from '../sign-in.ts';

const SEED = 16;
const LARGE = { nodes: 1000, edges: 1500, frameMs: 12 };
const SMALL = { nodes: 300, edges: 450, frameMs: 6 };
/** The zoom at which nodes are readable and about fifty are on the screen. */
const NEAR_ZOOM = 0.36;
/** The height of the bar above the board and of the space below the bar. */
const BAR_PX = 80;
/** The time after which all cards in view are mounted. */
const MOUNT_MS = 3000;
const TYPED_TEXT = 'a lighthouse on a cliff, seen from the air';

export async function* runBoardRows(isShort: boolean): AsyncGenerator<Row> {
  if (BROWSER_MISSING_REASON !== false) {
    process.stderr.write(`${BROWSER_MISSING_REASON}\n`);
    return;
  }
  const folder = await makeFolder();
  const [service, browser] = await Promise.all([startBenchService(folder), openBrowser('new')]);
  try {
    const cookie = await signIn(service);
    const bench: Bench = { service, browser, cookie, rounds: isShort ? 1 : 5 };
    // A plain board of 1,000 nodes takes most of a minute. The smaller board is enough to prove that the rows run.
    for (const size of isShort ? [SMALL] : [LARGE, SMALL]) yield* measureSize(bench, size);
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
  const id = await storeWorkflow(withSession(bench.service, bench.cookie), { name: 'Board', ...board });
  const name = `${size.nodes} nodes, ${board.edges.length} edges`;
  if (size === LARGE) yield await measureOpening(bench, id, name);
  await using editorPage = await bench.browser.open(bench.service.url, VIEWS[2], bench.cookie);
  const { page } = editorPage;
  const meter = await openMeter(page);
  await openBoard(page, id);
  if (size === LARGE) yield createHeapRow(name, await meter.readHeapMb());
  const baseline = await measureBaseline(bench, board);
  yield* createGestureRows(name, size, await measureGestures(page, meter, board), baseline);
  yield await measureSaving(page, bench.rounds, name);
  if (size === LARGE) yield await measureTyping(page, name);
}

async function openBoard(page: Page, id: string): Promise<void> {
  await page.goto(`/flow/${id}`);
  await page.getByRole('application', { name: 'Workflow canvas' }).waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle');
}

/** Measures the time from navigation to the first edit, which a script makes as soon as it is possible. */
async function measureOpening(
  { service, browser, cookie, rounds }: Bench,
  id: string,
  name: string,
): Promise<Row> {
  const times: number[] = [];
  const taskTimes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using editorPage = await browser.open(service.url, VIEWS[2], cookie);
    const { page } = editorPage;
    const meter = await openMeter(page);
    await page.addInitScript(WATCH_FIRST_EDIT);
    await page.goto(`/flow/${id}`, { waitUntil: 'commit' });
    times.push(Number(await page.evaluate('globalThis.firstEdit')));
    taskTimes.push(await meter.readTaskMs());
  }
  return {
    figure: `${name}: navigation to first edit`,
    value: median(times) / 1000,
    unit: 's',
    target: { value: 2, is: 'at most' },
    note: `main thread ${(median(taskTimes) / 1000).toFixed(2)} s; rounds ${times.map(time => (time / 1000).toFixed(2)).join(', ')}`,
  };
}

/** Moves a node as soon as the board accepts the edit, and records the time of the next painted frame. */
const WATCH_FIRST_EDIT = `globalThis.firstEdit = new Promise(resolve => {
  const findBoard = () => {
    const board = document.querySelector('[role=application][aria-label="Workflow canvas"]');
    if (board === null) return requestAnimationFrame(findBoard);
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
  requestAnimationFrame(findBoard);
});`;

const createHeapRow = (name: string, value: number): Row => ({
  figure: `${name}: heap after opening`,
  value,
  unit: 'MB',
  target: { value: 120, is: 'at most' },
});

/** Each gesture's times with the whole board in view, and with about fifty readable nodes. */
type GestureTimes = Readonly<Record<'pan' | 'zoom' | 'drag of 50', readonly FrameTimes[]>>;

async function measureGestures(page: Page, meter: Meter, board: BenchBoard): Promise<GestureTimes> {
  const frames = { pan: [] as FrameTimes[], zoom: [] as FrameTimes[], 'drag of 50': [] as FrameTimes[] };
  for (const zoomLevel of [undefined, NEAR_ZOOM]) {
    if (zoomLevel !== undefined) await zoomTo(page, zoomLevel);
    frames.pan.push(await pan(page, meter, locateGap(await readView(page), board)));
    frames.zoom.push(await zoom(page, meter));
    frames['drag of 50'].push(await dragFifty(page, meter, board));
  }
  return frames;
}

async function dragFifty(page: Page, meter: Meter, board: BenchBoard): Promise<FrameTimes> {
  const view = await readView(page);
  const gap = locateGap(view, board);
  // Selects about fifty nodes, ten columns of five. The selection starts below the bar.
  const halfSize = {
    x: Math.min(5 * 420 * view.zoom, 680),
    y: Math.min(2.5 * 520 * view.zoom, gap.y - BAR_PX),
  };
  await page.keyboard.press('Escape');
  await page.keyboard.down('Shift');
  await page.mouse.move(gap.x - halfSize.x, gap.y - halfSize.y);
  await page.mouse.down();
  await page.mouse.move(gap.x, gap.y, { steps: 5 });
  await page.mouse.move(gap.x + halfSize.x, gap.y + halfSize.y, { steps: 10 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  return drag(page, meter, locateMiddleHeader(await readView(page), board));
}

const getPackagePath = (name: string): string => join(import.meta.dirname, '../../node_modules', name);

/** Measures the gestures on the plain React Flow board. */
async function measureBaseline(
  { service, browser, cookie }: Bench,
  board: BenchBoard,
): Promise<GestureTimes> {
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
  const getOutput = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  await using editorPage = await browser.open(service.url, VIEWS[2], cookie);
  const { page } = editorPage;
  await page.setContent('<div id="root"></div>');
  await page.addStyleTag({ content: getOutput('.css') });
  await page.evaluate(`globalThis.board = ${JSON.stringify(board)}`);
  await page.addScriptTag({ content: getOutput('.js') });
  await page.locator('.react-flow__node').first().waitFor();
  return await measureGestures(page, await openMeter(page), board);
}

function* createGestureRows(
  name: string,
  { frameMs }: Size,
  ours: GestureTimes,
  baseline: GestureTimes,
): Generator<Row> {
  for (const gesture of ['pan', 'zoom', 'drag of 50'] as const) {
    const getWorst = (times: readonly FrameTimes[]): number =>
      Math.max(...times.map(({ scriptP95 }) => scriptP95));
    const [wholeBoard, closeUp] = ours[gesture];
    yield {
      figure: `${name}: ${gesture}, script per frame, p95`,
      value: getWorst(ours[gesture]),
      unit: 'ms',
      target: { value: frameMs, is: 'at most' },
      baseline: { name: 'bare React Flow', value: getWorst(baseline[gesture]) },
      note: `whole board ${wholeBoard?.scriptP95.toFixed(1)}, whole main thread ${wholeBoard?.taskP95.toFixed(1)}; fifty readable nodes ${closeUp?.scriptP95.toFixed(1)}, whole main thread ${closeUp?.taskP95.toFixed(1)}`,
    };
  }
}

const CHANGES_PER_ROUND = 4;

/** Measures the time from a change until the page shows the state Saved, after the service's response. */
async function measureSaving(page: Page, rounds: number, name: string): Promise<Row> {
  await page.keyboard.press('Escape');
  await page.getByRole('application', { name: 'Workflow canvas' }).focus();
  await page.keyboard.press('Enter');
  const times: number[] = [];
  for (let index = 0; index < CHANGES_PER_ROUND * rounds; index++)
    times.push((await page.evaluate(SAVE_CHANGE)) as number);
  return {
    figure: `${name}: change to saved, p95`,
    value: quantile(times, 0.95) / 1000,
    unit: 's',
    target: { value: 2.2, is: 'at most' },
    note: `median ${(median(times) / 1000).toFixed(2)} of ${times.length} changes, each after the last was saved; including the autosave delay of 0.7 s`,
  };
}

const SAVE_CHANGE = `new Promise(resolve => {
  const [state] = document.querySelectorAll('[role=status][aria-label=Saving]');
  const startMs = performance.now();
  let wasUnsaved = false;
  const watch = new MutationObserver(() => {
    if (state.textContent !== 'Saved') { wasUnsaved = true; return; }
    if (!wasUnsaved) return;
    watch.disconnect();
    resolve(performance.now() - startMs);
  });
  watch.observe(state, { childList: true, characterData: true, subtree: true });
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
})`;

/** Measures the time from a key event in a field on a node to the frame that shows the text. */
async function measureTyping(page: Page, name: string): Promise<Row> {
  await page.keyboard.press('Escape');
  await zoomTo(page, NEAR_ZOOM);
  const field = page.locator('textarea[data-card-field]').first();
  await field.waitFor();
  await page.waitForTimeout(MOUNT_MS);
  const cards = await page.locator('[data-node-id]').count();
  await field.focus();
  await page.evaluate(RECORD_KEY_TIMES);
  for (const key of TYPED_TEXT.repeat(3)) await page.keyboard.type(key, { delay: 40 });
  const times = (await page.evaluate('globalThis.keyTimes')) as number[];
  return {
    figure: `${name}: typing in a field on a node, key to paint, p95`,
    value: quantile(times, 0.95),
    unit: 'ms',
    target: { value: 32, is: 'at most' },
    note: `median ${median(times).toFixed(1)} of ${times.length} keys, ${cards} cards drawn`,
  };
}

const RECORD_KEY_TIMES = `
  globalThis.keyTimes = [];
  document.addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { globalThis.keyTimes.push(performance.now() - timeStamp); };
    port2.postMessage(undefined);
  }), { capture: true });
`;
