// Shares workflows with people: owners grant permissions, and everyone may give up their own. Sharing does not reveal
// who has an account: an id works only for a user whom the caller knows, and every email gives the same result in the same
// time. A job notifies the people who have one.
import { shortHash } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { insertMail } from '../../store/mails.ts';
import { countUnreadOfKind, insertNotice } from '../../store/notices.ts';
import {
  countOtherEmailShares,
  deleteEmailShare,
  deletePermission,
  findEmailShare,
  findInvitee,
  findPermission,
  type Invitee,
  listPermissions,
  openShares,
  type PermissionRow,
  type ShareRole,
  updatePermission,
  upsertEmailShare,
  upsertPermission,
} from '../../store/permissions.ts';
import { enqueue } from '../../store/queue.ts';
import { isOutsideTeam } from '../../store/teams.ts';
import { findWorkflow, lockWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { Deps } from '../deps.ts';
import { byNumber, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { authorize, getPersonalWorkspaceId } from './access.ts';
import type { ShareBody } from './account.schema.ts';
import { getKnownUser, parseUserRef, type UserRef } from './accounts.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';
import { mayMailInvitation, shortenName } from './mailed-invitations.ts';

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
    const permission =
      'email' in userRef
        ? await shareWithEmail(tx, user, { workflowId, email: userRef.email, role })
        : await shareWithUser(tx, user, workflow, { workflowId, userId: userRef.userId, role });
    const { user_id: userId, email } = permission;
    recordAudit(tx, user, {
      action: 'workflow.shared',
      target: workflowId,
      name: workflow.name,
      teamId: workflow.team_id,
      after: { ...(email !== null && { person: email }), ...(userId !== null && { userId }), role },
    });
    return presentPermission(permission);
  });
}

async function shareWithEmail(
  tx: Tx,
  user: UserActor,
  share: { readonly workflowId: string; readonly email: string; readonly role: ShareRole },
): Promise<PermissionRow> {
  const { workflowId, email } = share;
  if ((await countOtherEmailShares(tx, workflowId, email)) >= MAX_EMAIL_SHARES) {
    const message = `The workflow is already shared with ${MAX_EMAIL_SHARES} email addresses. Remove one first.`;
    throw new AppError('conflict', message);
  }
  await queueNotice(tx, workflowId, await upsertEmailShare(tx, share, user.userId));
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
    await queueNotice(tx, workflowId, await upsertPermission(tx, share, user.userId));
  }
  return (await findPermission(tx, workflowId, userId)) as PermissionRow;
}

async function queueNotice(tx: Tx, workflowId: string, newPosition: number | undefined): Promise<void> {
  if (newPosition !== undefined) await enqueue(tx, 'share', [`${workflowId}/${newPosition}`]);
}

/** Users who have not read this many notices of shared workflows get no more of them, because anyone may share. */
const MAX_UNREAD_NOTICES = 20;

const NOTICE_TEXTS: Readonly<Record<ShareRole, string>> = {
  VIEW: 'You can view and run it.',
  EDIT: 'You can edit it.',
  OWNER: 'You are one of its owners.',
};

/**
 * Notifies the person of a new share, or mails the invitation to a person without an account. `id` is the workflow's id and the
 * share's position.
 */
export async function notifyInvitee(
  { db, rateLimiter, settings }: Pick<Deps, 'db' | 'rateLimiter' | 'settings'>,
  id: string,
): Promise<void> {
  const [workflowId = '', position] = id.split('/');
  const invitee = await findInvitee(db, workflowId, Number(position));
  if (invitee === undefined) return;
  const { user_id: userId, email, role } = invitee;
  const mayMail = await mayMailInvitation(rateLimiter, invitee.shared_by_id);
  if (userId === null) {
    if (mayMail && email !== null) await mailInvitation(db, settings, { ...invitee, email, workflowId });
    return;
  }
  await db.transaction(async tx => {
    if ((await countUnreadOfKind(tx, userId, 'workflow_shared')) >= MAX_UNREAD_NOTICES) return;
    await insertNotice(tx, {
      kind: 'workflow_shared',
      cause: workflowId,
      workspace: getPersonalWorkspaceId(userId),
      userId,
      title: describeShare(invitee),
      text: `${NOTICE_TEXTS[role]} Later, find it in the list of workflows under Shared with me.`,
      link: `/flow/${workflowId}`,
      mail: { buttons: [{ label: 'Open the workflow', path: `/flow/${workflowId}` }] },
      mayMail,
    });
  });
}

const describeShare = ({ shared_by, workflow_name }: Invitee): string =>
  `${shortenName(shared_by)} invited you to “${shortenName(workflow_name)}”`;

async function mailInvitation(
  tx: Tx,
  { BASE_URL }: Pick<Deps['settings'], 'BASE_URL'>,
  invitee: Invitee & { readonly email: string; readonly workflowId: string },
): Promise<void> {
  const { email, role, workflowId, shared_by_id } = invitee;
  const [inviter, workflow] = [shortenName(invitee.shared_by), shortenName(invitee.workflow_name)];
  await insertMail(tx, {
    // The job may run twice.
    id: `mail_${shortHash(`${workflowId} ${email.toLowerCase()}`)}`,
    userId: null,
    address: email,
    account: getPersonalWorkspaceId(shared_by_id),
    kind: 'invitation',
    cause: workflowId,
    content: {
      subject: describeShare(invitee),
      paragraphs: [
        `${inviter} shared the workflow “${workflow}” with you at ${new URL(BASE_URL).host}. ${NOTICE_TEXTS[role]}`,
        `To open it, you need an account with the address ${email}. Ask ${inviter} how to get one.`,
        'If you do not know this person, ignore this mail.',
      ],
      buttons: [{ label: 'Open the workflow', path: `/flow/${workflowId}` }],
      reason: 'somebody invited this address',
    },
  });
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
    const { name, team_id } = authorize(actor, isOwn ? 'read' : 'share', workflow).workflow;
    if (isOwn) await openShares(tx, workflowId, user.userId);
    const wasShared =
      'email' in userRef
        ? await deleteEmailShare(tx, workflowId, userRef.email)
        : await deletePermission(tx, workflowId, userRef.userId);
    if (!wasShared) throw new AppError('not_found', 'The workflow is not shared with this user.');
    recordAudit(tx, user, {
      action: 'workflow.unshared',
      target: workflowId,
      name,
      teamId: team_id,
      before: 'email' in userRef ? { person: userRef.email } : { userId: userRef.userId },
    });
  });
}

const presentPermission = (row: PermissionRow) => presentColumns(row, 'user_id name email role created_at');
