// What /metrics reports to Prometheus: requests as they end, and pools, queue and runs as they stand at the scrape.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RunDeps } from '../../runs/deps.ts';
import { countWork } from '../../services/workload.ts';

export interface Metrics {
  /** `route` is the pattern, not the path, so that the number of series is bounded; undefined: nothing answers. */
  observeRequest(method: string, route: string | undefined, status: number, seconds: number): void;
  /** A connection that was refused before it made a request. */
  observeRefusal(status: number): void;
  readonly contentType: string;
  /** The exposition text. Never waits long for the database: what it does not answer in time is left out. */
  render(): Promise<string>;
}

// From a cached answer to a waited-for run.
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createMetrics(deps: RunDeps): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'graphwright_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer, by method, route pattern and status',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
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
  registerPools(deps, registers);
  return {
    observeRequest(method, route = 'none', status, seconds) {
      // The 404 handler takes every method that there is.
      requests.labels(route === 'none' ? 'any' : method, route, String(status)).observe(seconds);
      if (status === 429) limited.inc();
    },
    observeRefusal: status => refusals.labels(String(status)).inc(),
    contentType: registry.contentType,
    async render() {
      await refreshWork();
      return registry.metrics();
    },
  };
}

function registerWork(deps: RunDeps, registers: Registry[]): () => Promise<void> {
  const runs = new Gauge({
    name: 'graphwright_runs_in_hand',
    help: 'Runs that some worker is advancing',
    registers,
  });
  const jobs = new Gauge({
    name: 'graphwright_queue_jobs',
    help: 'Jobs of the queue by task and state; ready ones wait for a worker',
    labelNames: ['task', 'state'],
    registers,
  });
  new Counter({
    name: 'graphwright_runs_finished_total',
    help: 'Runs that ended in this process, by status',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      for (const [status, count] of deps.commit.finished) this.labels(status).inc(count);
    },
  });
  return async () => {
    const work = await countWork(deps);
    runs.remove();
    jobs.reset();
    if (work === undefined) return;
    runs.set(work.running);
    for (const { task, state, count } of work.jobs) jobs.labels(task, state).set(count);
  };
}

function registerPools({ db, runDb }: RunDeps, registers: Registry[]): void {
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
