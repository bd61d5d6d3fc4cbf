// Shares workflows with people: owners grant permissions, and everyone may give up their own. Sharing does not reveal
// who has an account: an id works only for a user whom the caller knows, and every email gives the same result.
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import {
  countOtherEmailShares,
  deleteEmailShare,
  deletePermission,
  findEmailShare,
  findPermission,
  listPermissions,
  openEmailShare,
  type PermissionRow,
  type ShareRole,
  updatePermission,
  upsertEmailShare,
  upsertPermission,
} from '../../store/permissions.ts';
import { isOutsideTeam } from '../../store/teams.ts';
import { findWorkflow, lockWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { Deps } from '../deps.ts';
import { byNumber, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { authorize } from './access.ts';
import type { ShareBody } from './account.schema.ts';
import { getKnownUser, parseUserRef, type UserRef } from './accounts.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';

/** The maximum number of email addresses that a workflow is shared with. They need not belong to accounts. */
const MAX_EMAIL_SHARES = 200;

export async function listWorkflowPermissions(
  deps: Deps,
  actor: Actor,
  workflowId: string,
  query: PageQuery,
) {
  const user = requireScope(actor, 'workflows:read');
  authorize(actor, 'share', await findWorkflow(deps.db, workflowId, user.userId));
  return readPage(
    query,
    byNumber('position', Number.MAX_SAFE_INTEGER),
    page => listPermissions(deps.db, workflowId, page),
    presentPermission,
  );
}

/**
 * Grants a user or an email a permission, or changes its role. Throws 404 for a user whom the caller does not know, 409
 * for the creator or too many emails.
 */
export async function shareWorkflow(deps: Deps, actor: Actor, workflowId: string, input: ShareBody) {
  const user = requireScope(actor, 'workflows:write');
  const userRef = parseUserRef(input);
  return deps.db.transaction(async tx => {
    const row = await lockWorkflow(tx, workflowId, user.userId);
    const { workflow } = authorize(actor, 'share', row);
    const { role } = input;
    return presentPermission(
      'email' in userRef
        ? await shareWithEmail(tx, { workflowId, email: userRef.email, role })
        : await shareWithUser(tx, user, workflow, { workflowId, userId: userRef.userId, role }),
    );
  });
}

async function shareWithEmail(
  tx: Tx,
  share: { readonly workflowId: string; readonly email: string; readonly role: ShareRole },
): Promise<PermissionRow> {
  const { workflowId, email } = share;
  if ((await countOtherEmailShares(tx, workflowId, email)) >= MAX_EMAIL_SHARES) {
    const message = `The workflow is already shared with ${MAX_EMAIL_SHARES} email addresses. Remove one first.`;
    throw new AppError('conflict', message);
  }
  await upsertEmailShare(tx, share);
  return (await findEmailShare(tx, workflowId, email)) as PermissionRow;
}

async function shareWithUser(
  tx: Tx,
  user: UserActor,
  { user_id: creatorId, team_id }: ReadWorkflowRow,
  share: { readonly workflowId: string; readonly userId: number; readonly role: ShareRole },
): Promise<PermissionRow> {
  const { workflowId, userId } = share;
  // A user who is already in the list may get another role without a common team.
  if (!(await updatePermission(tx, share))) {
    await getKnownUser(tx, user, userId);
    // A creator who has left the team no longer owns the workflow.
    if (userId === creatorId && (team_id === null || !(await isOutsideTeam(tx, team_id, creatorId))))
      throw new AppError('conflict', 'This user created the workflow and already owns it.');
    await upsertPermission(tx, share);
  }
  return (await findPermission(tx, workflowId, userId)) as PermissionRow;
}

/** Removes a permission. Owners can remove any permission, other users only their own. */
export async function unshareWorkflow(
  deps: Deps,
  actor: Actor,
  workflowId: string,
  userRef: UserRef,
): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    const workflow = await lockWorkflow(tx, workflowId, user.userId);
    const isOwn = 'userId' in userRef && userRef.userId === user.userId;
    authorize(actor, isOwn ? 'read' : 'share', workflow);
    if (isOwn) await openEmailShare(tx, workflowId, user.userId);
    const wasShared =
      'email' in userRef
        ? await deleteEmailShare(tx, workflowId, userRef.email)
        : await deletePermission(tx, workflowId, userRef.userId);
    if (!wasShared) throw new AppError('not_found', 'The workflow is not shared with this user.');
  });
}

const presentPermission = (row: PermissionRow) => presentColumns(row, 'user_id name email role created_at');
