// Stores which roles the groups of an identity provider give, and compares them with the members of teams.
import type { Tx } from '../../store/db.ts';
import { all, allValues, insertRows, matches } from '../../store/rows.ts';
import type { TeamRole } from '../../store/teams.ts';

export interface MappingRow {
  readonly group_name: string;
  readonly team_id: string;
  readonly role: TeamRole;
}

export interface NamedMapping extends MappingRow {
  readonly team_name: string;
}

/** Lists all mappings, by group and name of the team. */
export function listMappings(tx: Tx): Promise<readonly NamedMapping[]> {
  return all(
    tx,
    `select p.group_name, p.team_id, t.name as team_name, p.role
     from group_mappings p join teams t on t.id = p.team_id order by p.group_name, t.name, t.id`,
  );
}

/** Returns whether any group is mapped. */
export function hasMappings(tx: Tx): Promise<boolean> {
  return matches(tx, 'select from group_mappings limit 1');
}

/** Replaces all mappings. Forgets the claims of groups that are no longer mapped. */
export async function replaceMappings(tx: Tx, rows: readonly MappingRow[]): Promise<void> {
  await tx.query('delete from group_mappings');
  await insertRows(tx, 'group_mappings', rows);
  await tx.query(
    `delete from claimed_groups c where not exists (
       select from group_mappings p where p.group_name = c.group_name)`,
  );
}

/** Returns those of the teams that exist, and locks them against deletion. */
export function lockExistingTeams(tx: Tx, teamIds: readonly string[]): Promise<readonly string[]> {
  return allValues(tx, 'select id from teams where id = any ($1::text[]) order by id for key share', [
    teamIds,
  ]);
}

/** Replaces the mapped groups that the user's token names. Returns whether they changed. */
export async function replaceClaims(tx: Tx, userId: number, groups: readonly string[]): Promise<boolean> {
  const values = [userId, groups];
  const hasRemoved = await matches(
    tx,
    'delete from claimed_groups where user_id = $1 and group_name <> all ($2::text[])',
    values,
  );
  const hasAdded = await matches(
    tx,
    `insert into claimed_groups (user_id, group_name)
     select distinct $1::int, group_name from group_mappings where group_name = any ($2::text[])
     on conflict do nothing`,
    values,
  );
  return hasRemoved || hasAdded;
}

/** A membership that differs from what the groups give. */
export interface MembershipChange {
  readonly user_id: number;
  readonly team_id: string;
  /** The role that the groups give; null if none does. */
  readonly wanted: TeamRole | null;
  /** The role that the groups gave before; null if the user is not a member. */
  readonly current: TeamRole | null;
}

/**
 * Lists the memberships that differ from what the groups give, of these users or of all. Memberships that people made are left
 * out. If several groups give a role in a team, the strongest counts.
 */
export function listMembershipChanges(
  tx: Tx,
  userIds: readonly number[] | null,
): Promise<readonly MembershipChange[]> {
  return all(
    tx,
    `with memberships as (
       select user_id, group_name from claimed_groups where $1::int[] is null or user_id = any ($1)
       union
       select m.user_id, name from scim_group_members m join scim_groups g on g.id = m.group_id,
         unnest(array[g.display_name, g.external_id]) name
       where $1::int[] is null or m.user_id = any ($1)),
     given as (
       select g.user_id, p.team_id, (array['OWNER', 'EDITOR', 'VIEWER'])[
         min(array_position(array['OWNER', 'EDITOR', 'VIEWER'], p.role))] as role
       from memberships g join group_mappings p on p.group_name = g.group_name group by g.user_id, p.team_id)
     select coalesce(g.user_id, m.user_id) as user_id, coalesce(g.team_id, m.team_id) as team_id,
       g.role as wanted, m.role as current
     from given g
       full join (select user_id, team_id, role, from_group from team_members
                  where $1::int[] is null or user_id = any ($1)) m
         on m.user_id = g.user_id and m.team_id = g.team_id
     where g.role is distinct from m.role and coalesce(m.from_group, true)
     order by 2, 1`,
    [userIds],
  );
}

/** Locks the members of these teams, in the order of their ids. */
export async function lockTeams(tx: Tx, teamIds: readonly string[]): Promise<void> {
  await tx.query('select from teams where id = any ($1::text[]) order by id for no key update', [teamIds]);
}

/** Adds members, and changes the roles of members whom groups have added. */
export async function giveMemberships(tx: Tx, changes: readonly MembershipChange[]): Promise<void> {
  await tx.query(
    `insert into team_members (team_id, user_id, role, from_group)
     select team_id, user_id, wanted, true
     from json_to_recordset($1::json) as c (team_id text, user_id int, wanted text)
     on conflict (team_id, user_id) do update set role = excluded.role where team_members.from_group`,
    [JSON.stringify(changes)],
  );
}

/** Removes members whom groups have added, with their permissions for the teams' workflows. */
export async function removeMemberships(tx: Tx, changes: readonly MembershipChange[]): Promise<void> {
  const values = [JSON.stringify(changes)];
  const ofChanges = `from json_to_recordset($1::json) as c (team_id text, user_id int)`;
  await tx.query(
    `delete from team_members m using (select * ${ofChanges}) c
     where m.team_id = c.team_id and m.user_id = c.user_id and m.from_group`,
    values,
  );
  await tx.query(
    `delete from workflow_permissions p using (select * ${ofChanges}) c join workflows w on w.team_id = c.team_id
     where p.user_id = c.user_id and p.workflow_id = w.id`,
    values,
  );
  await tx.query(
    `delete from workflow_email_shares s
     using (select * ${ofChanges}) c join users u on u.id = c.user_id join workflows w on w.team_id = c.team_id
     where lower(s.email) = lower(u.email) and s.workflow_id = w.id`,
    values,
  );
}
