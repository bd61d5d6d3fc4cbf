// Records the open event streams of workflows in all processes, and notifies them of changes.
import type { Tx } from '../db.ts';
import { CHANNELS } from '../db.ts';
import { all, insertRow, matches } from '../rows.ts';

export interface Presence {
  readonly user_id: number;
  readonly name: string;
  /** The number of this user's streams. */
  readonly streams: number;
  /** Ids of nodes. */
  readonly selected: readonly string[];
}

export interface Follower {
  readonly id: string;
  readonly workflowId: string;
  readonly userId: number;
}

/** Adds or renews the stream. */
export function touchFollower(tx: Tx, { id, workflowId, userId }: Follower): Promise<void> {
  return insertRow(
    tx,
    'workflow_followers',
    { id, workflow_id: workflowId, user_id: userId },
    'on conflict (id) do update set seen_at = now()',
  );
}

/** Stores the user's selection in all streams of the user. Returns whether the selection changed. */
export function saveSelection(
  tx: Tx,
  { workflowId, userId }: Omit<Follower, 'id'>,
  nodeIds: readonly string[],
): Promise<boolean> {
  return matches(
    tx,
    `update workflow_followers set selected = $3::jsonb
     where workflow_id = $1 and user_id = $2 and selected <> $3::jsonb`,
    [workflowId, userId, JSON.stringify(nodeIds)],
  );
}

/** Deletes the stream, and other streams of the workflow that were not renewed for `maxAgeMs`: their processes are dead. */
export async function deleteFollower(
  tx: Tx,
  { id, workflowId }: Omit<Follower, 'userId'>,
  maxAgeMs: number,
): Promise<void> {
  await tx.query(
    `delete from workflow_followers
     where id = $1 or (workflow_id = $2 and seen_at < now() - $3::float8 * interval '1 millisecond')`,
    [id, workflowId, maxAgeMs],
  );
}

/** Lists users with a stream that was renewed in the last `maxAgeMs`, by user id. */
export function listPresence(tx: Tx, workflowId: string, maxAgeMs: number): Promise<readonly Presence[]> {
  return all(
    tx,
    `select f.user_id, u.name, count(*)::int as streams,
       jsonb_agg(f.selected order by jsonb_array_length(f.selected) desc) -> 0 as selected
     from workflow_followers f join users u on u.id = f.user_id
     where f.workflow_id = $1 and f.seen_at > now() - $2::float8 * interval '1 millisecond'
     group by f.user_id, u.name order by f.user_id limit 100`,
    [workflowId, maxAgeMs],
  );
}

/** Notifies the workflow's streams in all processes when the transaction commits. */
export async function notifyFollowers(tx: Tx, workflowId: string): Promise<void> {
  await tx.query(
    `select pg_notify('${CHANNELS.workflows}', $1) where exists (
       select from workflow_followers where workflow_id = $1)`,
    [workflowId],
  );
}
