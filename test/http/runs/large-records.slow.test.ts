// Tests runs with large records: truncated records, complete outputs of single nodes, and the size limit.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Execution } from '../../support/client.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { NIGHTLY_ONLY } from '../../support/tier.ts';
import { createJoinGraph } from '../../support/workflows.ts';

type State = Execution['nodeStates'][number] & { readonly truncated?: boolean; readonly texts?: string[] };

const MAX_RECORD_BYTES = 16 * 1024 * 1024;

describe('a run with a large record', () => {
  let service: TestService;
  let receiver: Receiver;
  let largeRunId: string;

  before(async () => {
    service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
    receiver = await startReceiver();
    const workflow = await service.createWorkflow(createJoinGraph(25));
    largeRunId = await service.startRun(workflow, { webhook: { url: receiver.url } });
    assert.equal((await service.waitForStatus(largeRunId)).status, 'COMPLETED');
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const getState = (record: { readonly nodeStates: readonly object[] }, id: string): State =>
    (record.nodeStates as readonly State[]).find(({ nodeId }) => nodeId === id) as State;

  it('has a record of at most 16 MB with truncated values', async () => {
    const { body } = await service.request<Execution>('GET', `/executions/${largeRunId}`);
    const length = Buffer.byteLength(JSON.stringify(body));
    assert.ok(length <= MAX_RECORD_BYTES && length > 12_000_000, String(length));
    const state = getState(body, 'join0');
    assert.equal(state.truncated, true);
    assert.equal(state.texts?.length, 25);
    for (const [index, text] of state.texts.entries()) assert.ok(text.startsWith(`item ${index}, xxx`));
    assert.equal(getState(body, 'list').truncated, undefined);
    assert.equal(getState(body, 'list').texts?.length, 25);
  });

  it('returns the complete outputs of each node at /outputs/{nodeId}', async () => {
    const path = `/executions/${largeRunId}/outputs`;
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

  it('has a truncated record in the event stream and the webhook', async () => {
    const response = await fetch(`${service.url}/api/v1/executions/${largeRunId}/events`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const events = await response.text();
    assert.match(events, /^(?:: still here\n\n)*id: \d+\nevent: snapshot\n/);
    assert.ok(Buffer.byteLength(events) <= MAX_RECORD_BYTES);
    assert.match(events, /"truncated":true/);
    const { rows } = await service.db.query<{ bytes: number; is_truncated: boolean }>(
      `select octet_length(body) as bytes, strpos(body, '"truncated":true') > 0 as is_truncated
       from deliveries where execution_id = $1`,
      [largeRunId],
    );
    assert.ok(
      (rows[0]?.bytes ?? 0) <= MAX_RECORD_BYTES && rows[0]?.is_truncated === true,
      JSON.stringify(rows),
    );
  });

  it('can be resumed with its complete results', async () => {
    const { body } = await service.request<{ executionId: string }>(
      'POST',
      `/executions/${largeRunId}/resume`,
      {
        fromNodeId: 'list',
      },
    );
    const resumedRun = await service.waitForStatus(body.executionId);
    assert.equal(resumedRun.status, 'COMPLETED');
    const wholeState = await service.request<State>('GET', `/executions/${body.executionId}/outputs/join0`);
    assert.equal(wholeState.body.texts?.length, 25);
    assert.equal(wholeState.body.truncated, undefined);
  });

  it('fails with run_output_too_large after more than 32 MB', async () => {
    const id = await service.startRun(await service.createWorkflow(createJoinGraph(100, 4)));
    const record = await service.waitForStatus(id);
    assert.equal(record.status, 'FAILED');
    assert.equal(record.error?.code, 'run_output_too_large');
    assert.equal(record.error.nodeId, 'join0');
    const statuses = record.nodeStates.map(state => state.status);
    assert.deepEqual(statuses, ['COMPLETED', 'COMPLETED', 'FAILED', 'CANCELLED', 'CANCELLED', 'CANCELLED']);
    assert.match(record.nodeStates[2]?.error ?? '', /32 MB/);
  });

  it('fails if many small outputs exceed the limit together', async () => {
    const id = await service.startRun(await service.createWorkflow(createJoinGraph(1, 40)));
    const record = await service.waitForStatus(id);
    assert.equal(record.error?.code, 'run_output_too_large');
    const completedNodes = record.nodeStates.filter(({ status }) => status === 'COMPLETED');
    assert.ok(completedNodes.length > 25 && completedNodes.length < 40, String(completedNodes.length));
  });

  it('can be read if an older version recorded more than 32 MB', NIGHTLY_ONLY, async () => {
    const createText = (size: number) => ({ type: 'TEXT', text: `q"\u00e9${'y'.repeat(size)}` });
    const steps = [
      {
        nodeId: 'list',
        status: 'COMPLETED',
        attempt: 1,
        outputs: { list: { type: 'LIST', items: [createText(1)] } },
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
        outputs: { text: { type: 'LIST', items: Array.from({ length: 28 }, () => createText(900_000)) } },
      },
    ];
    // On a busy machine, the run has several rows of steps. The statement replaces them by one row.
    await service.db.query(
      `with newest as (select max(seq) as seq from execution_steps where execution_id = $1),
         others as (delete from execution_steps using newest
           where execution_id = $1 and execution_steps.seq < newest.seq)
       update execution_steps set steps = $2 from newest
       where execution_id = $1 and execution_steps.seq = newest.seq`,
      [largeRunId, JSON.stringify(steps)],
    );
    const { status, body } = await service.request<Execution>('GET', `/executions/${largeRunId}`);
    assert.equal(status, 200);
    assert.ok(Buffer.byteLength(JSON.stringify(body)) <= MAX_RECORD_BYTES);
    assert.equal(getState(body, 'join0').texts?.length, 28);
    assert.ok(getState(body, 'join0').texts?.[27]?.startsWith('q"\u00e9yyy'));
    assert.equal(getState(body, 'join0').truncated, true);
    assert.equal(getState(body, 'text').truncated, true);
    const wholeState = await service.request<State>('GET', `/executions/${largeRunId}/outputs/join0`);
    assert.equal(wholeState.body.texts?.[27]?.length, 900_003);
    const resumption = await service.request('POST', `/executions/${largeRunId}/resume`, {
      fromNodeId: 'list',
    });
    assert.equal(resumption.status, 202);
  });
});
