// Workflows as they are read: one with what its reader is to it, and lists. Graphs are in versions.ts.
import type { Tx } from '../db.ts';

export type LinkPermission = 'PRIVATE' | 'VIEW' | 'DUPLICATE';

export interface PublishSettings {
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly allowDuplicate?: boolean;
  readonly exposedInputs?: readonly string[];
  readonly isTemplate?: boolean;
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
  /** `med_…/name` of a media, where a write has pinned it. */
  readonly pinned_poster: string | null;
  readonly views: number;
  readonly daily_credit_budget: number | null;
  readonly last_editor_heartbeat_at: Date | null;
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

/** A workflow with what the reader is to it, and what is derived. */
export interface ReadWorkflowRow extends WorkflowRow {
  readonly share_role: 'VIEW' | 'EDIT' | 'OWNER' | null;
  readonly team_role: 'OWNER' | 'EDITOR' | 'VIEWER' | null;
  /** Whose the media is that the workflow belongs to. */
  readonly media_user_id: number | null;
  readonly media: LinkedMedia | null;
  /** `med_…/name`: the pinned poster, or the newest image that a run produced. */
  readonly poster: string | null;
}

const COLUMNS = `w.id, w.user_id, w.team_id, w.folder_id, w.version, w.name, w.description, w.tags, w.is_active,
  w.link_permission, w.is_published, w.published_slug, w.published_at, w.published_version, w.publish_settings,
  w.webhook_id, w.webhook_url, w.media_id, w.secrets, w.poster as pinned_poster, w.views, w.daily_credit_budget,
  w.last_editor_heartbeat_at, w.created_at, w.updated_at`;

export const POSTER = `coalesce(w.poster, (
    select i.id || '/' || i.name from media i
    where i.workflow_id = w.id and i.origin = 'output' and i.content_type like 'image/%'
    order by i.id desc limit 1))`;

const readBy = (source: string, userId: string): string => `
select ${COLUMNS}, p.role as share_role, m.role as team_role, d.user_id as media_user_id,
  case when d.id is not null then json_build_object('id', d.id, 'user_id', d.user_id, 'name', d.name,
    'content_type', d.content_type, 'bytes', d.bytes, 'width', d.width, 'height', d.height, 'duration', d.duration)
  end as media,
  ${POSTER} as poster
from ${source}
left join workflow_permissions p on p.workflow_id = w.id and p.user_id = ${userId}
left join team_members m on m.team_id = w.team_id and m.user_id = ${userId}
left join media d on d.id = w.media_id`;

const READ = readBy('workflows w', '$2');

/** The workflow and the reader's roles in one query; `userId` null for an anonymous reader. */
export async function findWorkflow(
  tx: Tx,
  id: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  const { rows } = await tx.query<ReadWorkflowRow>(FIND, [id, userId]);
  return rows[0];
}

const FIND = `${READ} where w.id = $1 and w.deleted_at is null`;

export interface WorkflowReading {
  readonly id: string;
  readonly userId: number | null;
}

/** The same for many readers at once: one result a reading, in order. */
export async function findWorkflows(
  tx: Tx,
  readings: readonly WorkflowReading[],
): Promise<readonly (ReadWorkflowRow | undefined)[]> {
  const { rows } = await tx.query<ReadWorkflowRow & { readonly reading: number }>(FIND_MANY, [
    readings.map(({ id }) => id),
    readings.map(({ userId }) => userId),
  ]);
  const found = new Map(rows.map(row => [row.reading, row]));
  return readings.map((_, index) => found.get(index + 1));
}

const ASKED = 'unnest($1::text[], $2::int[]) with ordinality as asked(id, user_id, reading)';
const FIND_MANY = `
select asked.reading, found.* from ${ASKED}
cross join lateral (${readBy('workflows w', 'asked.user_id')}
  where w.id = asked.id and w.id = any ($1::text[]) and w.deleted_at is null) found`;

/** The same, with the row locked until the transaction ends. */
export async function lockWorkflow(
  tx: Tx,
  id: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  const { rows } = await tx.query<ReadWorkflowRow>(LOCK, [id, userId]);
  return rows[0];
}

const LOCK = `${FIND} for no key update of w`;

/** The workflow that is published under the slug. */
export async function findPublished(
  tx: Tx,
  slug: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  const { rows } = await tx.query<ReadWorkflowRow>(FIND_PUBLISHED, [slug, userId]);
  return rows[0];
}

const FIND_PUBLISHED = `${READ} where w.published_slug = $1 and w.is_published and w.deleted_at is null`;

export interface WorkflowListRow
  extends Pick<
    ReadWorkflowRow,
    | 'id'
    | 'user_id'
    | 'name'
    | 'description'
    | 'tags'
    | 'is_active'
    | 'is_published'
    | 'link_permission'
    | 'webhook_id'
    | 'webhook_url'
    | 'share_role'
    | 'team_role'
    | 'media_user_id'
  > {
  /** Times as clients see them: PostgreSQL writes three hundred of them faster than we parse and write them again. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_executed_at: string | null;
  readonly execution_count: number;
  /** Of these, the ones that `execution_counts` does not hold yet. */
  readonly uncounted: number;
}

export interface WorkflowFilter {
  readonly userId: number;
  readonly isActive: boolean | null;
  readonly mediaId: string | null;
  /** The team's workflows instead of the user's own. */
  readonly teamId: string | null;
  /** Of the user's own, only those in no team. */
  readonly isPersonal: boolean;
  readonly before: WorkflowListKey | null;
  readonly limit: number;
}

/** Where a workflow stands in lists. */
export interface WorkflowListKey {
  readonly updatedAtMs: number;
  readonly id: string;
}

/** Most recently updated first. */
export async function listWorkflows(tx: Tx, filter: WorkflowFilter): Promise<readonly WorkflowListRow[]> {
  const own = filter.isPersonal ? LIST_PERSONAL : LIST_OWN;
  const { rows } = await tx.query<WorkflowListRow>(filter.teamId === null ? own : LIST_TEAM, [
    filter.teamId ?? filter.userId,
    filter.isActive,
    filter.mediaId,
    filter.before === null ? null : new Date(filter.before.updatedAtMs),
    filter.before?.id ?? null,
    filter.limit,
    ...(filter.teamId === null ? [] : [filter.userId]),
  ]);
  return rows;
}

const iso = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Who lists what is their own is its owner; in a team's list the user has a role for each workflow. */
const OWN = { roles: 'null as share_role, null as team_role, null::int as media_user_id', joins: '' };
const OF_TEAM = {
  roles: 'p.role as share_role, m.role as team_role, d.user_id as media_user_id',
  joins: `left join workflow_permissions p on p.workflow_id = w.id and p.user_id = $7
left join team_members m on m.team_id = w.team_id and m.user_id = $7
left join media d on d.id = w.media_id`,
};

const list = (owner: string, { roles, joins }: typeof OWN): string => `
select w.id, w.user_id, w.name, w.description, w.tags, w.is_active, w.is_published, w.link_permission, w.webhook_id,
  w.webhook_url, ${roles},
  ${iso('w.created_at')} as created_at, ${iso('w.updated_at')} as updated_at,
  (coalesce(c.count, 0) + runs.count)::int as execution_count, runs.count::int as uncounted,
  (select ${iso('e.created_at')} from executions e where e.workflow_id = w.id order by e.id desc limit 1) as last_executed_at
from workflows w
${joins}
left join execution_counts c on c.workflow_id = w.id
left join lateral (
  select count(*) as count from executions e where e.workflow_id = w.id and e.id > coalesce(c.through_id, '')) runs on true
where ${owner} and w.deleted_at is null
  and ($2::boolean is null or w.is_active = $2) and ($3::text is null or w.media_id = $3)
  and ($4::timestamptz is null or (w.updated_at, w.id) < ($4, $5))
order by w.updated_at desc, w.id desc limit $6`;
const LIST_OWN = list('w.user_id = $1::int', OWN);
const LIST_PERSONAL = list('w.user_id = $1::int and w.team_id is null', OWN);
const LIST_TEAM = list('w.team_id = $1::text', OF_TEAM);

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
}

/** Published templates and the user's own, newest first. */
export async function listTemplates(
  tx: Tx,
  filter: {
    readonly userId: number | null;
    readonly category: string | null;
    readonly before: string | null;
    readonly limit: number;
  },
): Promise<readonly TemplateRow[]> {
  const { rows } = await tx.query<TemplateRow>(
    `select w.id, w.user_id, w.name, w.description, w.tags, w.is_published, w.published_slug, w.published_at,
       w.link_permission, w.publish_settings, ${POSTER} as poster, w.views
     from workflows w
     where w.publish_settings @> '{"isTemplate": true}' and w.deleted_at is null
       and (w.is_published or w.user_id = $1::int)
       and ($2::text is null or w.publish_settings->>'category' = $2)
       and ($3::text is null or w.id < $3)
     order by w.id desc limit $4`,
    [filter.userId, filter.category, filter.before, filter.limit],
  );
  return rows;
}
