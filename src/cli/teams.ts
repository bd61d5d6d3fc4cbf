// `graphwright teams`: manages teams and members, over HTTP if there is a key, else directly in the database.
import type { Team, TeamInvitation } from '../../sdk/src/schemas.ts';
import type { TeamRole } from '../store/teams.ts';
import { type Command, type OptionValue, UsageError } from './command.ts';
import { runAsOperator } from './operator.ts';
import { cleanText } from './terminal/text-width.ts';

const ROLES: readonly TeamRole[] = ['VIEWER', 'EDITOR', 'OWNER'];

export const createTeam: Command = async ({ args, options, terminal, signal }) => {
  const [name = ''] = args;
  const team = await runAsOperator<Team>(signal, {
    http: client => client.post('/teams', { name }),
    database: async (deps, operator) =>
      (await import('../services/accounts/teams.ts')).createTeam(deps, operator, { name }),
  });
  if (options.json === true) return terminal.print(JSON.stringify(team, null, 2));
  terminal.print(team.id);
  terminal.note(`${cleanText(team.name)}, owned by the account that created it.`);
};

export const inviteMember: Command = async ({ args, options, terminal, signal }) => {
  const [teamId = '', email = ''] = args;
  const request = { email, role: parseRole(options.role) };
  const invitation = await runAsOperator<TeamInvitation>(signal, {
    http: client => client.post(`/teams/${encodeURIComponent(teamId)}/members`, request),
    database: async (deps, operator) =>
      (await import('../services/accounts/invitations.ts')).inviteToTeam(deps, operator, teamId, request),
  });
  if (options.json === true) return terminal.print(JSON.stringify(invitation, null, 2));
  terminal.print(invitation.url);
  terminal.note(`${cleanText(email)} is invited as ${invitation.role}. Send them the link.`);
};

function parseRole(option: OptionValue): TeamRole {
  const role = ROLES.find(candidate => candidate === (option ?? ROLES[0]));
  if (role === undefined) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`);
  return role;
}
