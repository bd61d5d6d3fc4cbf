// Writes workflows. Callers of `updateWorkflow` have locked the row with `lockWorkflow`.
import type { Tx } from '../db.ts';
import { first, firstValue, insertRow, matches, updateRow } from '../rows.ts';
import type { WorkflowRow } from './workflows.ts';

export type NewWorkflow = Pick<
  WorkflowRow,
  | 'id'
  | 'user_id'
  | 'folder_id'
  | 'name'
  | 'description'
  | 'tags'
  | 'is_active'
  | 'webhook_id'
  | 'media_id'
  | 'secrets'
>;

/** Inserts a personal workflow. Its current version is 1, which the caller stores. */
export function insertWorkflow(tx: Tx, workflow: NewWorkflow): Promise<void> {
  return insertRow(tx, 'workflows', { ...workflow, version: 1 });
}

const NEXT_UPDATED_AT = `updated_at = greatest(now(), updated_at + interval '1 millisecond')`;

/**
 * Changes columns of a workflow; `pinned_poster` is the column `poster`. Increases updated_at by at least a
 * millisecond, so that each write has its own time.
 */
export function updateWorkflow(
  tx: Tx,
  id: string,
  { pinned_poster, ...change }: Partial<WorkflowRow>,
): Promise<void> {
  const poster = pinned_poster === undefined ? {} : { poster: pinned_poster };
  return updateRow(tx, 'workflows', id, { ...change, ...poster }, [NEXT_UPDATED_AT]);
}

/** Pins the poster. Does not change updated_at, because readers see the same workflow. */
export async function pinPoster(tx: Tx, id: string, poster: string | null): Promise<void> {
  await tx.query('update workflows set poster = $2 where id = $1', [id, poster]);
}

/** Sets the poster that a copied template has until one of its runs creates an image. */
export async function setSamplePoster(tx: Tx, id: string, mediaId: string): Promise<void> {
  await tx.query('update workflows set sample_poster = $2 where id = $1', [id, mediaId]);
}

/** Returns whether the file is an image that a run of the workflow produced. */
export function isRunImage(
  tx: Tx,
  workflowId: string,
  image: { readonly mediaId: string; readonly name: string },
): Promise<boolean> {
  return matches(
    tx,
    `select from media where id = $1 and name = $2 and workflow_id = $3 and origin = 'output' and content_type like 'image/%'`,
    [image.mediaId, image.name, workflowId],
  );
}

/** Returns whether another workflow has the slug. A deleted workflow keeps its slug, since it can be recovered. */
export function isSlugTaken(tx: Tx, slug: string, exceptId: string): Promise<boolean> {
  return matches(tx, 'select from workflows where published_slug = $1 and id <> $2', [slug, exceptId]);
}

/** Records that an editor has the board open, and returns the time. Does not change updated_at. */
export async function touchHeartbeat(tx: Tx, id: string): Promise<Date> {
  return (await firstValue(
    tx,
    'update workflows set last_editor_heartbeat_at = now() where id = $1 returning last_editor_heartbeat_at as at',
    [id],
  )) as Date;
}

/** Marks the workflow as deleted and deactivates it. The row stays, so that it can be recovered. */
export async function markWorkflowDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update workflows set deleted_at = now(), was_active = is_active, is_active = false,
       ${NEXT_UPDATED_AT}
     where id = $1`,
    [id],
  );
}

/** Undoes the owner's deletion. The workflow is active again if it was active before. */
export async function undoWorkflowDeletion(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update workflows set deleted_at = null, is_active = coalesce(was_active, false), was_active = null,
       ${NEXT_UPDATED_AT}
     where id = $1 and deleted_at is not null`,
    [id],
  );
}

/**
 * Restores a deleted workflow, which stays deactivated. Returns undefined if there is no such workflow, or its graph is
 * deleted.
 */
export function restoreDeletedWorkflow(
  tx: Tx,
  id: string,
): Promise<Pick<WorkflowRow, 'id' | 'name' | 'user_id' | 'team_id'> | undefined> {
  return first(
    tx,
    `update workflows set deleted_at = null,
       updated_at = case when deleted_at is null then updated_at
         else greatest(now(), updated_at + interval '1 millisecond') end
     where id = $1 and exists (select from workflow_versions v where v.workflow_id = id and v.version = workflows.version)
     returning id, name, user_id, team_id`,
    [id],
  );
}

/** Adds the collected views of many workflows in one statement. Does not change updated_at. */
export async function addViews(tx: Tx, views: ReadonlyMap<string, number>): Promise<void> {
  await tx.query(
    `update workflows w set views = w.views + v.count
     from (select id, count from unnest($1::text[], $2::int[]) as t(id, count) order by id) v where w.id = v.id`,
    [[...views.keys()], [...views.values()]],
  );
}

/** Adds the runs since the last call, up to and including `throughId`, to the stored counts of the workflows. */
export async function advanceExecutionCounts(
  tx: Tx,
  workflowIds: readonly string[],
  throughId: string,
): Promise<void> {
  await tx.query(
    `insert into execution_counts as c (workflow_id, through_id, count)
     select w.id, $2, coalesce(k.count, 0) + (
       select count(*) from executions e
       where e.workflow_id = w.id and e.id > coalesce(k.through_id, '') and e.id <= $2)
     from unnest($1::text[]) as w(id) left join execution_counts k on k.workflow_id = w.id
     where coalesce(k.through_id, '') < $2
     on conflict (workflow_id) do update set through_id = excluded.through_id, count = excluded.count
       where c.through_id < excluded.through_id`,
    [workflowIds, throughId],
  );
}
