// Manages the partitions of node states by time: creates them ahead, and drops them when their runs are deleted.
import { getFirstIdAt, getIdTime } from '../../lib/ids.ts';
import type { Db, Tx } from '../db.ts';
import { allValues } from '../rows.ts';

/** All partitions except the default; ids from the first bound up to, not including, the second. */
export interface StepPartition {
  readonly name: string;
  /** Empty: from the very first id. */
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
/** The number of partitions to create ahead of time. */
const PARTITIONS_AHEAD = 2;
/** Runs that outlive their partition: not ended, ended recently, or samples of templates. */
const MAX_OUTLIVING = 10_000;
const BATCH = 1000;
// While this waits for the lock, runs wait too. If it does not get the lock, it tries again next time.
const LOCK_TIMEOUT = "set local lock_timeout = '1s'";

/** Days per partition: about twelve partitions cover the time that runs are kept. */
export const chooseSpan = (keptDays: number): number => Math.min(Math.max(Math.ceil(keptDays / 12), 1), 31);

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

/** Returns the end of the first partition. Without one, runs and their states are deleted row by row. */
export async function getFirstPartitionEnd(tx: Tx): Promise<string> {
  return (await listStepPartitions(tx)).find(({ from }) => from === '')?.to ?? '';
}

/**
 * Creates partitions until some lie ahead of `nowMs`; after a long pause, from that day on. Returns the number created.
 */
export async function createStepPartitions(db: Db, nowMs: number, spanDays: number): Promise<number> {
  const isEnough = async (tx: Tx): Promise<boolean> =>
    (await getLastPartitionEnd(tx, nowMs)) >= nowMs + PARTITIONS_AHEAD * spanDays * DAY_MS;
  if (await isEnough(db)) return 0;
  return db.transaction(async tx => {
    await tx.query(LOCK_TIMEOUT);
    // One process at a time, and no row of their time range may be inserted meanwhile.
    await tx.query('lock table execution_steps_rest in access exclusive mode');
    let createdCount = 0;
    for (; !(await isEnough(tx)); createdCount++) {
      const fromMs = await getLastPartitionEnd(tx, nowMs);
      await createPartition(tx, fromMs, fromMs + spanDays * DAY_MS);
    }
    return createdCount;
  });
}

/** Returns the start of the next partition, a midnight. */
async function getLastPartitionEnd(tx: Tx, nowMs: number): Promise<number> {
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

/** Drops partitions that end at or before the id, keeping states of runs that still exist. Returns their names. */
export async function dropStepPartitions(db: Db, beforeId: string): Promise<readonly string[]> {
  const old = (await listStepPartitions(db)).filter(({ to }) => to <= beforeId);
  const droppedNames: string[] = [];
  for (const partition of old) if (await dropPartition(db, partition)) droppedNames.push(partition.name);
  return droppedNames;
}

async function dropPartition(db: Db, partition: StepPartition): Promise<boolean> {
  // Checked before runs have to wait.
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
    // They are moved to the default partition.
    await tx.query(
      `insert into execution_steps select * from ${partition.name} where execution_id = any ($1::text[])`,
      [ids],
    );
    await tx.query(`drop table ${partition.name}`);
    return true;
  });
}

/** Deletes states of deleted runs from a partition that too many other runs outlive. */
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
