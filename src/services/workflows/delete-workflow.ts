// Marks workflows as deleted, undoes deletions within a day, and restores workflows for administrators.
import { quote } from '../../graph/issues.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { countHiddenCallers, listCallingWorkflows } from '../../store/workflows/component-callers.ts';
import { notifyFollowers } from '../../store/workflows/followers.ts';
import { lockDeletedWorkflow, lockWorkflow } from '../../store/workflows/workflows.ts';
import {
  markWorkflowDeleted,
  restoreDeletedWorkflow,
  undoWorkflowDeletion,
} from '../../store/workflows/writes.ts';
import { authorize, listClosedTeams } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { getWrittenWorkflow } from './commit-workflow.ts';
import { type PresentedWorkflow, presentWorkflow } from './present-workflow.ts';
import { recordWorkflowAudit } from './record-workflow-audit.ts';
import type { DeleteWorkflowQuery } from './workflow.schema.ts';

/**
 * Deactivates the workflow and marks it as deleted. Active runs continue. With `force`, workflows that call it can no
 * longer run. Throws 404, 403, and, unless `force` is set, 409 `component_in_use` if there are such workflows.
 */
export async function deleteWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  { force = false }: DeleteWorkflowQuery = {},
): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    const { workflow } = authorize(actor, 'delete', await lockWorkflow(tx, id, user.userId));
    if (!force) await requireUnused(tx, user, id);
    await markWorkflowDeleted(tx, id);
    await notifyFollowers(tx, id);
    recordWorkflowAudit(tx, user, 'workflow.deleted', workflow, { after: { force } });
  });
}

const MAX_NAMED = 20;

/** Throws 409 with the names of callers that the user may read, and the number of the callers that the user may not. */
async function requireUnused(tx: Tx, user: UserActor, id: string): Promise<void> {
  const { userId } = user;
  const withoutTeams = listClosedTeams(user);
  const callers = await listCallingWorkflows(tx, id, {
    userId,
    withoutTeams,
    after: null,
    limit: MAX_NAMED + 1,
  });
  const hidden = await countHiddenCallers(tx, id, userId, withoutTeams);
  if (callers.length + hidden === 0) return;
  const named = callers.slice(0, MAX_NAMED);
  const parts = [
    ...named.map(({ name }) => quote(name)),
    ...(callers.length > MAX_NAMED ? ['more'] : []),
    ...(hidden > 0 ? [`${hidden} that you cannot open`] : []),
  ];
  throw new AppError(
    'component_in_use',
    `Other workflows call this workflow as a component: ${parts.join(', ')}. Remove the calls, or delete it with force=true, after which those workflows cannot run.`,
    { details: { callers: named.map(({ id: workflowId, name }) => ({ workflowId, name })), hidden } },
  );
}

/** How long a deletion can be undone. */
const UNDO_PERIOD_MS = 86_400_000;

/** Undoes a deletion. Does nothing if the workflow is not deleted. Throws 403, and 404 a day after the deletion. */
export async function undoDeletion(deps: Deps, actor: Actor, id: string): Promise<PresentedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const since = new Date(deps.now() - UNDO_PERIOD_MS);
  const { view, text } = await deps.db.transaction(async tx => {
    const deleted = await lockDeletedWorkflow(tx, { id, userId: user.userId, since });
    const { role } = authorize(actor, 'delete', deleted);
    await undoWorkflowDeletion(tx, id);
    const workflow = await getWrittenWorkflow(tx, id, user);
    const version = await deps.versions.get(tx, id, workflow.version);
    recordWorkflowAudit(tx, user, 'workflow.restored', workflow);
    return { view: { workflow, role, actor: user }, text: version.text };
  });
  return presentWorkflow(deps, view, text);
}

/**
 * Restores a deleted workflow for an administrator. Only its owner can activate the workflow again. Throws 404, also after
 * the cleanup deleted its graph, which it does 30 days after the deletion unless the graph is in use.
 */
export async function restoreWorkflowAsAdmin(deps: Pick<Deps, 'db'>, actor: Actor, id: string) {
  const admin = requireScope(actor, 'instance:admin');
  const row = await deps.db.transaction(async tx => {
    const restored = requireFound(
      await restoreDeletedWorkflow(tx, id),
      'Workflow not found. If it was deleted more than 30 days ago, its graph may have been deleted too.',
    );
    recordWorkflowAudit(tx, admin, 'workflow.restored', restored);
    return restored;
  });
  return { id: row.id, name: row.name, userId: row.user_id, restored: true };
}
