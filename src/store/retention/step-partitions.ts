// Manages the time partitions of node states: creates them ahead of time, and drops them once their runs are deleted.
import { getFirstIdAt, getIdTime } from '../../lib/ids.ts';
import type { Db, Tx } from '../db.ts';
import { allValues } from '../rows.ts';

/** A partition other than the default one. It contains the ids from `from` (inclusive) to `to` (exclusive). */
export interface StepPartition {
  readonly name: string;
  /** Empty: there is no lower bound. */
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
/** The number of partitions to create ahead of time. */
const PARTITIONS_AHEAD = 2;
/** The maximum number of runs that outlive their partition: not ended, ended recently, or samples of templates. */
const MAX_OUTLIVING = 10_000;
const BATCH = 1000;
// Runs are blocked while this waits for the lock, so it gives up soon and retries next time.
const LOCK_TIMEOUT = "set local lock_timeout = '1s'";

/** Returns the days per partition, so that about twelve partitions cover the time that runs are kept. */
export const choosePartitionDays = (keptDays: number): number =>
  Math.min(Math.max(Math.ceil(keptDays / 12), 1), 31);

/** Lists the partitions, ordered by time. */
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

/** Returns the end of the first partition, or an empty string if there is none. */
export async function getFirstPartitionEnd(tx: Tx): Promise<string> {
  return (await listStepPartitions(tx)).find(({ from }) => from === '')?.to ?? '';
}

/**
 * Creates the partitions from today to a few partitions ahead, if they are missing. Returns the number created.
 */
export async function createStepPartitions(db: Db, nowMs: number, spanDays: number): Promise<number> {
  const isEnough = async (tx: Tx): Promise<boolean> =>
    (await getNextPartitionStart(tx, nowMs)) >= nowMs + PARTITIONS_AHEAD * spanDays * DAY_MS;
  if (await isEnough(db)) return 0;
  return db.transaction(async tx => {
    await tx.query(LOCK_TIMEOUT);
    // Excludes other processes that create partitions, and inserts of rows that belong to them.
    await tx.query('lock table execution_steps_rest in access exclusive mode');
    let createdCount = 0;
    for (; !(await isEnough(tx)); createdCount++) {
      const fromMs = await getNextPartitionStart(tx, nowMs);
      await createPartition(tx, fromMs, fromMs + spanDays * DAY_MS);
    }
    return createdCount;
  });
}

/** Returns the start of the next partition, which is midnight UTC. */
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
 * Drops partitions that end at or before the id, but keeps the states of runs that still exist. Returns their names.
 */
export async function dropStepPartitions(db: Db, beforeId: string): Promise<readonly string[]> {
  const old = (await listStepPartitions(db)).filter(({ to }) => to <= beforeId);
  const droppedNames: string[] = [];
  for (const partition of old) if (await dropPartition(db, partition)) droppedNames.push(partition.name);
  return droppedNames;
}

async function dropPartition(db: Db, partition: StepPartition): Promise<boolean> {
  // Checks before locking, because runs wait for the lock.
  if ((await listOutliving(db, partition)).length > MAX_OUTLIVING) {
    await deleteOrphans(db, partition);
    return false;
  }
  return db.transaction(async tx => {
    await tx.query(LOCK_TIMEOUT);
    await tx.query('lock table execution_steps in access exclusive mode');
    const ids = await listOutliving(tx, partition);
    if (ids.length > MAX_OUTLIVING || !(await partitionExists(tx, partition))) return false;
    await tx.query(`alter table execution_steps detach partition ${partition.name}`);
    // Keeps the states of these runs in the default partition.
    await tx.query(
      `insert into execution_steps select * from ${partition.name} where execution_id = any ($1::text[])`,
      [ids],
    );
    await tx.query(`drop table ${partition.name}`);
    return true;
  });
}

/** Deletes states of deleted runs from a partition that cannot be dropped, because too many runs outlive it. */
async function deleteOrphans(db: Db, { name }: StepPartition): Promise<void> {
  for (let count = BATCH; count === BATCH; ) {
    const { rowCount } = await db.query(
      `delete from ${name} where ctid = any (array (
         select s.ctid from ${name} s where not exists (select from executions e where e.id = s.execution_id)
         limit ${BATCH}))`,
    );
    count = rowCount ?? 0;
  }
}

/** Returns whether the partition still exists. Another process may have dropped it. */
async function partitionExists(tx: Tx, { name }: StepPartition): Promise<boolean> {
  return (await listStepPartitions(tx)).some(partition => partition.name === name);
}

function listOutliving(tx: Tx, { from, to }: StepPartition): Promise<readonly string[]> {
  return allValues(
    tx,
    `select id from executions where id >= $1 and id < $2 order by id limit ${MAX_OUTLIVING + 1}`,
    [from, to],
  );
}
