// Reads workflows with the roles of their reader, templates, and the secrets of runs. Graphs are in versions.ts.
import { createBatcher } from '../../lib/batcher.ts';
import type { Db, Tx } from '../db.ts';
import { isCreatorSql, isShareNewSql, joinShares, type ShareRole, STRONGER_ROLE } from '../permissions.ts';
import { all, first, firstValue } from '../rows.ts';
import type { TeamRole } from '../teams.ts';

export const LINK_PERMISSIONS = ['PRIVATE', 'VIEW', 'DUPLICATE'] as const;
export type LinkPermission = (typeof LINK_PERMISSIONS)[number];

export interface PublishSettings {
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly allowDuplicate?: boolean;
  readonly exposedInputs?: readonly string[];
  readonly isTemplate?: boolean;
  /** Whether the published page shows the results of the newest run whose nodes are still the same. */
  readonly showResults?: boolean;
}

export interface WorkflowRow {
  readonly id: string;
  readonly user_id: number;
  readonly team_id: string | null;
  readonly folder_id: string | null;
  readonly version: number;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly is_active: boolean;
  readonly link_permission: LinkPermission;
  readonly is_published: boolean;
  readonly published_slug: string | null;
  readonly published_at: Date | null;
  readonly published_version: number | null;
  readonly publish_settings: PublishSettings | null;
  readonly webhook_id: string | null;
  readonly webhook_url: string | null;
  readonly media_id: string | null;
  readonly secrets: Buffer | null;
  /** `med_…/name` of a media file that a write has pinned. */
  readonly pinned_poster: string | null;
  readonly views: number;
  readonly daily_credit_budget: number | null;
  readonly last_editor_heartbeat_at: Date | null;
  /** The user and session of the last write; null if unknown or without a session. */
  readonly written_by: number | null;
  readonly written_by_session: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The linked media, as JSON. */
export interface LinkedMedia {
  readonly id: string;
  readonly user_id: number;
  readonly name: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
}

/** A workflow with the reader's roles and derived values. */
export interface ReadWorkflowRow extends WorkflowRow {
  readonly share_role: ShareRole | null;
  /** Whether the reader has not opened the workflow since it was shared with the reader. */
  readonly is_share_new: boolean;
  readonly team_role: TeamRole | null;
  /** The owner of the linked media. */
  readonly media_user_id: number | null;
  readonly media: LinkedMedia | null;
  /** `med_…/name`: the pinned poster, else the newest image that a run produced, else the card of its template. */
  readonly poster: string | null;
}

const COLUMNS = `w.id, w.user_id, w.team_id, w.folder_id, w.version, w.name, w.description, w.tags, w.is_active,
  w.link_permission, w.is_published, w.published_slug, w.published_at, w.published_version, w.publish_settings,
  w.webhook_id, w.webhook_url, w.media_id, w.secrets, w.poster as pinned_poster, w.views, w.daily_credit_budget,
  w.last_editor_heartbeat_at, w.written_by, w.written_by_session, w.created_at, w.updated_at`;

/**
 * Selects the newest file of `kind` that runs of the workflow created, except runs of its app. Sorts like a dedicated
 * index. If sorted by id only, PostgreSQL may scan the files of all workflows to find that this workflow has none.
 */
const newestOutput = (kind: 'image' | 'video'): string => `(
    select n.* from (
      select i.workflow_id, i.id, i.name, i.content_type from media i
      where i.workflow_id >= w.id and i.origin = 'output' and i.content_type like '${kind}/%' and not i.from_app
      order by i.workflow_id, i.id desc limit 1) n
    where n.workflow_id = w.id)`;

export const POSTER = `coalesce(w.poster, (select i.id || '/' || i.name from ${newestOutput('image')} i),
  (select c.id || '/' || c.name from media c where c.id = w.sample_poster))`;

const selectWithRoles = (userId: string): string => `
select ${COLUMNS}, ${STRONGER_ROLE} as share_role,
  ${isShareNewSql(userId)} as is_share_new, m.role as team_role, d.user_id as media_user_id,
  case when d.id is not null then json_build_object('id', d.id, 'user_id', d.user_id, 'name', d.name,
    'content_type', d.content_type, 'bytes', d.bytes, 'width', d.width, 'height', d.height, 'duration', d.duration)
  end as media,
  ${POSTER} as poster
from workflows w
${joinShares(userId)}
left join team_members m on m.team_id = w.team_id and m.user_id = ${userId}
left join media d on d.id = w.media_id`;

const READ_WORKFLOW = selectWithRoles('$2');

/** Returns the workflow with the reader's roles. `userId` is null for an anonymous reader. */
export function findWorkflow(
  tx: Tx,
  id: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  return first(tx, FIND, [id, userId]);
}

const FIND = `${READ_WORKFLOW} where w.id = $1 and w.deleted_at is null`;

/** Returns the name of the workflow, even if it is deleted, or an empty text if there is no such workflow. */
export async function findWorkflowName(tx: Tx, id: string): Promise<string> {
  return (await firstValue<string>(tx, 'select name from workflows where id = $1', [id])) ?? '';
}

export interface WorkflowLookup {
  readonly id: string;
  readonly userId: number | null;
}

/** Reads workflows for many readers in one statement. Returns one result per lookup, in order. */
async function findWorkflows(
  tx: Tx,
  lookups: readonly WorkflowLookup[],
): Promise<readonly (ReadWorkflowRow | undefined)[]> {
  const { rows } = await tx.query<ReadWorkflowRow & { readonly lookup: number }>(FIND_MANY, [
    lookups.map(({ id }) => id),
    lookups.map(({ userId }) => userId),
  ]);
  const rowsByLookup = new Map(rows.map(row => [row.lookup, row]));
  return lookups.map((_, index) => rowsByLookup.get(index + 1));
}

const REQUESTED = 'unnest($1::text[], $2::int[]) with ordinality as requested(id, user_id, lookup)';
const FIND_MANY = `
select requested.lookup, found.* from ${REQUESTED}
cross join lateral (${selectWithRoles('requested.user_id')}
  where w.id = requested.id and w.id = any ($1::text[]) and w.deleted_at is null) found`;

/** Locks the workflow until the transaction ends and returns it. */
export function lockWorkflow(
  tx: Tx,
  id: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  return first(tx, LOCK, [id, userId]);
}

/** Locks and returns the workflow if it is not deleted, or was deleted at `since` or later. */
export function lockDeletedWorkflow(
  tx: Tx,
  { id, userId, since }: { readonly id: string; readonly userId: number; readonly since: Date },
): Promise<ReadWorkflowRow | undefined> {
  return first(tx, LOCK_DELETED, [id, userId, since]);
}

const LOCK_DELETED = `${READ_WORKFLOW} where w.id = $1 and (w.deleted_at is null or w.deleted_at >= $3) for no key update of w`;

const LOCK = `${FIND} for no key update of w`;

/** Returns the workflow that is published under the slug. */
export function findPublished(
  tx: Tx,
  slug: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  return first(tx, FIND_PUBLISHED, [slug, userId]);
}

const FIND_PUBLISHED = `${READ_WORKFLOW} where w.published_slug = $1 and w.is_published and w.deleted_at is null`;

export interface TemplateRow {
  readonly id: string;
  readonly user_id: number;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly is_published: boolean;
  readonly published_slug: string | null;
  readonly published_at: Date | null;
  readonly link_permission: LinkPermission;
  readonly publish_settings: PublishSettings | null;
  readonly poster: string | null;
  readonly views: number;
  readonly team_id: string | null;
  readonly version: number;
  readonly published_version: number | null;
  /** Whether the reader created the template and has not left its team since. */
  readonly is_own: boolean;
  /** The newest video of the template's runs, if the reader may see it. */
  readonly preview: { readonly path: string; readonly contentType: string } | null;
}

const TEMPLATE_COLUMNS = `w.id, w.user_id, w.name, w.description, w.tags, w.is_published, w.published_slug, w.published_at,
  w.link_permission, w.publish_settings, ${POSTER} as poster, w.views, w.team_id, w.version,
  w.published_version, coalesce(${isCreatorSql('$1::int')}, false) as is_own, (
    select json_build_object('path', v.id || '/' || v.name, 'contentType', v.content_type)
    from ${newestOutput('video')} v
    where ${isCreatorSql('$1::int')} or w.publish_settings @> '{"showResults": true}') as preview`;

/** The condition that `w` is a template that user $1 sees. */
const IS_TEMPLATE = `w.publish_settings @> '{"isTemplate": true}' and w.deleted_at is null
  and (w.is_published or ${isCreatorSql('$1::int')})`;

/** Lists published templates and the user's own, newest first. */
export function listTemplateWorkflows(
  tx: Tx,
  filter: {
    readonly userId: number | null;
    readonly category: string | null;
    /** All of them are in the name, title, description, category or tags, ignoring case. */
    readonly words: readonly string[];
    readonly before: string | null;
    readonly limit: number;
  },
): Promise<readonly TemplateRow[]> {
  return all(
    tx,
    `select ${TEMPLATE_COLUMNS} from workflows w
     where ${IS_TEMPLATE}
       and ($2::text is null or w.publish_settings->>'category' = $2)
       and ($3::text is null or w.id < $3)
       and not exists (select from unnest($5::text[]) as q(word) where strpos(lower(concat_ws(' ', w.name, w.description,
         w.publish_settings->>'title', w.publish_settings->>'description', w.publish_settings->>'category',
         array_to_string(w.tags, ' '))), lower(q.word)) = 0)
     order by w.id desc limit $4`,
    [filter.userId, filter.category, filter.before, filter.limit, filter.words],
  );
}

export function findTemplateRow(tx: Tx, id: string, userId: number | null): Promise<TemplateRow | undefined> {
  return first(tx, `select ${TEMPLATE_COLUMNS} from workflows w where w.id = $2 and ${IS_TEMPLATE}`, [
    userId,
    id,
  ]);
}

/** Reads a workflow with its reader's roles. Resolves to undefined if there is no such workflow. */
export type FindWorkflowInGroup = (lookup: WorkflowLookup) => Promise<ReadWorkflowRow | undefined>;

/** Creates a function that reads workflows in batches, because the statement is expensive relative to its rows. */
export function createWorkflowReads(db: Db): FindWorkflowInGroup {
  return createBatcher((lookups: readonly WorkflowLookup[]) => findWorkflows(db, lookups), {
    maxItems: 100,
    concurrency: 4,
  });
}

/** Returns the workspace of a workflow, even if it is deleted, or undefined if there is no such workflow. */
export function findWorkspaceOf(tx: Tx, id: string): Promise<string | undefined> {
  return firstValue(
    tx,
    `select coalesce(team_id, 'user:' || user_id) as workspace from workflows where id = $1`,
    [id],
  );
}

export interface StoredSecrets {
  /** null if the workflow has none. */
  readonly secrets: Buffer | null;
  /** The creator of the workflow; null if the workflow does not exist. */
  readonly user_id: number | null;
}

/** Reads the secrets of a workflow, even if it is deleted, because runs of a deleted workflow continue. */
export async function readStoredSecrets(tx: Tx, workflowId: string): Promise<StoredSecrets> {
  const stored = await first<StoredSecrets>(tx, 'select secrets, user_id from workflows where id = $1', [
    workflowId,
  ]);
  return stored ?? { secrets: null, user_id: null };
}
