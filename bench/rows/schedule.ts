// Measures ten thousand schedules on one API process and two workers: schedules that are due within a minute or at the same
// moment, and the cost of schedules that are not due.
import { setTimeout as sleep } from 'node:timers/promises';
import { THREE_NODES } from '../graphs.ts';
import { type BenchPostgres, startOwnPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';

const SCHEDULES = 10_000;
const ROLES = ['api', 'worker', 'worker'];
const MEASURE_MS = 60_000;
const TARGET_MS = 2000;

/** Matches the line of PostgreSQL's log with the statement that reads the next due time. */
const DUE_TIME_QUERY = /LOG: .*select ceil\(extract\(epoch from least\(/;

export async function* runScheduleRows(isShort: boolean): AsyncGenerator<Row> {
  const total = isShort ? 50 : SCHEDULES;
  let queryCount = 0;
  const postgres = await startOwnPostgres(1, line => {
    if (DUE_TIME_QUERY.test(line)) queryCount++;
  });
  const folder = await makeFolder();
  const services: BenchService[] = [];
  try {
    for (const ROLE of ROLES)
      services.push(await startBenchService(folder, { ROLE, DATABASE_URL: postgres.url }));
    await insertSchedules(postgres, await storeWorkflow(services[0] as BenchService, THREE_NODES), total);
    yield* measureDueSchedules(postgres, { total, spreadMs: isShort ? 1000 : 60_000, round: 1 });
    yield* measureDueSchedules(postgres, { total, spreadMs: 0, round: 2 });
    await postgres.db.query(`alter database postgres set log_statement = 'all'`);
    await restartServices(folder, services, postgres);
    await sleep(isShort ? 0 : 8000);
    queryCount = 0;
    const measureMs = isShort ? 500 : MEASURE_MS;
    await sleep(measureMs);
    yield {
      figure: `queries per second for schedules, ${total} of them, when none is due`,
      value: (queryCount / measureMs) * 1000,
      unit: '/s',
      target: { value: 1, is: 'at most' },
      note: 'counted in the statement log, of both workers together',
    };
  } finally {
    for (const service of services) await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

/** Restarts the services, because only new connections log their statements. */
async function restartServices(
  folder: string,
  services: BenchService[],
  postgres: BenchPostgres,
): Promise<void> {
  for (const service of services.splice(0)) await service.stop();
  for (const ROLE of ROLES)
    services.push(await startBenchService(folder, { ROLE, DATABASE_URL: postgres.url }));
}

/** Inserts schedules with SQL, because the API permits only a hundred per workspace. */
async function insertSchedules({ db }: BenchPostgres, workflowId: string, total: number): Promise<void> {
  await db.query(
    `insert into schedules (id, workflow_id, user_id, name, cron, time_zone, inputs, runs_version, overlap, catch_up,
       jitter_seconds, offset_seconds, is_active, anchor_at)
     select 'sch_' || lpad(n::text, 26, '0'), w.id, w.user_id, 'bench', '0 0 1 1 *', 'Europe/Berlin', '{}', 'current',
       'allow', 'latest', 0, 0, true, now()
     from workflows w, generate_series(1, $2::int) n where w.id = $1`,
    [workflowId, total],
  );
  await db.query('analyze schedules');
}

async function* measureDueSchedules(
  { db }: BenchPostgres,
  { total, spreadMs, round }: { readonly total: number; readonly spreadMs: number; readonly round: number },
): AsyncGenerator<Row> {
  await db.query(
    `with due as (select date_trunc('second', now()) + interval '3 seconds' as start)
     update schedules s set next_run_at = due.start + (n.number * $1::float8 / $2) * interval '1 millisecond'
     from due, (select id, row_number() over (order by id) - 1 as number from schedules) n where n.id = s.id`,
    [spreadMs, total],
  );
  await db.query(`select pg_notify('graphwright_schedules', 'schedules')`);
  const haveAllFired = async (): Promise<boolean> =>
    (await count(db, `select count(*) as count from firings where outcome = 'accepted'`)) >= total * round;
  while (!(await haveAllFired())) await sleep(500);
  const { rows } = await db.query<{ p50: number; p99: number; max: number }>(
    `select percentile_cont(0.5) within group (order by ms) as p50, percentile_cont(0.99) within group (order by ms) as p99,
       max(ms) as max
     from (select extract(epoch from accepted_at - due_at) * 1000 as ms from firings order by due_at desc limit $1) f`,
    [total],
  );
  const [{ p50, p99, max } = { p50: 0, p99: 0, max: 0 }] = rows;
  const name = spreadMs === 0 ? 'at the same moment' : `within ${spreadMs / 1000} s`;
  yield {
    figure: `${total} schedules due ${name}, from due to accepted, p99`,
    value: Number(p99),
    unit: 'ms',
    target: { value: TARGET_MS, is: 'at most' },
    note: `p50 ${Number(p50).toFixed(0)} ms, slowest ${Number(max).toFixed(0)} ms; one API process and two workers`,
  };
  const wrongCount = await count(
    db,
    `select count(*) as count from schedules s where $1 <> (select count(*) from executions e where e.origin_id = s.id)`,
    [round],
  );
  yield {
    figure: `schedules due ${name} that did not fire exactly once`,
    value: wrongCount,
    unit: '',
    target: { value: 0, is: 'at most' },
  };
}

async function count(
  db: BenchPostgres['db'],
  statement: string,
  values: readonly unknown[] = [],
): Promise<number> {
  return (await db.query<{ count: number }>(statement, values)).rows[0]?.count ?? 0;
}
