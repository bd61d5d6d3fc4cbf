// Stores direct shares of workflows with users and emails, and defines SQL conditions for who may read or edit a workflow.
import type { Tx } from './db.ts';
import { all, first, firstNumber, firstValue, matches, type PageRange } from './rows.ts';

export const SHARE_ROLES = ['VIEW', 'EDIT', 'OWNER'] as const;
export type ShareRole = (typeof SHARE_ROLES)[number];

/** A share with a user or an email, as the workflow's owners see it. */
export interface PermissionRow {
  /** The position of the share in the list. */
  readonly position: number;
  /** null for an email whose user has not opened the workflow. */
  readonly user_id: number | null;
  readonly name: string | null;
  /** null for a share by user id. */
  readonly email: string | null;
  readonly role: ShareRole;
  readonly created_at: Date;
}

/** Shares with users come first, by user id, which is below 2^31. */
const FIRST_EMAIL_POSITION = 2_147_483_648;
const SHARES = `(
  select p.user_id::float8 as position, p.workflow_id, p.user_id, u.name, null as email, p.role, p.created_at
  from workflow_permissions p join users u on u.id = p.user_id
  union all
  select ${FIRST_EMAIL_POSITION} + s.id::float8, s.workflow_id, u.id, u.name, s.email, s.role, s.created_at
  from workflow_email_shares s left join users u on u.id = s.opened_by and lower(u.email) = lower(s.email))`;

/** SQL: the shares of users, by id and by email. A user may have both shares for one workflow. */
export const USER_SHARES = `(
  select workflow_id, user_id, role from workflow_permissions
  union all
  select s.workflow_id, u.id, s.role from workflow_email_shares s join users u on lower(u.email) = lower(s.email))`;

/** SQL: the stronger role of a user's shares by id and by email. Requires `joinShares`. */
export const STRONGER_ROLE = `case when 'OWNER' in (p.role, s.role) then 'OWNER' when 'EDIT' in (p.role, s.role) then 'EDIT'
    else coalesce(p.role, s.role) end`;
/** Returns the SQL joins of the shares `p` and `s` of the user with the workflow `w`. */
export const joinShares = (userId: string): string => `
left join workflow_permissions p on p.workflow_id = w.id and p.user_id = ${userId}
left join workflow_email_shares s on s.workflow_id = w.id
  and lower(s.email) = (select lower(u.email) from users u where u.id = ${userId})`;

/** SQL: whether the user has not opened the workflow `w` since it was shared with the user. Requires `joinShares`. */
export const isShareNewSql = (userId: string): string =>
  `(p.user_id is not null and p.opened_at is null or s.id is not null and s.opened_by is distinct from ${userId})`;

/** Lists the shares of a workflow by position, after the cursor. */
export function listPermissions(
  tx: Tx,
  workflowId: string,
  page: PageRange<number>,
): Promise<readonly PermissionRow[]> {
  return all(
    tx,
    `select * from ${SHARES} s where s.workflow_id = $1 and s.position > $2 order by s.position limit $3`,
    [workflowId, page.after ?? -1, page.limit],
  );
}

/** Shares the workflow with the user, or changes the role of an existing share. Returns the position of a new share. */
export function upsertPermission(
  tx: Tx,
  share: { readonly workflowId: string; readonly userId: number; readonly role: ShareRole },
  sharedBy: number,
): Promise<number | undefined> {
  return firstValue(
    tx,
    `insert into workflow_permissions (workflow_id, user_id, role, shared_by) values ($1, $2, $3, $4)
     on conflict (workflow_id, user_id) do update set role = excluded.role
     returning case when xmax = 0 then user_id::float8 end as position`,
    [share.workflowId, share.userId, share.role, sharedBy],
  );
}

/** Changes the role of the shares that owners can attribute to the user. Returns false if there are none. */
export function updatePermission(
  tx: Tx,
  permission: { readonly workflowId: string; readonly userId: number; readonly role: ShareRole },
): Promise<boolean> {
  return matches(
    tx,
    `with direct as (
       update workflow_permissions set role = $3 where workflow_id = $1 and user_id = $2 returning 1),
     by_email as (
       update workflow_email_shares set role = $3 where workflow_id = $1 and opened_by = $2 returning 1)
     select from direct union all select from by_email`,
    [permission.workflowId, permission.userId, permission.role],
  );
}

/**
 * Shares the workflow with an email, or changes the role of that share. Returns the position of a new share. Takes the same
 * time for every email.
 */
export function upsertEmailShare(
  tx: Tx,
  share: { readonly workflowId: string; readonly email: string; readonly role: ShareRole },
  sharedBy: number,
): Promise<number | undefined> {
  return firstValue(
    tx,
    `insert into workflow_email_shares (workflow_id, email, role, shared_by) values ($1, $2, $3, $4)
     on conflict (workflow_id, lower(email)) do update set role = excluded.role
     returning case when xmax = 0 then ${FIRST_EMAIL_POSITION} + id::float8 end as position`,
    [share.workflowId, share.email, share.role, sharedBy],
  );
}

/** A person who was invited to a workflow. */
export interface Invitee {
  /** null if no account has the email. */
  readonly user_id: number | null;
  /** null if the workflow was shared with an account. */
  readonly email: string | null;
  readonly role: ShareRole;
  readonly workflow_name: string;
  /** The user who shared the workflow, or its creator if that is unknown. */
  readonly shared_by: string;
  readonly shared_by_id: number;
}

/** Returns undefined if the share or the workflow was deleted. */
export function findInvitee(tx: Tx, workflowId: string, position: number): Promise<Invitee | undefined> {
  return first(
    tx,
    `select u.id as user_id, s.email, s.role, w.name as workflow_name, b.name as shared_by, b.id as shared_by_id
     from (
       select user_id::float8 as position, workflow_id, user_id, null as email, role, shared_by from workflow_permissions
       union all
       select ${FIRST_EMAIL_POSITION} + id::float8, workflow_id, null, email, role, shared_by from workflow_email_shares
     ) s
     join workflows w on w.id = s.workflow_id and w.deleted_at is null
     left join users u on u.id = s.user_id or lower(u.email) = lower(s.email)
     join users b on b.id = coalesce(s.shared_by, w.user_id)
     where s.workflow_id = $1 and s.position = $2`,
    [workflowId, position],
  );
}

/** Counts the workflow's shares with other emails than this one. */
export function countOtherEmailShares(tx: Tx, workflowId: string, email: string): Promise<number> {
  return firstNumber(
    tx,
    `select count(*)::int as count from workflow_email_shares where workflow_id = $1 and lower(email) <> lower($2)`,
    [workflowId, email],
  );
}

/** Returns the share with the user by id, as owners see it. */
export function findPermission(
  tx: Tx,
  workflowId: string,
  userId: number,
): Promise<PermissionRow | undefined> {
  return first(
    tx,
    `select * from ${SHARES} s where s.workflow_id = $1 and s.user_id = $2 order by s.position limit 1`,
    [workflowId, userId],
  );
}

/** Returns the share with the email, as owners see it. */
export function findEmailShare(
  tx: Tx,
  workflowId: string,
  email: string,
): Promise<PermissionRow | undefined> {
  return first(tx, `select * from ${SHARES} s where s.workflow_id = $1 and lower(s.email) = lower($2)`, [
    workflowId,
    email,
  ]);
}

/** Records that the user has opened the workflow, if it is shared with the user. */
export async function openShares(tx: Tx, workflowId: string, userId: number): Promise<void> {
  await tx.query(
    `with direct as (
       update workflow_permissions set opened_at = coalesce(opened_at, now()) where workflow_id = $1 and user_id = $2)
     update workflow_email_shares s set opened_by = u.id from users u
     where s.workflow_id = $1 and u.id = $2 and lower(s.email) = lower(u.email)`,
    [workflowId, userId],
  );
}

/** Deletes the shares that owners can attribute to the user. Returns false if there are none. */
export function deletePermission(tx: Tx, workflowId: string, userId: number): Promise<boolean> {
  return matches(
    tx,
    `with direct as (delete from workflow_permissions where workflow_id = $1 and user_id = $2 returning 1),
     by_email as (delete from workflow_email_shares where workflow_id = $1 and opened_by = $2 returning 1)
     select from direct union all select from by_email`,
    [workflowId, userId],
  );
}

/** Returns false if the workflow was not shared with the email. */
export function deleteEmailShare(tx: Tx, workflowId: string, email: string): Promise<boolean> {
  return matches(
    tx,
    'delete from workflow_email_shares where workflow_id = $1 and lower(email) = lower($2)',
    [workflowId, email],
  );
}

/** Deletes the user's shares of the team's workflows, by user id and by email. */
export async function deletePermissionsInTeam(tx: Tx, teamId: string, userId: number): Promise<void> {
  await tx.query(
    `with by_email as (
       delete from workflow_email_shares s using workflows w, users u
       where w.id = s.workflow_id and w.team_id = $1 and u.id = $2 and lower(s.email) = lower(u.email))
     delete from workflow_permissions p using workflows w
     where p.user_id = $2 and w.id = p.workflow_id and w.team_id = $1`,
    [teamId, userId],
  );
}

/** Returns the SQL condition that the user is in the team. Both parameters are SQL. */
export const isMemberSql = (teamId: string, userId: string): string =>
  `exists (select from team_members t where t.team_id = ${teamId} and t.user_id = ${userId})`;

/** Returns the SQL condition that the user created the workflow `w` and has not left its team since. */
export const isCreatorSql = (userId: string): string =>
  `(w.user_id = ${userId} and (w.team_id is null or ${isMemberSql('w.team_id', userId)}))`;

/**
 * Returns the SQL condition that a user who created something in the workspace has not left the workspace: it is personal,
 * a team of the user, or a deleted team. The condition is a scalar subquery, because the planner would turn any other
 * subquery into a join and lose the order of a list.
 */
export const isStillMemberSql = (workspace: string, userId: string): string =>
  `coalesce((select ${isMemberSql('g.id', userId)} from teams g where g.id = ${workspace}), true)`;

/** Returns the SQL condition that the team, which may be null, is none of those in the array. Both parameters are SQL. */
export const isNoneOfSql = (teamId: string, teams: string): string =>
  `(${teamId} = any (${teams}::text[])) is not true`;

/** The condition that user $1 may edit the workflow `w`, which belongs to the user or a team, or is shared with the user. */
export const EDITABLE = `w.deleted_at is null and (
  ${isCreatorSql('$1::int')}
  or exists (select from team_members t where t.team_id = w.team_id and t.user_id = $1::int and t.role in ('OWNER', 'EDITOR'))
  or exists (select from ${USER_SHARES} p where p.workflow_id = w.id and p.user_id = $1::int and p.role in ('OWNER', 'EDIT')))`;

/**
 * Returns the SQL condition that the user may read the current graph of the workflow `w`. Visitors of a publication read
 * only the published version.
 */
export const isReadableSql = (userId: string): string => `w.deleted_at is null and (
  w.link_permission <> 'PRIVATE'
  or ${isCreatorSql(userId)}
  or ${isMemberSql('w.team_id', userId)}
  or exists (select from ${USER_SHARES} p where p.workflow_id = w.id and p.user_id = ${userId}))`;

/** The condition that user $1 may read the current graph of the workflow `w`. */
export const READABLE = isReadableSql('$1::int');
