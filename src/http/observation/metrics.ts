// Collects metrics: requests as they end, and the state of pools, queue, runs and provider tasks at each scrape.
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
  type RegistryContentType,
} from 'prom-client';
import type { RunDeps } from '../../runs/deps.ts';
import { registerWorkGauges } from './work-metrics.ts';

/** The text format of Prometheus, or OpenMetrics, which has exemplars. */
export type MetricsFormat = 'prometheus' | 'openmetrics';

export interface ObservedRequest {
  readonly method: string;
  /** The route pattern, not the path, so that the number of series is bounded. undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** The id of a recorded trace. */
  readonly traceId: string | undefined;
}

export interface Metrics {
  observeRequest(request: ObservedRequest): void;
  /** Counts a connection that was rejected before it sent a request. */
  observeRejection(status: number): void;
  /** Returns the exposition text. Values that the database does not return in time are left out. */
  render(format: MetricsFormat): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** In seconds, from a cached response to a run with `Prefer: wait`. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const REQUEST_LABELS = ['http_request_method', 'http_route', 'http_response_status_code'] as const;
type RequestLabel = (typeof REQUEST_LABELS)[number];

export function createMetrics(deps: RunDeps): Metrics {
  const registry = new Registry<RegistryContentType>();
  // Histograms with exemplars require this type. Each scrape sets the type that it renders.
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram<RequestLabel | 'trace_id'>({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response, by method, route pattern and status',
    labelNames: REQUEST_LABELS,
    buckets: DURATION_BUCKETS,
    enableExemplars: true,
    registers,
  });
  const rejections = new Counter({
    name: 'graphwright_http_refused_connections_total',
    help: 'Connections rejected before they sent a request: invalid HTTP, headers too large or too slow',
    labelNames: ['status'],
    registers,
  });
  const rateLimited = new Counter({
    name: 'graphwright_rate_limited_total',
    help: 'Requests rejected with 429',
    registers,
  });
  const refreshWorkGauges = registerWorkGauges(deps, registers);
  registerCounters(deps, registers);
  registerPools(deps, registers);
  const render = createRenderer(registry);
  return {
    observeRequest({ method, route = 'none', status, seconds, traceId }) {
      // The 404 handler accepts any method, so the label would be unbounded.
      const http_request_method = route === 'none' ? '_OTHER' : method;
      const labels = { http_request_method, http_route: route, http_response_status_code: String(status) };
      const exemplarLabels = traceId === undefined ? {} : { trace_id: traceId };
      requests.observe({ labels, value: seconds, exemplarLabels });
      if (status === 429) rateLimited.inc();
    },
    observeRejection: status => rejections.labels(String(status)).inc(),
    async render(format) {
      await refreshWorkGauges();
      return render(format);
    },
  };
}

const CONTENT_TYPES = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const;

/**
 * Renders one scrape at a time, because prom-client stores the format in the registry. Restores the names of counters
 * after each scrape, because rendering OpenMetrics removes `_total` from them.
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

/** Registers counters of this process since its start. */
function registerCounters(
  { commit, deliveryCounts, mailCounts, modelCounts }: RunDeps,
  registers: Registry<RegistryContentType>[],
): void {
  const counters = [
    {
      name: 'graphwright_runs_finished_total',
      help: 'Runs that ended in this process, by status',
      label: 'status',
      counts: commit.endedCounts,
    },
    {
      name: 'graphwright_webhook_attempts_total',
      help: 'Attempts of webhook deliveries by this process: delivered, failed (will be retried), exhausted',
      label: 'outcome',
      counts: deliveryCounts,
    },
    {
      name: 'graphwright_mail_attempts_total',
      help: 'Attempts of this process to send mails: sent, retried (will be tried again), unconfirmed (the answer was lost), failed',
      label: 'outcome',
      counts: mailCounts,
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
  new Counter({
    name: 'graphwright_model_nodes_finished_total',
    help: 'Model nodes that ended in this process, by provider, class of the model, kind of credential and status; cached results are not counted',
    labelNames: ['provider', 'model_class', 'credential', 'status'],
    registers,
    collect() {
      this.reset();
      for (const [key, count] of modelCounts) this.labels(...(JSON.parse(key) as string[])).inc(count);
    },
  });
}

function registerPools({ db, runDb }: RunDeps, registers: Registry<RegistryContentType>[]): void {
  new Gauge({
    name: 'graphwright_database_connections',
    help: 'Connections of each pool by state; waiting counts queries that wait for a connection',
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
