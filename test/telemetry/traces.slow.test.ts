// Tests the spans of requests, runs, nodes, provider calls and deliveries across processes.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Client } from '../support/client.ts';
import { modelGraph, modelNode, type PaidService, startPaidService } from '../support/credits/paid.ts';
import { type CollectedSpan, type Collector, startCollector } from '../support/network/collector.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { node } from '../support/workflows.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${CALLER_SPAN_ID}-01`;

let collector: Collector;
let receiver: Receiver;
let paid: PaidService;
let worker: { close(): Promise<void> };
let user: Client;
before(async () => {
  [collector, receiver] = await Promise.all([startCollector(), startReceiver()]);
  paid = await startPaidService({
    ROLE: 'api',
    ALLOW_PRIVATE_NETWORK: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  });
  worker = await paid.service.startAnother({ ROLE: 'worker' });
  user = await paid.newUser(300);
});
after(async () => {
  await worker.close();
  await paid.close();
  await Promise.all([collector.close(), receiver.close()]);
});
beforeEach(() => {
  paid.reset();
});

const listSpans = (trace: string): readonly CollectedSpan[] =>
  collector.spans.filter(({ traceId }) => traceId === trace);
const getSpan = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const span = spans.find(item => item.name === name);
  assert.ok(span, `${name} is not among ${spans.map(item => item.name).join(', ')}`);
  return span;
};

describe('the trace of a request with a traceparent', () => {
  let spans: readonly CollectedSpan[];
  let executionId: string;
  before(async () => {
    paid.reset();
    const id = await user.createWorkflow(modelGraph());
    const webhook = { url: receiver.url, secret: 'whsec-of-the-caller' };
    const response = await user.request<{ executionId: string }>(
      'POST',
      `/workflows/${id}/run`,
      { inputs: {}, webhook },
      { traceparent: TRACEPARENT },
    );
    assert.equal(response.status, 202, JSON.stringify(response.body));
    executionId = response.body.executionId;
    await user.request('GET', '/workflows?search=of-the-query', undefined, { traceparent: TRACEPARENT });
    assert.equal((await user.waitForStatus(executionId)).status, 'COMPLETED');
    await waitUntil('the delivery', () => receiver.received.length > 0);
    await waitUntil('the span of the delivery', () =>
      listSpans(TRACE_ID).some(({ name }) => name === 'deliver webhook'),
    );
    await waitUntil(
      'the spans of the run',
      () => listSpans(TRACE_ID).filter(({ name }) => name === 'run').length > 1,
    );
    spans = listSpans(TRACE_ID);
  });

  it('contains the request with its route instead of its path', () => {
    const request = getSpan(spans, 'POST /api/v1/workflows/:id/run');
    assert.equal(request.parentId, CALLER_SPAN_ID);
    assert.equal(request.attributes['http.response.status_code'], 202);
    assert.equal(request.attributes['graphwright.execution.id'], executionId);
    assert.deepEqual(
      [request.resource['service.name'], request.resource['graphwright.role']],
      ['graphwright', 'api'],
    );
  });

  it('contains the run and its nodes, executed by another process in two parts', () => {
    const request = getSpan(spans, 'POST /api/v1/workflows/:id/run');
    const runs = spans.filter(({ name }) => name === 'run');
    for (const run of runs) {
      assert.equal(run.parentId, request.spanId);
      assert.equal(run.attributes['graphwright.execution.id'], executionId);
      assert.equal(run.resource['graphwright.role'], 'worker');
    }
    assert.deepEqual(runs.map(run => run.attributes['graphwright.run.outcome']).sort(), [
      'COMPLETED',
      'waits for call',
    ]);
    const ids = new Set(runs.map(({ spanId }) => spanId));
    const nodes = spans.filter(({ name }) => name.startsWith('node '));
    assert.ok(nodes.every(({ parentId }) => ids.has(parentId)));
    assert.deepEqual(nodes.map(({ attributes }) => attributes['graphwright.node.status']).sort(), [
      'COMPLETED',
      'COMPLETED',
      'WAITING',
    ]);
    assert.equal(getSpan(nodes, 'node output:preview').isFailed, false);
  });

  it('contains the provider call and is propagated to the provider', () => {
    const calls = spans.filter(({ name }) => name === 'call fal');
    assert.equal(calls.length, 2);
    assert.ok(calls.every(({ isFailed }) => !isFailed));
    const [submission, collection] = calls.toSorted((a, b) => a.endMs - b.endMs);
    assert.ok(submission && collection);
    // The second span starts with the submission too and ends when the result is available.
    assert.ok(Math.abs(collection.startMs - submission.startMs) < 1000);
    const submissionRequest = paid.fal.requests.find(({ method }) => method === 'POST');
    const post = spans.find(({ parentId, name }) => parentId === submission.spanId && name === 'POST');
    assert.equal(submissionRequest?.headers.traceparent, `00-${TRACE_ID}-${post?.spanId}-01`);
    assert.equal(post?.attributes['server.address'], '127.0.0.1');
  });

  it('contains the delivery and is propagated to the receiver', () => {
    const delivery = getSpan(spans, 'deliver webhook');
    const post = spans.find(({ parentId }) => parentId === delivery.spanId);
    assert.equal(receiver.received[0]?.headers.traceparent, `00-${TRACE_ID}-${post?.spanId}-01`);
    assert.equal(post?.attributes['http.response.status_code'], 204);
  });

  it('contains no key, secret, query or URL', () => {
    const text = JSON.stringify(collector.spans);
    const secrets = ['fal-key', 'whsec-of-the-caller', 'of-the-query', user.key, receiver.url, '/files/'];
    for (const secret of secrets) assert.ok(!text.includes(secret), secret);
  });
});

it('GET /metrics returns the trace as an exemplar in the OpenMetrics format', async () => {
  const response = await fetch(`${paid.service.url}/metrics`, {
    headers: { accept: 'application/openmetrics-text' },
  });
  const text = await response.text();
  const exemplar = new RegExp(
    `^http_server_request_duration_seconds_bucket.*# \\{trace_id="${TRACE_ID}"\\} `,
    'm',
  );
  assert.match(text, exemplar);
});

it('spans that the sampler drops are not sent to the collector', async () => {
  const id = await user.createWorkflow(modelGraph({ prompt: 'another' }));
  const requestCountBefore = paid.fal.requests.length;
  assert.equal((await user.runWorkflow(id)).status, 'COMPLETED');
  const { rows } = await paid.service.db.query<{ traceparent: string }>(
    'select traceparent from executions order by id desc limit 1',
  );
  assert.match(rows[0]?.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  const trace = rows[0]?.traceparent.split('-')[1] ?? '';
  const sentHeaders = paid.fal.requests.slice(requestCountBefore).map(({ headers }) => headers.traceparent);
  assert.ok(sentHeaders.every(header => header === undefined || /-00$/.test(String(header))));
  assert.ok(sentHeaders.some(header => String(header).includes(trace)));
  // A recorded trace uses the same queue. When this later trace has arrived, the dropped trace would have arrived too.
  const laterTrace = '1'.repeat(32);
  await user.request('GET', '/workflows', undefined, {
    traceparent: `00-${laterTrace}-${CALLER_SPAN_ID}-01`,
  });
  await waitUntil('a later span', () => listSpans(laterTrace).length > 0);
  assert.deepEqual(listSpans(trace), []);
});

it('the spans of a failed node and its run are marked as failed without the error message', async () => {
  const trace = '2'.repeat(32);
  paid.fal.result = { status: 422, body: { detail: 'a sentence of the vendor' } };
  const id = await user.createWorkflow({
    nodes: [modelNode('m', { prompt: 'fails' }), node('free', 'input:text', { text: 'x' })],
    edges: [],
  });
  const response = await user.request<{ executionId: string }>(
    'POST',
    `/workflows/${id}/run`,
    {},
    {
      traceparent: `00-${trace}-${CALLER_SPAN_ID}-01`,
    },
  );
  assert.equal((await user.waitForStatus(response.body.executionId)).status, 'FAILED');
  await waitUntil('the spans', () => listSpans(trace).some(item => item.name === 'run' && item.isFailed));
  const failedSpans = listSpans(trace).filter(({ isFailed }) => isFailed);
  assert.ok(failedSpans.some(({ name }) => name.startsWith('node generate:')));
  assert.doesNotMatch(JSON.stringify(failedSpans), /a sentence of the vendor/);
});
