// Presents a workflow to its reader as JSON text, into which it inserts the text of the graph.
import { type IssueList, listWarnings, NO_ISSUES, toTruncation } from '../../graph/issues.ts';
import { shortHash } from '../../lib/crypto.ts';
import type { WorkflowListRow } from '../../store/workflows/lists.ts';
import type { PublishSettings, ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { can, findRole, isCreator, roleAllows, type WorkflowRole } from '../accounts/access.ts';
import type { Actor, UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { getMediaUrl, presentUpload } from '../media/media-record.ts';
import { presentColumns } from '../present-columns.ts';
import { canSeeSecrets, decryptSecrets } from './workflow-secrets.ts';

/** The complete workflow as JSON text, because it would be slow to parse a large graph only to serialize it again. */
export interface PresentedWorkflow {
  readonly text: string;
  /** A strong ETag, which identifies these bytes. Only writes, and all of them, change the part before the dot. */
  readonly etag: string;
  /** The version of the stored graph. */
  readonly version: number;
  /** The lint issues, in responses to writes. */
  readonly issueList: IssueList;
}

/** A workflow, its reader, and the reader's role. */
export interface WorkflowView {
  readonly workflow: ReadWorkflowRow;
  readonly actor: Actor;
  readonly role: WorkflowRole;
}

/** The part `meta` of responses to writes. */
export interface WriteMeta {
  readonly issueList: IssueList;
  readonly warnings: readonly string[];
}

type PresentDeps = Pick<Deps, 'settings' | 'secretsKey'>;

/**
 * Presents all members to owners and editors, and the public members to everyone else. `graphText` must already be
 * redacted for the reader.
 */
export function presentWorkflow(
  deps: PresentDeps,
  view: WorkflowView,
  graphText: string,
  meta?: WriteMeta,
): PresentedWorkflow {
  const present = roleAllows(view.role, 'edit') ? presentMembers : presentPublicMembers;
  const members = JSON.stringify(present(deps, view));
  const tail = meta === undefined ? '' : `,"meta":${JSON.stringify(presentMeta(meta))}`;
  return {
    text: `${members.slice(0, -1)},${graphText}${tail}}`,
    etag: `"${toRevision(view.workflow)}.${shortHash(members)}"`,
    version: view.workflow.version,
    issueList: meta?.issueList ?? NO_ISSUES,
  };
}

/** Returns a revision that identifies the workflow's last write. Heartbeats, views and new posters do not change it. */
export function toRevision(workflow: Pick<ReadWorkflowRow, 'updated_at'>): string {
  return workflow.updated_at.getTime().toString(36);
}

function presentMeta({ issueList, warnings }: WriteMeta) {
  const { issues } = issueList;
  return { warnings: [...listWarnings(issues), ...warnings], issues, ...toTruncation(issueList) };
}

export type PresentedMembers = ReturnType<typeof presentMembers>;

/** Presents everything but the graph to owners and editors. */
export function presentMembers(deps: PresentDeps, { workflow: row, actor, role }: WorkflowView) {
  return {
    ...presentColumns(row, 'id user_id team_id folder_id name description tags is_active webhook_id'),
    ...presentColumns(row, 'webhook_url link_permission is_published published_slug published_at'),
    publishSettings: row.publish_settings,
    poster: presentPoster(deps, row.poster),
    media: row.media && presentUpload(deps, row.media),
    secrets: canSeeSecrets(actor, row) ? decryptSecrets(deps, row.secrets) : null,
    views: row.views,
    dailyCreditBudget: row.daily_credit_budget,
    executionEngine: 'standard',
    ...presentColumns(row, 'last_editor_heartbeat_at'),
    isOwner: isCreator(actor, row),
    canEdit: roleAllows(role, 'edit'),
    canDuplicate: can(actor, 'duplicate', row),
    userRole: role,
    ...presentColumns(row, 'created_at updated_at'),
  };
}

/** Presents a workflow to readers who are neither owner nor editor. */
function presentPublicMembers(deps: PresentDeps, view: WorkflowView) {
  const {
    webhookId: _webhookId,
    webhookUrl: _webhookUrl,
    lastEditorHeartbeatAt: _lastEditorHeartbeatAt,
    dailyCreditBudget: _dailyCreditBudget,
    executionEngine: _executionEngine,
    ...publicMembers
  } = presentMembers(deps, view);
  return { ...publicMembers, secrets: null, publishSettings: reduceSettings(view.workflow.publish_settings) };
}

/** Returns the publish settings that readers without edit access see. */
export function reduceSettings(settings: PublishSettings | null): PublishSettings | null {
  if (settings === null) return null;
  const {
    exposedInputs: _inputs,
    isTemplate: _isTemplate,
    showResults: _results,
    ...publicSettings
  } = settings;
  return publicSettings;
}

/** Returns the URL of a poster, which is stored as `med_…/name`. */
export function presentPoster(deps: Pick<Deps, 'settings'>, poster: string | null): string | null {
  if (poster === null) return null;
  const [id = '', name = ''] = poster.split('/');
  return getMediaUrl(deps, { id, name });
}

export function presentListedWorkflow(deps: Pick<Deps, 'settings'>, actor: UserActor, row: WorkflowListRow) {
  const role = findRole(actor, row);
  const isEditor = roleAllows(role, 'edit');
  // A single object literal, for the speed of long lists. JSON omits undefined members.
  const item = {
    id: row.id,
    name: row.name,
    description: row.description,
    webhookId: isEditor ? row.webhook_id : undefined,
    webhookUrl: isEditor ? row.webhook_url : undefined,
    isActive: row.is_active,
    isPublished: row.is_published,
    executionCount: row.execution_count,
    lastExecutedAt: row.last_executed_at,
    tags: row.tags,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...row.share,
  };
  if (row.card === undefined) return item;
  return {
    ...item,
    ...row.card,
    poster: presentPoster(deps, row.card.poster),
    userId: row.user_id,
    linkPermission: row.link_permission,
    isOwner: isCreator(actor, row),
    canEdit: isEditor,
    userRole: role,
  };
}
