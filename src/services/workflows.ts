// Workflows: stored, read, listed, changed and deleted.
import { hasErrors } from '../graph/issues.ts';
import { redact } from '../graph/redact.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Tx } from '../store/db.ts';
import type { ReadWorkflowRow } from '../store/workflows.ts';
import {
  deleteWorkflow,
  findWorkflow,
  insertVersion,
  insertWorkflow,
  listWorkflows,
  lockWorkflow,
  updateWorkflow,
} from '../store/workflows.ts';
import type { WorkflowRole } from './access.ts';
import { authorize } from './access.ts';
import type { Actor } from './actor.ts';
import { ANONYMOUS, hasScope, requireScope } from './actor.ts';
import { checkGraph, inspectGraph } from './check-graph.ts';
import type { Deps } from './deps.ts';
import { graphText } from './graph-versions.ts';
import type { PresentedWorkflow } from './present-workflow.ts';
import { presentListedWorkflow, presentWorkflow } from './present-workflow.ts';
import type { CreateWorkflowBody, ListWorkflowsQuery, UpdateWorkflowBody } from './workflow.schema.ts';

/** Stores a workflow of the caller's own. Throws 400 `invalid_graph`. */
export async function createWorkflow(
  deps: Deps,
  actor: Actor,
  input: CreateWorkflowBody,
): Promise<PresentedWorkflow & { readonly id: string }> {
  const user = requireScope(actor, 'workflows:write');
  const { graph, issues } = checkGraph(deps, input.nodes, input.edges);
  const id = newId('workflow');
  const text = graphText(graph);
  const row = await deps.db.transaction(async tx => {
    await insertWorkflow(tx, {
      id,
      userId: user.userId,
      name: input.name,
      description: input.description ?? null,
      tags: input.tags ?? [],
      isActive: input.isActive ?? true,
      webhookId: input.webhookId ?? null,
      mediaId: input.mediaId ?? null,
      folderId: null,
      secrets: null,
    });
    await insertVersion(tx, { workflowId: id, version: 1, graph: text, userId: user.userId });
    return readBack(tx, id, user.userId);
  });
  return { id, ...presentWorkflow(row, { role: 'OWNER', userId: user.userId, graphText: text, issues }) };
}

async function readBack(tx: Tx, id: string, userId: number): Promise<ReadWorkflowRow> {
  const row = await findWorkflow(tx, id, userId);
  if (row === undefined) throw new Error(`Workflow ${id} is gone within the transaction that wrote it.`);
  return row;
}

/** The workflow as the caller may see it; a key without `workflows:read` reads as an anonymous visitor. */
export async function getWorkflow(deps: Deps, actor: Actor, id: string): Promise<PresentedWorkflow> {
  const reader = hasScope(actor, 'workflows:read') ? actor : ANONYMOUS;
  const userId = reader.kind === 'user' ? reader.userId : null;
  const { workflow, role } = authorize(reader, 'read', await findWorkflow(deps.db, id, userId));
  const { text } = await deps.versions.get(deps.db, id, workflow.version);
  return presentFor(workflow, role, userId, text);
}

function presentFor(
  row: ReadWorkflowRow,
  role: WorkflowRole,
  userId: number | null,
  text: string,
): PresentedWorkflow {
  const whole = presentWorkflow(row, { role, userId, graphText: text });
  if (role === 'OWNER' || role === 'EDITOR') return whole;
  const {
    webhookId: _,
    lastEditorHeartbeatAt: __,
    ...shown
  } = redact(JSON.parse(whole.text)) as Record<string, unknown>;
  return { text: JSON.stringify({ ...shown, secrets: null }), etag: whole.etag };
}

/** One page, most recently updated first. */
export async function listOwnWorkflows(deps: Deps, actor: Actor, query: ListWorkflowsQuery) {
  const user = requireScope(actor, 'workflows:read');
  const limit = query.limit ?? 100;
  const rows = await listWorkflows(deps.db, {
    userId: user.userId,
    isActive: query.isActive === undefined ? null : query.isActive === 'true',
    mediaId: query.mediaId ?? null,
    teamId: null,
    before: query.cursor === undefined ? null : parseCursor(query.cursor),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    items: page.map(presentListedWorkflow),
    nextCursor: more ? formatCursor(last.updated_at, last.id) : null,
  };
}

function formatCursor(updatedAt: Date, id: string): string {
  return Buffer.from(`${updatedAt.getTime()}:${id}`).toString('base64url');
}

function parseCursor(cursor: string): { readonly updatedAt: Date; readonly id: string } {
  const match = /^(\d{1,15}):(wf_[0-9a-z]{26})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new AppError(
      'invalid_request',
      'cursor is not one that a list gave: take it from the Link header.',
    );
  }
  return { updatedAt: new Date(Number(match[1])), id: match[2] };
}

export interface UpdateWorkflowInput {
  readonly body: UpdateWorkflowBody;
  readonly ifMatch?: string | undefined;
}

/** Changes the fields that are sent; all or nothing. Throws 400 `invalid_graph`, 409 `stale_write`. */
export async function changeWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  input: UpdateWorkflowInput,
): Promise<PresentedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const { body } = input;
  return deps.db.transaction(async tx => {
    const { workflow, role } = authorize(actor, 'edit', await lockWorkflow(tx, id, user.userId));
    const stored = await deps.versions.get(tx, id, workflow.version);
    const current = presentWorkflow(workflow, { role, userId: user.userId, graphText: stored.text });
    if (input.ifMatch !== undefined && input.ifMatch !== '*' && input.ifMatch !== current.etag) {
      throw new AppError(
        'stale_write',
        'The workflow changed after you read it (If-Match): read it again and reapply.',
      );
    }
    const rewrites = body.nodes !== undefined || body.edges !== undefined;
    const checked = rewrites
      ? checkGraph(deps, body.nodes ?? stored.graph.nodes, body.edges ?? stored.graph.edges, stored.graph)
      : undefined;
    const text = checked === undefined ? stored.text : graphText(checked.graph);
    const version = text === stored.text ? workflow.version : workflow.version + 1;
    if (version !== workflow.version)
      await insertVersion(tx, { workflowId: id, version, graph: text, userId: user.userId });
    await updateWorkflow(tx, id, {
      version,
      name: body.name ?? workflow.name,
      description: body.description === undefined ? workflow.description : body.description,
      tags: body.tags ?? workflow.tags,
      isActive: body.isActive ?? workflow.is_active,
      webhookId: body.webhookId === undefined ? workflow.webhook_id : body.webhookId,
      webhookUrl: body.webhookUrl === undefined ? workflow.webhook_url : body.webhookUrl,
    });
    const row = await readBack(tx, id, user.userId);
    return presentWorkflow(row, {
      role,
      userId: user.userId,
      graphText: text,
      issues: checked?.issues ?? [],
    });
  });
}

/** Soft: deactivated and marked, recoverable by support. */
export async function removeWorkflow(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    authorize(actor, 'delete', await lockWorkflow(tx, id, user.userId));
    await deleteWorkflow(tx, id);
  });
}

/** What the lint says of a graph that is not stored. */
export function lintWorkflow(
  deps: Deps,
  actor: Actor,
  graph: { readonly nodes: unknown; readonly edges: unknown },
) {
  requireScope(actor, 'workflows:read');
  const { issues } = inspectGraph(deps, graph.nodes, graph.edges);
  return { ok: !hasErrors(issues), issues };
}
