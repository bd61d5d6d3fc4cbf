// Manages the partitions of the audit log, one a month. They are created ahead of time, and dropped when all of their rows
// are older than KEEP_AUDIT_DAYS.
import { getFirstIdAt, getIdTime } from '../../lib/ids.ts';
import type { Db, Tx } from '../db.ts';
import { all, firstValue } from '../rows.ts';

/** The months to create ahead of time, besides the current one. */
const MONTHS_AHEAD = 2;
const DAY_MS = 86_400_000;

interface AuditPartition {
  readonly name: string;
  /** The first id after it. */
  readonly to: string;
}

/** Lists the partitions except the default one, ordered by time. */
export async function listAuditPartitions(tx: Tx): Promise<readonly AuditPartition[]> {
  const rows = await all<{ name: string; bounds: string }>(
    tx,
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'audit_events'::regclass`,
  );
  return rows
    .flatMap(({ name, bounds }) => {
      const [, to] = / TO \('(\w+)'\)$/.exec(bounds) ?? [];
      return to === undefined ? [] : [{ name, to }];
    })
    .toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

const getMonthStart = (ms: number, monthsLater = 0): number => {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater);
};

/** Creates the missing partitions, to MONTHS_AHEAD months after the current one. Returns their number. */
export async function createAuditPartitions(db: Db, nowMs: number): Promise<number> {
  const lastEnd = getFirstIdAt('audit', getMonthStart(nowMs, MONTHS_AHEAD + 1));
  const isComplete = ({ to }: AuditPartition): boolean => to >= lastEnd;
  if ((await listAuditPartitions(db)).some(isComplete)) return 0;
  return db.transaction(async tx => {
    // Only one process creates them; the others find them. The table cannot be locked, because that needs the right to update.
    await tx.query("select pg_advisory_xact_lock(hashtext('audit partitions'))");
    let createdCount = 0;
    for (let last = (await listAuditPartitions(tx)).at(-1); last === undefined || !isComplete(last); ) {
      last = await addPartition(tx, last, nowMs);
      createdCount++;
    }
    return createdCount;
  });
}

/**
 * Adds the next partition. The first has no beginning. One that follows a gap has all months to now, for the rows of the gap.
 * It takes over all rows without a partition, also those of a process whose clock was ahead.
 */
async function addPartition(
  tx: Tx,
  last: AuditPartition | undefined,
  nowMs: number,
): Promise<AuditPartition> {
  const startMs = last === undefined ? nowMs : getIdTime(last.to);
  const from = last?.to ?? '';
  const newestId = await firstValue<string>(tx, 'select max(id) from audit_events where id >= $1', [from]);
  const newestMs = newestId === undefined ? 0 : getIdTime(newestId);
  const to = getFirstIdAt('audit', getMonthStart(Math.max(startMs, nowMs, newestMs), 1));
  const name = `audit_events_${new Date(startMs).toISOString().slice(0, 7).replace('-', '')}`;
  await tx.query('select add_audit_partition($1, $2, $3)', [name, from, to]);
  return { name, to };
}

/** Drops the partitions whose rows are all older than `keepDays`. Returns their names. */
export async function dropAuditPartitions(
  db: Db,
  nowMs: number,
  keepDays: number,
): Promise<readonly string[]> {
  const beforeId = getFirstIdAt('audit', nowMs - keepDays * DAY_MS);
  const droppedNames: string[] = [];
  for (const { name, to } of await listAuditPartitions(db)) {
    if (to > beforeId) continue;
    if ((await firstValue<boolean>(db, 'select drop_audit_partition($1)', [name])) === true)
      droppedNames.push(name);
  }
  return droppedNames;
}
