// Stores the progress of running calls that a process follows. Other processes read it, and a call that ends deletes it.
import type { CallKey } from './calls.ts';
import type { Tx } from './db.ts';
import { all, first } from './rows.ts';

/** After this time without an update, another process may follow the call. */
const LEASE = "interval '30 seconds'";

/** Claims the call for the process. Returns false if another process follows it, or the call has ended. */
export async function claimProgress(tx: Tx, call: CallKey, follower: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into call_progress as p (execution_id, node_id, item, follower, updated_at)
     select execution_id, node_id, item, $4, now() from calls
     where execution_id = $1 and node_id = $2 and item = $3 and ended_at is null and cancelled_at is null
     on conflict (execution_id, node_id, item) do update set follower = excluded.follower, updated_at = now()
       where p.follower = excluded.follower or p.updated_at < now() - ${LEASE}`,
    [call.execution_id, call.node_id, call.item, follower],
  );
  return rowCount === 1;
}

export interface CallProgress extends CallKey {
  readonly fraction: number;
  readonly detail: string | null;
  /** null: the preview has not changed. */
  readonly preview: Buffer | null;
  readonly preview_type: string | null;
}

/** Stores the progress of calls. Returns those that this process still follows and that have not ended. */
export function saveProgress(
  tx: Tx,
  calls: readonly CallProgress[],
  follower: string,
): Promise<readonly CallKey[]> {
  const column = <K extends keyof CallProgress>(name: K) => calls.map(call => call[name]);
  return all(
    tx,
    `update call_progress p
     set fraction = i.fraction, detail = i.detail, preview = coalesce(i.preview, p.preview),
       preview_type = coalesce(i.preview_type, p.preview_type), updated_at = now(),
       version = p.version + case when i.preview is not null or (p.fraction, p.detail) is distinct from (i.fraction, i.detail)
         then 1 else 0 end
     from unnest($1::text[], $2::text[], $3::int[], $4::float8[], $5::text[], $6::bytea[], $7::text[])
       as i(execution_id, node_id, item, fraction, detail, preview, preview_type)
     join calls c using (execution_id, node_id, item)
     where p.execution_id = i.execution_id and p.node_id = i.node_id and p.item = i.item and p.follower = $8
       and c.ended_at is null and c.cancelled_at is null
     returning p.execution_id, p.node_id, p.item`,
    [
      column('execution_id'),
      column('node_id'),
      column('item'),
      column('fraction'),
      column('detail'),
      column('preview'),
      column('preview_type'),
      follower,
    ],
  );
}

/** Gives up calls, so that another process may follow them at once. */
export async function releaseProgress(tx: Tx, follower: string): Promise<void> {
  await tx.query("update call_progress set updated_at = '-infinity' where follower = $1", [follower]);
}

export interface ProgressRow {
  readonly node_id: string;
  readonly item: number;
  readonly fraction: number;
  readonly detail: string | null;
  readonly has_preview: boolean;
  readonly version: number;
}

/** Lists the progress of the calls of a run. */
export function listProgress(tx: Tx, executionId: string): Promise<readonly ProgressRow[]> {
  return all(
    tx,
    `select node_id, item, fraction, detail, preview is not null as has_preview, version from call_progress
     where execution_id = $1 and version > 0 order by node_id, item limit ${MAX_LISTED}`,
    [executionId],
  );
}

/** Calls of one run that are followed at a time. */
const MAX_LISTED = 1000;

export interface PreviewRow {
  readonly preview: Buffer;
  readonly preview_type: string;
}

/** Returns the preview of the node's call; of its first one that has a preview, if it runs once per item. */
export function findPreview(tx: Tx, executionId: string, nodeId: string): Promise<PreviewRow | undefined> {
  return first(
    tx,
    `select preview, preview_type from call_progress
     where execution_id = $1 and node_id = $2 and preview is not null order by item limit 1`,
    [executionId, nodeId],
  );
}
