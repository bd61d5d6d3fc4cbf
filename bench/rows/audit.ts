// Measures the audit log: the first page of every combination of filters over ten million rows, and what a row adds to the
// cheapest request that is recorded.
import { join } from 'node:path';
import { migrateQueue } from '../../src/jobs/queue-tables.ts';
import { createLogger } from '../../src/lib/log.ts';
import { AUDIT_ACTION_NAMES } from '../../src/store/audit/actions.ts';
import { createAuditPartitions } from '../../src/store/audit/partitions.ts';
import { migrate } from '../../src/store/migrate.ts';
import { median } from '../load.ts';
import { type BenchPostgres, startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';

const MAX_PAGE_MS = 20;
const MAX_SHARE = 0.03;
const DAY_MS = 86_400_000;
/** How long rows are kept. */
const SPAN_MS = 400 * DAY_MS;
const BATCH_SIZE = 200_000;

export async function* runAuditRows(isShort: boolean): AsyncGenerator<Row> {
  yield* measureShare(isShort);
  yield* measurePages(isShort);
}

async function* measurePages(isShort: boolean): AsyncGenerator<Row> {
  const count = isShort ? 20_000 : 10_000_000;
  const folder = await makeFolder();
  const postgres = await startBenchPostgres(2);
  try {
    const endMs = Date.now();
    await insertEvents(postgres, count, endMs);
    const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
    try {
      const queries = listQueries(endMs).filter((_, index) => !isShort || index % 25 === 0);
      const medianByQuery = await measure(service, queries, isShort ? 1 : 5);
      const descending = [...medianByQuery].toSorted(([, a], [, b]) => b - a);
      const [slowest = '', value = Number.NaN] = descending[0] ?? [];
      yield {
        figure: `first page of ${count} audit rows: the slowest of ${queries.length} combinations of filters, p50`,
        value,
        unit: 'ms',
        target: { value: MAX_PAGE_MS, is: 'at most' },
        baseline: { name: 'the median combination', value: median([...medianByQuery.values()]) },
        note: `${slowest}; ${descending.filter(([, ms]) => ms > MAX_PAGE_MS).length} are slower than the target`,
      };
    } finally {
      await service.stop();
    }
  } finally {
    await postgres.stop();
    await removeFolder(folder);
  }
}

/**
 * Inserts the rows, of equal intervals, into monthly partitions. Few people, actions, objects and teams have most of the rows.
 * Some have rows in the oldest twentieth only, so that conditions can have many rows and still none in common.
 */
async function insertEvents({ db }: BenchPostgres, count: number, endMs: number): Promise<void> {
  await migrate(db, () => migrateQueue({ db, log: createLogger('silent') }));
  for (let ms = endMs - SPAN_MS; ms < endMs; ms += 25 * DAY_MS) await createAuditPartitions(db, ms);
  // Indexes are faster to build afterwards.
  const { rows: indexes } = await db.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = 'audit_events'::regclass and not indisprimary`,
  );
  await db.withOwnConnection(async client => {
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    for (let from = 0; from < count; from += BATCH_SIZE)
      await client.query(INSERT_EVENTS, [
        AUDIT_ACTION_NAMES,
        count,
        from,
        Math.min(from + BATCH_SIZE, count) - 1,
        endMs - SPAN_MS,
        SPAN_MS,
      ]);
    await client.query("set maintenance_work_mem = '256MB'");
    // As a definition of its own, an index of a partitioned table has no partitions.
    for (const { definition } of indexes) await client.query(definition.replace(' ON ONLY ', ' ON '));
    await client.query('vacuum analyze audit_events');
  });
}

const OLD_SHARE = 20;
const INSERT_EVENTS = `
  insert into audit_events (id, at, user_id, via, action, target, team_id, before, after, address, request_id)
  select 'aud_' || (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> (5 * place) & 31)::int + 1, 1), ''
      order by place desc) from generate_series(0, 9) place) || lpad(n::text, 16, '0'),
    to_timestamp(ms / 1000.0),
    case when is_old and n % 3 = 0 then 2000 when n % 10 > 0 then 1 + (999 * r1 ^ 3)::int end,
    'session',
    case when is_old and n % 4 = 1 then 'backup.restored' else ($1::text[])[1 + floor(70 * r2 ^ 3)] end,
    case when is_old and n % 5 = 2 then 'object_old' when n % 9 > 0 then 'object_' || (199999 * r3 ^ 4)::int end,
    case when is_old and n % 7 = 3 then 'team_old' when n % 3 > 0 then 'team_' || (299 * r4 ^ 3)::int end,
    case when n % 2 = 0 then '{"role":"VIEWER"}'::json end, case when n % 2 = 0 then '{"role":"EDITOR"}'::json end,
    '203.0.113.7', 'request-' || n
  from (
    select n, $5::bigint + n * ($6::bigint / $2::bigint) as ms, n < $2::bigint / ${OLD_SHARE} as is_old,
      random() as r1, random() as r2, random() as r3, random() as r4
    from generate_series($3::bigint, $4::bigint) n) s`;

/** Values of each filter: none, with most rows, with few, with many that are all old, and without rows. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  actor: ['', '1', '990', '2000', '5000'],
  action: [
    '',
    AUDIT_ACTION_NAMES[0] ?? '',
    AUDIT_ACTION_NAMES[69] ?? '',
    'backup.restored',
    'secrets.rotated',
  ],
  target: ['', 'object_0', 'object_199990', 'object_old', 'object_none'],
  teamId: ['', 'team_0', 'team_290', 'team_old', 'team_none'],
};

function listQueries(endMs: number): readonly string[] {
  const toIso = (share: number): string => new Date(endMs - share * SPAN_MS).toISOString();
  const times = [
    '',
    `from=${toIso(0.5)}`,
    `to=${toIso(0.5)}`,
    `from=${toIso(0.97)}&to=${toIso(0.96)}`,
    `from=${toIso(-1)}`,
  ];
  return Object.entries(FILTERS).reduce(
    (queries, [name, values]) =>
      queries.flatMap(query => values.map(value => (value === '' ? query : `${query}&${name}=${value}`))),
    times,
  );
}

/** Returns the median time of each query in ms. */
async function measure(
  service: BenchService,
  queries: readonly string[],
  rounds: number,
): Promise<ReadonlyMap<string, number>> {
  const timesByQuery = new Map<string, number[]>(queries.map(query => [query, []]));
  for (let round = 0; round < rounds; round++)
    for (const [query, times] of timesByQuery) {
      const startMs = performance.now();
      const response = await service.fetch(`/api/v1/admin/audit?${query}`);
      await response.text();
      if (response.status !== 200) throw new Error(`${query} returned ${response.status}.`);
      times.push(performance.now() - startMs);
    }
  return new Map([...timesByQuery].map(([query, times]) => [query, median(times)]));
}

/** The request only updates a row and is recorded. The services alternate, so that other load affects both. */
async function* measureShare(isShort: boolean): AsyncGenerator<Row> {
  const without = { NODE_OPTIONS: `--import=${join(import.meta.dirname, '../no-audit.ts')}` };
  const folders = [await makeFolder(), await makeFolder()] as const;
  const services: BenchService[] = [];
  try {
    for (const [index, env] of [without, {}].entries())
      services.push(await startBenchService(folders[index] ?? '', env));
    const times: readonly [number[], number[]] = [[], []];
    const [rounds, warmUp] = isShort ? [5, 0] : [4000, 300];
    for (let round = 0; round < rounds; round++)
      for (const [index, service] of services.entries()) {
        const ms = await rename(service, `Name ${round}`);
        if (round >= warmUp) times[index]?.push(ms);
      }
    const [withoutMs, withMs] = times.map(median) as [number, number];
    yield {
      figure: 'a row of the audit log: share of the p50 of PATCH /me',
      value: (withMs - withoutMs) / withMs,
      unit: 'of 1',
      target: { value: MAX_SHARE, is: 'at most' },
      note: `${withMs.toFixed(3)} and ${withoutMs.toFixed(3)} ms without the row, alternating`,
    };
  } finally {
    for (const service of services) await service.stop();
    for (const folder of folders) await removeFolder(folder);
  }
}

async function rename(service: BenchService, name: string): Promise<number> {
  const startMs = performance.now();
  const response = await service.fetch('/api/v1/me', { method: 'PATCH', body: JSON.stringify({ name }) });
  await response.text();
  if (response.status !== 200) throw new Error(`PATCH /me returned ${response.status}.`);
  return performance.now() - startMs;
}
