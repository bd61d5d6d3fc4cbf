// Measures execution lists over HTTP for an account with a million executions, with every combination of filters, and
// searches for words.
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
    await postgres.db.withOwnConnection(client => client.query(INSERT_DIGESTS));
    await postgres.db.query('vacuum analyze run_digests');
    yield await measureSearches(service, workflowIds[0], {
      count,
      isShort,
      searches: SEARCHES,
      targetMs: 100,
    });
    yield await measureSearches(service, workflowIds[0], {
      count,
      isShort,
      searches: DENSE_SEARCHES,
      targetMs: 1000,
    });
  } finally {
    await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

/** All runs have the common words, one in a hundred or thousand the rare ones; two words never occur together. */
const SEARCHES: Readonly<Record<string, string>> = {
  'common words': 'portrait lighting',
  'a common and a rare word': 'lighting volcano',
  'rare words': 'volcano glacier',
  'a rare word that only old runs have': 'sepia volcano',
  'the beginnings of words': 'lig volc',
  Japanese: '火山',
};

/** Half a million runs have these words, but none of the newest: the index must combine or sort all of them. */
const DENSE_SEARCHES: Readonly<Record<string, string>> = {
  'common words that are never together': 'violet orange',
  'a common word that only old runs have': 'sepia',
};

interface SearchOptions {
  readonly count: number;
  readonly isShort: boolean;
  readonly searches: Readonly<Record<string, string>>;
  readonly targetMs: number;
}

async function measureSearches(
  service: BenchService,
  workflowId: string,
  { count, isShort, searches, targetMs }: SearchOptions,
): Promise<Row> {
  const path = (q: string) => `/workflows/${workflowId}/executions?${new URLSearchParams({ q })}`;
  const medianByPath = await measure(service, Object.values(searches).map(path), isShort);
  const times = Object.entries(searches).map(
    ([name, q]) => [name, medianByPath.get(path(q)) ?? Number.NaN] as const,
  );
  const [slowest, value] = times.toSorted(([, a], [, b]) => b - a)[0] ?? ['', Number.NaN];
  return {
    figure: `runs of a workflow with words, of ${count} executions: the slowest of ${times.length} searches, p50`,
    value,
    unit: 'ms',
    target: { value: targetMs, is: 'at most' },
    baseline: { name: 'the median search', value: median(times.map(([, ms]) => ms)) },
    note: `${slowest}; ${times.map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', ')}`,
  };
}

/** Adds a digest with twelve words and a preview of 300 bytes to each run. The older half has a word of its own. */
const INSERT_DIGESTS = `
  insert into run_digests (execution_id, words, preview)
  select id, array_to_tsvector(array_remove(array['portrait', 'lighting', 'friend', 'soft',
      case when n % 2 = 0 then 'violet' else 'orange' end, case when n % 100 = 0 then 'volcano' end,
      case when n % 100 = 0 then '火山' end, case when n % 150 = 0 then 'glacier' end,
      case when n < total / 2 then 'sepia' end, left(md5(n::text), 8), left(md5((n % 1000)::text), 8),
      workflow_id, workspace, 'by:' || user_id], null)), repeat('x', 300)
  from (select *, row_number() over (order by id) as n, count(*) over () as total from executions) e`;

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
