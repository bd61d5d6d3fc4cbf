// Invitations to teams. An invitation is to an email, whether or not there is an account with it: owners learn of none
// before it is accepted, and make none. Whom the inviter knows from another team can be invited by user id too. The
// invited accepts or declines; the link that an owner passes on opens nothing to anybody else. Emails of accounts come from
// administrators and from identity providers that have verified them.
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import {
  countOtherInvitations,
  deleteInvitation,
  findInvitation,
  type InvitationRow,
  listInvitationsOfTeam,
  listInvitationsOfUser,
  putInvitation,
} from '../../store/people/invitations.ts';
import { findMember, insertMember, lockTeam, type TeamRole } from '../../store/teams.ts';
import { findUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, readPage } from '../paging.ts';
import type { SomebodyInput } from './account.schema.ts';
import { getAcquaintance, parseSomebody } from './accounts.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';
import { getTeam, presentTeam, requireManager } from './teams.ts';

const INVITATION_DAYS = 7;
/** Of a team, expired ones included. */
const MAX_INVITATIONS = 100;

export interface InvitationId {
  readonly teamId: string;
  readonly invitationId: string;
}

/**
 * Invites an email or a user, or renews that invitation. Only for OWNERs. Throws 403, 404 also for a user whom the caller
 * does not know, 409 for a member named by id, and if the team has too many invitations.
 */
export async function inviteToTeam(
  deps: Pick<Deps, 'db' | 'now' | 'settings'>,
  actor: Actor,
  teamId: string,
  input: SomebodyInput & { readonly role: TeamRole },
) {
  const user = requireScope(actor, 'account:admin');
  const invited = parseSomebody(input);
  const nowMs = deps.now();
  return deps.db.transaction(async tx => {
    await lockTeam(tx, teamId);
    await requireManager(tx, user, teamId);
    if ('userId' in invited) await requireStranger(tx, user, { ...invited, teamId });
    if ((await countOtherInvitations(tx, teamId, invited)) >= MAX_INVITATIONS) {
      const message = `The team already has ${MAX_INVITATIONS} invitations. Revoke some that are no longer needed.`;
      throw new AppError('conflict', message);
    }
    const id = await putInvitation(tx, {
      id: newId('invitation', nowMs),
      teamId,
      invited,
      role: input.role,
      invitedBy: user.userId,
      createdAt: new Date(nowMs),
      expiresAt: new Date(nowMs + INVITATION_DAYS * 86_400_000),
    });
    return presentSent(deps, await getSent(tx, { teamId, invitationId: id }));
  });
}

/** An email is not compared with those of the members: the answer would tell whose it is. */
async function requireStranger(
  tx: Tx,
  user: UserActor,
  { teamId, userId }: { readonly teamId: string; readonly userId: number },
): Promise<void> {
  await getAcquaintance(tx, user, userId);
  if ((await findMember(tx, teamId, userId)) === undefined) return;
  throw new AppError('conflict', 'This user is already in the team. PATCH the member to change the role.');
}

/** Only for OWNERs. Throws 403, 404. */
export async function listTeamInvitations(deps: Deps, actor: Actor, teamId: string, query: PageQuery) {
  const user = requireScope(actor, 'account:admin');
  await requireManager(deps.db, user, teamId);
  return readPage(
    query,
    byId('invitation'),
    part => listInvitationsOfTeam(deps.db, teamId, part),
    invitation => presentSent(deps, invitation),
  );
}

/** Only for OWNERs. Throws 403, 404. */
export async function readTeamInvitation(deps: Deps, actor: Actor, id: InvitationId) {
  const user = requireScope(actor, 'account:admin');
  await requireManager(deps.db, user, id.teamId);
  return presentSent(deps, await getSent(deps.db, id));
}

/** Only for OWNERs. Throws 403, 404. */
export async function revokeInvitation(deps: Deps, actor: Actor, id: InvitationId): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  await deps.db.transaction(async tx => {
    await lockTeam(tx, id.teamId);
    await requireManager(tx, user, id.teamId);
    await getSent(tx, id);
    await deleteInvitation(tx, id.invitationId);
  });
}

/** The invitations to the caller that can be accepted. */
export async function listOwnInvitations(deps: Deps, actor: Actor, query: PageQuery) {
  const { userId } = requireScope(actor, 'account:admin');
  const now = new Date(deps.now());
  return readPage(
    query,
    byId('invitation'),
    part => listInvitationsOfUser(deps.db, userId, now, part),
    presentReceived,
  );
}

/** Throws 403 for one to somebody else, 404 for one that is gone or has expired. */
export async function readOwnInvitation(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'account:admin');
  return presentReceived(await getReceived(deps, deps.db, user, id));
}

/** Makes the caller a member; whoever is one already keeps the role. Throws 403, 404 as `readOwnInvitation`. */
export async function acceptInvitation(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'account:admin');
  return endInvitation(deps, user, id, async (tx, { team_id, role }) => {
    await insertMember(tx, team_id, user.userId, role);
    return presentTeam(await getTeam(tx, user, team_id));
  });
}

/** Throws 403, 404 as `readOwnInvitation`. */
export async function declineInvitation(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  await endInvitation(deps, user, id, async () => undefined);
}

/** The team's lock comes first, as wherever it changes: of an answer, a revocation and the team's end one is the first. */
async function endInvitation<T>(
  deps: Deps,
  user: UserActor,
  id: string,
  answer: (tx: Tx, invitation: InvitationRow) => Promise<T>,
): Promise<T> {
  return deps.db.transaction(async tx => {
    const { team_id } = await getReceived(deps, tx, user, id);
    await lockTeam(tx, team_id);
    const invitation = await getReceived(deps, tx, user, id);
    await deleteInvitation(tx, id);
    return answer(tx, invitation);
  });
}

async function getSent(tx: Tx, { teamId, invitationId }: InvitationId): Promise<InvitationRow> {
  const invitation = await findInvitation(tx, invitationId);
  if (invitation?.team_id !== teamId) throw new AppError('not_found', 'Invitation not found.');
  return invitation;
}

async function getReceived(
  { now }: Pick<Deps, 'now'>,
  tx: Tx,
  { userId }: UserActor,
  id: string,
): Promise<InvitationRow> {
  const invitation = await findInvitation(tx, id);
  if (invitation === undefined)
    throw new AppError('not_found', 'Invitation not found. It was already answered or revoked.');
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

function presentSent({ settings, now }: Pick<Deps, 'settings' | 'now'>, invitation: InvitationRow) {
  return {
    id: invitation.id,
    email: invitation.email,
    userId: invitation.user_id,
    name: invitation.name,
    role: invitation.role,
    invitedBy: invitation.invited_by,
    createdAt: invitation.created_at.toISOString(),
    expiresAt: invitation.expires_at.toISOString(),
    isExpired: invitation.expires_at.getTime() <= now(),
    url: `${settings.BASE_URL}/settings/teams?invitation=${invitation.id}`,
  };
}

function presentReceived(invitation: InvitationRow) {
  return {
    id: invitation.id,
    team: { id: invitation.team_id, name: invitation.team_name },
    role: invitation.role,
    invitedBy: invitation.invited_by,
    createdAt: invitation.created_at.toISOString(),
    expiresAt: invitation.expires_at.toISOString(),
  };
}
