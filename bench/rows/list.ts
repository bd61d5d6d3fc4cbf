// Measures execution lists over HTTP for an account with a million executions, with every combination of filters.
import { insertManyExecutions, SPAN_MS } from '../../test/support/runs/many-executions.ts';
import { createChain } from '../graphs.ts';
import { median } from '../load.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';

const TARGET_MS = 8;
/** Query parameters; the empty ones filter nothing. */
const STATUSES = ['', 'status=COMPLETED', 'status=FAILED', 'status=TIMEOUT'];
const IDEMPOTENCY_KEYS = ['', 'idempotencyKey=key-100005', 'idempotencyKey=none'];

export async function* runListRows(isShort: boolean): AsyncGenerator<Row> {
  const count = isShort ? 1000 : 1_000_000;
  const folder = await makeFolder();
  const postgres = await startBenchPostgres(2);
  const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
  try {
    const workflowIds = [
      await storeWorkflow(service, createChain(1)),
      await storeWorkflow(service, createChain(1)),
    ] as const;
    const { userId } = (await (await service.fetch('/api/v1/me')).json()) as { userId: number };
    const endMs = Date.now() - 1000;
    // The insertion takes longer than the pool's statement timeout.
    await postgres.db.withOwnConnection(client =>
      insertManyExecutions(client, { count, userId, workflowIds, endMs }),
    );
    await postgres.db.query('analyze executions');
    const paths = ['/executions', ...workflowIds.map(id => `/workflows/${id}/executions`)];
    const medianByPath = await measure(
      service,
      paths.flatMap(path => listQueries(endMs).map(query => path + query)),
      isShort,
    );
    const [slowestPath, value] = [...medianByPath].toSorted(([, a], [, b]) => b - a)[0] ?? ['', Number.NaN];
    yield {
      figure: `lists of ${count} executions: the slowest of ${medianByPath.size} combinations of filters, p50`,
      value,
      unit: 'ms',
      target: { value: TARGET_MS, is: 'at most' },
      baseline: { name: 'the median combination', value: median([...medianByPath.values()]) },
      note: slowestPath,
    };
  } finally {
    await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

function listQueries(endMs: number): readonly string[] {
  const toIso = (ms: number): string => new Date(ms).toISOString();
  const timeFilters = [
    '',
    `createdAfter=${toIso(endMs - SPAN_MS / 2)}`,
    `createdBefore=${toIso(endMs - SPAN_MS / 2)}`,
    'createdAfter=2999-01-01T00:00:00Z',
    'createdBefore=2000-01-01T00:00:00Z',
  ];
  return STATUSES.flatMap(status =>
    timeFilters.flatMap(time =>
      IDEMPOTENCY_KEYS.map(key => `?${[status, time, key].filter(Boolean).join('&')}`),
    ),
  );
}

/** Returns the median time of each path in ms. */
async function measure(
  service: BenchService,
  paths: readonly string[],
  isShort: boolean,
): Promise<ReadonlyMap<string, number>> {
  const rounds = isShort ? 1 : 9;
  const timesByPath = new Map<string, number[]>(paths.map(path => [path, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [path, times] of timesByPath) {
      const startMs = performance.now();
      const response = await service.fetch(`/api/v1${path}`);
      await response.text();
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}.`);
      times.push(performance.now() - startMs);
    }
  }
  return new Map([...timesByPath].map(([path, times]) => [path, median(times)]));
}
