// Invitations to teams over HTTP: those that a team sent, and those that the caller has.
import {
  Invitation,
  InvitationPage,
  InvitationParams,
  InviteToTeamBody,
  Success,
  Team,
  TeamInvitation,
  TeamInvitationPage,
  TeamInvitationParams,
  TeamParams,
} from '../../../services/accounts/account.schema.ts';
import {
  acceptInvitation,
  declineInvitation,
  inviteToTeam,
  listOwnInvitations,
  listTeamInvitations,
  readOwnInvitation,
  readTeamInvitation,
  revokeInvitation,
} from '../../../services/accounts/invitations.ts';
import type { Deps } from '../../../services/deps.ts';
import { PageQuery } from '../../../services/paging.ts';
import type { App } from '../../app.ts';
import { created } from '../../created.ts';

const tags = ['Teams'];

export function registerInvitations(app: App, deps: Deps): void {
  registerSent(app, deps);
  registerReceived(app, deps);
}

function registerSent(app: App, deps: Deps): void {
  app.get(
    '/api/v1/teams/:id/invitations',
    {
      schema: {
        tags,
        summary: 'List the invitations of a team',
        params: TeamParams,
        querystring: PageQuery,
        response: { 200: TeamInvitationPage },
      },
    },
    ({ actor, params, query }) => listTeamInvitations(deps, actor, params.id, query),
  );
  app.post(
    '/api/v1/teams/:id/invitations',
    {
      schema: {
        tags,
        summary: 'Invite an email to a team',
        params: TeamParams,
        body: InviteToTeamBody,
        response: { 201: TeamInvitation },
      },
    },
    async ({ actor, params, body }, reply) => {
      const invitation = await inviteToTeam(deps, actor, params.id, body);
      return created(deps, reply, `/api/v1/teams/${params.id}/invitations/${invitation.id}`).send(invitation);
    },
  );
  app.get(
    '/api/v1/teams/:id/invitations/:invitationId',
    {
      schema: {
        tags,
        summary: 'Read an invitation of a team',
        params: TeamInvitationParams,
        response: { 200: TeamInvitation },
      },
    },
    ({ actor, params }) =>
      readTeamInvitation(deps, actor, { teamId: params.id, invitationId: params.invitationId }),
  );
  app.delete(
    '/api/v1/teams/:id/invitations/:invitationId',
    {
      schema: {
        tags,
        summary: 'Revoke an invitation of a team',
        params: TeamInvitationParams,
        response: { 200: Success },
      },
    },
    async ({ actor, params }) => {
      await revokeInvitation(deps, actor, { teamId: params.id, invitationId: params.invitationId });
      return { success: true };
    },
  );
}

function registerReceived(app: App, deps: Deps): void {
  app.get(
    '/api/v1/invitations',
    {
      schema: {
        tags,
        summary: 'List your invitations',
        querystring: PageQuery,
        response: { 200: InvitationPage },
      },
    },
    ({ actor, query }) => listOwnInvitations(deps, actor, query),
  );
  app.get(
    '/api/v1/invitations/:id',
    {
      schema: {
        tags,
        summary: 'Read an invitation of yours',
        params: InvitationParams,
        response: { 200: Invitation },
      },
    },
    ({ actor, params }) => readOwnInvitation(deps, actor, params.id),
  );
  app.delete(
    '/api/v1/invitations/:id',
    {
      schema: {
        tags,
        summary: 'Decline an invitation',
        params: InvitationParams,
        response: { 200: Success },
      },
    },
    async ({ actor, params }) => {
      await declineInvitation(deps, actor, params.id);
      return { success: true };
    },
  );
  app.post(
    '/api/v1/invitations/:id/accept',
    {
      schema: { tags, summary: 'Accept an invitation', params: InvitationParams, response: { 200: Team } },
    },
    ({ actor, params }) => acceptInvitation(deps, actor, params.id),
  );
}
