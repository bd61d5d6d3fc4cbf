// Measures an account with a million executions: first pages compared with an account that has a thousand, and reads during
// the nightly sweep.
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
import { createChain } from '../graphs.ts';
import { median } from '../load.ts';
import { type BenchPostgres, startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import {
  type Account,
  type BenchService,
  makeFolder,
  removeFolder,
  startBenchService,
  storeWorkflow,
  withKey,
} from '../service.ts';

const SMALL_COUNT = 1000;
const DAY_MS = 86_400_000;
const MAX_PAGE_RATIO = 1.3;
const MIN_SWEPT_PER_SECOND = 20_000;
const MAX_RATIO_DURING_SWEEP = 1.2;
const RETENTION_DAYS = 90;
const MAX_SWEEP_MS = 180_000;

export async function* runMillionRows(isShort: boolean): AsyncGenerator<Row> {
  const largeCount = isShort ? 5000 : 1_000_000;
  const folder = await makeFolder();
  const postgres = await startBenchPostgres(4);
  const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
  try {
    const [small, large] = [await createOwner(service, 'small'), await createOwner(service, 'large')];
    // The executions are in the future, where each new partition of node states spans a few days.
    const firstMs = Date.now() + 3 * DAY_MS;
    for (let day = 0; day <= SPAN_MS / DAY_MS; day++)
      await createStepPartitions(postgres.db, firstMs + day * DAY_MS, choosePartitionDays(RETENTION_DAYS));
    await insertExecutions(postgres, { ...small, count: SMALL_COUNT, endMs: firstMs + SPAN_MS - DAY_MS });
    await insertExecutions(postgres, { ...large, count: largeCount, endMs: firstMs + SPAN_MS });
    for (const [name, getPath] of Object.entries(PATHS)) {
      const [smallMs, largeMs] = await measureAlternately([small, large], getPath, isShort);
      yield {
        figure: `first page of ${name}: ${largeCount} executions compared with ${SMALL_COUNT}, p50`,
        value: largeMs / smallMs,
        unit: 'times',
        target: { value: MAX_PAGE_RATIO, is: 'at most' },
        note: `${largeMs.toFixed(2)} and ${smallMs.toFixed(2)} ms, alternating`,
      };
    }
    yield* measureSweep(postgres, large, isShort);
  } finally {
    await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

interface Owner extends Account {
  readonly userId: number;
  readonly workflowIds: readonly [string, string];
}

const PATHS: Readonly<Record<string, (owner: Owner) => string>> = {
  'GET /executions': () => '/executions',
  'a workflow': ({ workflowIds: [id] }) => `/workflows/${id}/executions`,
  'one status': () => '/executions?status=COMPLETED',
};

async function createOwner(service: BenchService, name: string): Promise<Owner> {
  const response = await service.fetch('/api/v1/admin/users', {
    method: 'POST',
    body: JSON.stringify({ email: `${name}@example.com`, name, plan: 'self_hosted', keyScopes: SCOPES }),
  });
  const { apiKey: key } = (await response.json()) as { apiKey: string };
  const account = withKey(service, key);
  const workflowIds = [
    await storeWorkflow(account, createChain(1)),
    await storeWorkflow(account, createChain(1)),
  ] as const;
  const { userId } = (await (await account.fetch('/api/v1/me')).json()) as { userId: number };
  return { userId, workflowIds, fetch: account.fetch };
}

const SCOPES = ['workflows:read', 'workflows:write'];

/** Returns the median response time of each owner's path. The requests alternate, so that other load affects both. */
async function measureAlternately(
  owners: readonly [Owner, Owner],
  getPath: (owner: Owner) => string,
  isShort: boolean,
): Promise<readonly [number, number]> {
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < (isShort ? 5 : 300); round++)
    for (const [index, owner] of owners.entries())
      times[index]?.push(await measureRequest(owner, getPath(owner)));
  return [median(times[0]), median(times[1])];
}

async function* measureSweep(postgres: BenchPostgres, owner: Owner, isShort: boolean): AsyncGenerator<Row> {
  const timesBefore: number[] = [];
  for (let index = 0; index < (isShort ? 20 : 300); index++)
    timesBefore.push(await measureRequest(owner, '/executions'));
  const medianBefore = median(timesBefore);
  const stop = new AbortController();
  const countExecutions = async () =>
    (await postgres.db.query<{ count: number }>('select count(*)::int as count from executions')).rows[0]
      ?.count ?? 0;
  const initialCount = await countExecutions();
  const startMs = performance.now();
  let sweepEndMs = Number.NaN;
  const deps = {
    db: postgres.db,
    now: () => Date.now() + (2 * RETENTION_DAYS + 10) * DAY_MS,
    log: pino({ level: 'silent' }),
    settings: readSettings({}),
  } as unknown as RunDeps;
  const sweep = sweepRuns(deps, stop.signal)
    .catch((err: unknown) => {
      if (!stop.signal.aborted) throw err;
    })
    .finally(() => {
      sweepEndMs = performance.now();
    });
  const timesDuringSweep: number[] = [];
  while (Number.isNaN(sweepEndMs) && performance.now() - startMs < MAX_SWEEP_MS) {
    timesDuringSweep.push(await measureRequest(owner, '/executions'));
    await sleep(20);
  }
  stop.abort();
  await sweep;
  yield {
    figure: 'nightly sweep of old executions with their node states, executions per second',
    value: ((initialCount - (await countExecutions())) / (sweepEndMs - startMs)) * 1000,
    unit: 'rows/s',
    target: { value: MIN_SWEPT_PER_SECOND, is: 'at least' },
    note: `${await countExecutions()} of ${initialCount} remain, ${(await listStepPartitions(postgres.db)).length} partitions`,
  };
  yield {
    figure: 'first page of executions during the sweep, p50 compared with before',
    value: median(timesDuringSweep) / medianBefore,
    unit: 'times',
    target: { value: MAX_RATIO_DURING_SWEEP, is: 'at most' },
    note: `${medianBefore.toFixed(2)} and ${median(timesDuringSweep).toFixed(2)} ms`,
  };
}

/** Executions are inserted in batches, because one statement for all would take longer than the statement timeout. */
const BATCH_SIZE = 20_000;

async function insertExecutions(
  { db }: BenchPostgres,
  { count, endMs, ...options }: Parameters<typeof insertManyExecutions>[1],
): Promise<void> {
  for (let insertedCount = 0; insertedCount < count; insertedCount += BATCH_SIZE)
    // Each batch ends at a different time, so that no id is generated twice.
    await insertManyExecutions(db, {
      ...options,
      count: Math.min(BATCH_SIZE, count - insertedCount),
      endMs: endMs - insertedCount / 100,
    });
  for (let lastId: string | null = ''; lastId !== null; ) {
    const { rows }: { rows: readonly { readonly last_id: string | null }[] } = await db.query(
      `with batch as (select id from executions where id > $1 order by id limit ${BATCH_SIZE}), inserted as (
         insert into execution_steps (execution_id, seq, steps)
         select id, 1, '[{"nodeId":"a","status":"COMPLETED","attempt":1}]' from batch on conflict do nothing)
       select max(id) as last_id from batch`,
      [lastId],
    );
    lastId = rows[0]?.last_id ?? null;
  }
  await db.query('analyze executions, execution_steps');
}

async function measureRequest(owner: Owner, path: string): Promise<number> {
  const startMs = performance.now();
  const response = await owner.fetch(`/api/v1${path}`);
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
  return performance.now() - startMs;
}
