// Manages the partitions of execution_steps, the table of steps. Each partition has the steps of the runs that were
// created in a span of days. Partitions are created ahead of time, and dropped once their runs are deleted.
import { getFirstIdAt, getIdTime } from '../../lib/ids.ts';
import type { Db, Tx } from '../db.ts';
import { allValues } from '../rows.ts';

/** A partition for the run ids from `from` (inclusive) to `to` (exclusive). All other ids are in the default partition. */
export interface StepPartition {
  readonly name: string;
  /** Empty for the first partition, which has no lower bound. */
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
/** The number of partitions to create ahead of time. */
const PARTITIONS_AHEAD = 2;
/**
 * A partition is dropped only if at most this many of its runs still exist: runs that have not ended or ended recently,
 * and samples of templates. Dropping the partition copies their steps to the default partition.
 */
const MAX_REMAINING_RUNS = 10_000;
const BATCH_SIZE = 1000;
// Runs are blocked while this process waits for the lock, so it gives up soon and tries again the next night.
const LIMIT_LOCK_WAIT = "set local lock_timeout = '1s'";

/** Returns the days per partition, so that about twelve partitions cover the time for which runs are kept. */
export const choosePartitionDays = (retentionDays: number): number =>
  Math.min(Math.max(Math.ceil(retentionDays / 12), 1), 31);

/** Lists the partitions except the default one, ordered by time. */
export async function listStepPartitions(tx: Tx): Promise<readonly StepPartition[]> {
  const { rows } = await tx.query<{ name: string; bounds: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'execution_steps'::regclass`,
  );
  return rows
    .flatMap(({ name, bounds }) => {
      const [, from = '', to] =
        /^FOR VALUES FROM \((?:MINVALUE|'(\w+)')\) TO \('(\w+)'\)$/.exec(bounds) ?? [];
      return to === undefined ? [] : [{ name, from, to }];
    })
    .toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

/** Returns the end of the partition without a lower bound, or an empty text if that partition was dropped. */
export async function getFirstPartitionEnd(tx: Tx): Promise<string> {
  return (await listStepPartitions(tx)).find(({ from }) => from === '')?.to ?? '';
}

/** Creates the missing partitions from today to PARTITIONS_AHEAD partitions ahead. Returns the number of new partitions. */
export async function createStepPartitions(db: Db, nowMs: number, spanDays: number): Promise<number> {
  const hasPartitionsAhead = async (tx: Tx): Promise<boolean> =>
    (await getNextPartitionStart(tx, nowMs)) >= nowMs + PARTITIONS_AHEAD * spanDays * DAY_MS;
  if (await hasPartitionsAhead(db)) return 0;
  return db.transaction(async tx => {
    await tx.query(LIMIT_LOCK_WAIT);
    // Until the transaction ends, no other process can create partitions or insert rows for the new ones.
    await tx.query('lock table execution_steps_rest in access exclusive mode');
    let createdCount = 0;
    for (; !(await hasPartitionsAhead(tx)); createdCount++) {
      const fromMs = await getNextPartitionStart(tx, nowMs);
      await createPartition(tx, fromMs, fromMs + spanDays * DAY_MS);
    }
    return createdCount;
  });
}

/** Returns when the next partition starts: at the end of the last one, but not before today (UTC). */
async function getNextPartitionStart(tx: Tx, nowMs: number): Promise<number> {
  const lastPartition = (await listStepPartitions(tx)).at(-1);
  return Math.max(
    lastPartition === undefined ? 0 : getIdTime(lastPartition.to),
    Math.floor(nowMs / DAY_MS) * DAY_MS,
  );
}

async function createPartition(tx: Tx, fromMs: number, toMs: number): Promise<void> {
  const name = `execution_steps_${new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const [from, to] = [getFirstIdAt('execution', fromMs), getFirstIdAt('execution', toMs)];
  await tx.query(`create table ${name} (like execution_steps including defaults including storage)`);
  await tx.query(
    `with moved as (delete from execution_steps_rest where execution_id >= $1 and execution_id < $2 returning *)
     insert into ${name} select * from moved`,
    [from, to],
  );
  await tx.query(
    `alter table execution_steps attach partition ${name} for values from ('${from}') to ('${to}')`,
  );
}

/**
 * Drops partitions that end at or before the id, and keeps the steps of runs that still exist. Returns the names of the
 * dropped partitions.
 */
export async function dropStepPartitions(db: Db, beforeId: string): Promise<readonly string[]> {
  const oldPartitions = (await listStepPartitions(db)).filter(({ to }) => to <= beforeId);
  const droppedNames: string[] = [];
  for (const partition of oldPartitions)
    if (await dropPartition(db, partition)) droppedNames.push(partition.name);
  return droppedNames;
}

async function dropPartition(db: Db, partition: StepPartition): Promise<boolean> {
  // Checks before locking, because runs wait for the lock.
  if ((await listRemainingRuns(db, partition)).length > MAX_REMAINING_RUNS) {
    await deleteStepsOfDeletedRuns(db, partition);
    return false;
  }
  return db.transaction(async tx => {
    await tx.query(LIMIT_LOCK_WAIT);
    await tx.query('lock table execution_steps in access exclusive mode');
    const runIds = await listRemainingRuns(tx, partition);
    if (runIds.length > MAX_REMAINING_RUNS || !(await partitionExists(tx, partition))) return false;
    await tx.query(`alter table execution_steps detach partition ${partition.name}`);
    // Moves the steps of the remaining runs to the default partition.
    await tx.query(
      `insert into execution_steps select * from ${partition.name} where execution_id = any ($1::text[])`,
      [runIds],
    );
    await tx.query(`drop table ${partition.name}`);
    return true;
  });
}

/** Deletes the steps of deleted runs from a partition that cannot be dropped, because too many of its runs still exist. */
async function deleteStepsOfDeletedRuns(db: Db, { name }: StepPartition): Promise<void> {
  let deletedCount: number;
  do {
    const { rowCount } = await db.query(
      `delete from ${name} where ctid = any (array (
         select s.ctid from ${name} s where not exists (select from executions e where e.id = s.execution_id)
         limit ${BATCH_SIZE}))`,
    );
    deletedCount = rowCount;
  } while (deletedCount === BATCH_SIZE);
}

/** Returns whether the partition still exists. Another process may have dropped it. */
async function partitionExists(tx: Tx, { name }: StepPartition): Promise<boolean> {
  return (await listStepPartitions(tx)).some(partition => partition.name === name);
}

/** Lists the ids of the partition's runs that still exist, up to one more than MAX_REMAINING_RUNS. */
function listRemainingRuns(tx: Tx, { from, to }: StepPartition): Promise<readonly string[]> {
  return allValues(
    tx,
    `select id from executions where id >= $1 and id < $2 order by id limit ${MAX_REMAINING_RUNS + 1}`,
    [from, to],
  );
}
