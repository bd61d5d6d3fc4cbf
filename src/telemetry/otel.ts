// Exports spans to a collector in batches with the OpenTelemetry SDK. Imported only if a collector is configured.
import type { Span as OtelSpan, Tracer as OtelTracer } from '@opentelemetry/api';
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../lib/log.ts';
import type { Settings } from '../lib/settings.ts';
import type { Span, SpanAttributes, SpanOptions, Tracer } from '../lib/span.ts';

// Limits the memory if the collector is slow or unreachable: when the queue is full, newer spans are dropped.
const QUEUE = { maxQueueSize: 4096, maxExportBatchSize: 512, scheduledDelayMillis: 2000 } as const;
const EXPORT_TIMEOUT_MS = 10_000;
const MAX_VALUE_CHARS = 1024;
/** The minimum time between two log lines about the collector. */
const LOG_INTERVAL_MS = 60_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

type SamplerName = Settings['OTEL_TRACES_SAMPLER'];
const SAMPLERS: Readonly<Record<SamplerName, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: ratio => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: ratio => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

export interface TracerOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly version: string;
  /** How long `close` may take to send the pending spans. */
  readonly closeMs: number;
}

/** Creates the tracer. The exporter reads OTEL_EXPORTER_OTLP_HEADERS and _COMPRESSION itself. */
export function createTracer({ settings, log, version, closeMs }: TracerOptions): Tracer {
  logExportProblems(log);
  const service = resourceFromAttributes({
    'service.name': settings.OTEL_SERVICE_NAME,
    'service.version': version,
    'service.instance.id': crypto.randomUUID(),
    'graphwright.role': settings.ROLE,
  });
  const exporter = new OTLPTraceExporter({
    url: `${settings.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(service),
    sampler: SAMPLERS[settings.OTEL_TRACES_SAMPLER](settings.OTEL_TRACES_SAMPLER_ARG),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARS },
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS, ...QUEUE })],
  });
  const tracer = provider.getTracer('graphwright', version);
  return {
    start: (name, { parent, ...options }) => startSpan(tracer, name, options, toContext(parent)),
    close: () => closeInTime(provider, closeMs),
  };
}

function toContext(traceparent: string | null | undefined): Context {
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

function startSpan(tracer: OtelTracer, name: string, options: SpanOptions, parent: Context): Span {
  const { kind, attributes = {}, startMs } = options;
  const span = tracer.startSpan(
    name,
    {
      kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
      attributes: { ...attributes },
      ...(startMs === undefined ? {} : { startTime: startMs }),
    },
    parent,
  );
  return new ExportedSpan(tracer, span);
}

class ExportedSpan implements Span {
  readonly #tracer: OtelTracer;
  readonly #span: OtelSpan;

  constructor(tracer: OtelTracer, span: OtelSpan) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get spanId(): string {
    return this.#span.spanContext().spanId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  }

  get isRecording(): boolean {
    return this.#span.isRecording();
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes({ ...attributes });
  }

  fail(errorType: string): void {
    this.#span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }

  child(name: string, options: SpanOptions = {}): Span {
    return startSpan(this.#tracer, name, options, trace.setSpan(ROOT_CONTEXT, this.#span));
  }
}

/** Logs export problems, at most once a minute. */
function logExportProblems(log: Logger): void {
  let quietUntilMs = 0;
  const report = (err: unknown): void => {
    if (Date.now() < quietUntilMs) return;
    quietUntilMs = Date.now() + LOG_INTERVAL_MS;
    log.warn({ what: String(err instanceof Error ? err.message : err) }, 'traces could not be sent');
  };
  const ignore = (): void => undefined;
  setGlobalErrorHandler(report);
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Sends the pending spans, for at most `closeMs`. */
async function closeInTime(provider: TracerProvider, closeMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, closeMs);
  await Promise.race([provider.shutdown().catch(() => undefined), promise]);
  clearTimeout(timer);
}
