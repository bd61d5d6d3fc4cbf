// Measures batches: 10,000 free rows compared with single runs, runs of other accounts during a batch, and rows that wait for
// a provider.
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_BROWSER, openBrowser, VIEWS } from '../../test/support/browser.ts';
import { openMeter } from '../board/gestures.ts';
import { startBenchFal } from '../fal-double.ts';
import { THREE_NODES } from '../graphs.ts';
import { median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type BenchService,
  makeFolder,
  removeFolder,
  startBenchService,
  startPlainService,
} from '../service.ts';
import { signIn } from '../sign-in.ts';
import { runMany, store } from './run.ts';

const ROWS = 10_000;
const CONCURRENCY = 100;
/** The number of single runs to compare with. */
const SINGLE_RUNS = 5000;
const PROVIDER_ROWS = 1000;
const PROVIDER_MS = 10_000;
const SETTLING_MS = 20_000;

export async function* runBatchRows(isShort: boolean): AsyncGenerator<Row> {
  yield* measureFreeRows(isShort);
  yield* measureProviderRows(isShort);
  yield* measureTable(isShort);
  yield* measurePage(isShort);
}

export async function* measureFreeRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const workflowId = await store(service, THREE_NODES);
    const single = isShort ? 40 : SINGLE_RUNS;
    await runMany(service, workflowId, single / 5);
    const perSecond = await runMany(service, workflowId, single);
    // There are as many concurrent runs as in the batch, so that the difference is the cost of the rows.
    const warming = Array.from({ length: isShort ? 5 : 1000 }, () => ({ inputs: {} }));
    const warm = await startBatch(service, workflowId, { rows: warming, concurrency: CONCURRENCY });
    await untilComplete(service, warm, warming.length);
    const memoryBefore = await readMemory(service);
    const total = isShort ? 50 : ROWS;
    const rows = Array.from({ length: total }, (_, index) => ({ inputs: { text: `row ${index}` } }));
    const begin = performance.now();
    const id = await startBatch(service, workflowId, { rows, concurrency: CONCURRENCY });
    const acceptedMs = performance.now() - begin;
    const others: number[] = [];
    const watching = measureOthers(service, workflowId, others);
    await untilComplete(service, id, total);
    const seconds = (performance.now() - begin - acceptedMs) / 1000;
    watching.abort();
    const memoryAfter = await readMemory(service);
    yield {
      figure: `batch of ${total} free rows, until it is accepted`,
      value: acceptedMs,
      unit: 'ms',
      target: { value: 3000, is: 'at most' },
    };
    yield {
      figure: `rows per second of a batch of ${total} free rows, ${CONCURRENCY} at a time, until the last has ended`,
      value: total / seconds,
      unit: 'runs/s',
      target: { value: 0.8 * perSecond, is: 'at least' },
      baseline: { name: 'the same workflow started by 20 connections', value: perSecond },
    };
    yield {
      figure: 'another run of the same workspace meanwhile, from request to end, slowest',
      value: Math.max(0, ...others),
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      note: `${others.length} runs, p50 ${quantile(
        others.toSorted((a, b) => a - b),
        0.5,
      ).toFixed(0)} ms`,
    };
    yield {
      figure: `memory of the service after a batch of ${total} rows, more than after one of ${warming.length}`,
      value: memoryAfter - memoryBefore,
      unit: 'MB',
      target: { value: 50, is: 'at most' },
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

export async function* measureProviderRows(isShort: boolean): AsyncGenerator<Row> {
  const jobMs = isShort ? 200 : PROVIDER_MS;
  const total = isShort ? 10 : PROVIDER_ROWS;
  const folder = await makeFolder();
  const fal = await startBenchFal(jobMs);
  const service = await startBenchService(folder, {
    FAL_KEY: 'bench',
    FAL_BASE_URL: fal.url,
    MAX_CONCURRENT_RUNS: '200',
  });
  try {
    await fal.sendWebhooksTo(service.url);
    const workflowId = await store(service, PICTURE);
    await grantCredits(service);
    const rows = Array.from({ length: total }, (_, index) => ({ inputs: { what: `picture ${index}` } }));
    const begin = performance.now();
    const id = await startBatch(service, workflowId, { rows, concurrency: CONCURRENCY });
    await untilComplete(service, id, total);
    const ideal = Math.ceil(total / CONCURRENCY) * jobMs;
    yield {
      figure: `batch of ${total} rows of a ${jobMs / 1000} s provider call, ${CONCURRENCY} at a time, as a multiple of the ideal time`,
      value: (performance.now() - begin) / ideal,
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
export async function* measureTable(isShort: boolean): AsyncGenerator<Row> {
  const total = isShort ? 100 : ROWS;
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const workflowId = await store(service, THREE_NODES);
    await runMany(service, workflowId, 40);
    // What the service prepares after its start takes more memory than a table.
    await sleep(isShort ? 0 : SETTLING_MS);
    const cell = 'x'.repeat(4990);
    const table = new Blob([
      'text\n',
      ...Array.from({ length: total }, (_, row) => `${row} ${cell}`.slice(0, 4990).concat('\n')),
    ]);
    const upload = await measurePeak(service, async () => {
      const response = await service.fetch('/api/v1/tables', {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: table,
      });
      if (response.status !== 201) throw new Error(`The table was refused: ${await response.text()}`);
      return ((await response.json()) as { tableId: string }).tableId;
    });
    const body = { tableId: upload.result, mapping: { text: 'text' }, firstRows: 1 };
    const start = await measurePeak(service, () => startBatch(service, workflowId, body));
    const size = `${Math.round(table.size / 1e6)} MB`;
    yield {
      figure: `memory of the service while it reads a table of ${size}, peak, more than before`,
      value: upload.peakMb,
      unit: 'MB',
      target: { value: 150, is: 'at most' },
    };
    yield {
      figure: `memory of the service while it starts a batch over a table of ${size}, peak, more than before`,
      value: start.peakMb,
      unit: 'MB',
      target: { value: 150, is: 'at most' },
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

/** Opens the page of a batch in a browser and scrolls through its rows. */
export async function* measurePage(isShort: boolean): AsyncGenerator<Row> {
  if (NO_BROWSER !== false) {
    process.stderr.write(`${NO_BROWSER}\n`);
    return;
  }
  const total = isShort ? 250 : ROWS;
  const folder = await makeFolder();
  const [service, browser] = await Promise.all([startBenchService(folder), openBrowser('new')]);
  try {
    const cookie = await signIn(service);
    // Acts as the person in the browser, because the key belongs to another user.
    const person = {
      ...service,
      fetch: (path: string, init: RequestInit = {}) =>
        fetch(`${service.url}${path}`, {
          ...init,
          headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
        }),
    };
    const workflowId = await store(person, THREE_NODES);
    const rows = Array.from({ length: total }, (_, index) => ({ inputs: { text: `row ${index}` } }));
    const id = await startBatch(person, workflowId, { rows, concurrency: CONCURRENCY });
    await untilComplete(person, id, total);
    const openMs: number[] = [];
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      await using opened = await browser.open(service.url, VIEWS[2], cookie);
      await opened.page.addInitScript(WATCH_FIRST_ROW);
      await opened.page.goto(`/batches/${id}`, { waitUntil: 'commit' });
      openMs.push(Number(await opened.page.evaluate('globalThis.firstRow')));
    }
    yield {
      figure: `page of a batch of ${total} rows: navigation to the first rows`,
      value: median(openMs),
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      note: `rounds ${openMs.map(ms => ms.toFixed(0)).join(', ')}`,
    };
    await using opened = await browser.open(service.url, VIEWS[2], cookie);
    const { page } = opened;
    const meter = await openMeter(page);
    await page.goto(`/batches/${id}`);
    await page.getByRole('article', { name: 'Row 1', exact: true }).waitFor();
    const scroll = () => meter.frames(isShort ? 10 : 100, () => page.mouse.wheel(0, 300));
    await page.mouse.move(720, 480);
    const loading = await scroll();
    const last = page.getByRole('article', { name: `Row ${total}`, exact: true });
    while (!(await last.isVisible())) await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
    const loaded = await scroll();
    yield {
      figure: `page of a batch of ${total} rows: scrolling, script per frame, p95`,
      value: Math.max(loading.p95, loaded.p95),
      unit: 'ms',
      target: { value: 12, is: 'at most' },
      note: `while rows are read ${loading.p95.toFixed(1)}, whole main thread ${loading.taskP95.toFixed(1)}; with all rows ${loaded.p95.toFixed(1)}, whole main thread ${loaded.taskP95.toFixed(1)}`,
    };
  } finally {
    await browser.close();
    await service.stop();
    await removeFolder(folder);
  }
}

/** Records the time of the first frame after the first row was added. */
const WATCH_FIRST_ROW = `globalThis.firstRow = new Promise(resolve => {
  const look = () =>
    document.querySelector('article[data-row]') === null
      ? requestAnimationFrame(look)
      : setTimeout(() => resolve(performance.now()));
  requestAnimationFrame(look);
});`;

/** Returns the result of the work, and how much more memory the service had at its peak than before. */
async function measurePeak<T>(
  service: BenchService,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly peakMb: number }> {
  // This resets the peak to the present size.
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  const before = await readMemory(service);
  const result = await work();
  return { result, peakMb: Math.max(0, (await readMemory(service, 'VmHWM')) - before) };
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

async function startBatch(service: BenchService, workflowId: string, body: object): Promise<string> {
  const response = await service.fetch(`/api/v1/workflows/${workflowId}/batches`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(`The batch was refused: ${await response.text()}`);
  return ((await response.json()) as { batchId: string }).batchId;
}

async function untilComplete(service: BenchService, id: string, total: number): Promise<void> {
  for (;;) {
    const response = await service.fetch(`/api/v1/batches/${id}`);
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

/** Starts single runs one after the other until it is stopped, and records the duration of each. */
function measureOthers(service: BenchService, workflowId: string, times: number[]): AbortController {
  const stopping = new AbortController();
  const measure = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const begin = performance.now();
      const response = await service.fetch(`/api/v1/workflows/${workflowId}/run`, {
        method: 'POST',
        body: '{}',
        headers: { prefer: 'wait=30' },
      });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`A single run was answered with ${response.status}.`);
      times.push(performance.now() - begin);
      await sleep(50);
    }
  };
  void measure();
  return stopping;
}

/** Returns the present size of the process, or its peak, in MB. */
async function readMemory({ pid }: BenchService, name: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}
