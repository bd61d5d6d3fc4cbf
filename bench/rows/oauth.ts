// Measures OAuth authorization of an agent from registration to its first call, with mcp-remote and with plain
// requests.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PASSWORD, readLinkToken } from '../../test/support/accounts/people.ts';
import { findFreePort } from '../../test/support/network/free-port.ts';
import {
  CookieBrowser,
  connect,
  createOAuthClient,
  sendOverNetwork,
} from '../../test/support/oauth/clients.ts';
import { getPeerProgram, NO_PEERS } from '../../test/support/peers.ts';
import { endProcess } from '../../test/support/processes.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startPlainService } from '../service.ts';

const MCP_REMOTE = getPeerProgram('mcp-remote');
const TARGET_MS = 1000;

export async function* runOAuthRows(isShort: boolean): AsyncGenerator<Row> {
  if (NO_PEERS) {
    process.stdout.write(`mcp-remote was skipped: ${NO_PEERS}.\n`);
    return;
  }
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const origin = `http://localhost:${new URL(service.url).port}`;
    const browser = await signIn(service, origin);
    const rounds = isShort ? 1 : 5;
    const remoteTimes: number[] = [];
    for (let round = 0; round < rounds; round++)
      remoteTimes.push(await measureRemote(origin, browser, join(folder, `remote-${round}`)));
    const requestTimes: number[] = [];
    for (let round = 0; round < rounds; round++) requestTimes.push(await measureRequests(origin, browser));
    yield {
      figure: 'mcp-remote, registration to the first tool list, p50',
      value: median(remoteTimes),
      unit: 'ms',
      target: { value: TARGET_MS, is: 'at most' },
      baseline: { name: 'the same requests without starting mcp-remote', value: median(requestTimes) },
      note: 'including the start of mcp-remote',
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

async function signIn(service: BenchService, origin: string): Promise<CookieBrowser> {
  const post = (path: string, body: object): Promise<Response> =>
    service.fetch(`/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const user = { email: 'bench@example.com', name: 'Bench', plan: 'self_hosted', invite: true };
  const { inviteUrl } = (await (await post('/admin/users', user)).json()) as { inviteUrl: string };
  const { headers } = await post('/auth/accept-invite', {
    token: readLinkToken(inviteUrl),
    password: PASSWORD,
  });
  const cookie = (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  return new CookieBrowser(sendOverNetwork, { cookie, origin });
}

/** Registers a client, obtains consent and a token, and sends a ping. Returns the total time in ms. */
async function measureRequests(origin: string, browser: CookieBrowser): Promise<number> {
  const startMs = performance.now();
  const { access_token: token } = await connect(createOAuthClient(sendOverNetwork, origin), browser, {
    origin,
  });
  await sendOverNetwork('POST', `${origin}/mcp`, {
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  return performance.now() - startMs;
}

async function measureRemote(origin: string, browser: CookieBrowser, configDir: string): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [MCP_REMOTE, `${origin}/mcp`, String(await findFreePort())], {
    env: { ...process.env, MCP_REMOTE_CONFIG_DIR: configDir, PATH: configDir },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const durationMs = new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', line => {
      const url = /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(line)?.[0];
      if (url !== undefined) approve(browser, url).catch(reject);
    });
    createInterface({ input: child.stdout }).on('line', line => {
      if (line.includes('"id":1')) send({ id: 2, method: 'tools/list' });
      else if (line.includes('"find_nodes"')) resolve(performance.now() - startMs);
    });
    child.once('exit', code => reject(new Error(`mcp-remote exited with ${code}.`)));
    send({ id: 1, method: 'initialize', params });
  });
  try {
    return await durationMs;
  } finally {
    await endProcess(child);
  }
}

/** Approves the authorization request and sends the redirect to mcp-remote. */
async function approve(browser: CookieBrowser, url: string): Promise<void> {
  const page = await browser.open(url);
  const { url: redirectUrl } = await browser.decide(page);
  // mcp-remote prints the URL a moment before it listens for the redirect.
  for (let tries = 0; tries < 100; tries++) {
    const response = await sendOverNetwork('GET', redirectUrl).catch(() => undefined);
    if (response !== undefined) return;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error('mcp-remote is not listening.');
}
