// Manages invitations to teams. Owners invite an email, whether or not an account has it, so they cannot find out who
// has an account. Users whom the inviter knows from another team can also be invited by id. Only the invited person can
// accept: the link works only for the account with the invited email, and emails of accounts come from administrators
// and from identity providers that have verified them.
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { AuditAction } from '../../store/audit/actions.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Transaction, Tx } from '../../store/db.ts';
import { insertMail } from '../../store/mails.ts';
import {
  countOtherInvitations,
  deleteInvitation,
  findInvitation,
  type InvitationRow,
  listInvitationsOfTeam,
  listInvitationsOfUser,
  upsertInvitation,
} from '../../store/people/invitations.ts';
import { findMember, insertMember, lockTeam, type TeamRole } from '../../store/teams.ts';
import { findUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import type { UserRefInput } from './account.schema.ts';
import { getKnownUser, parseUserRef } from './accounts.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';
import { mayMailInvitation, shortenName } from './mailed-invitations.ts';
import { getTeam, presentTeam, requireTeamOwner } from './teams.ts';

const INVITATION_DAYS = 7;
/** The maximum number of invitations per team, including expired ones. */
const MAX_INVITATIONS = 100;

export interface InvitationId {
  readonly teamId: string;
  readonly invitationId: string;
}

/**
 * Invites an email or a user, or renews an existing invitation. Only for OWNERs. Throws 403, 404 (also for a user whom
 * the caller does not know), and 409 if the user is a member or the team has too many invitations.
 */
export async function inviteToTeam(
  deps: Pick<Deps, 'db' | 'now' | 'settings'> & Partial<Pick<Deps, 'rateLimiter'>>,
  actor: Actor,
  teamId: string,
  input: UserRefInput & { readonly role: TeamRole },
) {
  const user = requireScope(actor, 'account:admin');
  const invitee = parseUserRef(input);
  const nowMs = deps.now();
  const mayMail = await mayMailInvitation(deps.rateLimiter, user.userId);
  return deps.db.transaction(async tx => {
    await lockTeam(tx, teamId);
    await requireTeamOwner(tx, user, teamId);
    if ('userId' in invitee) await requireNonMember(tx, user, { ...invitee, teamId });
    if ((await countOtherInvitations(tx, teamId, invitee)) >= MAX_INVITATIONS) {
      const message = `The team already has ${MAX_INVITATIONS} invitations. Revoke some that are no longer needed.`;
      throw new AppError('conflict', message);
    }
    const id = await upsertInvitation(tx, {
      id: newId('invitation', nowMs),
      teamId,
      invitee,
      role: input.role,
      invitedBy: user.userId,
      createdAt: new Date(nowMs),
      expiresAt: new Date(nowMs + INVITATION_DAYS * 86_400_000),
    });
    const invitation = await getTeamInvitationRow(tx, { teamId, invitationId: id });
    recordInvitation(tx, user, 'invitation.created', invitation);
    const isMailed = mayMail && (await mailInvitation(tx, deps, user, invitation));
    return { ...presentTeamInvitation(deps, invitation), isMailed };
  });
}

/** Mails the link, whether or not an account has the email. */
async function mailInvitation(
  tx: Tx,
  deps: Pick<Deps, 'settings'>,
  { userId }: UserActor,
  { id, email, user_id, team_name, invited_by, expires_at }: InvitationRow,
): Promise<boolean> {
  const address = email ?? (user_id === null ? undefined : (await findUser(tx, user_id))?.email);
  if (address === undefined) return false;
  const [inviter, team] = [shortenName(invited_by ?? 'Somebody'), shortenName(team_name)];
  return insertMail(tx, {
    userId: user_id,
    address,
    account: `user:${userId}`,
    kind: 'invitation',
    cause: id,
    expiresAt: expires_at,
    content: {
      subject: `${inviter} invited you to the team “${team}”`,
      paragraphs: [
        `${inviter} invited you to the team “${team}” at ${new URL(deps.settings.BASE_URL).host}.`,
        `Sign in with the address ${address} to accept or decline. If you have no account yet, ask ${inviter} how to get one.`,
        'If you do not know this person, ignore this mail.',
      ],
      buttons: [{ label: 'Open the invitation', path: toPath(id) }],
      reason: 'somebody invited this address',
    },
  });
}

const toPath = (id: string): string => `/settings/teams?invitation=${id}`;

/**
 * Throws 409 if the user is a member. Invited emails are not compared with the members' emails, because the response
 * would reveal that a member has the email.
 */
async function requireNonMember(
  tx: Tx,
  user: UserActor,
  { teamId, userId }: { readonly teamId: string; readonly userId: number },
): Promise<void> {
  await getKnownUser(tx, user, userId);
  if ((await findMember(tx, teamId, userId)) === undefined) return;
  throw new AppError('conflict', 'This user is already in the team. PATCH the member to change the role.');
}

/** Lists the invitations of a team. Only for OWNERs. Throws 403, 404. */
export async function listTeamInvitations(deps: Deps, actor: Actor, teamId: string, query: PageQuery) {
  const user = requireScope(actor, 'account:admin');
  await requireTeamOwner(deps.db, user, teamId);
  return readPage(
    query,
    byId('invitation'),
    page => listInvitationsOfTeam(deps.db, teamId, page),
    invitation => presentTeamInvitation(deps, invitation),
  );
}

/** Returns an invitation of a team. Only for OWNERs. Throws 403, 404. */
export async function readTeamInvitation(deps: Deps, actor: Actor, id: InvitationId) {
  const user = requireScope(actor, 'account:admin');
  await requireTeamOwner(deps.db, user, id.teamId);
  return presentTeamInvitation(deps, await getTeamInvitationRow(deps.db, id));
}

/** Revokes an invitation of a team. Only for OWNERs. Throws 403, 404. */
export async function revokeInvitation(deps: Deps, actor: Actor, id: InvitationId): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  await deps.db.transaction(async tx => {
    await lockTeam(tx, id.teamId);
    await requireTeamOwner(tx, user, id.teamId);
    const invitation = await getTeamInvitationRow(tx, id);
    await deleteInvitation(tx, id.invitationId);
    recordInvitation(tx, user, 'invitation.revoked', invitation);
  });
}

/** Lists the invitations that the caller can accept. */
export async function listOwnInvitations(deps: Deps, actor: Actor, query: PageQuery) {
  const { userId } = requireScope(actor, 'account:admin');
  const now = new Date(deps.now());
  return readPage(
    query,
    byId('invitation'),
    page => listInvitationsOfUser(deps.db, userId, now, page),
    presentOwnInvitation,
  );
}

/** Returns an invitation of the caller. Throws 403 if it is for someone else, 404 if it was deleted or has expired. */
export async function readOwnInvitation(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'account:admin');
  return presentOwnInvitation(await getOwnInvitationRow(deps, deps.db, user, id));
}

/** Makes the caller a member; an existing member keeps the role. Throws 403 and 404 like `readOwnInvitation`. */
export async function acceptInvitation(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'account:admin');
  return answerInvitation(deps, user, id, 'invitation.accepted', async (tx, { team_id, role }) => {
    await insertMember(tx, team_id, user.userId, role);
    return presentTeam(await getTeam(tx, user, team_id));
  });
}

/** Declines an invitation of the caller. Throws 403 and 404 like `readOwnInvitation`. */
export async function declineInvitation(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  await answerInvitation(deps, user, id, 'invitation.declined', async () => undefined);
}

/**
 * Applies the change and deletes the invitation. Locks the team first, so that acceptance, revocation and deletion of
 * the team exclude each other.
 */
async function answerInvitation<T>(
  deps: Deps,
  user: UserActor,
  id: string,
  action: InvitationAction,
  apply: (tx: Tx, invitation: InvitationRow) => Promise<T>,
): Promise<T> {
  return deps.db.transaction(async tx => {
    const { team_id } = await getOwnInvitationRow(deps, tx, user, id);
    await lockTeam(tx, team_id);
    const invitation = await getOwnInvitationRow(deps, tx, user, id);
    await deleteInvitation(tx, id);
    recordInvitation(tx, user, action, invitation);
    return apply(tx, invitation);
  });
}

type InvitationAction = Extract<AuditAction, `invitation.${string}`>;

/** An invited email is kept as the name, because it may belong to nobody. */
function recordInvitation(
  tx: Transaction,
  user: UserActor,
  action: InvitationAction,
  { id, email, user_id, team_id, role }: InvitationRow,
): void {
  const target = user_id === null ? id : toUserTarget(user_id);
  recordAudit(tx, user, { action, target, name: email, teamId: team_id, after: { role } });
}

async function getTeamInvitationRow(tx: Tx, { teamId, invitationId }: InvitationId): Promise<InvitationRow> {
  const invitation = await findInvitation(tx, invitationId);
  if (invitation?.team_id !== teamId) throw new AppError('not_found', 'Invitation not found.');
  return invitation;
}

async function getOwnInvitationRow(
  { now }: Pick<Deps, 'now'>,
  tx: Tx,
  { userId }: UserActor,
  id: string,
): Promise<InvitationRow> {
  const invitation = await findInvitation(tx, id);
  if (invitation === undefined)
    throw new AppError('not_found', 'Invitation not found. It may have been answered or revoked already.');
  const user = await findUser(tx, userId);
  const isInvited =
    invitation.email === null
      ? invitation.user_id === userId
      : invitation.email.toLowerCase() === user?.email.toLowerCase();
  if (!isInvited) {
    const message = 'The invitation is for another account. Sign in with the invited account.';
    throw new AppError('forbidden', message);
  }
  if (invitation.expires_at.getTime() <= now())
    throw new AppError('not_found', 'The invitation has expired. Ask the owner of the team for a new one.');
  return invitation;
}

function presentTeamInvitation({ settings, now }: Pick<Deps, 'settings' | 'now'>, invitation: InvitationRow) {
  return {
    ...presentColumns(invitation, 'id email user_id name role invited_by created_at expires_at'),
    isExpired: invitation.expires_at.getTime() <= now(),
    url: settings.BASE_URL + toPath(invitation.id),
  };
}

const presentOwnInvitation = (invitation: InvitationRow) => ({
  ...presentColumns(invitation, 'id role invited_by created_at expires_at'),
  team: { id: invitation.team_id, name: invitation.team_name },
});
