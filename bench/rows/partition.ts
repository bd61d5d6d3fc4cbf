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

/** The last migration before the table of node states is partitioned. */
const LAST_UNPARTITIONED_MIGRATION = 104;
const WRITERS = 8;
/** The time for which runs are written before and after the migration. */
const MARGIN_MS = 1000;

export async function* runPartitionRows(isShort: boolean): AsyncGenerator<Row> {
  const [count, marginMs] = isShort ? [500, 100] : [1_000_000, MARGIN_MS];
  const postgres = await startOwnPostgres(4);
  const runDb = openDb({
    connection: { url: postgres.url },
    maxConnections: WRITERS,
    plans: 'pinned',
    onError: () => undefined,
  });
  try {
    const { db } = postgres;
    const createQueueTables = () => migrateQueue({ db, log: createLogger('silent') });
    await migrate(db, createQueueTables, LAST_UNPARTITIONED_MIGRATION);
    await extendOldSchema(db);
    await db.withOwnConnection(async client => {
      const executions = { count, userId: 1, workflowIds: ['wf_a', 'wf_b'] as const, endMs: Date.now() };
      await insertManyExecutions(client, executions);
      await client.query(`insert into execution_steps select id, 1, '[{"nodeId":"a"}]' from executions`);
      await client.query('vacuum analyze');
    });
    const stop = new AbortController();
    const writers = Array.from({ length: WRITERS }, () => writeRuns(runDb, stop.signal));
    await sleep(marginMs);
    const startMs = performance.now();
    await migrate(db, createQueueTables);
    await createStepPartitions(db, Date.now(), 8);
    const seconds = (performance.now() - startMs) / 1000;
    await sleep(marginMs);
    stop.abort();
    const durations = (await Promise.all(writers)).flat();
    yield {
      figure: `${count} node states migrated into partitions while runs are written: longest wait of a run`,
      value: Math.max(...durations),
      unit: 'ms',
      target: { value: 1000, is: 'at most' },
      note: `${durations.length} runs, none failed, p50 ${quantile(durations, 0.5).toFixed(1)} ms; the migration took ${seconds.toFixed(2)} s`,
    };
  } finally {
    await runDb.close();
    await postgres.stop();
  }
}

/** Writes runs one after the other until the signal is aborted. Returns the time of each write in ms. */
async function writeRuns(db: Db, signal: AbortSignal): Promise<readonly number[]> {
  const durations: number[] = [];
  while (!signal.aborted) {
    const startMs = performance.now();
    await writeRun(db, newId('execution'));
    durations.push(performance.now() - startMs);
  }
  return durations;
}
