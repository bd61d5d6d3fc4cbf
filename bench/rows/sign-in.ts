// Measures sign-ins during runs: the sign-ins per second, and the effect on the runs.
import { Pool } from 'undici';
import { THREE_NODES } from '../graphs.ts';
import { callAtRate, median } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  makeFolder,
  removeFolder,
  startBenchService,
  storeWorkflow,
} from '../service.ts';

const RUNS_PER_SECOND = 500;
/** The rate of sign-ins, which is higher than the target. */
const SIGN_INS_PER_SECOND = 25;
const CONNECTIONS = 64;
/** Sign-ins in progress count as failed attempts, so sign-ins are spread over accounts and addresses. */
const ACCOUNTS = 20;
export const PASSWORD = 'correct horse battery';
const getEmail = (index: number): string => `bench-${index % ACCOUNTS}@example.com`;
const JSON_TYPE = { 'content-type': 'application/json' };

export async function* runSignInRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startBenchService(folder, { TRUST_PROXY: 'true' });
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  try {
    const seconds = isShort ? 0.2 : 6;
    // In short mode there are fewer sign-ins than accounts.
    const accountCount = Math.min(ACCOUNTS, SIGN_INS_PER_SECOND * seconds);
    for (let index = 0; index < accountCount; index++)
      await createAccountWithPassword(service, getEmail(index));
    const workflowId = await storeWorkflow(service, THREE_NODES);
    const sendRuns = () =>
      sendAtRate(RUNS_PER_SECOND, seconds, () => post(pool, ...createRunRequest(workflowId)));
    const sendSignIns = () =>
      sendAtRate(SIGN_INS_PER_SECOND, seconds, index => post(pool, ...createSignInRequest(index)));
    await sendRuns();
    const rounds = [];
    // The measurements alternate, so that other load affects both.
    for (let round = 0; round < (isShort ? 1 : 3); round++) {
      const runsAlone = await sendRuns();
      const [runsDuringSignIns, signIns] = await Promise.all([sendRuns(), sendSignIns()]);
      rounds.push({ runsAlone, runsDuringSignIns, signIns });
    }
    yield* createRows(rounds);
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

type Round = Readonly<Record<'runsAlone' | 'runsDuringSignIns' | 'signIns', PacedResult>>;

function* createRows(rounds: readonly Round[]): Generator<Row> {
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
    value: getMedian('runsDuringSignIns', 'perSecond') / getMedian('runsAlone', 'perSecond'),
    unit: 'of 1',
    target: { value: 0.9, is: 'at least' },
    note: `alone ${list('runsAlone', 'perSecond')}; mixed ${list('runsDuringSignIns', 'perSecond')}; p50 in ms: alone ${list('runsAlone', 'p50')}; mixed ${list('runsDuringSignIns', 'p50')}`,
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

/** Sends requests at a fixed rate, and waits for all responses. */
async function sendAtRate(
  perSecond: number,
  seconds: number,
  send: (index: number) => Promise<void>,
): Promise<PacedResult> {
  const startMs = performance.now();
  const responseTimes = await callAtRate(perSecond, seconds, async index => {
    const sentMs = performance.now();
    await send(index);
    return performance.now() - sentMs;
  });
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  return { perSecond: responseTimes.length / elapsedSeconds, p50: median(responseTimes) };
}

/** Creates an account that is signed in, and returns the cookie of its session. */
export async function createAccountWithPassword(service: BenchService, email: string): Promise<string> {
  const user = { email, name: 'Bench', invite: true };
  const invitation = await service.fetch('/api/v1/admin/users', {
    method: 'POST',
    body: JSON.stringify(user),
  });
  const { inviteUrl = '' } = (await invitation.json()) as { inviteUrl?: string };
  const body = JSON.stringify({ token: new URL(inviteUrl).hash.slice(1), password: PASSWORD });
  const accepted = await service.fetch('/api/v1/auth/accept-invite', { method: 'POST', body });
  if (accepted.status !== 204) throw new Error(`The invitation was refused: ${await accepted.text()}`);
  return accepted.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}
