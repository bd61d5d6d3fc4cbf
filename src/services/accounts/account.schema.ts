// The forms of requests and answers about accounts, teams, members and shares.
import type { Static } from 'typebox';
import { Type } from 'typebox';
import { LINK_KINDS } from '../../store/people/password-links.ts';
import { SHARE_ROLES } from '../../store/permissions.ts';
import { TEAM_ROLES } from '../../store/teams.ts';
import { PageQuery, pageOf } from '../paging.ts';
import { Answer, Named, Nullable, Timestamp } from '../workflows/workflow.schema.ts';
import { SCOPES } from './actor.ts';
import { Email, Name } from './names.ts';

const exact = { additionalProperties: false };
const UserId = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const TeamId = Type.String({ maxLength: 64, description: 'Team id, `team_…`' });
const TeamRole = Type.Enum([...TEAM_ROLES]);
const ShareRole = Type.Enum([...SHARE_ROLES]);
/** Exactly one of the two names somebody. */
const Somebody = { userId: Type.Optional(UserId), email: Type.Optional(Email) };
export type Somebody = { readonly userId?: number | undefined; readonly email?: string | undefined };

export const UserParams = Type.Object({ userId: UserId });

export const Me = Answer(
  Named(
    'Me',
    Type.Object({
      userId: UserId,
      email: Email,
      name: Type.String(),
      plan: Type.String(),
      isAuthor: Type.Boolean(),
      isAdmin: Type.Boolean(),
      scopes: Type.Array(Type.Enum([...SCOPES]), { description: 'Of the credential that asks' }),
      personalTeamId: Type.String({
        description: 'Names your personal workspace wherever a teamId is asked for',
      }),
      activeTeamId: Nullable(Type.String({ description: 'null: your personal workspace' })),
      activeRole: TeamRole,
      createdAt: Timestamp,
    }),
    'Who asks',
  ),
);

export const ChangeMeBody = Type.Object({ name: Name }, exact);
export const WorkspaceBody = Type.Object({ teamId: Nullable(TeamId) }, exact);

export const TeamParams = Type.Object({ id: TeamId });
export const CreateTeamBody = Type.Object({ name: Name }, exact);
export const ChangeTeamBody = Type.Object({ name: Name }, exact);
const TeamObject = Named(
  'Team',
  Type.Object({ id: TeamId, name: Type.String(), role: TeamRole, createdAt: Timestamp }),
  'A workspace that several users share',
);
export const Team = Answer(TeamObject);
export const TeamPage = Answer(pageOf(TeamObject));

export const MemberParams = Type.Object({ id: TeamId, userId: UserId });
export const AddMemberBody = Named(
  'MemberInput',
  Type.Object({ ...Somebody, role: TeamRole }, exact),
  'Whom to add',
);
export type AddMemberBody = Static<typeof AddMemberBody>;
export const ChangeMemberBody = Type.Object({ role: TeamRole }, exact);
// Emails are not shown: user ids can be guessed, and whoever adds an id to a team would learn whose it is.
const MemberObject = Named(
  'Member',
  Type.Object({
    userId: UserId,
    name: Type.String(),
    role: TeamRole,
    createdAt: Timestamp,
  }),
  'A user in a team',
);
export const Member = Answer(MemberObject);
export const MemberPage = Answer(pageOf(MemberObject));

export const InviteToTeamBody = Named(
  'TeamInvitationInput',
  Type.Object({ email: Email, role: TeamRole }, exact),
  'Whom to invite',
);
export const TeamInvitationParams = Type.Object({
  id: TeamId,
  invitationId: Type.String({ maxLength: 64 }),
});
const INVITATION = {
  id: Type.String(),
  role: TeamRole,
  invitedBy: Nullable(Type.String({ description: 'Name; null: that account is gone' })),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};
const TeamInvitationObject = Named(
  'TeamInvitation',
  Type.Object({
    ...INVITATION,
    email: Email,
    isExpired: Type.Boolean({ description: 'Inviting the email again renews it' }),
    url: Type.String({ description: 'To be sent to whoever is invited; it opens nothing to anybody else' }),
  }),
  'An email that is invited to a team',
);
export const TeamInvitation = Answer(TeamInvitationObject);
export const TeamInvitationPage = Answer(pageOf(TeamInvitationObject));
export const InvitationParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
const InvitationObject = Named(
  'Invitation',
  Type.Object({ ...INVITATION, team: Type.Object({ id: TeamId, name: Type.String() }) }),
  'An invitation of yours to a team',
);
export const Invitation = Answer(InvitationObject);
export const InvitationPage = Answer(pageOf(InvitationObject));

export const PermissionParams = Type.Object({ id: Type.String({ maxLength: 64 }), userId: UserId });
export const ShareBody = Named(
  'PermissionInput',
  Type.Object({ ...Somebody, role: ShareRole }, exact),
  'Whom to share with, and how',
);
export type ShareBody = Static<typeof ShareBody>;
const PermissionObject = Named(
  'Permission',
  Type.Object({
    userId: UserId,
    name: Type.String(),
    role: ShareRole,
    createdAt: Timestamp,
  }),
  'A user whom a workflow is shared with',
);
export const Permission = Answer(PermissionObject);
export const PermissionPage = Answer(pageOf(PermissionObject));

export const CreateUserBody = Named(
  'UserInput',
  Type.Object(
    {
      email: Email,
      name: Name,
      plan: Type.Optional(Type.String({ maxLength: 64, description: 'Default: DEFAULT_PLAN' })),
      credits: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description: 'Default: DEFAULT_CREDITS' }),
      ),
      isAuthor: Type.Optional(Type.Boolean({ default: false })),
      isAdmin: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Sessions of the account have the scope instance:admin',
        }),
      ),
      invite: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Mints a link at which the user sets a password, for 72 hours; it is shown this once',
        }),
      ),
      keyScopes: Type.Optional(
        Type.Array(Type.Enum([...SCOPES]), {
          minItems: 1,
          maxItems: SCOPES.length,
          uniqueItems: true,
          description: 'Mints a key with these; it is shown this once',
        }),
      ),
    },
    exact,
  ),
  'The account to make',
);
export type CreateUserBody = Static<typeof CreateUserBody>;
export const ChangeUserBody = Named(
  'UserChanges',
  Type.Object(
    {
      name: Type.Optional(Name),
      plan: Type.Optional(Type.String({ maxLength: 64 })),
      isAuthor: Type.Optional(Type.Boolean()),
      isAdmin: Type.Optional(Type.Boolean()),
      disabled: Type.Optional(
        Type.Boolean({ description: 'Its keys and sessions stop working within 5 seconds' }),
      ),
    },
    exact,
  ),
  'What to change of an account',
);
export type ChangeUserBody = Static<typeof ChangeUserBody>;
const UserObject = Named(
  'User',
  Type.Object({
    userId: UserId,
    email: Email,
    name: Type.String(),
    plan: Type.String(),
    isAuthor: Type.Boolean(),
    isAdmin: Type.Boolean(),
    disabled: Type.Boolean(),
    createdAt: Timestamp,
  }),
  'An account',
);
export const User = Answer(UserObject);
export const ListUsersQuery = Type.Object({
  query: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Part of name or email' })),
  ...PageQuery.properties,
});
export const UserPage = Answer(
  pageOf(
    Named(
      'UserListItem',
      Type.Object({
        ...UserObject.properties,
        hasPassword: Type.Boolean(),
        credits: Type.Object(
          { balance: Type.Integer(), held: Type.Integer() },
          { description: 'Of the personal workspace' },
        ),
        lastSeenAt: Nullable(Timestamp),
      }),
      'An account, its credits, and when it was last seen in a session',
    ),
  ),
);
export const CreatedUser = Answer(
  Named(
    'CreatedUser',
    Type.Object({
      ...UserObject.properties,
      apiKey: Type.Optional(Type.String()),
      inviteUrl: Type.Optional(Type.String()),
    }),
    'A new account, and its key or invitation if one was asked for',
  ),
);

export const LinkBody = Named(
  'PasswordLinkInput',
  Type.Object(
    {
      kind: Type.Enum([...LINK_KINDS], {
        description:
          'Sets email, name and password of the first user; the password of an invited user; a forgotten one',
      }),
      email: Type.Optional(Email),
    },
    exact,
  ),
  'Whose password a link shall set',
);
export const LinkAnswer = Answer(
  Named(
    'PasswordLink',
    Type.Object({
      url: Type.String({ description: 'Shown this once, and good for one use' }),
      expiresAt: Nullable(Timestamp),
    }),
    'A link that sets a password',
  ),
);

export const Success = Answer(Named('Success', Type.Object({ success: Type.Literal(true) }), 'It is done'));
