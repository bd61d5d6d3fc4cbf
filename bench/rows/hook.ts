// Measures a hook that is called 200 times a second, and its effect on the hooks of another account.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { THREE_NODES } from '../graphs.ts';
import { quantile } from '../load.ts';
import type { Row } from '../row.ts';
import { type Account, createAccount, makeFolder, removeFolder, startPlainService } from '../service.ts';
import { store } from './run.ts';

const FLOOD_PER_SECOND = 200;
/** The calls per second of the other account, on several hooks so that none reaches its limit of 60 calls a minute. */
const OTHER_PER_SECOND = 8;
const OTHER_HOOKS = 10;
const PER_MINUTE = 60;

export async function* runHookRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  const pool = new Pool(service.url, { connections: 32, pipelining: 1 });
  try {
    const [flooded, other] = [await createAccount(service, 'flooded'), await createAccount(service, 'hooks')];
    const path = await createHook(flooded, await store(flooded, THREE_NODES));
    const workflowId = await store(other, THREE_NODES);
    const otherPaths: string[] = [];
    for (let count = 0; count < OTHER_HOOKS; count++) otherPaths.push(await createHook(other, workflowId));
    const callOther = (ms: number) =>
      callSteadily(pool, index => otherPaths[index % OTHER_HOOKS] ?? '', OTHER_PER_SECOND, ms);
    await callOther(isShort ? 300 : 3000);
    const alone = await callOther(isShort ? 500 : 20_000);
    const floodMs = isShort ? 1000 : 60_000;
    const windows = countWindows();
    const [flood, beside] = await Promise.all([
      callSteadily(pool, () => path, FLOOD_PER_SECOND, floodMs),
      callOther(floodMs),
    ]);
    const refused = [...alone, ...beside].filter(({ status }) => status !== 202).length;
    const accepted = flood.filter(({ status }) => status === 202).length;
    const strange = flood.filter(({ status }) => status !== 202 && status !== 429).length;
    const expected = Math.min(flood.length, PER_MINUTE * windows());
    yield {
      figure: `a hook that is called ${FLOOD_PER_SECOND} times a second for ${floodMs / 1000} s: calls accepted beyond its limit`,
      value: Math.max(0, accepted - expected) + strange,
      unit: '',
      target: { value: 0, is: 'at most' },
      note: `${flood.length} calls, ${accepted} accepted, ${strange} neither accepted nor 429; p95 of an answer ${p95(flood).toFixed(1)} ms`,
    };
    yield {
      figure: 'calls of other hooks meanwhile, p95 of the answer',
      value: p95(beside),
      unit: 'ms',
      target: { value: 50, is: 'at most' },
      baseline: { name: 'without the flood', value: p95(alone) },
      note: `${beside.length} calls, ${refused} refused`,
    };
  } finally {
    await pool.close();
    await service.stop();
    await removeFolder(folder);
  }
}

async function createHook(account: Account, workflowId: string): Promise<string> {
  const response = await account.fetch(`/api/v1/workflows/${workflowId}/triggers`, {
    method: 'POST',
    body: JSON.stringify({ kind: 'hook', inputs: {} }),
  });
  const { url } = (await response.json()) as { url?: string };
  if (url === undefined) throw new Error(`A hook was not created: status ${response.status}.`);
  return new URL(url).pathname;
}

interface Call {
  readonly status: number;
  readonly ms: number;
}

/** Calls the hook at a fixed rate, whatever the responses. */
async function callSteadily(
  pool: Pool,
  toPath: (index: number) => string,
  perSecond: number,
  ms: number,
): Promise<readonly Call[]> {
  const calls: Promise<Call>[] = [];
  const startMs = performance.now();
  for (let index = 0; index < (perSecond * ms) / 1000; index++) {
    const dueMs = startMs + (index * 1000) / perSecond;
    if (dueMs > performance.now()) await sleep(dueMs - performance.now());
    calls.push(call(pool, toPath(index)));
  }
  return Promise.all(calls);
}

async function call(pool: Pool, path: string): Promise<Call> {
  const startMs = performance.now();
  const headers = { 'content-type': 'application/json' };
  const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: '{"a":1}' });
  await body.dump();
  return { status: statusCode, ms: performance.now() - startMs };
}

const p95 = (calls: readonly Call[]): number =>
  quantile(
    calls.map(({ ms }) => ms).toSorted((a, b) => a - b),
    0.95,
  );

/** Returns a function that counts the minutes that have begun since now, including the current one. */
function countWindows(): () => number {
  const minute = (): number => Math.floor(Date.now() / 60_000);
  const first = minute();
  return () => minute() - first + 1;
}
