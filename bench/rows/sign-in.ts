// Measures sign-ins next to runs: the number of passwords checked per second during runs, and the effect on the runs.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { THREE_NODES } from '../graphs.ts';
import { median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import { API_KEY, type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';
import { store } from './run.ts';

const RUNS_PER_SECOND = 500;
/** The rate of sign-ins, which is higher than the target. */
const SIGN_INS_PER_SECOND = 25;
const CONNECTIONS = 64;
/** Attempts in progress count as failures, so they are spread over accounts and addresses. */
const ACCOUNTS = 20;
const PASSWORD = 'correct horse battery';
const getEmail = (index: number): string => `bench-${index % ACCOUNTS}@example.com`;
const JSON_TYPE = { 'content-type': 'application/json' };

export async function* runSignInRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startBenchService(folder, { TRUST_PROXY: 'true' });
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  try {
    const seconds = isShort ? 0.2 : 6;
    // In short mode there are fewer sign-ins than accounts.
    const accounts = Math.min(ACCOUNTS, SIGN_INS_PER_SECOND * seconds);
    for (let index = 0; index < accounts; index++) await createAccount(service, getEmail(index));
    const workflowId = await store(service, THREE_NODES);
    const run = () => sendPaced(RUNS_PER_SECOND, seconds, () => post(pool, ...createRunRequest(workflowId)));
    const signIn = () =>
      sendPaced(SIGN_INS_PER_SECOND, seconds, index => post(pool, ...createSignInRequest(index)));
    await run();
    const rounds = [];
    // The measurements alternate, so that other load affects both.
    for (let round = 0; round < (isShort ? 1 : 3); round++) {
      const alone = await run();
      const [mixed, signIns] = await Promise.all([run(), signIn()]);
      rounds.push({ alone, mixed, signIns });
    }
    yield* present(rounds);
  } finally {
    await pool.close();
    await service.stop();
    await removeFolder(folder);
  }
}

interface PacedResult {
  readonly perSecond: number;
  /** The median response time in milliseconds. */
  readonly p50: number;
}

type Round = Readonly<Record<'alone' | 'mixed' | 'signIns', PacedResult>>;

function* present(rounds: readonly Round[]): Generator<Row> {
  const getMedian = (part: keyof Round, figure: keyof PacedResult): number =>
    median(rounds.map(round => round[part][figure]));
  const list = (part: keyof Round, figure: keyof PacedResult): string =>
    rounds.map(round => round[part][figure].toFixed(1)).join(', ');
  yield {
    figure: `sign-ins answered while ${RUNS_PER_SECOND} runs per second are sent`,
    value: getMedian('signIns', 'perSecond'),
    unit: 'sign-ins/s',
    target: { value: 20, is: 'at least' },
    note: `${SIGN_INS_PER_SECOND}/s sent; p50 ${getMedian('signIns', 'p50').toFixed(0)} ms`,
  };
  yield {
    figure: `runs answered of ${RUNS_PER_SECOND} per second with ${SIGN_INS_PER_SECOND} sign-ins per second, as a share of those without`,
    value: getMedian('mixed', 'perSecond') / getMedian('alone', 'perSecond'),
    unit: 'of 1',
    target: { value: 0.9, is: 'at least' },
    note: `alone ${list('alone', 'perSecond')}; mixed ${list('mixed', 'perSecond')}; p50 in ms: alone ${list('alone', 'p50')}; mixed ${list('mixed', 'p50')}`,
  };
}

type Request = readonly [path: string, status: number, headers: Record<string, string>, body: string];

const createRunRequest = (workflowId: string): Request => [
  `/api/v1/workflows/${workflowId}/execute`,
  200,
  { ...JSON_TYPE, authorization: `Bearer ${API_KEY}`, prefer: 'wait=30' },
  '{}',
];
const createSignInRequest = (index: number): Request => [
  '/api/v1/auth/sign-in',
  204,
  { ...JSON_TYPE, 'x-forwarded-for': `198.51.100.${index % ACCOUNTS}` },
  JSON.stringify({ email: getEmail(index), password: PASSWORD }),
];

async function post(pool: Pool, ...[path, status, headers, body]: Request): Promise<void> {
  const { statusCode, body: response } = await pool.request({ method: 'POST', path, headers, body });
  const text = await response.text();
  if (statusCode !== status) throw new Error(`${path} answered ${statusCode}: ${text}`);
}

/** Sends requests at a fixed rate, however many responses are missing, and waits for all responses. */
async function sendPaced(
  perSecond: number,
  seconds: number,
  send: (index: number) => Promise<void>,
): Promise<PacedResult> {
  const waits: number[] = [];
  const sent: Promise<void>[] = [];
  const count = perSecond * seconds;
  const startMs = performance.now();
  while (sent.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - startMs) / 1000) * perSecond) + 1);
    while (sent.length < due) {
      const start = performance.now();
      sent.push(send(sent.length).then(() => void waits.push(performance.now() - start)));
    }
    await sleep(1);
  }
  await Promise.all(sent);
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  return {
    perSecond: count / elapsedSeconds,
    p50: quantile(
      waits.toSorted((a, b) => a - b),
      0.5,
    ),
  };
}

async function createAccount(service: BenchService, email: string): Promise<void> {
  const user = { email, name: 'Bench', invite: true };
  const made = await service.fetch('/api/v1/admin/users', { method: 'POST', body: JSON.stringify(user) });
  const { inviteUrl = '' } = (await made.json()) as { inviteUrl?: string };
  const body = JSON.stringify({ token: new URL(inviteUrl).hash.slice(1), password: PASSWORD });
  const accepted = await service.fetch('/api/v1/auth/accept-invite', { method: 'POST', body });
  if (accepted.status !== 204) throw new Error(`The invitation was refused: ${await accepted.text()}`);
}
