// Manages the members of a team, their roles and monthly limits. Changes to one team are serialized, so that at least one owner remains.
import { AppError, requireFound } from '../../lib/errors.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { deletePermissionsInTeam } from '../../store/permissions.ts';
import type { MemberRow, TeamRole } from '../../store/teams.ts';
import {
  deleteMember,
  findMember,
  findTeam,
  hasOtherOwner,
  listMembers,
  lockTeam,
  setMemberLimit,
  updateMemberRole,
} from '../../store/teams.ts';
import type { Deps } from '../deps.ts';
import { byNumber, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { type Actor, requireScope } from './actor.ts';
import { getTeam, requireTeamOwner } from './teams.ts';

export interface MemberId {
  readonly teamId: string;
  readonly userId: number;
}

/** Lists the members of one of the caller's teams. Throws 404 for any other team. */
export async function listTeamMembers(deps: Deps, actor: Actor, teamId: string, query: PageQuery) {
  const user = requireScope(actor, 'account:admin');
  await getTeam(deps.db, user, teamId);
  return readPage(query, byNumber('user_id'), page => listMembers(deps.db, teamId, page), presentMember);
}

/** Returns a member of one of the caller's teams. Throws 404. */
export async function readMember(deps: Deps, actor: Actor, id: MemberId) {
  const user = requireScope(actor, 'account:admin');
  await getTeam(deps.db, user, id.teamId);
  return presentMember(await getMember(deps.db, id));
}

/** Changes the role of a member. Throws 409 `last_owner` if the team would have no owner left. */
export async function changeMember(deps: Deps, actor: Actor, id: MemberId, role: TeamRole) {
  const user = requireScope(actor, 'account:admin');
  return deps.db.transaction(async tx => {
    await lockTeam(tx, id.teamId);
    await requireTeamOwner(tx, user, id.teamId);
    const member = await getMember(tx, id);
    if (member.role === 'OWNER' && role !== 'OWNER') await requireOtherOwner(tx, id);
    await updateMemberRole(tx, id.teamId, id.userId, role);
    recordAudit(tx, user, {
      action: 'member.changed',
      target: toUserTarget(id.userId),
      teamId: id.teamId,
      before: { role: member.role },
      after: { role },
    });
    return presentMember({ ...member, role, from_group: false });
  });
}

/** Sets what the runs of a member may cost in a month, or removes the limit. Throws 403 for anyone but an OWNER, 404. */
export async function limitMember(deps: Deps, actor: Actor, id: MemberId, monthlyCredits: number | null) {
  const user = requireScope(actor, 'account:admin');
  return deps.db.transaction(async tx => {
    await lockTeam(tx, id.teamId);
    await requireTeamOwner(tx, user, id.teamId);
    const member = await getMember(tx, id);
    await setMemberLimit(tx, id.teamId, id.userId, monthlyCredits);
    recordAudit(tx, user, {
      action: 'member.limited',
      target: toUserTarget(id.userId),
      teamId: id.teamId,
      before: { monthlyCredits: member.monthly_credits },
      after: { monthlyCredits },
    });
    return presentMember({ ...member, monthly_credits: monthlyCredits });
  });
}

/**
 * Removes a member and the member's direct permissions for the team's workflows. Owners can remove anyone, and everyone
 * can leave, unless a group gives the membership (409 `conflict`). Throws 409 `last_owner` like `changeMember`.
 */
export async function removeMember(deps: Deps, actor: Actor, id: MemberId): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  await deps.db.transaction(async tx => {
    await lockTeam(tx, id.teamId);
    // Everybody may leave, also without the second factor that the team requires.
    if (id.userId === user.userId)
      requireFound(await findTeam(tx, user.userId, id.teamId), 'Team not found.');
    else await requireTeamOwner(tx, user, id.teamId);
    const member = await getMember(tx, id);
    if (member.from_group) throw createGroupError();
    if (member.role === 'OWNER') await requireOtherOwner(tx, id);
    await deleteMember(tx, id.teamId, id.userId);
    await deletePermissionsInTeam(tx, id.teamId, id.userId);
    recordAudit(tx, user, {
      action: 'member.removed',
      target: toUserTarget(id.userId),
      teamId: id.teamId,
      before: { role: member.role },
    });
  });
}

async function getMember(tx: Tx, { teamId, userId }: MemberId): Promise<MemberRow> {
  return requireFound(await findMember(tx, teamId, userId), 'Team member not found.');
}

const presentMember = (row: MemberRow) =>
  presentColumns(row, 'user_id name role from_group monthly_credits spent_this_month created_at');

/** Otherwise the next sign-in would bring the member back, without their monthly limit. */
const createGroupError = (): AppError =>
  new AppError(
    'conflict',
    'A group of the identity provider gives this membership. Remove the person from the group there, or ask an administrator to change the group at Settings → Groups.',
  );

async function requireOtherOwner(tx: Tx, { teamId, userId }: MemberId): Promise<void> {
  if (await hasOtherOwner(tx, teamId, userId)) return;
  throw new AppError('last_owner', 'A team needs at least one OWNER. Give another member that role first.');
}
