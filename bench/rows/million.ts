// Measures an account with a million executions: first pages compared with a thousand, and reads during the nightly
// sweep.
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { readSettings } from '../../src/lib/settings.ts';
import type { RunDeps } from '../../src/runs/deps.ts';
import { sweepRuns } from '../../src/runs/sweep-runs.ts';
import {
  choosePartitionDays,
  createStepPartitions,
  listStepPartitions,
} from '../../src/store/retention/step-partitions.ts';
import { insertManyExecutions, SPAN_MS } from '../../test/support/runs/many-executions.ts';
import { chain } from '../graphs.ts';
import { median } from '../load.ts';
import { type BenchPostgres, startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';
import { store } from './run.ts';

const FEW = 1000;
const DAY_MS = 86_400_000;
const TARGET_RATIO = 1.3;
const TARGET_SWEPT = 20_000;
const TARGET_SLOWER = 1.2;
const KEPT_DAYS = 90;
const MAX_SWEEP_MS = 180_000;

export async function* runMillionRows(isShort: boolean): AsyncGenerator<Row> {
  const many = isShort ? 5000 : 1_000_000;
  const folder = await makeFolder();
  const postgres = await startBenchPostgres(4);
  const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
  try {
    const [small, large] = [await createOwner(service, 'few'), await createOwner(service, 'many')];
    // In the future, where each partition of node states spans a few days; the sweep's clock is ahead too.
    const firstMs = Date.now() + 3 * DAY_MS;
    for (let day = 0; day <= SPAN_MS / DAY_MS; day++)
      await createStepPartitions(postgres.db, firstMs + day * DAY_MS, choosePartitionDays(KEPT_DAYS));
    await insert(postgres, { ...small, count: FEW, endMs: firstMs + SPAN_MS - DAY_MS });
    await insert(postgres, { ...large, count: many, endMs: firstMs + SPAN_MS });
    for (const [name, path] of Object.entries(PATHS)) {
      const [fewMs, manyMs] = await compare(service, [small, large], path, isShort);
      yield {
        figure: `first page of ${name}: ${many} executions compared with ${FEW}, p50`,
        value: manyMs / fewMs,
        unit: 'times',
        target: { value: TARGET_RATIO, is: 'at most' },
        note: `${manyMs.toFixed(2)} and ${fewMs.toFixed(2)} ms, alternating`,
      };
    }
    yield* sweepRows(service, postgres, large, isShort);
  } finally {
    await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

interface Owner {
  readonly userId: number;
  readonly key: string;
  readonly workflowIds: readonly [string, string];
}

const PATHS: Readonly<Record<string, (owner: Owner) => string>> = {
  'GET /executions': () => '/executions',
  'a workflow': ({ workflowIds: [id] }) => `/workflows/${id}/executions`,
  'one status': () => '/executions?status=COMPLETED',
};

async function createOwner(service: BenchService, name: string): Promise<Owner> {
  const createdUser = await service.fetch('/api/v1/admin/users', {
    method: 'POST',
    body: JSON.stringify({ email: `${name}@example.com`, name, plan: 'self_hosted', keyScopes: SCOPES }),
  });
  const { apiKey: key } = (await createdUser.json()) as { apiKey: string };
  const asOwner: BenchService = {
    ...service,
    fetch: (path, init) => service.fetch(path, { ...init, headers: { authorization: `Bearer ${key}` } }),
  };
  const workflowIds = [await store(asOwner, chain(1)), await store(asOwner, chain(1))] as const;
  const { userId } = (await (await asOwner.fetch('/api/v1/me')).json()) as { userId: number };
  return { userId, key, workflowIds };
}

const SCOPES = ['workflows:read', 'workflows:write'];

/** Returns the medians of both functions, called alternately, so that other load affects both. */
async function compare(
  service: BenchService,
  owners: readonly [Owner, Owner],
  pathOf: (owner: Owner) => string,
  isShort: boolean,
): Promise<readonly [number, number]> {
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < (isShort ? 5 : 300); round++)
    for (const [index, owner] of owners.entries())
      times[index]?.push(await measureRequest(service, owner, pathOf(owner)));
  return [median(times[0]), median(times[1])];
}

async function* sweepRows(
  service: BenchService,
  postgres: BenchPostgres,
  owner: Owner,
  isShort: boolean,
): AsyncGenerator<Row> {
  const idle: number[] = [];
  for (let made = 0; made < (isShort ? 20 : 300); made++)
    idle.push(await measureRequest(service, owner, '/executions'));
  const before = median(idle);
  const stop = new AbortController();
  const count = async () =>
    (await postgres.db.query<{ count: number }>('select count(*)::int as count from executions')).rows[0]
      ?.count ?? 0;
  const initialCount = await count();
  const beganMs = performance.now();
  let endedMs = Number.NaN;
  const deps = {
    db: postgres.db,
    now: () => Date.now() + (2 * KEPT_DAYS + 10) * DAY_MS,
    log: pino({ level: 'silent' }),
    settings: readSettings({}),
  } as unknown as RunDeps;
  const swept = sweepRuns(deps, stop.signal)
    .catch((err: unknown) => {
      if (!stop.signal.aborted) throw err;
    })
    .finally(() => {
      endedMs = performance.now();
    });
  const during: number[] = [];
  while (Number.isNaN(endedMs) && performance.now() - beganMs < MAX_SWEEP_MS) {
    during.push(await measureRequest(service, owner, '/executions'));
    await sleep(20);
  }
  stop.abort();
  await swept;
  yield {
    figure: 'nightly sweep of old executions with their node states, executions per second',
    value: ((initialCount - (await count())) / (endedMs - beganMs)) * 1000,
    unit: 'rows/s',
    target: { value: TARGET_SWEPT, is: 'at least' },
    note: `${await count()} of ${initialCount} remain, ${(await listStepPartitions(postgres.db)).length} partitions`,
  };
  yield {
    figure: 'first page of executions during the sweep, p50 compared with before',
    value: median(during) / before,
    unit: 'times',
    target: { value: TARGET_SLOWER, is: 'at most' },
    note: `${before.toFixed(2)} and ${median(during).toFixed(2)} ms`,
  };
}

/** A million rows take longer than a connection's statement timeout. */
const BATCH_ROWS = 20_000;

async function insert(
  { db }: BenchPostgres,
  { count, endMs, ...many }: Parameters<typeof insertManyExecutions>[1],
): Promise<void> {
  for (let done = 0; done < count; done += BATCH_ROWS)
    // The parts differ by a moment, so that no id is generated twice.
    await insertManyExecutions(db, {
      ...many,
      count: Math.min(BATCH_ROWS, count - done),
      endMs: endMs - done / 100,
    });
  for (let last: string | null = ''; last !== null; ) {
    const { rows }: { rows: readonly { readonly last: string | null }[] } = await db.query(
      `with batch as (select id from executions where id > $1 order by id limit ${BATCH_ROWS}), kept as (
         insert into execution_steps (execution_id, seq, steps)
         select id, 1, '[{"nodeId":"a","status":"COMPLETED","attempt":1}]' from batch on conflict do nothing)
       select max(id) as last from batch`,
      [last],
    );
    last = rows[0]?.last ?? null;
  }
  await db.query('analyze executions, execution_steps');
}

async function measureRequest(service: BenchService, { key }: Owner, path: string): Promise<number> {
  const startMs = performance.now();
  const response = await service.fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
  return performance.now() - startMs;
}
