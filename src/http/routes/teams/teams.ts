// Registers the routes for teams and their members.
import {
  ChangeMemberBody,
  ChangeTeamBody,
  CreateTeamBody,
  InviteMemberBody,
  Member,
  MemberPage,
  MemberParams,
  PolicyBody,
  Success,
  Team,
  TeamInvitation,
  TeamPage,
  TeamParams,
  TeamPolicy,
} from '../../../services/accounts/account.schema.ts';
import { inviteToTeam } from '../../../services/accounts/invitations.ts';
import { MonthlyLimitBody } from '../../../services/accounts/monthly-limit.schema.ts';
import {
  changeMember,
  limitMember,
  listTeamMembers,
  readMember,
  removeMember,
} from '../../../services/accounts/team-members.ts';
import { changePolicy, readPolicy } from '../../../services/accounts/team-policy.ts';
import {
  changeTeam,
  createTeam,
  deleteTeam,
  listOwnTeams,
  readTeam,
} from '../../../services/accounts/teams.ts';
import type { Deps } from '../../../services/deps.ts';
import { PageQuery } from '../../../services/paging.ts';
import type { Server } from '../../deps.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../../route.ts';

const operation = createDescriber('Teams');

export function registerTeams(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/teams',
    operation('listTeams', 'account:admin', {
      summary: 'List your teams',
      description: 'Returns the teams that you are a member of.',
      querystring: PageQuery,
      response: { 200: TeamPage },
    }),
    req => listOwnTeams(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/teams',
    operation('createTeam', 'account:admin', {
      summary: 'Create a team',
      description: 'Creates a team. You become its first OWNER.',
      body: CreateTeamBody,
      response: { 201: Team },
    }),
    async (req, reply) => {
      const team = await createTeam(deps, req.actor, req.body);
      return setCreated(deps, reply, `/api/v1/teams/${team.id}`).send(team);
    },
  );
  server.get(
    '/api/v1/teams/:id',
    operation('getTeam', 'account:admin', {
      summary: 'Read a team',
      description: 'Returns a team and your role in it.',
      params: TeamParams,
      response: { 200: Team },
    }),
    req => readTeam(deps, req.actor, req.params.id),
  );
  server.patch(
    '/api/v1/teams/:id',
    operation('updateTeam', 'account:admin', {
      summary: 'Change a team',
      description:
        'Changes the name of a team, and whether its members need a second factor. Requires the role OWNER.',
      reauthentication: 'to change requiresSecondFactor',
      params: TeamParams,
      body: ChangeTeamBody,
      response: { 200: Team },
    }),
    req => changeTeam(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/teams/:id',
    operation('deleteTeam', 'account:admin', {
      summary: 'Delete a team',
      description:
        'Deletes a team that has no workflows. Its media are transferred to the people who uploaded them. Requires the role OWNER.',
      errors: [...RESOURCE_ERRORS, 'team_not_empty'],
      params: TeamParams,
      response: { 200: Success },
    }),
    req => toSuccess(deleteTeam(deps, req.actor, req.params.id)),
  );
  server.get(
    '/api/v1/teams/:id/policy',
    operation('getTeamPolicy', 'account:admin', {
      summary: 'Read the policy of a team',
      description: 'Returns the providers and models that runs of the team may use.',
      params: TeamParams,
      response: { 200: TeamPolicy },
    }),
    req => readPolicy(deps, req.actor, req.params.id),
  );
  server.put(
    '/api/v1/teams/:id/policy',
    operation('setTeamPolicy', 'account:admin', {
      summary: 'Set the policy of a team',
      description:
        'Sets the providers and models that runs of the team may use. A run that would use others is refused with `not_allowed_by_policy`; accepted runs finish. Requires the role OWNER.',
      params: TeamParams,
      body: PolicyBody,
      response: { 200: TeamPolicy },
    }),
    req => changePolicy(deps, req.actor, req.params.id, req.body),
  );
  registerMembers(server, deps);
}

function registerMembers(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/teams/:id/members',
    operation('listMembers', 'account:admin', {
      summary: 'List the members of a team',
      description: 'Returns all members of a team with their roles.',
      params: TeamParams,
      querystring: PageQuery,
      response: { 200: MemberPage },
    }),
    req => listTeamMembers(deps, req.actor, req.params.id, req.query),
  );
  server.post(
    '/api/v1/teams/:id/members',
    operation('addMember', 'account:admin', {
      summary: 'Invite a member',
      description:
        'Invites a person by `email`, or a member of another team of yours by `userId`. They join when they accept. The response does not show whether the email has an account. Requires the role OWNER.',
      reauthentication: 'to grant OWNER',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: TeamParams,
      body: InviteMemberBody,
      response: { 202: TeamInvitation },
    }),
    async (req, reply) => {
      const invitation = await inviteToTeam(deps, req.actor, req.params.id, req.body);
      return reply.code(202).send(invitation);
    },
  );
  server.get(
    '/api/v1/teams/:id/members/:userId',
    operation('getMember', 'account:admin', {
      summary: 'Read a member',
      description: 'Returns a member of a team and their role.',
      params: MemberParams,
      response: { 200: Member },
    }),
    ({ actor, params }) => readMember(deps, actor, { teamId: params.id, userId: params.userId }),
  );
  server.patch(
    '/api/v1/teams/:id/members/:userId',
    operation('updateMember', 'account:admin', {
      summary: "Change a member's role",
      description: 'Changes the role of a member. A team must have at least one OWNER.',
      reauthentication: 'always',
      errors: [...RESOURCE_ERRORS, 'last_owner'],
      params: MemberParams,
      body: ChangeMemberBody,
      response: { 200: Member },
    }),
    ({ actor, params, body }) =>
      changeMember(deps, actor, { teamId: params.id, userId: params.userId }, body.role),
  );
  server.put(
    '/api/v1/teams/:id/members/:userId/limit',
    operation('setMemberLimit', 'account:admin', {
      summary: 'Set the monthly limit of a member',
      description:
        'Sets what the runs that a member starts may cost the team in a calendar month (UTC). A run that would exceed it is refused with `member_limit_exceeded`. Requires the role OWNER.',
      params: MemberParams,
      body: MonthlyLimitBody,
      response: { 200: Member },
    }),
    ({ actor, params, body }) =>
      limitMember(deps, actor, { teamId: params.id, userId: params.userId }, body.monthlyCredits),
  );
  server.delete(
    '/api/v1/teams/:id/members/:userId',
    operation('removeMember', 'account:admin', {
      summary: 'Remove a member, or leave',
      description:
        'Removes a member, or yourself, from a team. A team must have at least one OWNER. A membership that a group gives (`fromGroup`) ends with the group (409 `conflict`).',
      reauthentication: 'always',
      errors: [...RESOURCE_ERRORS, 'conflict', 'last_owner'],
      params: MemberParams,
      response: { 200: Success },
    }),
    ({ actor, params }) => toSuccess(removeMember(deps, actor, { teamId: params.id, userId: params.userId })),
  );
}
