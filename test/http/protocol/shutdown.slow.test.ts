// Tests the shutdown of a real process: active requests finish, connections and streams close, and no error is logged.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listSettings } from '../../../src/lib/settings.ts';
import { createTestDatabase } from '../../support/database.ts';
import { EDITOR_FOLDER } from '../../support/editor-bundle.ts';
import { openSocket, readResponses, requestHead } from '../../support/http/raw-http.ts';
import { waitUntil } from '../../support/processes.ts';
import { toDatabaseUrl } from '../../support/service.ts';
import { TIMING_DIVISOR } from '../../support/timing.ts';
import { edge, node } from '../../support/workflows.ts';

const BIN = join(import.meta.dirname, '../../../bin/graphwright.js');
const KEY = 'sk-test-shutdown-0123456789';
const authorization = `Bearer ${KEY}`;
const SLOW = {
  name: 'slow',
  nodes: [
    node('a', 'input:text', { value: 'x' }),
    node('b', 'logic:delay', { seconds: 2 }),
    node('c', 'output:preview'),
  ],
  edges: [edge('a.text > b.input'), edge('b.output > c.input')],
};

interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly log: () => string;
}

const folders: string[] = [];
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Without a DATABASE_URL, the service starts the embedded PostgreSQL. */
async function startService(logLevel: string, extraEnv: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'graphwright-shutdown-'));
  folders.push(folder);
  const env = { ...process.env };
  for (const { name } of listSettings()) delete env[name];
  const child = spawn(process.execPath, [BIN, 'serve'], {
    env: {
      ...env,
      DATA_DIR: folder,
      EDITOR_DIR: EDITOR_FOLDER,
      PORT: '0',
      BOOTSTRAP_API_KEY: KEY,
      LOG_LEVEL: logLevel,
      TIMING_DIVISOR,
      ...extraEnv,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (log += chunk));
  const READY = /ready at (http:\S+) /;
  await waitUntil('the service', () => READY.test(log) || child.exitCode !== null);
  const url = READY.exec(log)?.[1];
  if (url === undefined) throw new Error(`The service did not start:\n${log}`);
  return { child, url, port: Number(new URL(url).port), log: () => log };
}

async function post(url: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, await response.clone().text());
  return (await response.json()) as Record<string, string>;
}

describe('SIGTERM', () => {
  it('lets active requests finish, closes streams and idle connections and exits with 0', async () => {
    const { child, url, port, log } = await startService('debug');
    const { id } = await post(`${url}/api/v1/workflows`, SLOW);
    const { executionId } = await post(`${url}/api/v1/workflows/${id}/execute`, {});

    // Opens an idle keep-alive connection, a request with half a body, a stream, and a request that waits for a run.
    const agent = new Agent({ keepAlive: true });
    const idleRequest = request(`${url}/healthz`, { agent }).end();
    const [response] = await once(idleRequest, 'response');
    response.resume();
    const uploadSocket = await openSocket(port);
    const name = '{"name":"folder"}';
    const headers = {
      authorization,
      'content-type': 'application/json',
      'content-length': String(name.length),
    };
    uploadSocket.write(requestHead('POST', '/api/v1/folders', { ...headers, connection: 'keep-alive' }));
    const uploadResponses = readResponses(uploadSocket);
    const stream = await fetch(`${url}/api/v1/executions/${executionId}/events`, {
      headers: { authorization },
    });
    const events = stream.text();
    const waitingRequest = fetch(`${url}/api/v1/workflows/${id}/run`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', prefer: 'wait=30' },
      body: '{}',
    });
    await waitUntil('the second run', async () => {
      const list = await fetch(`${url}/api/v1/executions`, { headers: { authorization } });
      return ((await list.json()) as { data: object[] }).data.length === 2;
    });

    child.kill('SIGTERM');
    // Unlike `exit`, `close` comes after the whole log.
    const exit = once(child, 'close');
    await waitUntil('the announcement', () => log().includes('Stopping'));
    uploadSocket.write(name);
    assert.equal((await uploadResponses)[0]?.status, 201);
    assert.match(await events, /^(?:: still here\n\n)*id: \d+\nevent: snapshot\n/);
    // The request gets a response about the run, which continues after the next start.
    assert.ok([200, 202].includes((await waitingRequest).status));
    assert.deepEqual(await exit, [0, null]);
    agent.destroy();

    const lines = log()
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line));
    assert.deepEqual(
      lines.filter(line => line.level > 30),
      [],
    );
    assert.doesNotMatch(log(), /Warning|DEP\d|sk-test|Bearer/);
    const requestLines = lines.filter(line => line.msg === 'request');
    assert.ok(
      requestLines.some(
        line => line.path === '/api/v1/folders' && line.method === 'POST' && line.status === 201,
      ),
    );
    assert.ok(requestLines.every(line => typeof line.ms === 'number' && typeof line.requestId === 'string'));
  });

  it('ends the process immediately at the second signal', async t => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const env = { DATABASE_URL: toDatabaseUrl(database.connection) };
    const { child, port, log } = await startService('info', env);
    const socket = await openSocket(port);
    // This request is never finished, so the server would wait for its timeout.
    socket.write(
      requestHead('POST', '/api/v1/folders', {
        authorization,
        'content-length': '5',
        'content-type': 'application/json',
      }),
    );
    socket.on('error', () => undefined);
    await fetch(`http://127.0.0.1:${port}/healthz`);
    child.kill('SIGTERM');
    await waitUntil('the announcement', () => log().includes('Stopping'));
    const exit = once(child, 'exit');
    const interval = setInterval(() => child.kill('SIGTERM'), 100);
    assert.deepEqual(await exit, [143, null]);
    clearInterval(interval);
    socket.destroy();
  });
});
