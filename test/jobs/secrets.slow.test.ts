// Tests secrets of workflows in runs: the value of a secret is sent to its recipient but neither stored nor logged.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Db } from '../../src/store/db.ts';
import { mapStates, type TestUser } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { openStream } from '../support/http/sse.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import {
  KEY,
  type ServiceChild,
  spawnService,
  startTestService,
  type TestService,
  toDatabaseUrl,
} from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const SECRET_VALUE = 'swordfish-7f3a91c2';
/** The encodings in which the value could appear. */
const ENCODED_VALUES = [
  SECRET_VALUE,
  Buffer.from(SECRET_VALUE).toString('base64').replace(/=+$/, ''),
  Buffer.from(SECRET_VALUE).toString('hex'),
];

/** Builds a graph of three requests with the secret: the first succeeds, the second is rejected, the third is lost. */
const buildGraph = (url: string) => ({
  nodes: [
    node('a', 'input:text', { value: 'x' }),
    node('accepted', 'utility:http_request', {
      url: `${url}/accepted`,
      headers: { authorization: 'Bearer {{secrets.TOKEN}}' },
    }),
    node('refused', 'utility:http_request', {
      method: 'POST',
      url: `${url}/refused`,
      body: '{{secrets.TOKEN}}',
    }),
    node('lost', 'utility:http_request', {
      url: 'http://127.0.0.1:1/?key={{secrets.TOKEN}}',
      timeoutMs: 1000,
    }),
    node('end', 'output:preview'),
  ],
  edges: [edge('accepted.text > end.input')],
  secrets: { TOKEN: SECRET_VALUE },
});

describe('a secret of a workflow', () => {
  let folder: string;
  let database: TestDatabase;
  let receiver: Receiver;
  let api: ServiceChild;
  let worker: ServiceChild;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-secrets-'));
    database = await createTestDatabase();
    receiver = await startReceiver();
    receiver.answer((res, { path }) => res.writeHead(path === '/refused' ? 403 : 200).end('answered'));
    const env = {
      DATABASE_URL: toDatabaseUrl(database.connection),
      ALLOW_PRIVATE_NETWORK: 'true',
      LOG_LEVEL: 'trace',
    };
    api = await spawnService(folder, { ...env, ROLE: 'api' });
    worker = await spawnService(folder, { ...env, ROLE: 'worker' });
  });
  after(async () => {
    await api.end('SIGKILL');
    await worker.end('SIGKILL');
    await database.drop();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('appears in no table, response, event, webhook or log', async () => {
    const workflow = await api.createWorkflow(buildGraph(receiver.url));
    const id = await api.startRun(workflow, { webhook: { url: `${receiver.url}/event` } });
    const stream = await openStream(`${api.url}/api/v1/executions/${id}/events`, {
      authorization: `Bearer ${KEY}`,
    });
    const record = await api.waitForStatus(id);
    await stream.closed;
    await waitUntil('the event', () => receiver.received.some(({ path }) => path === '/event'));
    const findRequest = (path: string) => receiver.received.find(item => item.path === path);
    assert.equal(findRequest('/accepted')?.headers.authorization, `Bearer ${SECRET_VALUE}`);
    assert.equal(findRequest('/refused')?.raw, SECRET_VALUE);
    assert.equal(mapStates(record).lost?.status, 'FAILED');

    const readText = async (path: string): Promise<string> =>
      JSON.stringify((await api.request('GET', path)).body);
    const outputs: Readonly<Record<string, string>> = {
      'the record': JSON.stringify(record),
      'the graph as it ran': await readText(`/executions/${id}/workflow`),
      'the list of runs': await readText('/executions'),
      'the deliveries': await readText(`/executions/${id}/deliveries`),
      'the stream': JSON.stringify(stream.events),
      'the webhook': findRequest('/event')?.raw ?? '',
      "the API's log": api.output(),
      "the worker's log": worker.output(),
      'the database': await dump(database.db),
    };
    assert.match(outputs["the worker's log"] ?? '', /"msg"/);
    assert.match(outputs['the database'] ?? '', new RegExp(id));
    for (const [output, text] of Object.entries(outputs))
      for (const form of ENCODED_VALUES) assert.ok(!text.includes(form), `${output} contains ${form}`);
  });
});

describe('a secret in a run by another user than its creator', () => {
  let service: TestService;
  let receiver: Receiver;
  let editor: TestUser;
  before(async () => {
    receiver = await startReceiver();
    receiver.answer((res, { path }) => {
      if (path === '/redirect')
        res.writeHead(307, { location: receiver.url.replace('127.0.0.1', 'localhost') }).end();
      else res.writeHead(200, { 'content-type': 'text/plain' }).end('answered');
    });
    service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
    editor = await service.createUser();
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const LIMITED_VALUE = 'limited-0123456789';
  /** Runs a request that an editor added to the workflow, and returns the record of the run. */
  const runAsEditor = async (config: Record<string, unknown>) => {
    const { host } = new URL(receiver.url);
    const graph = { nodes: [node('h', 'utility:http_request', { url: receiver.url })], edges: [] };
    const secrets = { UNLIMITED: SECRET_VALUE, LIMITED: { value: LIMITED_VALUE, hosts: [host] } };
    const id = await service.createWorkflow({ ...graph, secrets });
    const share = await service.request('PUT', `/workflows/${id}/permissions`, {
      email: editor.email,
      role: 'EDIT',
    });
    assert.equal(share.status, 200, JSON.stringify(share.body));
    const change = { nodes: [node('h', 'utility:http_request', config)], edges: [] };
    const put = await editor.request('PUT', `/workflows/${id}`, change);
    assert.equal(put.status, 200, JSON.stringify(put.body));
    return editor.runWorkflow(id);
  };

  it('is sent only to its allowed hosts', async () => {
    const requestCountBefore = receiver.received.length;
    const authorization = 'Bearer {{secrets.LIMITED}}';
    const state = await runAsEditor({ url: `${receiver.url}/x`, headers: { authorization } });
    assert.equal(state.status, 'COMPLETED', JSON.stringify(state));
    assert.equal(receiver.received[requestCountBefore]?.headers.authorization, `Bearer ${LIMITED_VALUE}`);
    const otherUrl = receiver.url.replace('127.0.0.1', 'localhost');
    const refusedRun = await runAsEditor({ url: otherUrl, headers: { authorization } });
    assert.deepEqual([refusedRun.status, refusedRun.error?.code], ['FAILED', 'secret_not_allowed']);
    const body = '{{secrets.LIMITED}}';
    const redirect = await runAsEditor({ url: `${receiver.url}/redirect`, method: 'POST', body });
    assert.equal(redirect.status, 'FAILED', JSON.stringify(redirect));
    assert.equal(
      receiver.received.length,
      requestCountBefore + 2,
      'two requests were sent, and no redirect was followed',
    );
  });

  it('is not sent without allowed hosts or in a host name', async () => {
    const requestCountBefore = receiver.received.length;
    const headers = { authorization: '{{secrets.UNLIMITED}}' };
    const inHeader = await runAsEditor({ url: receiver.url, headers });
    assert.deepEqual([inHeader.status, inHeader.error?.code], ['FAILED', 'secret_not_allowed']);
    const inHost = await runAsEditor({ url: 'https://{{secrets.LIMITED}}.invalid/' });
    assert.deepEqual([inHost.status, inHost.error?.code], ['FAILED', 'secret_in_host']);
    assert.equal(receiver.received.length, requestCountBefore);
  });

  it('is refused with 400 if its hosts are invalid', async () => {
    for (const hosts of [['https://example.com'], ['*.com'], ['a b'], ['*'], ['example.com:99999'], []]) {
      const { status } = await service.request('POST', '/workflows', {
        name: 'x',
        nodes: [node('t', 'input:text', { value: 'x' })],
        edges: [],
        secrets: { A: { value: 'v', hosts } },
      });
      assert.equal(status, 400, JSON.stringify(hosts));
    }
  });
});

/** Reads every row of every table as text. */
async function dump(db: Db): Promise<string> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.query<{ line: string }>(`select t::text as line from ${name} t`);
    texts.push(name, ...rows.map(({ line }) => line));
  }
  return texts.join('\n');
}
