// Measures apps: the first paint and the JavaScript of an app page, and 300 concurrent anonymous visitors with limits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Challenge } from 'altcha-lib/types';
import { solveChallenge } from '../../test/support/apps/visitors.ts';
import { BROWSER_MISSING_REASON, openBrowser, VIEWS } from '../../test/support/browser.ts';
import { PRICE } from '../../test/support/credits/paid.ts';
import { edge, node } from '../../test/support/workflows.ts';
import { startBenchFal } from '../fal-double.ts';
import { THREE_NODES } from '../graphs.ts';
import { median, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type BenchService,
  makeFolder,
  removeFolder,
  runToEnd,
  startBenchService,
  startPlainService,
  storeWorkflow,
} from '../service.ts';
import { grantCredits, PICTURE } from './batch.ts';
import { measureLargestPaintMs } from './editor.ts';

const VISITORS = 300;
const RUNS_PER_VISITOR = 2;
const REQUESTS_PER_VISITOR = 5;
const OWNER_RUNS = 200;
/** The number of visitors' runs that the daily credits pay for. */
const AFFORDABLE_RUNS = 100;
const CALL_MS = 500;
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
    const html = await (await fetch(service.url + path)).text();
    const scripts = [...html.matchAll(/(?:src|data-solver)="(\/pages\/[^"]+\.js)"/g)].map(match => match[1]);
    let bytes = 0;
    for (const script of scripts)
      bytes += (await (await fetch(service.url + script)).arrayBuffer()).byteLength;
    yield {
      figure: 'JavaScript of an app page and its proof worker, uncompressed',
      value: bytes / 1000,
      unit: 'KB',
      target: { value: 60, is: 'at most' },
    };
    if (BROWSER_MISSING_REASON !== false) {
      process.stderr.write(`${BROWSER_MISSING_REASON}\n`);
      return;
    }
    const browser = await openBrowser('new');
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using tab = await browser.open(service.url, VIEWS[2]);
      await tab.page.goto(path);
      await tab.page.waitForLoadState('networkidle');
      times.push(await measureLargestPaintMs(tab.page));
    }
    await browser.close();
    yield {
      figure: `largest contentful paint of an app page with ${EXAMPLES} examples, headless Chromium, cold cache`,
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

/** Creates an app that makes pictures and has examples. Returns the app's slug. */
async function createPosterApp(service: BenchService): Promise<string> {
  const workflowId = await storeWorkflow(service, {
    name: 'Poster',
    nodes: [
      node('topic', 'input:text', { value: 'a lighthouse' }),
      node('poster', 'generate:sandbox', { width: 768, height: 768 }),
    ],
    edges: [edge('topic.text > poster.prompt')],
  });
  const exampleIds: string[] = [];
  for (let index = 0; index < EXAMPLES; index++) {
    const response = await service.fetch(`/api/v1/workflows/${workflowId}/run`, {
      method: 'POST',
      headers: { prefer: 'wait=30' },
      body: JSON.stringify({ inputs: { topic: `lighthouse ${index}` } }),
    });
    exampleIds.push(((await response.json()) as { id: string }).id);
  }
  return saveApp(service, workflowId, {
    description: 'Describe a scene and get a poster.',
    inputs: [{ nodeId: 'topic', label: 'Scene', placeholder: 'A fox in the snow' }],
    outputs: ['poster'],
    examples: exampleIds,
  });
}

let slugCount = 0;

async function saveApp(service: BenchService, workflowId: string, settings: object): Promise<string> {
  const slug = `bench-${process.pid}-${++slugCount}`;
  const response = await service.fetch(`/api/v1/workflows/${workflowId}/app`, {
    method: 'PUT',
    body: JSON.stringify({ slug, title: 'Poster maker', inputs: [], audience: 'anyone', ...settings }),
  });
  if (!response.ok) throw new Error(`The app was refused: ${await response.text()}`);
  return slug;
}

async function* measureVisitors(isShort: boolean): AsyncGenerator<Row> {
  const visitorCount = isShort ? 12 : VISITORS;
  const folder = await makeFolder();
  const fal = await startBenchFal(isShort ? 50 : CALL_MS);
  const service = await startBenchService(folder, {
    FAL_KEY: 'bench',
    FAL_BASE_URL: fal.url,
    TRUST_PROXY: 'true',
  });
  try {
    await fal.sendWebhooksTo(service.url);
    await grantCredits(service);
    const ownerWorkflowId = await storeWorkflow(service, THREE_NODES);
    const timesBefore = await measureOwnerRuns(service, ownerWorkflowId, {
      count: isShort ? 10 : OWNER_RUNS,
    });
    const affordableRuns = isShort ? 5 : AFFORDABLE_RUNS;
    const slug = await saveApp(service, await storeWorkflow(service, PICTURE), {
      outputs: ['picture'],
      // The two remaining credits do not pay for another run.
      dailyCredits: affordableRuns * PRICE + 2,
      maxCreditsPerRun: PRICE,
      runsPerVisitor: RUNS_PER_VISITOR,
    });
    const proofs = await solveChallenges(service, slug, visitorCount);
    const stop = new AbortController();
    const ownerRuns = measureOwnerRuns(service, ownerWorkflowId, { signal: stop.signal });
    const startMs = performance.now();
    const statuses = await Promise.all(
      proofs.map((proof, index) => startVisitorRun(service, slug, { proof, visitorIndex: index })),
    );
    const seconds = (performance.now() - startMs) / 1000;
    await sleep(isShort ? 100 : 3000);
    stop.abort();
    const timesDuringVisits = await ownerRuns;
    const acceptedCount = countStatus(statuses, 202);
    yield {
      figure: `${visitorCount} concurrent anonymous visitors: difference between the credits reserved and those that dailyCredits pays for`,
      value: Math.abs(acceptedCount - affordableRuns) * PRICE,
      unit: 'credits',
      target: { value: 0, is: 'at most' },
      note: `${acceptedCount} runs accepted, ${countStatus(statuses, 429)} refused, within ${seconds.toFixed(1)} s`,
    };
    yield {
      figure: "a run of the app's owner during these visits, from request to end, p50",
      value: median(timesDuringVisits),
      unit: 'ms',
      target: { value: 2 * median(timesBefore), is: 'at most' },
      baseline: { name: 'before the visits', value: median(timesBefore) },
      note: `${timesDuringVisits.length} runs`,
    };
    yield {
      figure: "a run of the app's owner during these visits, slowest",
      value: Math.max(...timesDuringVisits),
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      baseline: { name: 'before the visits', value: Math.max(...timesBefore) },
    };
    yield await measureRunsPerVisitor(service, Math.ceil(visitorCount / REQUESTS_PER_VISITOR));
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

/** Makes each visitor start more runs than `runsPerVisitor` allows, concurrently. */
async function measureRunsPerVisitor(service: BenchService, visitorCount: number): Promise<Row> {
  const slug = await saveApp(service, await storeWorkflow(service, THREE_NODES), {
    outputs: ['preview'],
    runsPerVisitor: RUNS_PER_VISITOR,
  });
  const proofs = await solveChallenges(service, slug, visitorCount * REQUESTS_PER_VISITOR);
  const statuses = await Promise.all(
    proofs.map((proof, index) =>
      startVisitorRun(service, slug, { proof, visitorIndex: index % visitorCount }),
    ),
  );
  const acceptedCount = countStatus(statuses, 202);
  return {
    figure: `${visitorCount} anonymous visitors start ${REQUESTS_PER_VISITOR} runs each concurrently: difference between the runs accepted and those that runsPerVisitor allows`,
    value: Math.abs(acceptedCount - visitorCount * RUNS_PER_VISITOR),
    unit: 'runs',
    target: { value: 0, is: 'at most' },
    note: `${acceptedCount} runs accepted, ${countStatus(statuses, 429)} refused`,
  };
}

const countStatus = (statuses: readonly number[], status: number): number =>
  statuses.filter(each => each === status).length;

/** Returns solutions of new challenges. Call this before a measurement: visitors solve challenges on their own computers. */
async function solveChallenges(
  service: BenchService,
  slug: string,
  count: number,
): Promise<readonly string[]> {
  const proofs: string[] = [];
  for (let index = 0; index < count; index++) {
    const response = await fetch(`${service.url}/api/v1/apps/${slug}/challenge`);
    proofs.push(solveChallenge((await response.json()) as Challenge));
  }
  return proofs;
}

/** Returns the status of the response: 202 or 429. */
async function startVisitorRun(
  service: BenchService,
  slug: string,
  { proof, visitorIndex }: { readonly proof: string; readonly visitorIndex: number },
): Promise<number> {
  const response = await fetch(`${service.url}/api/v1/apps/${slug}/run`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `198.18.${visitorIndex >> 8}.${visitorIndex & 255}`,
    },
    body: JSON.stringify({ inputs: {}, proof }),
  });
  const text = await response.text();
  if (response.status !== 202 && response.status !== 429) throw new Error(`${response.status}: ${text}`);
  return response.status;
}

/** Executes the owner's runs one after the other. Returns the duration of each run in ms. */
async function measureOwnerRuns(
  service: BenchService,
  workflowId: string,
  limit: { readonly count?: number; readonly signal?: AbortSignal },
): Promise<readonly number[]> {
  const times: number[] = [];
  await runLoad(1, limit, async () => {
    const startMs = performance.now();
    await runToEnd(service, workflowId);
    times.push(performance.now() - startMs);
    await sleep(10);
  });
  return times;
}
