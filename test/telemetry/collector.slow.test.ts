// Tests that traced work continues and the queue of spans stays bounded if the collector refuses, hangs or is down.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, afterEach, before, it } from 'node:test';
import { promisify } from 'node:util';
import { createLogger } from '../../src/lib/log.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { inScope, inSpan, type Tracer } from '../../src/lib/span.ts';
import { createTracer } from '../../src/telemetry/otel.ts';
import { type Collector, startCollector } from '../support/network/collector.ts';
import { waitUntil } from '../support/processes.ts';

const QUEUE_LIMIT = 4096;
const BATCH = 512;
const CLOSE_MS = 200;

let collector: Collector;
const openTracers: Tracer[] = [];
before(async () => {
  collector = await startCollector();
});
afterEach(() => Promise.all(openTracers.splice(0).map(tracer => tracer.close())));
after(() => collector.close());

function createTestTracer(env: NodeJS.ProcessEnv = {}): Tracer {
  const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  const tracer = createTracer({ settings, log: createLogger('silent'), version: '1.2.3', closeMs: CLOSE_MS });
  openTracers.push(tracer);
  return tracer;
}

const trace = (tracer: Tracer, name: string, count: number): void => {
  for (let created = 0; created < count; created++) tracer.start(name, {}).end();
};

it('the tracer sends the spans once after a collector requested a pause', async () => {
  let refusals = 0;
  const collectorDouble = await startCollectorAnswering(res => {
    refusals++;
    return res.writeHead(429, { 'retry-after': '1' }).end();
  });
  const tracer = createTestTracer({ OTEL_EXPORTER_OTLP_ENDPOINT: collectorDouble.url });
  trace(tracer, 'delayed', 3);
  await waitUntil('a refusal', () => refusals > 0);
  collectorDouble.restore();
  await waitUntil('the spans', () => collectorDouble.find(/delayed/).length > 0);
  await tracer.close();
  assert.equal(collectorDouble.find(/delayed/).length, 3);
  await collectorDouble.close();
});

it('the tracer limits the queue and the shutdown time if the collector hangs', async () => {
  const collectorDouble = await startCollectorAnswering(() => undefined);
  const tracer = createTestTracer({ OTEL_EXPORTER_OTLP_ENDPOINT: collectorDouble.url });
  const startMs = performance.now();
  trace(tracer, 'many', 20_000);
  assert.ok(performance.now() - startMs < 5000, 'traced work does not wait for the collector');
  await waitUntil('the first batch', () => collectorDouble.requestCount > 0);
  collectorDouble.restore();
  const closeStartMs = performance.now();
  await tracer.close();
  assert.ok(performance.now() - closeStartMs < 10_000);
  assert.ok(collectorDouble.find(/many/).length <= QUEUE_LIMIT + BATCH);
  await collectorDouble.close();
});

it('the tracer does not delay traced work if the collector is down', async () => {
  const stoppedCollector = await startCollector();
  await stoppedCollector.close();
  const tracer = createTestTracer({ OTEL_EXPORTER_OTLP_ENDPOINT: stoppedCollector.url });
  const span = tracer.start('alone', {});
  const result = await inScope({ span }, () => inSpan('child', {}, async () => 7));
  span.end();
  assert.equal(result, 7);
  const closeStartMs = performance.now();
  await tracer.close();
  assert.ok(performance.now() - closeStartMs < 10_000);
});

it('the tracer supports the samplers of OpenTelemetry', async () => {
  const countRecorded = (name: string, share: string, parent?: string): number => {
    const tracer = createTestTracer({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share });
    const spans = Array.from({ length: 400 }, () => tracer.start('sampled', { parent }));
    return spans.filter(({ isRecording }) => isRecording).length;
  };
  const sampledParent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const droppedParent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
  assert.equal(countRecorded('always_on', '0'), 400);
  assert.equal(countRecorded('always_off', '1', sampledParent), 0);
  assert.equal(countRecorded('parentbased_always_off', '1', sampledParent), 400);
  assert.equal(countRecorded('parentbased_always_on', '1', droppedParent), 0);
  const half = countRecorded('parentbased_traceidratio', '0.5');
  assert.ok(half > 120 && half < 280, String(half));
  assert.throws(() => countRecorded('parentbased_traceidratio', '1.5'), /OTEL_TRACES_SAMPLER_ARG must be/);
  assert.throws(() => countRecorded('jaeger_remote', '1'), /OTEL_TRACES_SAMPLER must be one of/);
});

it('the tracer starts a new trace for an invalid trace context header', () => {
  const tracer = createTestTracer();
  for (const parent of ['', 'x', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, `00-${'g'.repeat(32)}-b-01`]) {
    const { traceId } = tracer.start('own', { parent });
    assert.match(traceId, /^(?!0{32})[0-9a-f]{32}$/);
  }
});

it('the service does not load the OpenTelemetry SDK without a collector', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/^@opentelemetry.(?!api$)/.test(name)) console.log(name);
      return next(name, context);
    } });
    await import('./src/service.ts');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: join(import.meta.dirname, '../..'),
  });
  assert.equal(stdout, '');
});

/** Starts a collector that sends the given response until `restore` is called. */
async function startCollectorAnswering(
  answer: Parameters<Collector['answer']>[0],
): Promise<Collector & { restore(): void }> {
  const double = await startCollector();
  const restore = double.answer(answer);
  return {
    ...double,
    restore,
    get requestCount() {
      return double.requestCount;
    },
  };
}
