// Reads and replaces the table that maps groups of the identity provider to roles in teams, for administrators.
import { AppError } from '../../lib/errors.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { applyGroups, lockGroups } from './apply-groups.ts';
import type { GroupMappingsBody } from './groups.schema.ts';
import { listMappings, lockExistingTeams, type NamedMapping, replaceMappings } from './store.ts';

export async function readGroupMappings({ db }: Pick<Deps, 'db'>, actor: Actor) {
  requireScope(actor, 'instance:admin');
  return presentMappings(await listMappings(db));
}

/**
 * Replaces the table, and changes the memberships that it made. Groups that were not mapped before apply to members of SCIM groups
 * at once, and to others at their next sign-in. Throws 400 for an unknown team or a repeated pair.
 */
export async function replaceGroupMappings(
  { db, sessions }: Pick<Deps, 'db' | 'sessions'>,
  actor: Actor,
  mappings: GroupMappingsBody,
) {
  const admin = requireScope(actor, 'instance:admin');
  const rows = mappings.map(({ group, teamId, role }) => ({ group_name: group, team_id: teamId, role }));
  const [stored, changes] = await db.transaction(async tx => {
    await lockGroups(tx);
    await requireValidMappings(tx, mappings);
    const before = presentMappings(await listMappings(tx));
    await replaceMappings(tx, rows);
    const after = presentMappings(await listMappings(tx));
    recordAudit(tx, admin, {
      action: 'groups.changed',
      before: { mappings: before },
      after: { mappings: after },
    });
    return [after, await applyGroups(tx, admin, null)] as const;
  });
  // The teams of a session are cached with it.
  sessions.forgetUsers(new Set(changes.map(({ user_id }) => user_id)));
  return stored;
}

async function requireValidMappings(tx: Tx, mappings: GroupMappingsBody): Promise<void> {
  const teams = new Set(await lockExistingTeams(tx, [...new Set(mappings.map(({ teamId }) => teamId))]));
  const seen = new Set<string>();
  const issues = mappings.flatMap(({ group, teamId }, index) => {
    const pair = JSON.stringify([group, teamId]);
    const isRepeated = seen.has(pair);
    seen.add(pair);
    const messages = [
      ...(teams.has(teamId) ? [] : [[`/${index}/teamId`, 'Team not found'] as const]),
      ...(isRepeated ? [[`/${index}/group`, 'The group already has a role in this team'] as const] : []),
      ...(group.trim() === group ? [] : [[`/${index}/group`, 'Remove the spaces around the name'] as const]),
    ];
    return messages.map(([path, message]) => ({ path, code: 'invalid_request', message }));
  });
  const [first] = issues;
  if (first === undefined) return;
  throw new AppError('invalid_request', `The body at ${first.path}: ${first.message}.`, { issues });
}

const presentMappings = (mappings: readonly NamedMapping[]) =>
  mappings.map(({ group_name, team_id, team_name, role }) => ({
    group: group_name,
    teamId: team_id,
    teamName: team_name,
    role,
  }));
