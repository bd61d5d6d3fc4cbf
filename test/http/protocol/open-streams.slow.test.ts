// Tests the limit of open event streams per account and per address, across runs, workflows and MCP.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EventStream, openStream } from '../../support/http/sse.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { DELAYED, PAIR } from '../../support/workflows.ts';

const MAX_PER_ACCOUNT = 20;
const MAX_PER_ADDRESS = 200;
interface Account {
  readonly authorization: string;
  readonly workflowId: string;
}

let service: TestService;
const openStreams: EventStream[] = [];
before(async () => {
  // No test waits for the checks of the streams, and hundreds of fast checks would load the machine.
  service = await startTestService({ TIMING_DIVISOR: '1' });
});
after(async () => {
  for (const stream of openStreams) stream.hangUp();
  await service.close();
});

async function createAccount(): Promise<Account> {
  const { key } = await service.createUser();
  const authorization = `Bearer ${key}`;
  return {
    authorization,
    workflowId: (await post<{ id: string }>(authorization, '/workflows', { name: 'W', ...DELAYED })).id,
  };
}

async function post<T>(authorization: string, path: string, body: object): Promise<T> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return (await response.json()) as T;
}

async function openAccountStream({ authorization }: Account, path: string): Promise<EventStream> {
  const stream = await openStream(`${service.url}/api/v1${path}`, { authorization });
  if (stream.status === 200) openStreams.push(stream);
  return stream;
}

const openWorkflowStream = (account: Account): Promise<EventStream> =>
  openAccountStream(account, `/workflows/${account.workflowId}/events`);

function closeAll(): void {
  for (const stream of openStreams.splice(0)) stream.hangUp();
}

const sendMcp = ({ authorization }: Account, message: object): Promise<Response> =>
  fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });

describe('event streams', () => {
  it('are limited to 20 open streams of any kind per account', async () => {
    const account = await createAccount();
    const run = `/workflows/${account.workflowId}/execute`;
    const { executionId } = await post<{ executionId: string }>(account.authorization, run, {});
    for (let count = 0; count < MAX_PER_ACCOUNT; count++) {
      const stream = await (count % 2 === 0
        ? openWorkflowStream(account)
        : openAccountStream(account, `/executions/${executionId}/events`));
      assert.equal(stream.status, 200);
    }
    const rejected = await fetch(`${service.url}/api/v1/executions/${executionId}/events`, {
      headers: { authorization: account.authorization },
    });
    const { code } = (await rejected.json()) as { code: string };
    assert.deepEqual([rejected.status, code], [429, 'too_many_streams']);
    assert.ok(Number(rejected.headers.get('retry-after')) > 0);
    const listenResponse = await sendMcp(account, { method: 'subscriptions/listen', params: {} });
    assert.equal(listenResponse.status, 429, await listenResponse.text());
    const params = { name: 'get_execution', arguments: { executionId, waitSeconds: 20 } };
    const waitResponse = await sendMcp(account, { method: 'tools/call', params });
    assert.match(await waitResponse.text(), /too_many_streams/);
    const otherAccount = await createAccount();
    assert.equal((await openWorkflowStream(otherAccount)).status, 200, 'another account has its own limit');
    openStreams.shift()?.hangUp();
    await waitUntil('a free stream', async () => (await openWorkflowStream(account)).status === 200);
    assert.equal((await openWorkflowStream(account)).status, 429);
    closeAll();
  });

  it('do not count if they were rejected or have ended', async () => {
    const account = await createAccount();
    for (let count = 0; count <= MAX_PER_ACCOUNT; count++)
      assert.equal(
        (await openAccountStream(account, '/executions/exe_00000000000000000000000000/events')).status,
        404,
      );
    const workflow = await post<{ id: string }>(account.authorization, '/workflows', { name: 'W', ...PAIR });
    const run = await post<{ executionId: string }>(
      account.authorization,
      `/workflows/${workflow.id}/execute`,
      {},
    );
    for (let count = 0; count <= MAX_PER_ACCOUNT; count++) {
      const stream = await openAccountStream(account, `/executions/${run.executionId}/events`);
      assert.equal(stream.status, 200);
      await stream.closed;
    }
    closeAll();
  });

  it('are limited to 200 open streams per address', async () => {
    for (let streamCount = 0; streamCount < MAX_PER_ADDRESS; ) {
      const account = await createAccount();
      const streams = await Promise.all(
        Array.from({ length: MAX_PER_ACCOUNT }, () => openWorkflowStream(account)),
      );
      streamCount += streams.filter(({ status }) => status === 200).length;
      assert.ok(streamCount <= MAX_PER_ADDRESS);
    }
    assert.equal((await openWorkflowStream(await createAccount())).status, 429);
    closeAll();
  });
});
