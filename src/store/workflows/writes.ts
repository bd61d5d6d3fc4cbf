// Writes workflows. Callers of `updateWorkflow` have locked the row with `lockWorkflow`.
import type { Tx } from '../db.ts';
import { first, firstValue, matches } from '../rows.ts';
import type { WorkflowRow } from './workflows.ts';

export interface NewWorkflow {
  readonly id: string;
  readonly userId: number;
  readonly folderId: string | null;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly isActive: boolean;
  readonly webhookId: string | null;
  readonly mediaId: string | null;
  readonly secrets: Buffer | null;
}

/** Inserts a personal workflow, with version 1 as its graph. */
export async function insertWorkflow(tx: Tx, workflow: NewWorkflow): Promise<void> {
  await tx.query(
    `insert into workflows (id, user_id, version, folder_id, name, description, tags, is_active, webhook_id, media_id, secrets)
     values ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      workflow.id,
      workflow.userId,
      workflow.folderId,
      workflow.name,
      workflow.description,
      workflow.tags,
      workflow.isActive,
      workflow.webhookId,
      workflow.mediaId,
      workflow.secrets,
    ],
  );
}

/**
 * Writes all mutable columns of a workflow. Raises updated_at by at least a millisecond, so that no two writes have the
 * same one, and returns it.
 */
export async function updateWorkflow(tx: Tx, workflow: WorkflowRow): Promise<Date> {
  return (await firstValue(tx, SAVE, [
    workflow.id,
    workflow.version,
    workflow.team_id,
    workflow.folder_id,
    workflow.name,
    workflow.description,
    workflow.tags,
    workflow.is_active,
    workflow.link_permission,
    workflow.is_published,
    workflow.published_slug,
    workflow.published_at,
    workflow.published_version,
    workflow.publish_settings === null ? null : JSON.stringify(workflow.publish_settings),
    workflow.webhook_id,
    workflow.webhook_url,
    workflow.media_id,
    workflow.secrets,
    workflow.pinned_poster,
    workflow.daily_credit_budget,
    workflow.written_by,
    workflow.written_by_session,
  ])) as Date;
}

const SAVE = `
update workflows set version = $2, team_id = $3, folder_id = $4, name = $5, description = $6, tags = $7, is_active = $8,
  link_permission = $9, is_published = $10, published_slug = $11, published_at = $12, published_version = $13,
  publish_settings = $14, webhook_id = $15, webhook_url = $16, media_id = $17, secrets = $18, poster = $19,
  daily_credit_budget = $20, written_by = $21, written_by_session = $22, updated_at = greatest(now(), updated_at + interval '1 millisecond')
where id = $1 returning updated_at`;

/** Pins the poster. Readers see no change, so updated_at stays. */
export async function pinPoster(tx: Tx, id: string, poster: string | null): Promise<void> {
  await tx.query('update workflows set poster = $2 where id = $1', [id, poster]);
}

/** Sets the poster that a copied template has until a run makes an image. */
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

/** Marks the board as open in an editor; updated_at stays. Returns the time of the mark. */
export async function touchHeartbeat(tx: Tx, id: string): Promise<Date> {
  return (await firstValue(
    tx,
    'update workflows set last_editor_heartbeat_at = now() where id = $1 returning last_editor_heartbeat_at as at',
    [id],
  )) as Date;
}

/** Marks the workflow as deleted and deactivates it. The row stays, so that support can recover it. */
export async function markWorkflowDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update workflows set deleted_at = now(), was_active = is_active, is_active = false,
       updated_at = greatest(now(), updated_at + interval '1 millisecond')
     where id = $1`,
    [id],
  );
}

/** Undoes the deletion and restores whether the workflow was active. */
export async function undeleteWorkflow(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update workflows set deleted_at = null, is_active = coalesce(was_active, false), was_active = null,
       updated_at = greatest(now(), updated_at + interval '1 millisecond')
     where id = $1 and deleted_at is not null`,
    [id],
  );
}

/** Removes the deletion mark. The workflow stays deactivated. Returns undefined if there is no such workflow. */
export function restoreWorkflow(
  tx: Tx,
  id: string,
): Promise<{ readonly id: string; readonly name: string; readonly user_id: number } | undefined> {
  return first(
    tx,
    `update workflows set deleted_at = null,
       updated_at = case when deleted_at is null then updated_at
         else greatest(now(), updated_at + interval '1 millisecond') end
     where id = $1 returning id, name, user_id`,
    [id],
  );
}

/** Adds the collected views of many workflows in one statement. updated_at stays. */
export async function addViews(tx: Tx, views: ReadonlyMap<string, number>): Promise<void> {
  await tx.query(
    `update workflows w set views = w.views + v.count
     from (select id, count from unnest($1::text[], $2::int[]) as t(id, count) order by id) v where w.id = v.id`,
    [[...views.keys()], [...views.values()]],
  );
}

/** Adds the runs of the workflows up to and including `throughId` to their counts. */
export async function countExecutions(
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
