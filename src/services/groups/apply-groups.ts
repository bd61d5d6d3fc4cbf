// Gives users the memberships of their groups, and takes those that no group gives any more.
import { type AuditCaller, SERVICE_CALLER } from '../../store/audit/record-audit.ts';
import type { Transaction, Tx } from '../../store/db.ts';
import { lockName } from '../../store/rows.ts';
import { hasOtherOwner } from '../../store/teams.ts';
import { recordMemberships } from './record-memberships.ts';
import {
  giveMemberships,
  hasMappings,
  listMembershipChanges,
  lockTeams,
  type MembershipChange,
  removeMemberships,
  replaceClaims,
} from './store.ts';

/**
 * Serializes the changes of groups until the transaction ends: two transactions that do not see each other's changes would
 * compute memberships that neither would compute from both.
 */
export const lockGroups = (tx: Tx): Promise<void> => lockName(tx, 'groups');

/**
 * Records the groups of a sign-in and applies them. Does nothing if the provider sent no claim, because a provider whose
 * configuration broke would remove everybody.
 */
export async function applyClaimedGroups(
  tx: Transaction,
  userId: number,
  groups: readonly string[] | undefined,
): Promise<readonly MembershipChange[]> {
  if (groups === undefined || !(await hasMappings(tx))) return [];
  const hasNewClaims = await replaceClaims(tx, userId, groups);
  // Most sign-ins change nothing and need no lock.
  if (!hasNewClaims && (await listMembershipChanges(tx, [userId])).length === 0) return [];
  await lockGroups(tx);
  // The table may have changed before the lock was granted.
  await replaceClaims(tx, userId, groups);
  return applyGroups(tx, SERVICE_CALLER, [userId]);
}

/**
 * Applies the groups to these users, or to all if `userIds` is null. The last owner of a team stays its owner. Call it under
 * `lockGroups`. Returns what changed.
 */
export async function applyGroups(
  tx: Transaction,
  caller: AuditCaller,
  userIds: readonly number[] | null,
): Promise<readonly MembershipChange[]> {
  const expected = await listMembershipChanges(tx, userIds);
  if (expected.length === 0) return [];
  await lockTeams(tx, [...new Set(expected.map(({ team_id }) => team_id))]);
  const changes = await listMembershipChanges(tx, userIds);
  const [ownersToLower, others] = partition(
    changes,
    ({ current, wanted }) => current === 'OWNER' && wanted !== 'OWNER',
  );
  // New owners come first, so that they can replace the last one.
  await applyChanges(tx, others);
  const lowered: MembershipChange[] = [];
  for (const change of ownersToLower) {
    if (!(await hasOtherOwner(tx, change.team_id, change.user_id))) continue;
    await applyChanges(tx, [change]);
    lowered.push(change);
  }
  const applied = [...others, ...lowered];
  recordMemberships(tx, caller, applied);
  return applied;
}

async function applyChanges(tx: Tx, changes: readonly MembershipChange[]): Promise<void> {
  const [removed, given] = partition(changes, ({ wanted }) => wanted === null);
  if (given.length > 0) await giveMemberships(tx, given);
  if (removed.length > 0) await removeMemberships(tx, removed);
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(test), items.filter(item => !test(item))];
}
