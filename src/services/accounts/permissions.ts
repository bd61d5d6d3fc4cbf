// Sharing: direct permissions on a workflow, which its owners hand out and everybody may give back.
import { AppError } from '../../lib/errors.ts';
import { deletePermission, listPermissions, upsertPermission } from '../../store/permissions.ts';
import { findWorkflow, lockWorkflow } from '../../store/workflows/workflows.ts';
import type { Deps } from '../deps.ts';
import { byNumber, type PageQuery, readPage } from '../paging.ts';
import { authorize } from './access.ts';
import type { ShareBody } from './account.schema.ts';
import { getSomebody, presentRole } from './accounts.ts';
import { type Actor, requireScope } from './actor.ts';

export async function listShares(deps: Deps, actor: Actor, workflowId: string, query: PageQuery) {
  const user = requireScope(actor, 'workflows:read');
  authorize(actor, 'share', await findWorkflow(deps.db, workflowId, user.userId));
  return readPage(
    query,
    byNumber('user_id'),
    part => listPermissions(deps.db, workflowId, part),
    presentRole,
  );
}

/** Shares with a user, or changes that share's role. Throws 404 for an unknown user, 409 for the creator. */
export async function shareWorkflow(deps: Deps, actor: Actor, workflowId: string, input: ShareBody) {
  const user = requireScope(actor, 'workflows:write');
  return deps.db.transaction(async tx => {
    const found = await lockWorkflow(tx, workflowId, user.userId);
    const { workflow } = authorize(actor, 'share', found);
    const { id, name } = await getSomebody(tx, input);
    if (id === workflow.user_id)
      throw new AppError('conflict', 'This user created the workflow and owns it without a share.');
    const { role } = input;
    const created_at = await upsertPermission(tx, { workflowId, userId: id, role });
    return presentRole({ user_id: id, name, role, created_at });
  });
}

/** Ends a share: any share for owners, one's own for everybody. */
export async function unshareWorkflow(
  deps: Deps,
  actor: Actor,
  workflowId: string,
  userId: number,
): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    const workflow = await lockWorkflow(tx, workflowId, user.userId);
    authorize(actor, userId === user.userId ? 'read' : 'share', workflow);
    if (!(await deletePermission(tx, workflowId, userId)))
      throw new AppError('not_found', 'The workflow is not shared with this user.');
  });
}
