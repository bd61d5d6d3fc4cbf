// Measures a webhook trigger that is called 200 times a second, and the latency of another account's triggers meanwhile.
import { Pool } from 'undici';
import { THREE_NODES } from '../graphs.ts';
import { callAtRate, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type Account,
  createAccount,
  makeFolder,
  removeFolder,
  startPlainService,
  storeWorkflow,
} from '../service.ts';

const FLOOD_PER_SECOND = 200;
/** The other account's calls are spread over several hooks, so that none reaches the limit. */
const OTHER_PER_SECOND = 8;
const OTHER_HOOKS = 10;
/** The limit of each hook. */
const MAX_PER_MINUTE = 60;

export async function* runHookRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  const pool = new Pool(service.url, { connections: 32, pipelining: 1 });
  try {
    const [floodedAccount, otherAccount] = [
      await createAccount(service, 'flooded'),
      await createAccount(service, 'hooks'),
    ];
    const floodedPath = await createHook(floodedAccount, await storeWorkflow(floodedAccount, THREE_NODES));
    const workflowId = await storeWorkflow(otherAccount, THREE_NODES);
    const otherPaths: string[] = [];
    for (let count = 0; count < OTHER_HOOKS; count++)
      otherPaths.push(await createHook(otherAccount, workflowId));
    const callOtherHooks = (seconds: number) =>
      callAtRate(OTHER_PER_SECOND, seconds, index => call(pool, otherPaths[index % OTHER_HOOKS] ?? ''));
    await callOtherHooks(isShort ? 0.3 : 3);
    const callsBefore = await callOtherHooks(isShort ? 0.5 : 20);
    const floodSeconds = isShort ? 1 : 60;
    const startMinute = getMinute();
    const [floodCalls, otherCalls] = await Promise.all([
      callAtRate(FLOOD_PER_SECOND, floodSeconds, () => call(pool, floodedPath)),
      callOtherHooks(floodSeconds),
    ]);
    const refusedCount = [...callsBefore, ...otherCalls].filter(({ status }) => status !== 202).length;
    const acceptedCount = floodCalls.filter(({ status }) => status === 202).length;
    const failedCount = floodCalls.filter(({ status }) => status !== 202 && status !== 429).length;
    // The limit applies to each clock minute that the flood touches.
    const maxAccepted = MAX_PER_MINUTE * (getMinute() - startMinute + 1);
    yield {
      figure: `a hook that is called ${FLOOD_PER_SECOND} times a second for ${floodSeconds} s: calls accepted beyond its limit`,
      value: Math.max(0, acceptedCount - maxAccepted) + failedCount,
      unit: '',
      target: { value: 0, is: 'at most' },
      note: `${floodCalls.length} calls, ${acceptedCount} accepted, ${failedCount} neither accepted nor 429; p95 of a response ${getP95Ms(floodCalls).toFixed(1)} ms`,
    };
    yield {
      figure: 'calls of other hooks during this flood, p95 of the response',
      value: getP95Ms(otherCalls),
      unit: 'ms',
      target: { value: 50, is: 'at most' },
      baseline: { name: 'without the flood', value: getP95Ms(callsBefore) },
      note: `${otherCalls.length} calls, ${refusedCount} refused`,
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

async function call(pool: Pool, path: string): Promise<Call> {
  const startMs = performance.now();
  const headers = { 'content-type': 'application/json' };
  const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: '{"a":1}' });
  await body.dump();
  return { status: statusCode, ms: performance.now() - startMs };
}

const getP95Ms = (calls: readonly Call[]): number =>
  quantile(
    calls.map(({ ms }) => ms),
    0.95,
  );

const getMinute = (): number => Math.floor(Date.now() / 60_000);
