// Deletes expired rows in small batches, so that other work is not blocked.
import { deleteApprovalsOfRuns } from '../approvals.ts';
import type { Tx } from '../db.ts';
import { SAMPLE_TRIGGER } from '../runs.ts';
import { advanceExecutionCounts } from '../workflows/writes.ts';

export interface ExecutionBatch {
  /** The last id of the previous batch. */
  readonly afterId: string;
  /** Only executions with smaller ids are deleted. Ids start with their creation time. */
  readonly beforeId: string;
  readonly finishedBefore: Date;
  /** Steps of runs with smaller ids are deleted row by row. Steps of later runs are dropped with their partition. */
  readonly stepsBefore: string;
  readonly limit: number;
}

/**
 * Deletes the next batch of ended executions and everything that belongs to them, oldest first. Keeps the workflows'
 * run counts. Returns the deleted ids in order. Requires a transaction.
 */
export async function deleteExecutionsBefore(tx: Tx, batch: ExecutionBatch): Promise<readonly string[]> {
  const { rows } = await tx.query<ExecutionKey>(
    `select id, workflow_id, user_id from executions where id > $1 and id < $2 and finished_at < $3
       -- A copied template keeps its sample as long as the workflow exists.
       and (trigger <> '${SAMPLE_TRIGGER}' or not exists (
         select from workflows w where w.id = workflow_id and w.deleted_at is null))
     order by id limit $4 for update skip locked`,
    [batch.afterId, batch.beforeId, batch.finishedBefore, batch.limit],
  );
  await deleteExecutions(tx, rows, batch.stepsBefore);
  return rows.map(({ id }) => id);
}

/** Larger than every id. */
const AFTER_ALL_IDS = '~';

/** Deletes one ended execution. Returns false if there is none. Requires a transaction. */
export async function deleteExecutionRow(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await tx.query<ExecutionKey>(
    `select id, workflow_id, user_id from executions where id = $1 and finished_at is not null
       -- The batch must record the result first.
       and not exists (select from batch_rows r where r.execution_id = executions.id and r.status = 'running')
     for update`,
    [id],
  );
  await deleteExecutions(tx, rows, AFTER_ALL_IDS);
  return rows.length === 1;
}

interface ExecutionKey {
  readonly id: string;
  readonly workflow_id: string;
  readonly user_id: number;
}

async function deleteExecutions(tx: Tx, rows: readonly ExecutionKey[], stepsBefore: string): Promise<void> {
  const ids = rows.map(row => row.id).sort();
  const lastId = ids.at(-1);
  if (lastId === undefined) return;
  await advanceExecutionCounts(tx, [...new Set(rows.map(row => row.workflow_id))].sort(), lastId);
  await deleteSteps(tx, ids, stepsBefore);
  await tx.query('delete from media_reuses where execution_id = any ($1::text[])', [ids]);
  await tx.query('delete from run_models where execution_id = any ($1::text[])', [ids]);
  await tx.query('delete from run_digests where execution_id = any ($1::text[])', [ids]);
  await tx.query('delete from deliveries where execution_id = any ($1::text[])', [ids]);
  await tx.query(
    `delete from idempotency_keys k using unnest($1::int[], $2::text[], $3::text[]) as e(user_id, workflow_id, id)
     where k.user_id = e.user_id and k.workflow_id = e.workflow_id and k.execution_id = e.id`,
    [rows.map(row => row.user_id), rows.map(row => row.workflow_id), rows.map(row => row.id)],
  );
  await deleteApprovalsOfRuns(tx, ids);
  await tx.query('delete from app_runs where execution_id = any ($1::text[])', [ids]);
  await tx.query('delete from executions where id = any ($1::text[])', [ids]);
}

async function deleteSteps(tx: Tx, ids: readonly string[], before: string): Promise<void> {
  const expiredIds = ids.filter(id => id < before);
  if (expiredIds.length > 0)
    await tx.query('delete from execution_steps where execution_id = any ($1::text[])', [expiredIds]);
  // Rows of the default partition are never dropped with a partition.
  await tx.query('delete from execution_steps_rest where execution_id = any ($1::text[])', [ids]);
}

/** The condition that a row has expired, by table. `$1`: the time limit. */
const EXPIRED = {
  deliveries: `created_at < $1 and state in ('delivered', 'exhausted')`,
  idempotency_keys: 'created_at < $1',
  node_cache: 'created_at < $1',
  render_parts: 'created_at < $1',
  sessions: `expires_at < $1 or last_seen_at < $1 - interval '7 days'`,
  sign_in_networks: 'seen_at < $1',
  password_links: 'expires_at < $1',
  factor_challenges: 'expires_at < $1',
  team_invitations: 'expires_at < $1',
  oauth_tokens: 'expires_at < $1',
  oauth_interactions: 'expires_at < $1',
  // Unused grants and clients.
  oauth_grants: 'created_at < $1 and not exists (select from oauth_tokens t where t.grant_id = old.id)',
  oauth_clients: 'created_at < $1 and not exists (select from oauth_grants g where g.client_id = old.id)',
  batches: 'finished_at < $1 and not exists (select from batch_rows r where r.batch_id = old.id)',
  firings: `due_at < $1 and outcome in ('accepted', 'skipped', 'refused')`,
  tables: 'created_at < $1',
  notices: 'created_at < $1',
  mails: `created_at < $1 and state <> 'waiting'`,
  known_browsers: 'seen_at < $1',
  app_runs: 'expires_at < $1 and not in_gallery',
  app_proofs: 'expires_at < $1',
  rate_windows: 'window_start < extract(epoch from $1::timestamptz)',
} as const;

/** Selects of expired rows, for tables whose rows expire depending on a row of another table. */
const EXPIRED_BY_PARENT = {
  batch_rows: `select old.ctid from batches b join batch_rows old on old.batch_id = b.id where b.finished_at < $1`,
  // Items of feeds and buckets are kept as long as their trigger, because automation limits their number.
  trigger_items: `select old.ctid from trigger_items old join triggers t on t.id = old.trigger_id
    where old.seen_at < $1 and old.status = 'done' and t.kind in ('hook', 'after')`,
} as const;

export type ExpiringTable = keyof typeof EXPIRED | keyof typeof EXPIRED_BY_PARENT;

/** Deletes expired rows that no other transaction has locked. Returns the number of deleted rows. */
export async function deleteExpired(
  tx: Tx,
  table: ExpiringTable,
  before: Date,
  limit: number,
): Promise<number> {
  const rows =
    table in EXPIRED_BY_PARENT
      ? EXPIRED_BY_PARENT[table as keyof typeof EXPIRED_BY_PARENT]
      : `select ctid from ${table} old where ${EXPIRED[table as keyof typeof EXPIRED]}`;
  const { rowCount } = await tx.query(
    `delete from ${table} where ctid in (${rows} limit $2 for update of old skip locked)`,
    [before, limit],
  );
  return rowCount;
}
