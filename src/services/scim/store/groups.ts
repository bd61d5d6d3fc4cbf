// Stores the groups that an identity provider manages by SCIM, and their members.
import type { Tx } from '../../../store/db.ts';
import { all, allValues, first, firstNumber, insertRow, matches } from '../../../store/rows.ts';
import { type ResourceSql, USER_ID } from './conditions.ts';

export interface ScimGroupRow {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const SELECT =
  'select g.id, g.display_name, g.external_id, g.created_at, g.updated_at from scim_groups g where true';

const IS_MEMBER = `g.id in (select m.group_id from scim_group_members m where m.user_id = ${USER_ID})`;

export const GROUP_RESOURCES: ResourceSql = {
  select: SELECT,
  filters: {
    id: 'g.id = $1',
    displayname: 'lower(g.display_name) = lower($1)',
    externalid: 'g.external_id = $1',
    members: IS_MEMBER,
    'members.value': IS_MEMBER,
  },
  order: 'g.id',
};

export function findScimGroup(tx: Tx, id: string): Promise<ScimGroupRow | undefined> {
  return first(tx, `${SELECT} and g.id = $1`, [id]);
}

/**
 * Returns whether another group has the name, or one of them is the external ID of another: mappings name groups by both, so that nobody may
 * create a group that is mistaken for another.
 */
export function isGroupNameTaken(
  tx: Tx,
  { id, display_name, external_id }: Pick<ScimGroupRow, 'id' | 'display_name' | 'external_id'>,
): Promise<boolean> {
  return matches(
    tx,
    `select from scim_groups where id <> $1 and (
       lower(display_name) = lower($2) or external_id = $2 or external_id = $3 or lower(display_name) = lower($3))`,
    [id, display_name, external_id],
  );
}

export async function insertScimGroup(tx: Tx, group: ScimGroupRow): Promise<void> {
  await insertRow(tx, 'scim_groups', group);
}

export async function updateScimGroup(tx: Tx, group: ScimGroupRow): Promise<void> {
  await tx.query(
    'update scim_groups set display_name = $2, external_id = $3, updated_at = $4 where id = $1',
    [group.id, group.display_name, group.external_id, group.updated_at],
  );
}

export async function deleteScimGroup(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from scim_groups where id = $1', [id]);
}

export interface GroupMember {
  readonly group_id: string;
  readonly user_id: number;
  readonly name: string;
}

/** Lists the members of the groups, at most `limit`. */
export function listGroupMembers(
  tx: Tx,
  groupIds: readonly string[],
  limit: number,
): Promise<readonly GroupMember[]> {
  return all(
    tx,
    `select m.group_id, m.user_id, u.name from scim_group_members m join users u on u.id = m.user_id
     where m.group_id = any ($1::text[]) order by m.group_id, m.user_id limit $2`,
    [groupIds, limit],
  );
}

export function listMemberIds(tx: Tx, groupId: string): Promise<readonly number[]> {
  return allValues(tx, 'select user_id from scim_group_members where group_id = $1', [groupId]);
}

/** Adds accounts that the provider manages. Returns how many of the ids are those of such accounts. */
export async function addGroupMembers(tx: Tx, groupId: string, userIds: readonly number[]): Promise<number> {
  return firstNumber(
    tx,
    `with known as (
       select user_id from scim_users where user_id = any ($2::int[]) and deleted_at is null),
     added as (
       insert into scim_group_members (group_id, user_id) select $1, user_id from known on conflict do nothing)
     select count(*)::int as count from known`,
    [groupId, userIds],
  );
}

/** Removes these members, or all if `userIds` is null. */
export async function removeGroupMembers(
  tx: Tx,
  groupId: string,
  userIds: readonly number[] | null,
): Promise<void> {
  await tx.query(
    'delete from scim_group_members where group_id = $1 and ($2::int[] is null or user_id = any ($2))',
    [groupId, userIds],
  );
}

export function countGroupMembers(tx: Tx, groupId: string): Promise<number> {
  return firstNumber(tx, 'select count(*)::int as count from scim_group_members where group_id = $1', [
    groupId,
  ]);
}
