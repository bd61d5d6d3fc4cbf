// Workflows deleted, softly, and recovered by support.
import { AppError } from '../../lib/errors.ts';
import { lockWorkflow } from '../../store/workflows/workflows.ts';
import { deleteWorkflow, restoreWorkflow } from '../../store/workflows/writes.ts';
import { authorize } from '../accounts/access.ts';
import type { Actor } from '../accounts/actor.ts';
import { requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';

/** Deactivates and marks it; its runs under way go on. Throws 404, 403. */
export async function removeWorkflow(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    authorize(actor, 'delete', await lockWorkflow(tx, id, user.userId));
    await deleteWorkflow(tx, id);
  });
}

/** For the operator: removes the mark of deletion; switching it on again is its owner's to do. Throws 404. */
export async function recoverWorkflow(deps: Pick<Deps, 'db'>, actor: Actor, id: string) {
  requireScope(actor, 'instance:admin');
  const row = await restoreWorkflow(deps.db, id);
  if (row === undefined) throw new AppError('not_found', 'There never was a workflow with this id.');
  return { id: row.id, name: row.name, userId: row.user_id, restored: true };
}
