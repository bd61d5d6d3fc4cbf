// Sharing: direct permissions on a workflow, which its owners hand out and everybody may give back. Sharing tells nobody
// who has an account: by id it works among people who know each other, by email it is the same for every address.
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
import { hasLeft } from '../../store/teams.ts';
import { findWorkflow, lockWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { Deps } from '../deps.ts';
import { byNumber, type PageQuery, readPage } from '../paging.ts';
import { authorize } from './access.ts';
import type { ShareBody } from './account.schema.ts';
import { getAcquaintance, parseSomebody, type Somebody } from './accounts.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';

/** Of a workflow: whoever may share could fill the table with addresses otherwise. */
const MAX_EMAIL_SHARES = 200;

export async function listShares(deps: Deps, actor: Actor, workflowId: string, query: PageQuery) {
  const user = requireScope(actor, 'workflows:read');
  authorize(actor, 'share', await findWorkflow(deps.db, workflowId, user.userId));
  return readPage(
    query,
    byNumber('position', Number.MAX_SAFE_INTEGER),
    part => listPermissions(deps.db, workflowId, part),
    presentShare,
  );
}

/**
 * Shares with a user or an email, or changes that share's role. Throws 404 for a user whom the caller does not know, 409
 * for the creator and past the number of emails.
 */
export async function shareWorkflow(deps: Deps, actor: Actor, workflowId: string, input: ShareBody) {
  const user = requireScope(actor, 'workflows:write');
  const who = parseSomebody(input);
  return deps.db.transaction(async tx => {
    const found = await lockWorkflow(tx, workflowId, user.userId);
    const { workflow } = authorize(actor, 'share', found);
    const { role } = input;
    return presentShare(
      'email' in who
        ? await shareWithEmail(tx, { workflowId, email: who.email, role })
        : await shareWithUser(tx, user, workflow, { workflowId, userId: who.userId, role }),
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
  // Whoever is in the list already may get another role without a common team.
  if (!(await updatePermission(tx, share))) {
    await getAcquaintance(tx, user, userId);
    // Who created it and left its team owns it no more.
    if (userId === creatorId && (team_id === null || !(await hasLeft(tx, team_id, creatorId))))
      throw new AppError('conflict', 'This user created the workflow and already owns it.');
    await upsertPermission(tx, share);
  }
  return (await findPermission(tx, workflowId, userId)) as PermissionRow;
}

/** Ends a share: any share for owners, one's own for everybody. */
export async function unshareWorkflow(
  deps: Deps,
  actor: Actor,
  workflowId: string,
  who: Somebody,
): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    const workflow = await lockWorkflow(tx, workflowId, user.userId);
    const isOwn = 'userId' in who && who.userId === user.userId;
    authorize(actor, isOwn ? 'read' : 'share', workflow);
    if (isOwn) await openEmailShare(tx, workflowId, user.userId);
    const isEnded =
      'email' in who
        ? await deleteEmailShare(tx, workflowId, who.email)
        : await deletePermission(tx, workflowId, who.userId);
    if (!isEnded) throw new AppError('not_found', 'The workflow is not shared with this user.');
  });
}

function presentShare({ user_id, name, email, role, created_at }: PermissionRow) {
  return { userId: user_id, name, email, role, createdAt: created_at.toISOString() };
}
