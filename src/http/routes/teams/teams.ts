// Routes of teams and their members.
import {
  AddMemberBody,
  ChangeMemberBody,
  ChangeTeamBody,
  CreateTeamBody,
  Member,
  MemberPage,
  MemberParams,
  Success,
  Team,
  TeamInvitation,
  TeamPage,
  TeamParams,
} from '../../../services/accounts/account.schema.ts';
import { inviteToTeam } from '../../../services/accounts/invitations.ts';
import {
  changeMember,
  listTeamMembers,
  readMember,
  removeMember,
} from '../../../services/accounts/team-members.ts';
import {
  changeTeam,
  createTeam,
  listOwnTeams,
  readTeam,
  removeTeam,
} from '../../../services/accounts/teams.ts';
import type { Deps } from '../../../services/deps.ts';
import { PageQuery } from '../../../services/paging.ts';
import type { App } from '../../app.ts';
import { created, documented, done } from '../../route.ts';

const about = documented('Teams');

export function registerTeams(app: App, deps: Deps): void {
  app.get('/api/v1/teams', about('List your teams', { 200: TeamPage }, { querystring: PageQuery }), req =>
    listOwnTeams(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/teams',
    about('Create a team', { 201: Team }, { body: CreateTeamBody }),
    async (req, reply) => {
      const team = await createTeam(deps, req.actor, req.body);
      return created(deps, reply, `/api/v1/teams/${team.id}`).send(team);
    },
  );
  app.get('/api/v1/teams/:id', about('Read a team', { 200: Team }, { params: TeamParams }), req =>
    readTeam(deps, req.actor, req.params.id),
  );
  app.patch(
    '/api/v1/teams/:id',
    about('Rename a team', { 200: Team }, { params: TeamParams, body: ChangeTeamBody }),
    req => changeTeam(deps, req.actor, req.params.id, req.body),
  );
  app.delete('/api/v1/teams/:id', about('Delete a team', { 200: Success }, { params: TeamParams }), req =>
    done(removeTeam(deps, req.actor, req.params.id)),
  );
  registerMembers(app, deps);
}

function registerMembers(app: App, deps: Deps): void {
  app.get(
    '/api/v1/teams/:id/members',
    about('List the members of a team', { 200: MemberPage }, { params: TeamParams, querystring: PageQuery }),
    req => listTeamMembers(deps, req.actor, req.params.id, req.query),
  );
  app.post(
    '/api/v1/teams/:id/members',
    about('Invite a member', { 202: TeamInvitation }, { params: TeamParams, body: AddMemberBody }),
    async (req, reply) => {
      const invitation = await inviteToTeam(deps, req.actor, req.params.id, req.body);
      return reply.code(202).send(invitation);
    },
  );
  app.get(
    '/api/v1/teams/:id/members/:userId',
    about('Read a member', { 200: Member }, { params: MemberParams }),
    ({ actor, params }) => readMember(deps, actor, { teamId: params.id, userId: params.userId }),
  );
  app.patch(
    '/api/v1/teams/:id/members/:userId',
    about("Change a member's role", { 200: Member }, { params: MemberParams, body: ChangeMemberBody }),
    ({ actor, params, body }) =>
      changeMember(deps, actor, { teamId: params.id, userId: params.userId }, body.role),
  );
  app.delete(
    '/api/v1/teams/:id/members/:userId',
    about('Remove a member, or leave', { 200: Success }, { params: MemberParams }),
    ({ actor, params }) => done(removeMember(deps, actor, { teamId: params.id, userId: params.userId })),
  );
}
