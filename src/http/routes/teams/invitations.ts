// Routes of invitations: those sent by a team and those received by the caller.
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
import { created, documented, done } from '../../route.ts';

const about = documented('Teams');

export function registerInvitations(app: App, deps: Deps): void {
  registerSent(app, deps);
  registerReceived(app, deps);
}

function registerSent(app: App, deps: Deps): void {
  app.get(
    '/api/v1/teams/:id/invitations',
    about(
      'List the invitations of a team',
      { 200: TeamInvitationPage },
      { params: TeamParams, querystring: PageQuery },
    ),
    ({ actor, params, query }) => listTeamInvitations(deps, actor, params.id, query),
  );
  app.post(
    '/api/v1/teams/:id/invitations',
    about(
      'Invite a person to a team',
      { 201: TeamInvitation },
      { params: TeamParams, body: InviteToTeamBody },
    ),
    async ({ actor, params, body }, reply) => {
      const invitation = await inviteToTeam(deps, actor, params.id, body);
      return created(deps, reply, `/api/v1/teams/${params.id}/invitations/${invitation.id}`).send(invitation);
    },
  );
  app.get(
    '/api/v1/teams/:id/invitations/:invitationId',
    about('Read an invitation of a team', { 200: TeamInvitation }, { params: TeamInvitationParams }),
    ({ actor, params }) =>
      readTeamInvitation(deps, actor, { teamId: params.id, invitationId: params.invitationId }),
  );
  app.delete(
    '/api/v1/teams/:id/invitations/:invitationId',
    about('Revoke an invitation of a team', { 200: Success }, { params: TeamInvitationParams }),
    ({ actor, params }) =>
      done(revokeInvitation(deps, actor, { teamId: params.id, invitationId: params.invitationId })),
  );
}

function registerReceived(app: App, deps: Deps): void {
  app.get(
    '/api/v1/invitations',
    about('List your invitations', { 200: InvitationPage }, { querystring: PageQuery }),
    ({ actor, query }) => listOwnInvitations(deps, actor, query),
  );
  app.get(
    '/api/v1/invitations/:id',
    about('Read your invitation', { 200: Invitation }, { params: InvitationParams }),
    ({ actor, params }) => readOwnInvitation(deps, actor, params.id),
  );
  app.delete(
    '/api/v1/invitations/:id',
    about('Decline an invitation', { 200: Success }, { params: InvitationParams }),
    ({ actor, params }) => done(declineInvitation(deps, actor, params.id)),
  );
  app.post(
    '/api/v1/invitations/:id/accept',
    about('Accept an invitation', { 200: Team }, { params: InvitationParams }),
    ({ actor, params }) => acceptInvitation(deps, actor, params.id),
  );
}
