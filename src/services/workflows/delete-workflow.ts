// Marks workflows as deleted, undoes deletions for a day, and restores workflows for support.
import { AppError } from '../../lib/errors.ts';
import { notifyFollowers } from '../../store/workflows/followers.ts';
import { lockDeletedWorkflow, lockWorkflow } from '../../store/workflows/workflows.ts';
import { markWorkflowDeleted, restoreWorkflow, undeleteWorkflow } from '../../store/workflows/writes.ts';
import { authorize } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { readBack } from './commit-workflow.ts';
import { type PresentedWorkflow, presentWorkflow } from './present-workflow.ts';

/** Deactivates the workflow and marks it as deleted. Active runs continue. Throws 404, 403. */
export async function deleteWorkflow(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    authorize(actor, 'delete', await lockWorkflow(tx, id, user.userId));
    await markWorkflowDeleted(tx, id);
    await notifyFollowers(tx, id);
  });
}

/** How long a deletion can be undone. */
const UNDO_PERIOD_MS = 86_400_000;

/** Undoes a deletion; does nothing if the workflow is not deleted. Throws 404 after a day, 403. */
export async function undeleteOwnWorkflow(deps: Deps, actor: Actor, id: string): Promise<PresentedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const since = new Date(deps.now() - UNDO_PERIOD_MS);
  const { view, text } = await deps.db.transaction(async tx => {
    const deleted = await lockDeletedWorkflow(tx, { id, userId: user.userId, since });
    const { role } = authorize(actor, 'delete', deleted);
    await undeleteWorkflow(tx, id);
    const workflow = await readBack(tx, id, user);
    const version = await deps.versions.get(tx, id, workflow.version);
    return { view: { workflow, role, actor: user }, text: version.text };
  });
  return presentWorkflow(deps, view, text);
}

/** Removes the deletion mark, for the operator. The owner then reactivates the workflow. Throws 404. */
export async function restoreDeletedWorkflow(deps: Pick<Deps, 'db'>, actor: Actor, id: string) {
  requireScope(actor, 'instance:admin');
  const row = await restoreWorkflow(deps.db, id);
  if (row === undefined) throw new AppError('not_found', 'Workflow not found.');
  return { id: row.id, name: row.name, userId: row.user_id, restored: true };
}
