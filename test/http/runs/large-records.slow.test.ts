// Tests runs with large records: records are truncated, each node can be read in full, and runs over the limit fail.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Execution } from '../../support/client.ts';
import { startReceiver } from '../../support/network/receiver.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

type State = Execution['nodeStates'][number] & { readonly truncated?: boolean; readonly texts?: string[] };

const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** `wide` joins of a 990 kB text with each of the `items`. */
function joining(items: number, wide = 1) {
  const joins = Array.from({ length: wide }, (_, index) => `join${index}`);
  return {
    nodes: [
      node('list', 'input:list', { items: Array.from({ length: items }, (_, index) => `item ${index}`) }),
      node('text', 'input:text', { value: 'x'.repeat(990_000) }),
      ...joins.map(id => node(id, 'utility:prompt_concat')),
    ],
    edges: joins.flatMap(id => [edge(`list.list > ${id}.text1`), edge(`text.text > ${id}.text2`)]),
  };
}

describe('a run with a large record', () => {
  let service: TestService;
  let large: string;

  before(async () => {
    service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
    large = await service.startRun(await service.createWorkflow(joining(25)));
    assert.equal((await service.waitForStatus(large)).status, 'COMPLETED');
  });
  after(() => service.close());

  const getState = (record: { readonly nodeStates: readonly object[] }, id: string): State =>
    (record.nodeStates as readonly State[]).find(({ nodeId }) => nodeId === id) as State;

  it('has a record of at most 16 MB, with long values truncated and marked', async () => {
    const { body } = await service.request<Execution>('GET', `/executions/${large}`);
    const length = Buffer.byteLength(JSON.stringify(body));
    assert.ok(length <= MAX_RECORD_BYTES && length > 12_000_000, String(length));
    const state = getState(body, 'join0');
    assert.equal(state.truncated, true);
    assert.equal(state.texts?.length, 25);
    for (const [index, text] of state.texts.entries()) assert.ok(text.startsWith(`item ${index}, xxx`));
    assert.equal(getState(body, 'list').truncated, undefined);
    assert.equal(getState(body, 'list').texts?.length, 25);
  });

  it('returns each node in full from its own endpoint', async () => {
    const path = `/executions/${large}/outputs`;
    const { status, body } = await service.request<State>('GET', `${path}/join0`);
    assert.equal(status, 200);
    assert.equal(body.truncated, undefined);
    assert.deepEqual(
      body.texts?.map(text => text.length),
      Array.from({ length: 25 }, (_, index) => `item ${index}, `.length + 990_000),
    );
    assert.equal((await service.request('GET', `${path}/nobody`)).status, 404);
    const stranger = await service.createUser();
    assert.equal((await stranger.request('GET', `${path}/join0`)).status, 403);
  });

  it('is truncated in the same way in the event snapshot and in the webhook', async () => {
    const receiver = await startReceiver();
    const workflow = await service.createWorkflow(joining(25));
    const id = await service.startRun(workflow, { webhook: { url: receiver.url } });
    await service.waitForStatus(id);
    const response = await fetch(`${service.url}/api/v1/executions/${id}/events`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const events = await response.text();
    assert.match(events, /^id: \d+\nevent: snapshot\n/);
    assert.ok(Buffer.byteLength(events) <= MAX_RECORD_BYTES);
    assert.match(events, /"truncated":true/);
    const { rows } = await service.db.query<{ bytes: number; cut: boolean }>(
      `select octet_length(body) as bytes, strpos(body, '"truncated":true') > 0 as cut
       from deliveries where execution_id = $1`,
      [id],
    );
    assert.ok((rows[0]?.bytes ?? 0) <= MAX_RECORD_BYTES && rows[0]?.cut === true, JSON.stringify(rows));
    await receiver.close();
  });

  it('continues in a resumed run, which counts the results it reuses', async () => {
    const { body } = await service.request<{ executionId: string }>('POST', `/executions/${large}/resume`, {
      fromNodeId: 'list',
    });
    const resumed = await service.waitForStatus(body.executionId);
    assert.equal(resumed.status, 'COMPLETED');
    const wholeState = await service.request<State>('GET', `/executions/${body.executionId}/outputs/join0`);
    assert.equal(wholeState.body.texts?.length, 25);
    assert.equal(wholeState.body.truncated, undefined);
  });

  it('ends as FAILED once it records more than 32 MB, with a readable record', async () => {
    const id = await service.startRun(await service.createWorkflow(joining(100, 4)));
    const record = await service.waitForStatus(id);
    assert.equal(record.status, 'FAILED');
    assert.equal(record.error?.code, 'run_output_too_large');
    assert.equal(record.error.nodeId, 'join0');
    const statuses = record.nodeStates.map(state => state.status);
    assert.deepEqual(statuses, ['COMPLETED', 'COMPLETED', 'FAILED', 'CANCELLED', 'CANCELLED', 'CANCELLED']);
    assert.match(record.nodeStates[2]?.error ?? '', /32 MB/);
  });

  it('counts the sum of nodes that are small individually', async () => {
    const id = await service.startRun(await service.createWorkflow(joining(1, 40)));
    const record = await service.waitForStatus(id);
    assert.equal(record.error?.code, 'run_output_too_large');
    const done = record.nodeStates.filter(({ status }) => status === 'COMPLETED');
    assert.ok(done.length > 25 && done.length < 40, String(done.length));
  });

  it('can be read, truncated, if an older version recorded more', async () => {
    const text = (size: number) => ({ type: 'TEXT', text: `q"\u00e9${'y'.repeat(size)}` });
    const steps = [
      {
        nodeId: 'list',
        status: 'COMPLETED',
        attempt: 1,
        outputs: { list: { type: 'LIST', items: [text(1)] } },
      },
      {
        nodeId: 'text',
        status: 'COMPLETED',
        attempt: 1,
        outputs: { text: { type: 'TEXT', text: 'z'.repeat(9e6) } },
      },
      {
        nodeId: 'join0',
        status: 'COMPLETED',
        attempt: 1,
        outputs: { text: { type: 'LIST', items: Array.from({ length: 28 }, () => text(900_000)) } },
      },
    ];
    // A busy machine stores a run in more rows.
    await service.db.query(
      `with newest as (select max(seq) as seq from execution_steps where execution_id = $1),
         others as (delete from execution_steps using newest
           where execution_id = $1 and execution_steps.seq < newest.seq)
       update execution_steps set steps = $2 from newest
       where execution_id = $1 and execution_steps.seq = newest.seq`,
      [large, JSON.stringify(steps)],
    );
    const { status, body } = await service.request<Execution>('GET', `/executions/${large}`);
    assert.equal(status, 200);
    assert.ok(Buffer.byteLength(JSON.stringify(body)) <= MAX_RECORD_BYTES);
    assert.equal(getState(body, 'join0').texts?.length, 28);
    assert.ok(getState(body, 'join0').texts?.[27]?.startsWith('q"\u00e9yyy'));
    assert.equal(getState(body, 'join0').truncated, true);
    assert.equal(getState(body, 'text').truncated, true);
    const wholeState = await service.request<State>('GET', `/executions/${large}/outputs/join0`);
    assert.equal(wholeState.body.texts?.[27]?.length, 900_003);
    const again = await service.request('POST', `/executions/${large}/resume`, { fromNodeId: 'list' });
    assert.equal(again.status, 202);
  });
});
