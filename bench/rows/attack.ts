// Measures the service and another account while a free account or visitors send ten of the largest requests at once. The free
// plan allows no more in a minute.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { AT_ONCE, ATTACKS, type Strike } from '../attacks/attacks.ts';
import { type Feed, startFeed } from '../attacks/feed.ts';
import { THREE_NODES } from '../graphs.ts';
import { type LoadResult, quantile, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type BenchService,
  createAccount,
  execute,
  makeFolder,
  readMemoryMb,
  removeFolder,
  startBenchService,
  storeWorkflow,
} from '../service.ts';

/** The number of connections of the other account. */
const CONNECTIONS = 4;
const SAMPLE_MS = 20;
/** How long the pace is measured before an attack, and at least during it. */
const MIN_MS = 3000;
/** Attacks that have not ended after this time are aborted. */
const MAX_MS = 60_000;
const WARM_UP_RUNS = 300;

export async function* runAttackRows(isShort: boolean): AsyncGenerator<Row> {
  const feed = await startFeed();
  const results: Result[] = [];
  try {
    for (const name of isShort ? Object.keys(ATTACKS).slice(0, 1) : Object.keys(ATTACKS)) {
      const result = await measureAttack(name, feed, isShort);
      results.push(result);
      yield createPaceRow(name, result);
    }
  } finally {
    feed.close();
  }
  const of = (values: readonly number[]): string => values.map(value => value.toFixed(0)).join(', ');
  const health = results.map(({ healthMs }) => healthMs);
  yield {
    figure: 'longest response time of /healthz during an attack',
    value: Math.max(...health),
    unit: 'ms',
    target: { value: 200, is: 'at most' },
    note: of(health),
  };
  const peaks = results.map(({ peakMb }) => peakMb);
  yield {
    figure: 'peak memory of the process during an attack (RSS)',
    value: Math.max(...peaks),
    unit: 'MB',
    target: { value: 1000, is: 'at most' },
    note: of(peaks),
  };
  yield {
    figure: 'refused runs of the other account during all attacks',
    value: results.reduce((sum, { refusals }) => sum + refusals, 0),
    unit: 'runs',
    target: { value: 0, is: 'at most' },
  };
}

interface Result {
  readonly before: LoadResult;
  readonly during: LoadResult;
  readonly healthMs: number;
  readonly peakMb: number;
  readonly refusals: number;
  readonly answers: string;
}

function createPaceRow(name: string, { before, during, healthMs, peakMb, answers }: Result): Row {
  const getPace = ({ callCount, seconds }: LoadResult): number => callCount / seconds;
  const getP95 = ({ latencies }: LoadResult): string => quantile(latencies, 0.95).toFixed(0);
  return {
    figure: `runs of another account during an attack, as a share of its pace before: ${name}`,
    value: getPace(during) / getPace(before),
    unit: 'of 1',
    target: { value: 0.8, is: 'at least' },
    note: `runs/s before ${getPace(before).toFixed(0)}, during ${getPace(during).toFixed(0)}; p95 before ${getP95(before)} ms, during ${getP95(during)} ms; /healthz ${healthMs.toFixed(0)} ms; memory ${peakMb.toFixed(0)} MB; answers to the attack: ${answers}`,
  };
}

/** Each attack gets a service of its own, so that its memory and caches are its own. */
async function measureAttack(name: string, feed: Feed, isShort: boolean): Promise<Result> {
  const folder = await makeFolder();
  const service = await startBenchService(folder, {
    ALLOW_PRIVATE_NETWORK: 'true',
    MAX_CONCURRENT_RUNS: undefined,
  });
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  try {
    const workflowId = await storeWorkflow(service, THREE_NODES);
    const attacker = await createAccount(service, 'attacker');
    const strike = await ATTACKS[name]?.({ url: service.url, attacker, feed });
    if (strike === undefined) throw new Error(`There is no attack ${name}.`);
    let refusals = 0;
    const runOne = async (): Promise<void> => {
      if ((await execute(pool, workflowId)) !== 200) refusals++;
    };
    await runLoad(CONNECTIONS, { count: isShort ? 8 : WARM_UP_RUNS }, runOne);
    const ms = isShort ? 200 : MIN_MS;
    const before = await runLoad(CONNECTIONS, { ms }, runOne);
    const results = await measureDuring(service, strike, { runOne, ms });
    return { before, ...results, refusals };
  } finally {
    await pool.close();
    await service.stop();
    await removeFolder(folder);
  }
}

/** Runs the other account's load and samples /healthz and the memory of the process, until ten strikes have ended. */
async function measureDuring(
  service: BenchService,
  strike: Strike,
  { runOne, ms }: { readonly runOne: () => Promise<void>; readonly ms: number },
) {
  const end = new AbortController();
  let [healthMs, peakMb] = [0, 0];
  const sample = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const startMs = performance.now();
      await (await fetch(`${service.url}/healthz`)).text();
      healthMs = Math.max(healthMs, performance.now() - startMs);
      peakMb = Math.max(peakMb, await readMemoryMb(service.pid));
      await sleep(SAMPLE_MS);
    }
  };
  const answers = new Map<string, number>();
  const attack = async (): Promise<void> => {
    const answer = await strike(AbortSignal.timeout(MAX_MS)).catch(String);
    answers.set(String(answer), (answers.get(String(answer)) ?? 0) + 1);
  };
  const sampling = sample();
  const attackEnd = Promise.all([sleep(ms), ...Array.from({ length: AT_ONCE }, attack)]).then(() =>
    end.abort(),
  );
  const during = await runLoad(CONNECTIONS, { signal: end.signal }, runOne);
  await attackEnd;
  await sampling;
  const listed = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ');
  return { during, healthMs, peakMb, answers: listed };
}
