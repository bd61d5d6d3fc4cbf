// Tests the Prometheus metrics, and that requests cannot create an unlimited number of series.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { listenLocally, requestHead, sendRaw } from '../../support/http/raw-http.ts';
import { waitUntil } from '../../support/processes.ts';
import { createWorkflow } from '../../support/workflows.ts';

let test: TestApp;
let port: number;
before(async () => {
  test = await createTestApp();
  port = await listenLocally(test.app);
});
after(() => test.close());

const scrape = async (): Promise<string> => (await test.app.inject('/metrics')).body;

describe('GET /metrics', () => {
  it('counts requests by method, route pattern and status', async () => {
    for (let count = 0; count < 5; count++) {
      await sendRaw(port, requestHead('GET', `/api/v1/workflows/wf_${count}?secret=${count}`));
      await sendRaw(port, requestHead('PURGE', `/nothing/${count}`));
      await sendRaw(port, 'garbage\r\n\r\n');
    }
    const text = await scrape();
    assert.match(
      text,
      /^http_server_request_duration_seconds_count\{http_request_method="GET",http_route="\/api\/v1\/workflows\/:id",http_response_status_code="404"\} 5$/m,
    );
    assert.match(
      text,
      /^http_server_request_duration_seconds_count\{http_request_method="_OTHER",http_route="none",http_response_status_code="404"\} 5$/m,
    );
    assert.match(text, /^graphwright_http_refused_connections_total\{status="400"\} 5$/m);
    assert.doesNotMatch(text, /wf_\d|secret|nothing\//);
  });

  it('reports the queue, runs and database connections', async () => {
    const caller = await test.createUser();
    const { id } = await createWorkflow(caller);
    await caller.request('POST', `/workflows/${id}/execute`, {});
    let text = '';
    await waitUntil('the database to respond in time', async () => {
      text = await scrape();
      return text.includes('\ngraphwright_queue_jobs{');
    });
    assert.match(text, /^graphwright_queue_jobs\{task="run",state="ready"\} 1$/m);
    assert.match(text, /^graphwright_queue_jobs\{task="run",state="failed"\} 0$/m);
    assert.match(text, /^graphwright_queue_jobs\{task="render",state="ready"\} 0$/m);
    assert.match(text, /^graphwright_queue_oldest_ready_seconds\{task="automation"\} 0$/m);
    assert.match(text, /^graphwright_runs\{state="queued"\} 1$/m);
    assert.match(text, /^graphwright_database_connections\{pool="main",state="busy"\} \d+$/m);
    assert.match(text, /^graphwright_rate_limited_total 0$/m);
    assert.match(text, /^process_resident_memory_bytes \d+$/m);
  });

  it('returns OpenMetrics if requested', async () => {
    const textBefore = await scrape();
    const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
    const [openMetrics, prometheus] = await Promise.all([
      test.app.inject({ url: '/metrics', headers: { accept } }),
      test.app.inject('/metrics'),
    ]);
    assert.match(String(openMetrics.headers['content-type']), /^application\/openmetrics-text/);
    assert.match(openMetrics.body, /^# TYPE graphwright_rate_limited counter$/m);
    assert.match(openMetrics.body, /^graphwright_rate_limited_total 0$/m);
    assert.match(openMetrics.body, /\n# EOF\n$/);
    assert.match(String(prometheus.headers['content-type']), /^text\/plain/);
    const listNames = (text: string): readonly string[] => text.match(/^# TYPE .*$/gm) ?? [];
    assert.deepEqual(listNames(prometheus.body), listNames(textBefore));
  });

  it('responds while the database does not respond', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => test.deps.db.pool.connect()));
    const text = await scrape();
    for (const client of clients) client.release();
    assert.doesNotMatch(text, /^graphwright_queue_jobs\{/m);
    assert.match(text, /^http_server_request_duration_seconds_count/m);
  });
});

describe('a keep-alive connection', () => {
  it('does not leak listeners if many requests wait for runs', async () => {
    const caller = await test.createUser();
    const { id } = await createWorkflow(caller);
    const warnings: Error[] = [];
    const recordWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', recordWarning);
    const immediate = `POST /api/v1/workflows/${id}/execute HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${caller.key}\r\nprefer: wait=0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n`;
    const waiting = immediate.replace('wait=0', 'wait=1');
    const last = `${waiting}connection: close\r\n\r\n{}`;
    const responses = await sendRaw(
      port,
      `${`${immediate}\r\n{}`.repeat(30)}${`${waiting}\r\n{}`.repeat(12)}${last}`,
    );
    process.off('warning', recordWarning);
    assert.equal(responses.length, 43);
    assert.ok(responses.every(({ status }) => status === 202));
    assert.deepEqual(warnings, []);
  });
});
