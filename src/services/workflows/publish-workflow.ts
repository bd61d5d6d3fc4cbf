// Changes a workflow's link permission, publication and budget.
import { randomBytes } from 'node:crypto';
import { toSlug } from '../../graph/slug.ts';
import { AppError } from '../../lib/errors.ts';
import type { AuditAction } from '../../store/audit/actions.ts';
import { isUniqueViolation, type Tx } from '../../store/db.ts';
import type { LinkPermission, ReadWorkflowRow, WorkflowRow } from '../../store/workflows/workflows.ts';
import { isSlugTaken } from '../../store/workflows/writes.ts';
import type { WorkflowAction } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { commitChange, lockForEdit, presentCommitted } from './commit-workflow.ts';
import type { PresentedWorkflow } from './present-workflow.ts';
import { recordWorkflowAudit } from './record-workflow-audit.ts';
import type { PublishBody } from './workflow.schema.ts';
import { reuseStoredText } from './write-graph.ts';

const MAX_NAMED_INPUTS = 20;

/** Sets who may open the workflow by its link. */
export function setVisibility(
  deps: Deps,
  actor: Actor,
  id: string,
  linkPermission: LinkPermission,
): Promise<PresentedWorkflow> {
  return changeAsOwner(deps, actor, {
    id,
    action: 'publish',
    fields: () => ({ link_permission: linkPermission }),
    audit: 'workflow.link_changed',
  });
}

/** Sets the credit budget for each UTC day; null removes it. */
export function setBudget(
  deps: Deps,
  actor: Actor,
  id: string,
  dailyCreditBudget: number | null,
): Promise<PresentedWorkflow> {
  const fields = () => ({ daily_credit_budget: dailyCreditBudget });
  return changeAsOwner(deps, actor, { id, action: 'budget', fields, audit: 'budget.changed' });
}

/**
 * Publishes or unpublishes a workflow. The public sees the current version until it is published again. A workflow
 * keeps its slug permanently, so that no other workflow can take over its URL. Throws 409 `slug_taken`.
 */
export async function publishWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  body: PublishBody,
): Promise<PresentedWorkflow> {
  const fields = (workflow: ReadWorkflowRow, tx: Tx) => toPublication(deps, tx, workflow, body);
  try {
    return await changeAsOwner(deps, actor, {
      id,
      action: 'publish',
      fields,
      audit: body.isPublished ? 'workflow.published' : 'workflow.unpublished',
    });
  } catch (err) {
    // Another workflow claimed the slug between the check and the write.
    if (isUniqueViolation(err, 'workflows_published_slug_key')) throw createSlugTakenError();
    throw err;
  }
}

interface OwnerChange {
  readonly id: string;
  readonly action: WorkflowAction;
  readonly fields: (
    workflow: ReadWorkflowRow,
    tx: Tx,
  ) => Partial<WorkflowRow> | Promise<Partial<WorkflowRow>>;
  readonly audit: AuditAction;
}

async function changeAsOwner(
  deps: Deps,
  actor: Actor,
  { id, action, fields, audit }: OwnerChange,
): Promise<PresentedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const committed = await deps.db.transaction(async tx => {
    const view = await lockForEdit(tx, user, id, action);
    const { text } = await deps.versions.get(tx, id, view.workflow.version);
    const changedFields = await fields(view.workflow, tx);
    recordWorkflowAudit(tx, user, audit, view.workflow, {
      before: describeSharing(view.workflow),
      after: describeSharing({ ...view.workflow, ...changedFields }),
    });
    return commitChange(deps, tx, view, {
      fields: changedFields,
      write: reuseStoredText(text),
      warnings: [],
    });
  });
  return presentCommitted(deps, committed);
}

const describeSharing = (workflow: WorkflowRow) => ({
  linkPermission: workflow.link_permission,
  dailyCreditBudget: workflow.daily_credit_budget,
  isPublished: workflow.is_published,
  slug: workflow.published_slug,
  version: workflow.published_version,
  settings: workflow.publish_settings,
});

async function toPublication(
  deps: Deps,
  tx: Tx,
  workflow: ReadWorkflowRow,
  { isPublished, slug, settings }: PublishBody,
): Promise<Partial<WorkflowRow>> {
  if (settings?.exposedInputs !== undefined)
    await requireInputNodes(deps, tx, workflow, settings.exposedInputs);
  const published_slug = await chooseSlug(tx, workflow, slug, isPublished);
  const publish_settings = settings ?? workflow.publish_settings;
  return isPublished
    ? {
        is_published: true,
        published_slug,
        published_at: new Date(deps.now()),
        published_version: workflow.version,
        publish_settings: publish_settings ?? {},
      }
    : { is_published: false, published_slug, published_at: null, published_version: null, publish_settings };
}

async function requireInputNodes(
  deps: Deps,
  tx: Tx,
  workflow: ReadWorkflowRow,
  ids: readonly string[],
): Promise<void> {
  const { graph } = await deps.versions.get(tx, workflow.id, workflow.version);
  const types = new Map(graph.nodes.map(node => [node.id, node.data.nodeType]));
  const issues = ids
    .filter(id => deps.findNode(types.get(id) ?? '')?.runInput === undefined)
    .slice(0, MAX_NAMED_INPUTS)
    .map(nodeId => ({
      path: `/settings/exposedInputs/${ids.indexOf(nodeId)}`,
      nodeId,
      ...(types.has(nodeId)
        ? { code: 'not_an_input', message: 'This node is not an input node.' }
        : { code: 'unknown_node', message: 'Node not found.' }),
    }));
  if (issues.length === 0) return;
  const nodeNames = issues.map(({ nodeId }) => nodeId.slice(0, 100)).join(', ');
  throw new AppError(
    'invalid_request',
    `settings.exposedInputs can contain only input nodes of the workflow, not ${nodeNames}.`,
    { issues },
  );
}

async function chooseSlug(
  tx: Tx,
  workflow: WorkflowRow,
  requestedSlug: string | undefined,
  isPublished: boolean,
): Promise<string | null> {
  if (requestedSlug !== undefined) {
    if (await isSlugTaken(tx, requestedSlug, workflow.id)) throw createSlugTakenError();
    return requestedSlug;
  }
  if (workflow.published_slug !== null || !isPublished) return workflow.published_slug;
  const candidate = toSlug(workflow.name);
  return candidate.length >= 3 && !(await isSlugTaken(tx, candidate, workflow.id))
    ? candidate
    : `${candidate === '' ? 'workflow' : candidate}-${randomBytes(5).toString('hex')}`;
}

function createSlugTakenError(): AppError {
  return new AppError('slug_taken', 'Another workflow uses this slug. Choose a different one.');
}
