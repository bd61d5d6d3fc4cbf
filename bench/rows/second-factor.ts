// Measures what an authenticator app adds to a sign-in at the service: the time of both steps, without that of a sign-in by password.
import { Secret, TOTP } from 'otpauth';
import { Pool } from 'undici';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startBenchService } from '../service.ts';
import { createAccountWithPassword, PASSWORD } from './sign-in.ts';

const STEP_MS = 30_000;
/** Each account signs in once, because a code works once. */
const ACCOUNTS = 100;

export async function* runSecondFactorRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startBenchService(folder, { TRUST_PROXY: 'true' });
  const pool = new Pool(service.url, { connections: 1, pipelining: 1 });
  try {
    const accounts: Account[] = [];
    for (let index = 0; index < (isShort ? 2 : ACCOUNTS); index++) {
      const email = `factor-${index}@example.com`;
      const cookie = await createAccountWithPassword(service, email);
      accounts.push({ email, address: `198.51.100.${index}`, totp: await addTotp(pool, cookie) });
    }
    const plainEmail = 'plain@example.com';
    await createAccountWithPassword(service, plainEmail);
    const [plain, withFactor]: [number[], number[]] = [[], []];
    // The sign-ins alternate, so that other load affects both.
    for (const account of accounts) {
      plain.push(await measure(() => signIn(pool, { ...account, email: plainEmail })));
      withFactor.push(await measure(() => signInWithFactor(pool, account)));
    }
    yield {
      figure: 'a sign-in with an authenticator app, beyond one without',
      value: median(withFactor) - median(plain),
      unit: 'ms',
      target: { value: 5, is: 'at most' },
      note: `p50 ${median(plain).toFixed(1)} ms without, ${median(withFactor).toFixed(1)} ms in two requests with it`,
    };
  } finally {
    await pool.close();
    await service.stop();
    await removeFolder(folder);
  }
}

interface Account {
  readonly email: string;
  readonly address: string;
  readonly totp: TOTP;
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Sets up an authenticator app with the code of the previous step, so that the current one is still valid. */
async function addTotp(pool: Pool, cookie: string): Promise<TOTP> {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const { secret } = (await send(pool, '/totp', {}, headers)) as { secret: string };
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  await send(pool, '/totp/confirm', { code: totp.generate({ timestamp: Date.now() - STEP_MS }) }, headers);
  return totp;
}

const signIn = (pool: Pool, { email, address }: Omit<Account, 'totp'>): Promise<unknown> =>
  send(pool, '/sign-in', { email, password: PASSWORD }, { 'x-forwarded-for': address });

async function signInWithFactor(pool: Pool, { totp, ...account }: Account): Promise<void> {
  const { challenge } = (await signIn(pool, account)) as { challenge: string };
  const headers = { 'x-forwarded-for': account.address };
  await send(pool, '/second-factor', { challenge, code: totp.generate() }, headers);
}

async function send(
  pool: Pool,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<unknown> {
  const { statusCode, body: response } = await pool.request({
    method: 'POST',
    path: `/api/v1/auth${path}`,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
