// Teams and their members over HTTP.
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
  TeamPage,
  TeamParams,
} from '../../../services/accounts/account.schema.ts';
import {
  addMember,
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
import { created } from '../../created.ts';

const tags = ['Teams'];

export function registerTeams(app: App, deps: Deps): void {
  app.get(
    '/api/v1/teams',
    { schema: { tags, summary: 'List your teams', querystring: PageQuery, response: { 200: TeamPage } } },
    req => listOwnTeams(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/teams',
    { schema: { tags, summary: 'Create a team', body: CreateTeamBody, response: { 201: Team } } },
    async (req, reply) => {
      const team = await createTeam(deps, req.actor, req.body);
      return created(deps, reply, `/api/v1/teams/${team.id}`).send(team);
    },
  );
  app.get(
    '/api/v1/teams/:id',
    { schema: { tags, summary: 'Read a team', params: TeamParams, response: { 200: Team } } },
    req => readTeam(deps, req.actor, req.params.id),
  );
  app.patch(
    '/api/v1/teams/:id',
    {
      schema: {
        tags,
        summary: 'Rename a team',
        params: TeamParams,
        body: ChangeTeamBody,
        response: { 200: Team },
      },
    },
    req => changeTeam(deps, req.actor, req.params.id, req.body),
  );
  app.delete(
    '/api/v1/teams/:id',
    {
      schema: {
        tags,
        summary: 'Delete a team that has no workflows; its media go to who uploaded them',
        params: TeamParams,
        response: { 200: Success },
      },
    },
    async req => {
      await removeTeam(deps, req.actor, req.params.id);
      return { success: true };
    },
  );
  registerMembers(app, deps);
}

function registerMembers(app: App, deps: Deps): void {
  app.get(
    '/api/v1/teams/:id/members',
    {
      schema: {
        tags,
        summary: 'List the members of a team',
        params: TeamParams,
        querystring: PageQuery,
        response: { 200: MemberPage },
      },
    },
    req => listTeamMembers(deps, req.actor, req.params.id, req.query),
  );
  app.post(
    '/api/v1/teams/:id/members',
    {
      schema: {
        tags,
        summary: 'Add a member',
        params: TeamParams,
        body: AddMemberBody,
        response: { 201: Member },
      },
    },
    async (req, reply) => {
      const member = await addMember(deps, req.actor, req.params.id, req.body);
      const path = `/api/v1/teams/${req.params.id}/members/${member.userId}`;
      return created(deps, reply, path).send(member);
    },
  );
  app.get(
    '/api/v1/teams/:id/members/:userId',
    { schema: { tags, summary: 'Read a member', params: MemberParams, response: { 200: Member } } },
    ({ actor, params }) => readMember(deps, actor, { teamId: params.id, userId: params.userId }),
  );
  app.patch(
    '/api/v1/teams/:id/members/:userId',
    {
      schema: {
        tags,
        summary: "Change a member's role",
        params: MemberParams,
        body: ChangeMemberBody,
        response: { 200: Member },
      },
    },
    ({ actor, params, body }) =>
      changeMember(deps, actor, { teamId: params.id, userId: params.userId }, body.role),
  );
  app.delete(
    '/api/v1/teams/:id/members/:userId',
    {
      schema: {
        tags,
        summary: 'Remove a member, or leave',
        params: MemberParams,
        response: { 200: Success },
      },
    },
    async ({ actor, params }) => {
      await removeMember(deps, actor, { teamId: params.id, userId: params.userId });
      return { success: true };
    },
  );
}
