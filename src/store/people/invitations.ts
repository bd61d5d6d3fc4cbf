// Stores invitations to teams, by email or by account.
import type { Tx } from '../db.ts';
import { all, first, firstNumber, firstValue, matches, type PageRange } from '../rows.ts';
import type { TeamRole } from '../teams.ts';

export interface InvitationRow {
  readonly id: string;
  /** null if the invitation is for an account. */
  readonly email: string | null;
  /** null if the invitation is for an email. */
  readonly user_id: number | null;
  /** The name of the invited account. */
  readonly name: string | null;
  readonly role: TeamRole;
  readonly team_id: string;
  readonly team_name: string;
  /** The name of the inviting user; null if that account was deleted. */
  readonly invited_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const INVITATION = `
select i.id, i.email, i.user_id, invited.name, i.role, i.team_id, t.name as team_name, u.name as invited_by, i.created_at, i.expires_at
from team_invitations i join teams t on t.id = i.team_id left join users u on u.id = i.invited_by and u.deleted_at is null
left join users invited on invited.id = i.user_id`;

/** The recipient of an invitation. */
export type Invitee = { readonly email: string } | { readonly userId: number };

const getEmail = (invitee: Invitee): string | null => ('email' in invitee ? invitee.email : null);
const getUserId = (invitee: Invitee): number | null => ('userId' in invitee ? invitee.userId : null);

/** Creates the invitation, or renews the recipient's existing invitation to this team. Returns the invitation's id. */
export async function upsertInvitation(
  tx: Tx,
  invitation: {
    readonly id: string;
    readonly teamId: string;
    readonly invitee: Invitee;
    readonly role: TeamRole;
    readonly invitedBy: number;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  },
): Promise<string> {
  return (await firstValue(
    tx,
    `insert into team_invitations (id, team_id, email, user_id, role, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (team_id, ${'email' in invitation.invitee ? 'lower(email)' : 'user_id'}) do update set role = excluded.role, invited_by = excluded.invited_by,
       created_at = excluded.created_at, expires_at = excluded.expires_at
     returning id`,
    [
      invitation.id,
      invitation.teamId,
      getEmail(invitation.invitee),
      getUserId(invitation.invitee),
      invitation.role,
      invitation.invitedBy,
      invitation.createdAt,
      invitation.expiresAt,
    ],
  )) as string;
}

/** Counts the team's invitations to other recipients, including expired ones. */
export function countOtherInvitations(tx: Tx, teamId: string, invitee: Invitee): Promise<number> {
  return firstNumber(
    tx,
    `select count(*)::int as count from team_invitations
     where team_id = $1 and (lower(email) is distinct from lower($2) or user_id is distinct from $3)`,
    [teamId, getEmail(invitee), getUserId(invitee)],
  );
}

export function findInvitation(tx: Tx, id: string): Promise<InvitationRow | undefined> {
  return first(tx, `${INVITATION} where i.id = $1`, [id]);
}

/** Lists invitations by id, after the cursor, including expired ones. */
export function listInvitationsOfTeam(
  tx: Tx,
  teamId: string,
  page: PageRange<string>,
): Promise<readonly InvitationRow[]> {
  return all(tx, `${INVITATION} where i.team_id = $1 and i.id > $2 order by i.id limit $3`, [
    teamId,
    page.after ?? '',
    page.limit,
  ]);
}

/** Selects invitations to the user or the user's email that are not expired and not to a team that the user is in. */
const RECEIVED = `(i.user_id = $1 or lower(i.email) = (select lower(email) from users where id = $1)) and i.expires_at > $2
  and not exists (select from team_members m where m.team_id = i.team_id and m.user_id = $1)`;

/** Lists invitations by id, after the cursor. */
export function listInvitationsOfUser(
  tx: Tx,
  userId: number,
  now: Date,
  page: PageRange<string>,
): Promise<readonly InvitationRow[]> {
  return all(tx, `${INVITATION} where ${RECEIVED} and i.id > $3 order by i.id limit $4`, [
    userId,
    now,
    page.after ?? '',
    page.limit,
  ]);
}

export function countInvitationsOfUser(tx: Tx, userId: number, now: Date): Promise<number> {
  return firstNumber(tx, `select count(*)::int as count from team_invitations i where ${RECEIVED}`, [
    userId,
    now,
  ]);
}

/** Returns false if the invitation no longer exists. */
export function deleteInvitation(tx: Tx, id: string): Promise<boolean> {
  return matches(tx, 'delete from team_invitations where id = $1', [id]);
}
