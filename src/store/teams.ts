// Stores teams and their members.
import type { Policy } from '../graph/policy.ts';
import { removeCredentialsOfWorkspace } from './credentials.ts';
import type { Tx } from './db.ts';
import { deleteNoticesOfWorkspace } from './notices.ts';
import { isStillMemberSql } from './permissions.ts';
import {
  all,
  first,
  firstNumber,
  firstValue,
  insertMissingRow,
  insertRow,
  matches,
  type PageRange,
  updateRow,
} from './rows.ts';
import { MONTH_NOW } from './spenders.ts';

export const TEAM_ROLES = ['OWNER', 'EDITOR', 'VIEWER'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** A team with the requesting member's role. */
export interface TeamRow {
  readonly id: string;
  readonly name: string;
  readonly role: TeamRole;
  readonly requires_second_factor: boolean;
  readonly created_at: Date;
}

export interface MemberRow {
  readonly user_id: number;
  readonly name: string;
  readonly role: TeamRole;
  /** In credits; null if there is no limit. */
  readonly monthly_credits: number | null;
  /** Credits charged to and reserved for the member's runs that were accepted this month (UTC). */
  readonly spent_this_month: number;
  /** Whether a group of the identity provider gave the membership. */
  readonly from_group: boolean;
  readonly created_at: Date;
}

const SELECT_TEAMS = `
select t.id, t.name, m.role, t.requires_second_factor, t.created_at
from team_members m join teams t on t.id = m.team_id
where m.user_id = $1`;

/** Returns the team, or undefined if it does not exist or the user is not in it. */
export function findTeam(tx: Tx, userId: number, teamId: string): Promise<TeamRow | undefined> {
  return first(tx, `${SELECT_TEAMS} and t.id = $2`, [userId, teamId]);
}

/** Returns whether the workspace is a team that requires a second factor. */
export function requiresSecondFactor(tx: Tx, workspace: string): Promise<boolean> {
  return matches(tx, 'select from teams where id = $1 and requires_second_factor', [workspace]);
}

export function teamExists(tx: Tx, teamId: string): Promise<boolean> {
  return matches(tx, 'select from teams where id = $1', [teamId]);
}

/** Returns whether the workspace is a team that the user is not in. */
export async function isOutsideTeam(tx: Tx, workspace: string, userId: number): Promise<boolean> {
  return !(await matches(tx, `select where ${isStillMemberSql('$1::text', '$2::int')}`, [workspace, userId]));
}

/** Returns the user's active team, or undefined in the personal workspace. */
export function findActiveTeam(tx: Tx, userId: number): Promise<TeamRow | undefined> {
  return first(tx, `${SELECT_TEAMS} and t.id = (select active_team_id from users where id = $1)`, [userId]);
}

/** Lists the teams of a user by id, after the cursor. */
export function listTeams(tx: Tx, userId: number, page: PageRange<string>): Promise<readonly TeamRow[]> {
  return all(tx, `${SELECT_TEAMS} and t.id > $2 order by t.id limit $3`, [
    userId,
    page.after ?? '',
    page.limit,
  ]);
}

export function insertTeam(
  tx: Tx,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  return insertRow(tx, 'teams', { id, name });
}

/** Returns the policy of the team; null if it allows everything or the workspace is personal. */
export async function findPolicy(tx: Tx, workspace: string): Promise<Policy | null> {
  return (await firstValue<Policy>(tx, 'select policy from teams where id = $1', [workspace])) ?? null;
}

/** Sets the policy of a team, or allows everything. */
export async function setPolicy(tx: Tx, teamId: string, policy: Policy | null): Promise<void> {
  await tx.query('update teams set policy = $2::jsonb where id = $1', [
    teamId,
    policy === null ? null : JSON.stringify(policy),
  ]);
}

export async function updateTeam(
  tx: Tx,
  { id, name, requires_second_factor }: Pick<TeamRow, 'id' | 'name' | 'requires_second_factor'>,
): Promise<void> {
  await updateRow(tx, 'teams', id, { name, requires_second_factor });
}

/** Locks the team against changes and new references until the transaction ends. */
export async function lockTeamForDeletion(tx: Tx, teamId: string): Promise<void> {
  await tx.query('select from teams where id = $1 for update', [teamId]);
}

/** Counts the workflows of a team that are not deleted. */
export function countTeamWorkflows(tx: Tx, teamId: string): Promise<number> {
  return firstNumber(
    tx,
    'select count(*)::int as count from workflows where team_id = $1 and deleted_at is null',
    [teamId],
  );
}

/** Deletes the team. Its media and uploads then belong to their uploaders, its deleted workflows to their creators. */
export async function deleteEmptyTeam(tx: Tx, teamId: string): Promise<void> {
  await tx.query('update workflows set team_id = null, folder_id = null where team_id = $1', [teamId]);
  await tx.query(`update media set workspace = 'user:' || user_id where workspace = $1`, [teamId]);
  await tx.query(`update media_uploads set workspace = 'user:' || user_id where workspace = $1`, [teamId]);
  await tx.query('delete from media_collections where workspace = $1', [teamId]);
  await removeCredentialsOfWorkspace(tx, teamId);
  await deleteNoticesOfWorkspace(tx, teamId);
  await tx.query('delete from triggers where workspace = $1', [teamId]);
  await tx.query('delete from teams where id = $1', [teamId]);
}

/** Keeps other transactions from changing the team's members until this one ends. */
export async function lockTeam(tx: Tx, teamId: string): Promise<void> {
  await tx.query('select from teams where id = $1 for no key update', [teamId]);
}

const SELECT_MEMBERS = `
select m.user_id, u.name, m.role, m.from_group, n.monthly_credits, m.created_at, coalesce((
    select sum(s.spent) from spender_months s
    where s.month = ${MONTH_NOW} and s.workspace = m.team_id and s.user_id = m.user_id), 0)::bigint as spent_this_month
from team_members m join users u on u.id = m.user_id
  left join member_limits n on n.team_id = m.team_id and n.user_id = m.user_id
where m.team_id = $1`;

export function findMember(tx: Tx, teamId: string, userId: number): Promise<MemberRow | undefined> {
  return first(tx, `${SELECT_MEMBERS} and m.user_id = $2`, [teamId, userId]);
}

/** Lists members by user id, after the cursor. */
export function listMembers(tx: Tx, teamId: string, page: PageRange<number>): Promise<readonly MemberRow[]> {
  return all(tx, `${SELECT_MEMBERS} and m.user_id > $2 order by m.user_id limit $3`, [
    teamId,
    page.after ?? 0,
    page.limit,
  ]);
}

/** Returns false if the user is already a member. */
export function insertMember(tx: Tx, teamId: string, userId: number, role: TeamRole): Promise<boolean> {
  return insertMissingRow(tx, 'team_members', { team_id: teamId, user_id: userId, role });
}

/** Changes the role of a member. Groups no longer change or remove the membership. */
export async function updateMemberRole(
  tx: Tx,
  teamId: string,
  userId: number,
  role: TeamRole,
): Promise<void> {
  await tx.query(
    'update team_members set role = $3, from_group = false where team_id = $1 and user_id = $2',
    [teamId, userId, role],
  );
}

/** Sets the monthly limit of a member in credits, or removes it. It stays when the membership ends, for when it begins again. */
export async function setMemberLimit(
  tx: Tx,
  teamId: string,
  userId: number,
  credits: number | null,
): Promise<void> {
  await (credits === null
    ? tx.query('delete from member_limits where team_id = $1 and user_id = $2', [teamId, userId])
    : tx.query(
        `insert into member_limits (team_id, user_id, monthly_credits) values ($1, $2, $3)
         on conflict (team_id, user_id) do update set monthly_credits = excluded.monthly_credits`,
        [teamId, userId, credits],
      ));
}

export async function deleteMember(tx: Tx, teamId: string, userId: number): Promise<void> {
  await tx.query('delete from team_members where team_id = $1 and user_id = $2', [teamId, userId]);
}

/** Returns whether the two users share a team. */
export function haveCommonTeam(tx: Tx, userId: number, otherId: number): Promise<boolean> {
  return matches(
    tx,
    `select from team_members a join team_members b on b.team_id = a.team_id
     where a.user_id = $1 and b.user_id = $2 limit 1`,
    [userId, otherId],
  );
}

/** Returns whether the team has another owner besides the user. */
export function hasOtherOwner(tx: Tx, teamId: string, userId: number): Promise<boolean> {
  return matches(
    tx,
    `select from team_members where team_id = $1 and user_id <> $2 and role = 'OWNER' limit 1`,
    [teamId, userId],
  );
}
