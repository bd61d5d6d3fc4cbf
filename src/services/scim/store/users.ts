// Stores the accounts that an identity provider manages by SCIM.
import type { Tx } from '../../../store/db.ts';
import { first, insertRow, matches } from '../../../store/rows.ts';
import { type ResourceSql, USER_ID } from './conditions.ts';

/** A managed account with what the provider sent about it. */
export interface ScimUserRow {
  readonly user_id: number;
  readonly user_name: string;
  readonly external_id: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly is_deactivated: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly email: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly is_admin: boolean;
  readonly has_password: boolean;
}

const SELECT = `
select s.user_id, s.user_name, s.external_id, s.given_name, s.family_name, s.is_deactivated, s.created_at, s.updated_at,
  u.email, u.name, u.disabled, u.is_admin, u.password is not null as has_password
from scim_users s join users u on u.id = s.user_id
where s.deleted_at is null`;

export const USER_RESOURCES: ResourceSql = {
  select: SELECT,
  filters: {
    id: `s.user_id = ${USER_ID}`,
    username: 'lower(s.user_name) = lower($1)',
    externalid: 's.external_id = $1',
    emails: 'lower(u.email) = lower($1)',
    'emails.value': 'lower(u.email) = lower($1)',
    'emails[type eq "work"].value': 'lower(u.email) = lower($1)',
    active: `(not u.disabled)::text = lower($1)`,
  },
  order: 's.user_id',
};

export function findScimUser(tx: Tx, userId: number): Promise<ScimUserRow | undefined> {
  return first(tx, `${SELECT} and s.user_id = $1`, [userId]);
}

export function hasScimUserName(tx: Tx, userName: string): Promise<boolean> {
  return matches(tx, 'select from scim_users where deleted_at is null and lower(user_name) = lower($1)', [
    userName,
  ]);
}

/** Returns whether the provider managed the account before, or the person has signed in with it. */
export function belongsToProvider(tx: Tx, userId: number, issuer: string | undefined): Promise<boolean> {
  return matches(
    tx,
    `select where exists (select from scim_users where user_id = $1)
       or exists (select from identities where user_id = $1 and issuer = $2)`,
    [userId, issuer ?? null],
  );
}

export interface NewScimUser {
  readonly user_id: number;
  readonly user_name: string;
  readonly external_id: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
}

/** Makes the account a managed one. Throws a unique violation of `scim_users_name` if the user name is in use. */
export function insertScimUser(tx: Tx, user: NewScimUser, now: Date): Promise<void> {
  return insertRow(
    tx,
    'scim_users',
    { ...user, created_at: now, updated_at: now },
    `on conflict (user_id) do update set user_name = excluded.user_name, external_id = excluded.external_id,
       given_name = excluded.given_name, family_name = excluded.family_name, updated_at = excluded.updated_at,
       deleted_at = null`,
  );
}

/** Changes what the provider sent about the account. Throws like `insertScimUser`. */
export async function updateScimUser(tx: Tx, user: NewScimUser, now: Date): Promise<void> {
  await tx.query(
    `update scim_users set user_name = $2, external_id = $3, given_name = $4, family_name = $5, updated_at = $6
     where user_id = $1`,
    [user.user_id, user.user_name, user.external_id, user.given_name, user.family_name, now],
  );
}

/** Ends the management of the account. It stays known, so that the provider may manage it again. */
export async function deleteScimUser(tx: Tx, userId: number, now: Date): Promise<void> {
  await tx.query('update scim_users set deleted_at = $2 where user_id = $1', [userId, now]);
  await tx.query('delete from scim_group_members where user_id = $1', [userId]);
  await tx.query('delete from claimed_groups where user_id = $1', [userId]);
}

/** Disables or enables the account for the provider. */
export async function setDeactivated(tx: Tx, userId: number, isDeactivated: boolean): Promise<void> {
  await tx.query('update users set disabled = $2 where id = $1', [userId, isDeactivated]);
  await tx.query('update scim_users set is_deactivated = $2 where user_id = $1', [userId, isDeactivated]);
}
