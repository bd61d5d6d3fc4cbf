// Measures execution lists over HTTP for an account with a million executions, with every combination of filters.
import { insertManyExecutions, SPAN_MS } from '../../test/support/runs/many-executions.ts';
import { chain } from '../graphs.ts';
import { median } from '../load.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';
import { store } from './run.ts';

const TARGET_MS = 8;

const STATUSES = ['', 'status=COMPLETED', 'status=FAILED', 'status=TIMEOUT'];
const KEYS = ['', 'idempotencyKey=key-100005', 'idempotencyKey=none'];

export async function* runListRows(isShort: boolean): AsyncGenerator<Row> {
  const count = isShort ? 1000 : 1_000_000;
  const folder = await makeFolder();
  const postgres = await startBenchPostgres(2);
  const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
  try {
    const workflowIds = [await store(service, chain(1)), await store(service, chain(1))] as const;
    const { userId } = (await (await service.fetch('/api/v1/me')).json()) as { userId: number };
    const endMs = Date.now() - 1000;
    // Inserting takes longer than the pool's statement timeout.
    await postgres.db.withOwnConnection(client =>
      insertManyExecutions(client, { count, userId, workflowIds, endMs }),
    );
    await postgres.db.query('analyze executions');
    const paths = ['/executions', ...workflowIds.map(id => `/workflows/${id}/executions`)];
    const times = await measure(
      service,
      paths.flatMap(path => listQueries(endMs).map(query => path + query)),
      isShort,
    );
    const [slowest, value] = [...times].toSorted(([, a], [, b]) => b - a)[0] ?? ['', Number.NaN];
    yield {
      figure: `lists of ${count} executions: the slowest of ${times.size} combinations of filters, p50`,
      value,
      unit: 'ms',
      target: { value: TARGET_MS, is: 'at most' },
      baseline: { name: 'the median combination', value: median([...times.values()]) },
      note: slowest,
    };
  } finally {
    await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

function listQueries(endMs: number): readonly string[] {
  const toIso = (ms: number): string => new Date(ms).toISOString();
  const times = [
    '',
    `createdAfter=${toIso(endMs - SPAN_MS / 2)}`,
    `createdBefore=${toIso(endMs - SPAN_MS / 2)}`,
    'createdAfter=2999-01-01T00:00:00Z',
    'createdBefore=2000-01-01T00:00:00Z',
  ];
  return STATUSES.flatMap(status =>
    times.flatMap(time => KEYS.map(key => `?${[status, time, key].filter(Boolean).join('&')}`)),
  );
}

/** Returns the median time of each path in ms. */
async function measure(
  service: BenchService,
  paths: readonly string[],
  isShort: boolean,
): Promise<ReadonlyMap<string, number>> {
  const rounds = isShort ? 1 : 9;
  const times = new Map<string, number[]>(paths.map(path => [path, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [path, pathTimes] of times) {
      const startMs = performance.now();
      const response = await service.fetch(`/api/v1${path}`);
      await response.text();
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}.`);
      pathTimes.push(performance.now() - startMs);
    }
  }
  return new Map([...times].map(([path, pathTimes]) => [path, median(pathTimes)]));
}
