// Deletes expired rows in batches short enough not to block other work.
import type { Tx } from '../db.ts';
import { SAMPLE_TRIGGER } from '../runs.ts';
import { countExecutions } from '../workflows/writes.ts';

export interface ExecutionBatch {
  /** The last keys of the previous batch; rows below are not visited again. */
  readonly afterId: string;
  /** Ids start with their time. */
  readonly beforeId: string;
  readonly finishedBefore: Date;
  /** Below it, node states are deleted row by row; above it, with their partition. */
  readonly stepsBefore: string;
  readonly limit: number;
}

/**
 * Deletes the next ended executions with everything that belongs to them, oldest first; workflow run counts are kept.
 * Returns their ids in order. Requires a transaction.
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

const ALL_STEPS = '~';

/** Deletes one ended execution; false if there is none. Requires a transaction. */
export async function deleteExecutionRow(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await tx.query<ExecutionKey>(
    `select id, workflow_id, user_id from executions where id = $1 and finished_at is not null
       -- Its batch has not recorded the result yet.
       and not exists (select from batch_rows r where r.execution_id = executions.id and r.status = 'running')
     for update`,
    [id],
  );
  await deleteExecutions(tx, rows, ALL_STEPS);
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
  await countExecutions(tx, [...new Set(rows.map(row => row.workflow_id))].sort(), lastId);
  await deleteSteps(tx, ids, stepsBefore);
  await tx.query('delete from media_reuses where execution_id = any ($1::text[])', [ids]);
  await tx.query('delete from run_models where execution_id = any ($1::text[])', [ids]);
  await tx.query('delete from deliveries where execution_id = any ($1::text[])', [ids]);
  await tx.query(
    `delete from idempotency_keys k using unnest($1::int[], $2::text[], $3::text[]) as e(user_id, workflow_id, id)
     where k.user_id = e.user_id and k.workflow_id = e.workflow_id and k.execution_id = e.id`,
    [rows.map(row => row.user_id), rows.map(row => row.workflow_id), rows.map(row => row.id)],
  );
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

/** Statements that delete expired rows, by table. Parameters: the time limit and the maximum number of rows. */
const SWEEPS = {
  deliveries: `delete from deliveries where id in (
    select id from deliveries where created_at < $1 and state in ('delivered', 'exhausted') limit $2 for update skip locked)`,
  idempotency_keys: `delete from idempotency_keys where ctid in (
    select ctid from idempotency_keys where created_at < $1 limit $2)`,
  node_cache: `delete from node_cache where ctid in (select ctid from node_cache where created_at < $1 limit $2)`,
  render_parts: `delete from render_parts where ctid in (select ctid from render_parts where created_at < $1 limit $2)`,
  sessions: `delete from sessions where ctid in (
    select ctid from sessions where expires_at < $1 or last_seen_at < $1 - interval '7 days' limit $2)`,
  sign_in_networks: `delete from sign_in_networks where ctid in (
    select ctid from sign_in_networks where seen_at < $1 limit $2)`,
  password_links: `delete from password_links where ctid in (
    select ctid from password_links where expires_at < $1 limit $2)`,
  team_invitations: `delete from team_invitations where ctid in (
    select ctid from team_invitations where expires_at < $1 limit $2)`,
  oauth_tokens: `delete from oauth_tokens where ctid in (select ctid from oauth_tokens where expires_at < $1 limit $2)`,
  oauth_interactions: `delete from oauth_interactions where ctid in (
    select ctid from oauth_interactions where expires_at < $1 limit $2)`,
  // These rows can no longer be used.
  oauth_grants: `delete from oauth_grants where id in (
    select id from oauth_grants g where created_at < $1 and not exists (
      select from oauth_tokens t where t.grant_id = g.id) limit $2 for update skip locked)`,
  oauth_clients: `delete from oauth_clients where id in (
    select id from oauth_clients c where created_at < $1 and not exists (
      select from oauth_grants g where g.client_id = c.id) limit $2)`,
  batch_rows: `delete from batch_rows where ctid in (
    select r.ctid from batches b join batch_rows r on r.batch_id = b.id where b.finished_at < $1 limit $2)`,
  batches: `delete from batches where id in (
    select id from batches b where finished_at < $1 and not exists (
      select from batch_rows r where r.batch_id = b.id) limit $2)`,
  firings: `delete from firings where id in (
    select id from firings where due_at < $1 and outcome in ('accepted', 'skipped', 'refused') limit $2)`,
  tables: `delete from tables where id in (select id from tables where created_at < $1 limit $2)`,
  // The items of feeds and inboxes are kept as long as their trigger: new-items.ts limits their number.
  trigger_items: `delete from trigger_items where ctid in (
    select i.ctid from trigger_items i join triggers t on t.id = i.trigger_id
    where i.seen_at < $1 and i.status = 'done' and t.kind in ('hook', 'after') limit $2)`,
  notices: `delete from notices where ctid in (select ctid from notices where created_at < $1 limit $2)`,
  app_runs: `delete from app_runs where id in (
    select id from app_runs where expires_at < $1 and not in_gallery limit $2)`,
  app_proofs: `delete from app_proofs where ctid in (select ctid from app_proofs where expires_at < $1 limit $2)`,
  rate_windows: `delete from rate_windows where ctid in (
    select ctid from rate_windows where window_start < extract(epoch from $1::timestamptz) limit $2)`,
} as const;

/** Returns the number of deleted rows. */
export async function deleteExpired(
  tx: Tx,
  table: keyof typeof SWEEPS,
  before: Date,
  limit: number,
): Promise<number> {
  const { rowCount } = await tx.query(SWEEPS[table], [before, limit]);
  return rowCount;
}
