// Measures for how long the migration of a million node states into partitions blocks runs.
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateQueue } from '../../src/jobs/queue-tables.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { createStepPartitions } from '../../src/store/retention/step-partitions.ts';
import { insertManyExecutions } from '../../test/support/runs/many-executions.ts';
import { extendOldSchema, writeRun } from '../../test/support/runs/written-runs.ts';
import { quantile } from '../load.ts';
import { startOwnPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';

const UNPARTITIONED = 104;
const WRITERS = 8;
/** Before the partitions are created, and after. */
const SETTLE_MS = 1000;

export async function* runPartitionRows(isShort: boolean): AsyncGenerator<Row> {
  const [count, settleMs] = isShort ? [500, 100] : [1_000_000, SETTLE_MS];
  const postgres = await startOwnPostgres(4);
  const [connection, onError] = [{ url: postgres.url }, () => undefined];
  const runDb = openDb({ connection, maxConnections: WRITERS, plans: 'pinned', onError });
  try {
    const { db } = postgres;
    const queue = () => migrateQueue({ db, log: createLogger('silent') });
    await migrate(db, queue, UNPARTITIONED);
    await extendOldSchema(db);
    await db.withOwnConnection(async client => {
      const many = { count, userId: 1, workflowIds: ['wf_a', 'wf_b'] as const, endMs: Date.now() };
      await insertManyExecutions(client, many);
      await client.query(`insert into execution_steps select id, 1, '[{"nodeId":"a"}]' from executions`);
      await client.query('vacuum analyze');
    });
    const stop = new AbortController();
    const writing = Array.from({ length: WRITERS }, () => writeUntil(runDb, stop.signal));
    await sleep(settleMs);
    const startMs = performance.now();
    await migrate(db, queue);
    await createStepPartitions(db, Date.now(), 8);
    const seconds = (performance.now() - startMs) / 1000;
    await sleep(settleMs);
    stop.abort();
    const durations = (await Promise.all(writing)).flat().sort((a, b) => a - b);
    yield {
      figure: `${count} node states migrated into partitions while runs are written: longest wait of a run`,
      value: durations.at(-1) ?? Number.NaN,
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      note: `${durations.length} runs, none failed, p50 ${quantile(durations, 0.5).toFixed(1)} ms; the migration took ${seconds.toFixed(2)} s`,
    };
  } finally {
    await runDb.close();
    await postgres.stop();
  }
}

/** Executes runs one after the other. Returns their durations in ms. */
async function writeUntil(db: Db, signal: AbortSignal): Promise<readonly number[]> {
  const durations: number[] = [];
  while (!signal.aborted) {
    const startMs = performance.now();
    await writeRun(db, newId('execution'));
    durations.push(performance.now() - startMs);
  }
  return durations;
}
