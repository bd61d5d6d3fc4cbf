// Measures batches: 10,000 free rows compared with single runs, runs of other accounts during a batch, and rows that wait for
// a provider.
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BROWSER_MISSING_REASON, openBrowser, VIEWS } from '../../test/support/browser.ts';
import { openMeter } from '../board/gestures.ts';
import { startBenchFal } from '../fal-double.ts';
import { THREE_NODES } from '../graphs.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type Account,
  type BenchService,
  makeFolder,
  readMemoryMb,
  removeFolder,
  runToEnd,
  startBenchService,
  startPlainService,
  storeWorkflow,
} from '../service.ts';
import { signIn, withSession } from '../sign-in.ts';
import { runMany } from './run.ts';

const ROWS = 10_000;
const CONCURRENCY = 100;
/** The number of single runs to compare with. */
const SINGLE_RUNS = 5000;
const PROVIDER_ROWS = 1000;
const CALL_MS = 10_000;
const SETTLE_MS = 20_000;

export async function* runBatchRows(isShort: boolean): AsyncGenerator<Row> {
  yield* measureFreeRows(isShort);
  yield* measureProviderRows(isShort);
  yield* measureTable(isShort);
  yield* measurePage(isShort);
}

async function* measureFreeRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const workflowId = await storeWorkflow(service, THREE_NODES);
    const singleRunCount = isShort ? 40 : SINGLE_RUNS;
    await runMany(service, workflowId, singleRunCount / 5);
    const singleRunsPerSecond = await runMany(service, workflowId, singleRunCount);
    // The first batch has the same concurrency, so that the difference in memory is the cost of the rows.
    const firstRows = Array.from({ length: isShort ? 5 : 1000 }, () => ({ inputs: {} }));
    const firstId = await startBatch(service, workflowId, { rows: firstRows, concurrency: CONCURRENCY });
    await waitUntilCompleted(service, firstId, firstRows.length);
    const memoryMbBefore = await readMemoryMb(service.pid);
    const total = isShort ? 50 : ROWS;
    const rows = Array.from({ length: total }, (_, index) => ({ inputs: { text: `row ${index}` } }));
    const startMs = performance.now();
    const id = await startBatch(service, workflowId, { rows, concurrency: CONCURRENCY });
    const acceptMs = performance.now() - startMs;
    const singleRunTimes: number[] = [];
    const singleRuns = startSingleRuns(service, workflowId, singleRunTimes);
    await waitUntilCompleted(service, id, total);
    const seconds = (performance.now() - startMs - acceptMs) / 1000;
    singleRuns.abort();
    const memoryMbAfter = await readMemoryMb(service.pid);
    yield {
      figure: `batch of ${total} free rows, until it is accepted`,
      value: acceptMs,
      unit: 'ms',
      target: { value: 3000, is: 'at most' },
    };
    yield {
      figure: `rows per second of a batch of ${total} free rows, ${CONCURRENCY} at a time, until the last has ended`,
      value: total / seconds,
      unit: 'runs/s',
      target: { value: 0.8 * singleRunsPerSecond, is: 'at least' },
      baseline: { name: 'the same workflow started by 20 connections', value: singleRunsPerSecond },
    };
    yield {
      figure: 'another run of the same workspace during the batch, from request to end, slowest',
      value: Math.max(0, ...singleRunTimes),
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      note: `${singleRunTimes.length} runs, p50 ${median(singleRunTimes).toFixed(0)} ms`,
    };
    yield {
      figure: `memory of the service after a batch of ${total} rows, more than after one of ${firstRows.length}`,
      value: memoryMbAfter - memoryMbBefore,
      unit: 'MB',
      target: { value: 50, is: 'at most' },
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

async function* measureProviderRows(isShort: boolean): AsyncGenerator<Row> {
  const callMs = isShort ? 200 : CALL_MS;
  const total = isShort ? 10 : PROVIDER_ROWS;
  const folder = await makeFolder();
  const fal = await startBenchFal(callMs);
  const service = await startBenchService(folder, {
    FAL_KEY: 'bench',
    FAL_BASE_URL: fal.url,
    MAX_CONCURRENT_RUNS: '200',
  });
  try {
    await fal.sendWebhooksTo(service.url);
    const workflowId = await storeWorkflow(service, PICTURE);
    await grantCredits(service);
    const rows = Array.from({ length: total }, (_, index) => ({ inputs: { what: `picture ${index}` } }));
    const startMs = performance.now();
    const id = await startBatch(service, workflowId, { rows, concurrency: CONCURRENCY });
    await waitUntilCompleted(service, id, total);
    const idealMs = Math.ceil(total / CONCURRENCY) * callMs;
    yield {
      figure: `batch of ${total} rows of a ${callMs / 1000} s provider call, ${CONCURRENCY} at a time, as a multiple of the ideal time`,
      value: (performance.now() - startMs) / idealMs,
      unit: 'times',
      target: { value: 1.3, is: 'at most' },
    };
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

/** Uploads a large table and starts a batch over it. */
async function* measureTable(isShort: boolean): AsyncGenerator<Row> {
  const total = isShort ? 100 : ROWS;
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const workflowId = await storeWorkflow(service, THREE_NODES);
    await runMany(service, workflowId, 40);
    // The service's startup work takes more memory than a table.
    await sleep(isShort ? 0 : SETTLE_MS);
    const cell = 'x'.repeat(4990);
    const table = new Blob([
      'text\n',
      ...Array.from({ length: total }, (_, row) => `${row} ${cell}`.slice(0, 4990).concat('\n')),
    ]);
    const upload = await measureAddedMemory(service, async () => {
      const response = await service.fetch('/api/v1/tables', {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: table,
      });
      if (response.status !== 201) throw new Error(`The table was refused: ${await response.text()}`);
      return ((await response.json()) as { tableId: string }).tableId;
    });
    const body = { tableId: upload.result, mapping: { text: 'text' }, firstRows: 1 };
    const start = await measureAddedMemory(service, () => startBatch(service, workflowId, body));
    const size = `${Math.round(table.size / 1e6)} MB`;
    yield {
      figure: `memory of the service while it reads a table of ${size}, peak, more than before`,
      value: upload.addedMb,
      unit: 'MB',
      target: { value: 150, is: 'at most' },
    };
    yield {
      figure: `memory of the service while it starts a batch over a table of ${size}, peak, more than before`,
      value: start.addedMb,
      unit: 'MB',
      target: { value: 150, is: 'at most' },
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

/** Opens the batch page in a browser and scrolls through the rows. */
async function* measurePage(isShort: boolean): AsyncGenerator<Row> {
  if (BROWSER_MISSING_REASON !== false) {
    process.stderr.write(`${BROWSER_MISSING_REASON}\n`);
    return;
  }
  const total = isShort ? 250 : ROWS;
  const folder = await makeFolder();
  const [service, browser] = await Promise.all([startBenchService(folder), openBrowser('new')]);
  try {
    const cookie = await signIn(service);
    // The batch belongs to the user in the browser, not to the owner of the service's key.
    const user = withSession(service, cookie);
    const workflowId = await storeWorkflow(user, THREE_NODES);
    const rows = Array.from({ length: total }, (_, index) => ({ inputs: { text: `row ${index}` } }));
    const id = await startBatch(user, workflowId, { rows, concurrency: CONCURRENCY });
    await waitUntilCompleted(user, id, total);
    const openMs: number[] = [];
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      await using batchPage = await browser.open(service.url, VIEWS[2], cookie);
      await batchPage.page.addInitScript(WATCH_FIRST_ROW);
      await batchPage.page.goto(`/batches/${id}`, { waitUntil: 'commit' });
      openMs.push(Number(await batchPage.page.evaluate('globalThis.firstRow')));
    }
    yield {
      figure: `page of a batch of ${total} rows: navigation to the first rows`,
      value: median(openMs),
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      note: `rounds ${openMs.map(ms => ms.toFixed(0)).join(', ')}`,
    };
    await using batchPage = await browser.open(service.url, VIEWS[2], cookie);
    const { page } = batchPage;
    const meter = await openMeter(page);
    await page.goto(`/batches/${id}`);
    await page.getByRole('article', { name: 'Row 1', exact: true }).waitFor();
    const scroll = () => meter.measureFrames(isShort ? 10 : 100, () => page.mouse.wheel(0, 300));
    await page.mouse.move(720, 480);
    const timesWhileLoading = await scroll();
    const lastRow = page.getByRole('article', { name: `Row ${total}`, exact: true });
    while (!(await lastRow.isVisible())) await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
    const timesWhenLoaded = await scroll();
    yield {
      figure: `page of a batch of ${total} rows: scrolling, script per frame, p95`,
      value: Math.max(timesWhileLoading.scriptP95, timesWhenLoaded.scriptP95),
      unit: 'ms',
      target: { value: 12, is: 'at most' },
      note: `while rows are read ${timesWhileLoading.scriptP95.toFixed(1)}, whole main thread ${timesWhileLoading.taskP95.toFixed(1)}; with all rows ${timesWhenLoaded.scriptP95.toFixed(1)}, whole main thread ${timesWhenLoaded.taskP95.toFixed(1)}`,
    };
  } finally {
    await browser.close();
    await service.stop();
    await removeFolder(folder);
  }
}

/** Records the time of the first frame after the first row was added. */
const WATCH_FIRST_ROW = `globalThis.firstRow = new Promise(resolve => {
  const findFirstRow = () =>
    document.querySelector('article[data-row]') === null
      ? requestAnimationFrame(findFirstRow)
      : setTimeout(() => resolve(performance.now()));
  requestAnimationFrame(findFirstRow);
});`;

/** Performs the work. Returns its result, and the growth of the service's memory from the start to the peak. */
async function measureAddedMemory<T>(
  service: BenchService,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly addedMb: number }> {
  // Resets the peak that VmHWM has to the current size (proc(5)).
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  const mbBefore = await readMemoryMb(service.pid);
  const result = await work();
  return { result, addedMb: Math.max(0, (await readMemoryMb(service.pid, 'VmHWM')) - mbBefore) };
}

export const PICTURE = {
  name: 'picture',
  nodes: [
    {
      id: 'what',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'What', category: 'input', nodeType: 'input:text', config: { value: 'a fox' } },
    },
    {
      id: 'picture',
      type: 'basedNode',
      position: { x: 400, y: 0 },
      data: { label: 'Picture', category: 'model', nodeType: 'generate:fal_seedream', config: {} },
    },
  ],
  edges: [
    { id: 'e', source: 'what', target: 'picture', sourceHandle: 'out-text', targetHandle: 'in-prompt' },
  ],
};

export async function grantCredits(service: BenchService): Promise<void> {
  const { userId } = (await (await service.fetch('/api/v1/me')).json()) as { userId: number };
  const body = JSON.stringify({ userId, amount: 1_000_000, note: 'bench' });
  const response = await service.fetch(`/api/v1/admin/credits`, { method: 'POST', body });
  if (!response.ok) throw new Error(`Credits were refused: ${await response.text()}`);
}

async function startBatch(account: Account, workflowId: string, body: object): Promise<string> {
  const response = await account.fetch(`/api/v1/workflows/${workflowId}/batches`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(`The batch was refused: ${await response.text()}`);
  return ((await response.json()) as { batchId: string }).batchId;
}

async function waitUntilCompleted(account: Account, id: string, total: number): Promise<void> {
  for (;;) {
    const response = await account.fetch(`/api/v1/batches/${id}`);
    const { status, reason, counts } = (await response.json()) as {
      status: string;
      reason: string | null;
      counts: Record<string, number>;
    };
    if (status === 'COMPLETED' && counts.completed === total) return;
    if (status === 'COMPLETED' || status === 'STOPPED')
      throw new Error(`The batch is ${status} (${reason}): ${JSON.stringify(counts)}`);
    await sleep(50);
  }
}

/** Executes single runs one after the other until the returned controller is aborted. Adds their durations to `times`. */
function startSingleRuns(service: BenchService, workflowId: string, times: number[]): AbortController {
  const stop = new AbortController();
  const execute = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const startMs = performance.now();
      await runToEnd(service, workflowId);
      times.push(performance.now() - startMs);
      await sleep(50);
    }
  };
  void execute();
  return stop;
}
