// Workflows and their graph versions. A graph is stored once, as the text that GET sends (storage.md §4).
import type { Tx } from './db.ts';

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
  readonly link_permission: 'PRIVATE' | 'VIEW' | 'DUPLICATE';
  readonly is_published: boolean;
  readonly published_slug: string | null;
  readonly published_at: Date | null;
  readonly published_version: number | null;
  readonly publish_settings: Readonly<Record<string, unknown>> | null;
  readonly webhook_id: string | null;
  readonly webhook_url: string | null;
  readonly media_id: string | null;
  readonly secrets: Buffer | null;
  readonly poster: string | null;
  readonly views: number;
  readonly daily_credit_budget: number | null;
  readonly last_editor_heartbeat_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A workflow with what the reader is to it. */
export interface ReadWorkflowRow extends WorkflowRow {
  readonly share_role: 'VIEW' | 'EDIT' | 'OWNER' | null;
  readonly team_role: 'OWNER' | 'EDITOR' | 'VIEWER' | null;
  /** Whose the media is that contains the workflow. */
  readonly media_user_id: number | null;
}

const COLUMNS = `w.id, w.user_id, w.team_id, w.folder_id, w.version, w.name, w.description, w.tags, w.is_active,
  w.link_permission, w.is_published, w.published_slug, w.published_at, w.published_version, w.publish_settings,
  w.webhook_id, w.webhook_url, w.media_id, w.secrets, w.poster, w.views, w.daily_credit_budget,
  w.last_editor_heartbeat_at, w.created_at, w.updated_at`;

/** The workflow and the reader's roles in one query; `userId` null for an anonymous reader. */
export async function findWorkflow(
  tx: Tx,
  id: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  const { rows } = await tx.query<ReadWorkflowRow>(FIND, [id, userId]);
  return rows[0];
}

const FIND = `
select ${COLUMNS}, p.role as share_role, m.role as team_role, d.user_id as media_user_id
from workflows w
left join workflow_permissions p on p.workflow_id = w.id and p.user_id = $2
left join team_members m on m.team_id = w.team_id and m.user_id = $2
left join media d on d.id = w.media_id
where w.id = $1 and w.deleted_at is null`;

/** The same, with the row locked until the transaction ends. */
export async function lockWorkflow(
  tx: Tx,
  id: string,
  userId: number | null,
): Promise<ReadWorkflowRow | undefined> {
  const { rows } = await tx.query<ReadWorkflowRow>(`${FIND} for no key update of w`, [id, userId]);
  return rows[0];
}

/** '"nodes":[…],"edges":[…]', or undefined. A version never changes. */
export async function findGraphText(
  tx: Tx,
  workflowId: string,
  version: number,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ graph: string }>(
    'select graph from workflow_versions where workflow_id = $1 and version = $2',
    [workflowId, version],
  );
  return rows[0]?.graph;
}

export async function insertVersion(
  tx: Tx,
  version: {
    readonly workflowId: string;
    readonly version: number;
    readonly graph: string;
    readonly userId: number;
  },
): Promise<void> {
  await tx.query(
    'insert into workflow_versions (workflow_id, version, graph, user_id) values ($1, $2, $3, $4)',
    [version.workflowId, version.version, version.graph, version.userId],
  );
}

export interface NewWorkflow {
  readonly id: string;
  readonly userId: number;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly isActive: boolean;
  readonly webhookId: string | null;
  readonly mediaId: string | null;
  readonly folderId: string | null;
  readonly secrets: Buffer | null;
}

export async function insertWorkflow(tx: Tx, workflow: NewWorkflow): Promise<void> {
  await tx.query(
    `insert into workflows (id, user_id, version, name, description, tags, is_active, webhook_id, media_id, folder_id, secrets)
     values ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      workflow.id,
      workflow.userId,
      workflow.name,
      workflow.description,
      workflow.tags,
      workflow.isActive,
      workflow.webhookId,
      workflow.mediaId,
      workflow.folderId,
      workflow.secrets,
    ],
  );
}

export interface WorkflowChange {
  readonly version: number;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly isActive: boolean;
  readonly webhookId: string | null;
  readonly webhookUrl: string | null;
}

/** Writes the fields and raises updated_at, by at least a millisecond, so that it tells any two writes apart. */
export async function updateWorkflow(tx: Tx, id: string, change: WorkflowChange): Promise<void> {
  await tx.query(
    `update workflows set version = $2, name = $3, description = $4, tags = $5, is_active = $6, webhook_id = $7, webhook_url = $8,
       updated_at = greatest(now(), updated_at + interval '1 millisecond')
     where id = $1`,
    [
      id,
      change.version,
      change.name,
      change.description,
      change.tags,
      change.isActive,
      change.webhookId,
      change.webhookUrl,
    ],
  );
}

/** Soft: the row stays, deactivated, for support to recover. */
export async function deleteWorkflow(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'update workflows set deleted_at = now(), is_active = false, updated_at = now() where id = $1',
    [id],
  );
}

export interface WorkflowListRow extends WorkflowRow {
  readonly execution_count: number;
  readonly last_executed_at: Date | null;
}

export interface WorkflowFilter {
  readonly userId: number;
  readonly isActive: boolean | null;
  readonly mediaId: string | null;
  /** The team's workflows instead of the user's own. */
  readonly teamId: string | null;
  readonly before: { readonly updatedAt: Date; readonly id: string } | null;
  readonly limit: number;
}

/** Most recently updated first. */
export async function listWorkflows(tx: Tx, filter: WorkflowFilter): Promise<readonly WorkflowListRow[]> {
  const { rows } = await tx.query<WorkflowListRow>(filter.teamId === null ? LIST_OWN : LIST_TEAM, [
    filter.teamId ?? filter.userId,
    filter.isActive,
    filter.mediaId,
    filter.before?.updatedAt ?? null,
    filter.before?.id ?? null,
    filter.limit,
  ]);
  return rows;
}

const list = (owner: string): string => `
select ${COLUMNS}, runs.count::int as execution_count, runs.last as last_executed_at
from workflows w
left join lateral (select count(*) as count, max(created_at) as last from executions e where e.workflow_id = w.id) runs on true
where ${owner} and w.deleted_at is null
  and ($2::boolean is null or w.is_active = $2) and ($3::text is null or w.media_id = $3)
  and ($4::timestamptz is null or (w.updated_at, w.id) < ($4, $5))
order by w.updated_at desc, w.id desc limit $6`;
const LIST_OWN = list('w.user_id = $1::int');
const LIST_TEAM = list('w.team_id = $1::text');
