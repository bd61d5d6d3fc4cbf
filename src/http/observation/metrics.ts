// What /metrics reports: requests as they end, and pools, queue, runs and calls as they stand at the scrape.
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
  type RegistryContentType,
} from 'prom-client';
import type { RunDeps } from '../../runs/deps.ts';
import { registerWork } from './work-metrics.ts';

/** The text format of Prometheus, or OpenMetrics, which has exemplars. */
export type MetricsFormat = 'prometheus' | 'openmetrics';

export interface ObservedRequest {
  readonly method: string;
  /** The pattern, not the path, so that the number of series is bounded; undefined: nothing answers. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Of a trace that is kept. */
  readonly traceId: string | undefined;
}

export interface Metrics {
  observeRequest(request: ObservedRequest): void;
  /** A connection that was refused before it made a request. */
  observeRefusal(status: number): void;
  /** The exposition text. Never waits long for the database: what it does not answer in time is left out. */
  render(format: MetricsFormat): Promise<{ readonly contentType: string; readonly text: string }>;
}

// From a cached answer to a waited-for run.
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const REQUEST_LABELS = ['http_request_method', 'http_route', 'http_response_status_code'] as const;
type RequestLabel = (typeof REQUEST_LABELS)[number];

export function createMetrics(deps: RunDeps): Metrics {
  const registry = new Registry<RegistryContentType>();
  // Or prom-client makes no histogram with exemplars; each scrape sets its own.
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram<RequestLabel | 'trace_id'>({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, by method, route pattern and status',
    labelNames: REQUEST_LABELS,
    buckets: BUCKETS,
    enableExemplars: true,
    registers,
  });
  const refusals = new Counter({
    name: 'graphwright_http_refused_connections_total',
    help: 'Connections refused before they made a request: broken HTTP, headers too large or too late',
    labelNames: ['status'],
    registers,
  });
  const limited = new Counter({
    name: 'graphwright_rate_limited_total',
    help: 'Requests answered with 429',
    registers,
  });
  const refreshWork = registerWork(deps, registers);
  registerCounts(deps, registers);
  registerPools(deps, registers);
  const render = createRenderer(registry);
  return {
    observeRequest({ method, route = 'none', status, seconds, traceId }) {
      // The 404 handler takes every method that there is.
      const http_request_method = route === 'none' ? '_OTHER' : method;
      const labels = { http_request_method, http_route: route, http_response_status_code: String(status) };
      const exemplarLabels = traceId === undefined ? {} : { trace_id: traceId };
      requests.observe({ labels, value: seconds, exemplarLabels });
      if (status === 429) limited.inc();
    },
    observeRefusal: status => refusals.labels(String(status)).inc(),
    async render(format) {
      await refreshWork();
      return render(format);
    },
  };
}

const CONTENT_TYPES = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const;

/**
 * One scrape at a time: prom-client keeps the format in the registry, and in OpenMetrics takes `_total` off the names of
 * counters for good, so that they are given back.
 */
function createRenderer(registry: Registry<RegistryContentType>): Metrics['render'] {
  const names = registry.getMetricsAsArray().map(metric => ({ metric, name: metric.name }));
  let last: Promise<unknown> = Promise.resolve();
  const render = async (format: MetricsFormat) => {
    const contentType = CONTENT_TYPES[format];
    registry.setContentType(contentType);
    const text = await registry.metrics();
    for (const { metric, name } of names) metric.name = name;
    return { contentType, text };
  };
  return format => {
    const rendered = last.then(() => render(format));
    last = rendered.catch(() => undefined);
    return rendered;
  };
}

/** What this process has done since it started. */
function registerCounts({ commit, attempts }: RunDeps, registers: Registry<RegistryContentType>[]): void {
  const counters = [
    {
      name: 'graphwright_runs_finished_total',
      help: 'Runs that ended in this process, by status',
      label: 'status',
      counts: commit.finished,
    },
    {
      name: 'graphwright_webhook_attempts_total',
      help: 'Attempts of webhook deliveries by this process: delivered, failed (there will be another), exhausted',
      label: 'outcome',
      counts: attempts,
    },
  ];
  for (const { name, help, label, counts } of counters) {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of counts) this.labels(value).inc(count);
      },
    });
  }
}

function registerPools({ db, runDb }: RunDeps, registers: Registry<RegistryContentType>[]): void {
  new Gauge({
    name: 'graphwright_database_connections',
    help: 'Connections of each pool by state; waiting ones are calls without a connection',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [name, { pool }] of [['main', db] as const, ['runs', runDb] as const]) {
        this.labels(name, 'idle').set(pool.idleCount);
        this.labels(name, 'busy').set(pool.totalCount - pool.idleCount);
        this.labels(name, 'waiting').set(pool.waitingCount);
      }
    },
  });
}
