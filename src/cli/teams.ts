// `graphwright teams`: teams and who is in them, over HTTP where there is a key, else on the database itself.
import { readSettings } from '../lib/settings.ts';
import type { TeamRole } from '../store/teams.ts';
import { connect } from './client.ts';
import type { Command, OptionValue } from './command.ts';
import { UsageError } from './failure.ts';
import { asOperator } from './operator.ts';
import { cleanText } from './terminal/text-width.ts';

interface Team {
  readonly id: string;
  readonly name: string;
}

interface Member {
  readonly userId: number;
  readonly name: string;
  readonly role: TeamRole;
}

const ROLES: readonly TeamRole[] = ['VIEWER', 'EDITOR', 'OWNER'];

export const createTeam: Command = async ({ args, options, terminal, signal }) => {
  const [name = ''] = args;
  const settings = readSettings();
  const team: Team =
    settings.GRAPHWRIGHT_API_KEY === undefined
      ? await asOperator(settings, async (deps, operator) =>
          (await import('../services/accounts/teams.ts')).createTeam(deps, operator, { name }),
        )
      : await connect(settings, signal).post<Team>('/teams', { name });
  if (options.json === true) return terminal.print(JSON.stringify(team, null, 2));
  terminal.print(team.id);
  terminal.note(`${cleanText(team.name)}, owned by the account that made it.`);
};

export const addMember: Command = async ({ args, options, terminal, signal }) => {
  const [teamId = '', email = ''] = args;
  const wanted = { email, role: parseRole(options.role) };
  const settings = readSettings();
  const member: Member =
    settings.GRAPHWRIGHT_API_KEY === undefined
      ? await asOperator(settings, async (deps, operator) =>
          (await import('../services/accounts/team-members.ts')).addMember(deps, operator, teamId, wanted),
        )
      : await connect(settings, signal).post<Member>(`/teams/${encodeURIComponent(teamId)}/members`, wanted);
  if (options.json === true) return terminal.print(JSON.stringify(member, null, 2));
  terminal.print(`User ${member.userId}, ${cleanText(member.name)}, is in the team as ${member.role}.`);
};

function parseRole(given: OptionValue): TeamRole {
  const role = ROLES.find(candidate => candidate === (given ?? ROLES[0]));
  if (role === undefined) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`);
  return role;
}
