// Manages teams, and finds the workspace that a request names by its team id.
import { AppError, requireFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import type { TeamRow } from '../../store/teams.ts';
import {
  countTeamWorkflows,
  deleteEmptyTeam,
  findActiveTeam,
  findTeam,
  insertMember,
  insertTeam,
  listTeams,
  lockTeam,
  lockTeamForDeletion,
  updateTeam,
} from '../../store/teams.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { canInWorkspace, getPersonalWorkspaceId, requireOpenTeam, type WorkspaceAccess } from './access.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';
import { parseName } from './names.ts';

/** Lists the caller's teams, without the personal workspace. */
export async function listOwnTeams(deps: Deps, actor: Actor, query: PageQuery) {
  const user = requireScope(actor, 'account:admin');
  return readPage(query, byId('team'), page => listTeams(deps.db, user.userId, page), presentTeam);
}

/** Creates a team that the caller owns. */
export async function createTeam(deps: Pick<Deps, 'db'>, actor: Actor, input: { readonly name: string }) {
  const user = requireScope(actor, 'account:admin');
  const id = newId('team');
  const name = parseName(input.name);
  return deps.db.transaction(async tx => {
    await insertTeam(tx, { id, name });
    await insertMember(tx, id, user.userId, 'OWNER');
    recordAudit(tx, user, { action: 'team.created', target: id, name, teamId: id });
    return presentTeam(await getTeam(tx, user, id));
  });
}

/** Returns a team of the caller. Throws 404 like `getTeam`. */
export async function readTeam(deps: Deps, actor: Actor, id: string) {
  return presentTeam(await getTeam(deps.db, requireScope(actor, 'account:admin'), id));
}

interface TeamChange {
  readonly name?: string | undefined;
  readonly requiresSecondFactor?: boolean | undefined;
}

/**
 * Changes the team. Throws 403 for anyone but an OWNER, and `second_factor_required` if a session without a second factor would require
 * one; 404 like `getTeam`.
 */
export async function changeTeam(deps: Deps, actor: Actor, id: string, change: TeamChange) {
  const user = requireScope(actor, 'account:admin');
  if (change.requiresSecondFactor === true && user.lacksSecondFactor === true)
    throw new AppError(
      'second_factor_required',
      'Set up a second factor for yourself first, at Settings → Security. Otherwise you would lose access to the team.',
    );
  return deps.db.transaction(async tx => {
    await lockTeam(tx, id);
    const team = await requireTeamOwner(tx, user, id);
    const changed = {
      ...team,
      name: change.name === undefined ? team.name : parseName(change.name),
      requires_second_factor: change.requiresSecondFactor ?? team.requires_second_factor,
    };
    await updateTeam(tx, changed);
    recordAudit(tx, user, {
      action: 'team.changed',
      target: id,
      name: changed.name,
      teamId: id,
      before: describeSettings(team),
      after: describeSettings(changed),
    });
    return presentTeam(changed);
  });
}

const describeSettings = ({ name, requires_second_factor }: TeamRow) => ({
  name,
  requiresSecondFactor: requires_second_factor,
});

/** Deletes the team with its folders and memberships. Throws 409 `team_not_empty` if it has workflows, 403, 404. */
export async function deleteTeam(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  await deps.db.transaction(async tx => {
    // After this lock nothing can move into the team.
    await lockTeamForDeletion(tx, id);
    const team = await requireTeamOwner(tx, user, id);
    const count = await countTeamWorkflows(tx, id);
    if (count > 0) {
      throw new AppError(
        'team_not_empty',
        `The team has ${count === 1 ? 'a workflow' : `${count} workflows`}. Move or delete them first.`,
      );
    }
    await deleteEmptyTeam(tx, id);
    recordAudit(tx, user, { action: 'team.deleted', target: id, name: team.name, teamId: id });
  });
}

/** Returns the team if the user is one of its OWNERs. Throws 403, 404 like `getTeam`. */
export async function requireTeamOwner(tx: Tx, user: UserActor, teamId: string): Promise<TeamRow> {
  const team = await getTeam(tx, user, teamId);
  if (canInWorkspace(user, 'manage', toWorkspaceAccess(user, team))) return team;
  throw new AppError('forbidden', 'Only an OWNER of the team can change it or its members.');
}

/** Returns the team and the caller's role in it. Throws 404 for any other team, whether or not it exists. */
export async function getTeam(tx: Tx, user: UserActor, teamId: string): Promise<TeamRow> {
  const team = requireFound(await findTeam(tx, user.userId, teamId), 'Team not found.');
  requireOpenTeam(user, team.id);
  return team;
}

/** Returns the workspace of a `teamId`. Null and `user:…` mean the personal workspace. Throws 404 like `getTeam`. */
export async function getWorkspace(tx: Tx, user: UserActor, teamId: string | null): Promise<WorkspaceAccess> {
  const isPersonal = teamId === null || teamId === getPersonalWorkspaceId(user.userId);
  return toWorkspaceAccess(user, isPersonal ? undefined : await getTeam(tx, user, teamId));
}

/** Returns the caller's active workspace. Throws 403 `second_factor_required`. */
export async function getActiveWorkspace(tx: Tx, user: UserActor): Promise<WorkspaceAccess> {
  const workspace = await findActiveWorkspace(tx, user);
  requireOpenTeam(user, workspace.team_id);
  return workspace;
}

/** Returns the caller's active workspace, also if its team requires a second factor that the caller lacks. */
export async function findActiveWorkspace(tx: Tx, user: UserActor): Promise<WorkspaceAccess> {
  return toWorkspaceAccess(user, await findActiveTeam(tx, user.userId));
}

function toWorkspaceAccess({ userId }: UserActor, team: TeamRow | undefined): WorkspaceAccess {
  return { user_id: userId, team_id: team?.id ?? null, team_role: team?.role ?? null };
}

export const presentTeam = (team: TeamRow) =>
  presentColumns(team, 'id name role requires_second_factor created_at');
