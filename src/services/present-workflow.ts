// A workflow as its reader sees it: the members beside the graph as JSON text, the graph text spliced in.
import type { LintIssue } from '../graph/issues.ts';
import { warningSentences } from '../graph/issues.ts';
import { sha256 } from '../lib/crypto.ts';
import type { ReadWorkflowRow, WorkflowListRow } from '../store/workflows.ts';
import type { WorkflowRole } from './access.ts';

/** The whole object as text: parsing a large graph only to write it out again would cost more than all the rest. */
export interface PresentedWorkflow {
  readonly text: string;
  /** Strong: names these bytes. */
  readonly etag: string;
}

export interface PresentOptions {
  readonly role: WorkflowRole;
  readonly userId: number | null;
  readonly graphText: string;
  /** On answers to writes. */
  readonly issues?: readonly LintIssue[];
  readonly warnings?: readonly string[];
}

/** For owners and editors: the full object (readers with less get `redactWorkflow` of it). */
export function presentWorkflow(row: ReadWorkflowRow, options: PresentOptions): PresentedWorkflow {
  const members = JSON.stringify(presentMembers(row, options));
  const { issues, warnings } = options;
  const meta =
    issues === undefined
      ? ''
      : `,"meta":${JSON.stringify({ warnings: [...warningSentences(issues), ...(warnings ?? [])], issues })}`;
  return {
    text: `${members.slice(0, -1)},${options.graphText}${meta}}`,
    etag: `"${row.version}-${sha256(members).toString('base64url').slice(0, 22)}"`,
  };
}

function presentMembers(row: ReadWorkflowRow, { role, userId }: PresentOptions) {
  const canEdit = role === 'OWNER' || role === 'EDITOR';
  return {
    id: row.id,
    userId: row.user_id,
    teamId: row.team_id,
    folderId: row.folder_id,
    name: row.name,
    description: row.description,
    tags: row.tags,
    isActive: row.is_active,
    webhookId: row.webhook_id,
    webhookUrl: row.webhook_url,
    linkPermission: row.link_permission,
    isPublished: row.is_published,
    publishedSlug: row.published_slug,
    publishedAt: row.published_at?.toISOString() ?? null,
    publishSettings: row.publish_settings,
    poster: row.poster,
    media: null,
    secrets: null,
    views: row.views,
    dailyCreditBudget: row.daily_credit_budget,
    executionEngine: 'standard',
    lastEditorHeartbeatAt: row.last_editor_heartbeat_at?.toISOString() ?? null,
    isOwner: row.user_id === userId,
    canEdit,
    canDuplicate: canEdit || row.link_permission === 'DUPLICATE',
    userRole: role,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function presentListedWorkflow(row: WorkflowListRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    webhookId: row.webhook_id,
    webhookUrl: row.webhook_url,
    isActive: row.is_active,
    isPublished: row.is_published,
    executionCount: row.execution_count,
    lastExecutedAt: row.last_executed_at?.toISOString() ?? null,
    tags: row.tags,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
