// Deletes accounts: hands their work to others, and removes what names the person or gives access.
import { removeCredentialsOfWorkspace } from '../credentials.ts';
import type { Tx } from '../db.ts';
import { allValues, firstNumber, firstValue, matches } from '../rows.ts';
import { forgetDecisions } from './forget-decisions.ts';

/** Locks the account until the transaction ends. Returns false if it does not exist or is deleted. */
export function lockUser(tx: Tx, userId: number): Promise<boolean> {
  return matches(tx, 'select from users where id = $1 and deleted_at is null for no key update', [userId]);
}

/** Returns whether runs or batches of the account, or in its personal workspace, have not ended. */
export function hasActiveWork(tx: Tx, userId: number): Promise<boolean> {
  return matches(
    tx,
    `select where exists (select from executions where user_id = $1 and finished_at is null)
       or exists (select from executions where workspace = 'user:' || $1 and finished_at is null)
       or exists (select from batches where user_id = $1 and finished_at is null)`,
    [userId],
  );
}

/** Lists the names of the teams that would have no OWNER without the account. */
export function listTeamsOwnedOnlyBy(tx: Tx, userId: number): Promise<readonly string[]> {
  return allValues(
    tx,
    `select t.name from teams t join team_members m on m.team_id = t.id
     where m.user_id = $1 and m.role = 'OWNER' and not exists (
       select from team_members o where o.team_id = t.id and o.user_id <> $1 and o.role = 'OWNER')
     order by t.id`,
    [userId],
  );
}

/** Makes a user an OWNER of the teams that would have none without the account. */
export async function addOwnerToTeams(tx: Tx, userId: number, ownerId: number): Promise<void> {
  await tx.query(
    `insert into team_members (team_id, user_id, role)
     select m.team_id, $2, 'OWNER' from team_members m
     where m.user_id = $1 and m.role = 'OWNER' and not exists (
       select from team_members o where o.team_id = m.team_id and o.user_id <> $1 and o.role = 'OWNER')
     on conflict (team_id, user_id) do update set role = 'OWNER'`,
    [userId, ownerId],
  );
}

/** Returns the OWNER of the team who has been a member for the longest time, other than the user. */
export function findTeamOwner(tx: Tx, teamId: string, otherThan: number): Promise<number | undefined> {
  return firstValue(
    tx,
    `select m.user_id from team_members m join users u on u.id = m.user_id
     where m.team_id = $1 and m.role = 'OWNER' and m.user_id <> $2 and not u.disabled
     order by m.created_at, m.user_id limit 1`,
    [teamId, otherThan],
  );
}

/** Who gets the work of the personal workspace: a user, or a team with the OWNER who then counts as the creator. */
export interface Heir {
  readonly userId: number;
  readonly teamId: string | null;
}

export interface TransferredWork {
  readonly workflows: number;
  readonly media: number;
}

/** Hands over all work of the account. Its schedules, triggers and apps are paused, because they would run as somebody else. */
export async function transferWork(tx: Tx, userId: number, heir: Heir): Promise<TransferredWork> {
  const workspace = heir.teamId ?? `user:${heir.userId}`;
  const personal = [userId, heir.userId, heir.teamId];
  await tx.query(
    'update folders set user_id = $2, team_id = $3 where user_id = $1 and team_id is null',
    personal,
  );
  const workflows = await firstNumber(
    tx,
    `with moved as (
       update workflows set user_id = $2, team_id = $3, updated_at = greatest(now(), updated_at + interval '1 millisecond')
       where user_id = $1 and team_id is null returning deleted_at)
     select count(*) filter (where deleted_at is null)::int as count from moved`,
    personal,
  );
  // In a team, its longest-standing OWNER becomes the creator of what the account created there.
  for (const table of ['workflows', 'folders'])
    await tx.query(
      `update ${table} w set user_id = coalesce((
         select m.user_id from team_members m where m.team_id = w.team_id and m.role = 'OWNER' and m.user_id <> $1
         order by m.created_at, m.user_id limit 1), $2)
       where w.user_id = $1`,
      [userId, heir.userId],
    );
  const media = await firstNumber(
    tx,
    `with moved as (
       update media set workspace = $3, user_id = $2 where workspace = 'user:' || $1::int returning origin)
     select count(*) filter (where origin in ('upload', 'output'))::int as count from moved`,
    [userId, heir.userId, workspace],
  );
  await tx.query(`update media_collections set workspace = $2 where workspace = 'user:' || $1::int`, [
    userId,
    workspace,
  ]);
  await tx.query(
    `update schedules s set is_active = false, next_run_at = null, user_id = w.user_id, spender_id = null, key_id = null
     from workflows w where w.id = s.workflow_id and s.user_id = $1`,
    [userId],
  );
  await tx.query(
    `update triggers t set is_active = false, user_id = w.user_id, spender_id = null, key_id = null,
       workspace = coalesce(w.team_id, 'user:' || w.user_id)
     from workflows w where w.id = t.workflow_id and t.user_id = $1`,
    [userId],
  );
  await tx.query(
    `update apps a set is_enabled = false, user_id = w.user_id, key_id = null from workflows w where w.id = a.workflow_id and a.user_id = $1`,
    [userId],
  );
  for (const table of ['schedules', 'triggers'])
    await tx.query(`update ${table} set spender_id = null, key_id = null where spender_id = $1`, [userId]);
  return { workflows, media };
}

/** The tables of access and personal data, whose rows have a `user_id`. */
const PERSONAL = [
  'api_keys',
  'sessions',
  'sign_in_networks',
  'password_links',
  'totp_secrets',
  'passkeys',
  'recovery_codes',
  'factor_challenges',
  'identities',
  'oauth_grants',
  'claimed_groups',
  'scim_users',
  'scim_group_members',
  'team_members',
  'member_limits',
  'workflow_permissions',
  'team_invitations',
  'notices',
  'mails',
  'known_browsers',
  'media_favorites',
  'schedules',
  'triggers',
] as const;

/** Removes the access, secrets and personal data of the account. The work must have been handed over. */
export async function eraseUser(tx: Tx, userId: number): Promise<void> {
  await tx.query(
    `delete from workflow_email_shares s using users u where u.id = $1 and lower(s.email) = lower(u.email)`,
    [userId],
  );
  await tx.query(
    `delete from team_invitations i using users u where u.id = $1 and lower(i.email) = lower(u.email)`,
    [userId],
  );
  for (const table of PERSONAL) await tx.query(`delete from ${table} where user_id = $1`, [userId]);
  await forgetDecisions(tx, userId);
  await removeCredentialsOfWorkspace(tx, `user:${userId}`);
  await tx.query(
    `update users set email = 'deleted-' || id || '@deleted.invalid', name = 'Deleted user', password = null, disabled = true,
       is_admin = false, is_author = false, active_team_id = null, notice_settings = '{}', deleted_at = now()
     where id = $1`,
    [userId],
  );
}
