// Registers the routes for invitations: those sent by a team and those received by the caller.
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
import type { Server } from '../../deps.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../../route.ts';

const operation = createDescriber('Teams');

export function registerInvitations(server: Server, deps: Deps): void {
  registerSent(server, deps);
  registerReceived(server, deps);
}

function registerSent(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/teams/:id/invitations',
    operation('listTeamInvitations', 'account:admin', {
      summary: 'List the invitations of a team',
      description: 'Returns the invitations of a team, including expired ones. Requires the role OWNER.',
      params: TeamParams,
      querystring: PageQuery,
      response: { 200: TeamInvitationPage },
    }),
    ({ actor, params, query }) => listTeamInvitations(deps, actor, params.id, query),
  );
  server.post(
    '/api/v1/teams/:id/invitations',
    operation('inviteToTeam', 'account:admin', {
      summary: 'Invite a person to a team',
      description:
        'Creates an invitation that is valid for 7 days. The email does not need an account. The service sends no email: send the `url` yourself. Inviting the same email again renews the invitation. Requires the role OWNER.',
      reauthentication: 'to grant OWNER',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: TeamParams,
      body: InviteToTeamBody,
      response: { 201: TeamInvitation },
    }),
    async ({ actor, params, body }, reply) => {
      const invitation = await inviteToTeam(deps, actor, params.id, body);
      return setCreated(deps, reply, `/api/v1/teams/${params.id}/invitations/${invitation.id}`).send(
        invitation,
      );
    },
  );
  server.get(
    '/api/v1/teams/:id/invitations/:invitationId',
    operation('getTeamInvitation', 'account:admin', {
      summary: 'Read an invitation of a team',
      description: 'Returns an invitation of a team. Requires the role OWNER.',
      params: TeamInvitationParams,
      response: { 200: TeamInvitation },
    }),
    ({ actor, params }) =>
      readTeamInvitation(deps, actor, { teamId: params.id, invitationId: params.invitationId }),
  );
  server.delete(
    '/api/v1/teams/:id/invitations/:invitationId',
    operation('revokeTeamInvitation', 'account:admin', {
      summary: 'Revoke an invitation of a team',
      description: 'Revokes an invitation, so that it can no longer be accepted. Requires the role OWNER.',
      params: TeamInvitationParams,
      response: { 200: Success },
    }),
    ({ actor, params }) =>
      toSuccess(revokeInvitation(deps, actor, { teamId: params.id, invitationId: params.invitationId })),
  );
}

function registerReceived(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/invitations',
    operation('listInvitations', 'account:admin', {
      summary: 'List your invitations',
      description: 'Returns the open invitations that are addressed to you or to the email of your account.',
      querystring: PageQuery,
      response: { 200: InvitationPage },
    }),
    ({ actor, query }) => listOwnInvitations(deps, actor, query),
  );
  server.get(
    '/api/v1/invitations/:id',
    operation('getInvitation', 'account:admin', {
      summary: 'Read your invitation',
      description: 'Returns an invitation that is addressed to you or to the email of your account.',
      params: InvitationParams,
      response: { 200: Invitation },
    }),
    ({ actor, params }) => readOwnInvitation(deps, actor, params.id),
  );
  server.delete(
    '/api/v1/invitations/:id',
    operation('declineInvitation', 'account:admin', {
      summary: 'Decline an invitation',
      description: 'Declines an invitation. You do not become a member.',
      params: InvitationParams,
      response: { 200: Success },
    }),
    ({ actor, params }) => toSuccess(declineInvitation(deps, actor, params.id)),
  );
  server.post(
    '/api/v1/invitations/:id/accept',
    operation('acceptInvitation', 'account:admin', {
      summary: 'Accept an invitation',
      description:
        'Accepts an invitation. You become a member with the role of the invitation. If you are a member already, you keep your role.',
      params: InvitationParams,
      response: { 200: Team },
    }),
    ({ actor, params }) => acceptInvitation(deps, actor, params.id),
  );
}
