// Measures apps: the first paint and the script of a page, and 300 concurrent anonymous visitors with limits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Challenge } from 'altcha-lib/types';
import { solveChallenge } from '../../test/support/apps/visitors.ts';
import { NO_BROWSER, openBrowser, VIEWS } from '../../test/support/browser.ts';
import { PRICE } from '../../test/support/credits/paid.ts';
import { edge, node } from '../../test/support/workflows.ts';
import { startBenchFal } from '../fal-double.ts';
import { THREE_NODES } from '../graphs.ts';
import { load, median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type BenchService,
  makeFolder,
  removeFolder,
  startBenchService,
  startPlainService,
} from '../service.ts';
import { grantCredits, PICTURE } from './batch.ts';
import { largestPaintMs } from './editor.ts';
import { store } from './run.ts';

const VISITORS = 300;
const RUNS_PER_VISITOR = 2;
const OWN_RUNS = 200;
/** The number of visitors' runs that the daily credits pay for. */
const PAID_RUNS = 100;
const PROVIDER_MS = 500;
const EXAMPLES = 6;

export async function* runAppRows(isShort: boolean): AsyncGenerator<Row> {
  yield* measurePage(isShort ? 1 : 5);
  yield* measureVisitors(isShort);
}

async function* measurePage(rounds: number): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const path = `/a/${await createPosterApp(service)}`;
    const text = await (await fetch(service.url + path)).text();
    const scripts = [...text.matchAll(/(?:src|data-solver)="(\/pages\/[^"]+\.js)"/g)].map(match => match[1]);
    let bytes = 0;
    for (const script of scripts)
      bytes += (await (await fetch(service.url + script)).arrayBuffer()).byteLength;
    yield {
      figure: 'script of the page of an app and its worker, uncompressed',
      value: bytes / 1000,
      unit: 'KB',
      target: { value: 60, is: 'at most' },
    };
    if (NO_BROWSER !== false) {
      process.stderr.write(`${NO_BROWSER}\n`);
      return;
    }
    const browser = await openBrowser('new');
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using tab = await browser.open(service.url, VIEWS[2]);
      await tab.page.goto(path);
      await tab.page.waitForLoadState('networkidle');
      times.push(await largestPaintMs(tab.page));
    }
    await browser.close();
    yield {
      figure: `largest contentful paint of the page of an app with ${EXAMPLES} examples, headless Chromium, cold cache`,
      value: median(times),
      unit: 'ms',
      target: { value: 400, is: 'at most' },
      note: `rounds ${times.map(Math.round).join(', ')}`,
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

/** Creates an app that makes pictures, with examples. Returns its slug. */
async function createPosterApp(service: BenchService): Promise<string> {
  const workflowId = await store(service, {
    name: 'Poster',
    nodes: [
      node('topic', 'input:text', { value: 'a lighthouse' }),
      node('poster', 'generate:sandbox', { width: 768, height: 768 }),
    ],
    edges: [edge('topic.text > poster.prompt')],
  });
  const examples: string[] = [];
  for (let index = 0; index < EXAMPLES; index++) {
    const response = await service.fetch(`/api/v1/workflows/${workflowId}/run`, {
      method: 'POST',
      headers: { prefer: 'wait=30' },
      body: JSON.stringify({ inputs: { topic: `lighthouse ${index}` } }),
    });
    examples.push(((await response.json()) as { id: string }).id);
  }
  return saveApp(service, workflowId, {
    description: 'Describe a scene and get a poster.',
    inputs: [{ nodeId: 'topic', label: 'Scene', placeholder: 'A fox in the snow' }],
    outputs: ['poster'],
    examples,
  });
}

let slugs = 0;

async function saveApp(service: BenchService, workflowId: string, settings: object): Promise<string> {
  const slug = `bench-${process.pid}-${++slugs}`;
  const response = await service.fetch(`/api/v1/workflows/${workflowId}/app`, {
    method: 'PUT',
    body: JSON.stringify({ slug, title: 'Poster maker', inputs: [], audience: 'anyone', ...settings }),
  });
  if (!response.ok) throw new Error(`The app was refused: ${await response.text()}`);
  return slug;
}

async function* measureVisitors(isShort: boolean): AsyncGenerator<Row> {
  const visitors = isShort ? 12 : VISITORS;
  const folder = await makeFolder();
  const fal = await startBenchFal(isShort ? 50 : PROVIDER_MS);
  const service = await startBenchService(folder, {
    FAL_KEY: 'bench',
    FAL_BASE_URL: fal.url,
    TRUST_PROXY: 'true',
  });
  try {
    await fal.sendWebhooksTo(service.url);
    await grantCredits(service);
    const own = await store(service, THREE_NODES);
    const alone = await measureOwnRuns(service, own, { count: isShort ? 10 : OWN_RUNS });
    const paidRuns = isShort ? 5 : PAID_RUNS;
    // Two credits more are not enough for another run.
    const slug = await saveApp(service, await store(service, PICTURE), {
      outputs: ['picture'],
      dailyCredits: paidRuns * PRICE + 2,
      maxCreditsPerRun: PRICE,
      runsPerVisitor: RUNS_PER_VISITOR,
    });
    const proofs = await solveChallenges(service, slug, visitors);
    const stopping = new AbortController();
    const watching = measureOwnRuns(service, own, { signal: stopping.signal });
    const begin = performance.now();
    const statuses = await Promise.all(
      proofs.map((proof, index) => visit(service, slug, { proof, network: index })),
    );
    const seconds = (performance.now() - begin) / 1000;
    await sleep(isShort ? 100 : 3000);
    stopping.abort();
    const meanwhile = await watching;
    yield {
      figure: `${visitors} anonymous visitors at once: credits reserved above or below what dailyCredits pays for`,
      value: Math.abs(count(statuses, 202) - paidRuns) * PRICE,
      unit: 'credits',
      target: { value: 0, is: 'at most' },
      note: `${count(statuses, 202)} runs accepted, ${count(statuses, 429)} refused, within ${seconds.toFixed(1)} s`,
    };
    yield {
      figure: "a run of the app's owner meanwhile, from request to end, p50",
      value: quantile(meanwhile, 0.5),
      unit: 'ms',
      target: { value: 2 * quantile(alone, 0.5), is: 'at most' },
      baseline: { name: 'alone', value: quantile(alone, 0.5) },
      note: `${meanwhile.length} runs`,
    };
    yield {
      figure: "a run of the app's owner meanwhile, slowest",
      value: meanwhile.at(-1) ?? 0,
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      baseline: { name: 'alone', value: alone.at(-1) ?? 0 },
    };
    yield await measureRunsPerVisitor(service, visitors);
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

/** Makes each visitor start five runs concurrently, of which two are allowed. */
async function measureRunsPerVisitor(service: BenchService, total: number): Promise<Row> {
  const people = Math.ceil(total / 5);
  const slug = await saveApp(service, await store(service, THREE_NODES), {
    outputs: ['preview'],
    runsPerVisitor: RUNS_PER_VISITOR,
  });
  const proofs = await solveChallenges(service, slug, people * 5);
  const statuses = await Promise.all(
    proofs.map((proof, index) => visit(service, slug, { proof, network: index % people })),
  );
  return {
    figure: `${people} anonymous visitors start 5 runs each at once: runs above or below runsPerVisitor`,
    value: Math.abs(count(statuses, 202) - people * RUNS_PER_VISITOR),
    unit: 'runs',
    target: { value: 0, is: 'at most' },
    note: `${count(statuses, 202)} runs accepted, ${count(statuses, 429)} refused`,
  };
}

const count = (statuses: readonly number[], status: number): number =>
  statuses.filter(each => each === status).length;

/** Solves the challenges before the measurement, because visitors use computers of their own. */
async function solveChallenges(
  service: BenchService,
  slug: string,
  total: number,
): Promise<readonly string[]> {
  const proofs: string[] = [];
  for (let index = 0; index < total; index++) {
    const response = await fetch(`${service.url}/api/v1/apps/${slug}/challenge`);
    proofs.push(solveChallenge((await response.json()) as Challenge));
  }
  return proofs;
}

async function visit(
  service: BenchService,
  slug: string,
  { proof, network }: { readonly proof: string; readonly network: number },
): Promise<number> {
  const response = await fetch(`${service.url}/api/v1/apps/${slug}/run`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `198.18.${network >> 8}.${network & 255}`,
    },
    body: JSON.stringify({ inputs: {}, proof }),
  });
  const text = await response.text();
  if (response.status !== 202 && response.status !== 429) throw new Error(`${response.status}: ${text}`);
  return response.status;
}

/** Executes runs of the owner one after the other. Returns their durations, ascending. */
async function measureOwnRuns(
  service: BenchService,
  workflowId: string,
  until: { readonly count?: number; readonly signal?: AbortSignal },
): Promise<readonly number[]> {
  const times: number[] = [];
  await load(1, until, async () => {
    const begin = performance.now();
    const response = await service.fetch(`/api/v1/workflows/${workflowId}/run`, {
      method: 'POST',
      body: '{}',
      headers: { prefer: 'wait=30' },
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`A run of the owner was answered with ${response.status}.`);
    times.push(performance.now() - begin);
    await sleep(10);
  });
  return times.toSorted((a, b) => a - b);
}
