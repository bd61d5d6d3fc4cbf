// Defines the schemas of requests and responses about accounts, teams, members and shares.
import { type Static, Type } from 'typebox';
import { PROVIDER_NAMES } from '../../providers/names.ts';
import { LINK_KINDS } from '../../store/people/password-links.ts';
import { SHARE_ROLES } from '../../store/permissions.ts';
import { TEAM_ROLES } from '../../store/teams.ts';
import { PageQuery, PageSchema } from '../paging.ts';
import { Exact, Id, Named, NamedExact, Nullable, PositiveInteger, Timestamp } from '../schema.ts';
import { SCOPES } from './actor.ts';
import { SpenderMonth } from './monthly-limit.schema.ts';
import { Email, Name } from './names.ts';

const UserId = PositiveInteger();
const IsMailed = Type.Boolean({ description: 'Whether the link of an invitation is mailed to the person' });
const TeamId = Id('Team ID, `team_…`');
const TeamRole = Type.Enum(TEAM_ROLES);
const ShareRole = Type.Enum(SHARE_ROLES);
/** Identifies a user. A request must contain exactly one of these fields. */
const USER_REF = { userId: Type.Optional(UserId), email: Type.Optional(Email) };
export type UserRefInput = { readonly userId?: number | undefined; readonly email?: string | undefined };

export const UserParams = Type.Object({ userId: UserId });

/** The storage that an account uses, in all of its workspaces. */
export const STORAGE_USAGE = {
  usedBytes: Type.Integer({
    description: 'Your files in all workspaces, incomplete uploads, batches and tables',
  }),
  limitBytes: Nullable(Type.Integer({ description: 'The limit of your plan; null for no limit' })),
};

const ACCOUNT = {
  userId: UserId,
  email: Email,
  name: Type.String(),
  plan: Type.String(),
  isAuthor: Type.Boolean(),
  isAdmin: Type.Boolean(),
};
export const Me = Named('Me', 'The caller', {
  ...ACCOUNT,
  scopes: Type.Array(Type.Enum(SCOPES), { description: 'Scopes of the credential of this request' }),
  personalTeamId: Type.String({ description: 'The team ID of your personal workspace' }),
  activeTeamId: Nullable(Type.String({ description: 'Null for your personal workspace' })),
  activeRole: TeamRole,
  storage: Type.Object(STORAGE_USAGE),
  createdAt: Timestamp,
});

export const ChangeMeBody = Exact({ name: Name });
export const WorkspaceBody = Exact({ teamId: Nullable(TeamId) });

export const TeamParams = Type.Object({ id: TeamId });
export const CreateTeamBody = Exact({ name: Name });
export const ChangeTeamBody = Exact(
  {
    name: Type.Optional(Name),
    requiresSecondFactor: Type.Optional(
      Type.Boolean({
        description:
          'Whether sessions and connections without a second factor get 403 `second_factor_required` in the team. API keys keep working',
      }),
    ),
  },
  { minProperties: 1 },
);
export const Team = Named('Team', 'A workspace that several users share', {
  id: TeamId,
  name: Type.String(),
  role: TeamRole,
  requiresSecondFactor: Type.Boolean(),
  createdAt: Timestamp,
});
export const TeamPage = PageSchema(Team);

export const MemberParams = Type.Object({ id: TeamId, userId: UserId });
export const InviteMemberBody = NamedExact('MemberInput', 'The person to invite', {
  ...USER_REF,
  role: TeamRole,
});
export type InviteMemberBody = Static<typeof InviteMemberBody>;
export const ChangeMemberBody = Exact({ role: TeamRole });
// Contains no email, because members of a team need not know each other's emails.
export const Member = Named('Member', 'A user in a team', {
  userId: UserId,
  name: Type.String(),
  role: TeamRole,
  ...SpenderMonth,
  fromGroup: Type.Boolean({
    description: 'Whether a group of the identity provider gave the membership, and may change it',
  }),
  createdAt: Timestamp,
});
export const MemberPage = PageSchema(Member);

/** More than there are models. */
const MAX_MODELS = 2000;
const NodeTypes = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: MAX_MODELS,
  uniqueItems: true,
});
const POLICY = {
  providers: Nullable(
    Type.Array(Type.Enum(PROVIDER_NAMES), {
      maxItems: PROVIDER_NAMES.length,
      uniqueItems: true,
      description: 'The allowed providers; null for all',
    }),
  ),
  models: Exact({
    allow: Nullable(NodeTypes),
    deny: NodeTypes,
  }),
};
export const PolicyBody = NamedExact('TeamPolicyInput', 'The providers and models to allow', POLICY);
export const TeamPolicy = Named('TeamPolicy', 'The providers and models that runs of a team may use', POLICY);

export const InviteToTeamBody = NamedExact('TeamInvitationInput', 'The person to invite', {
  email: Email,
  role: TeamRole,
});
export const TeamInvitationParams = Type.Object({
  id: TeamId,
  invitationId: Type.String({ maxLength: 64 }),
});
const INVITATION = {
  id: Type.String(),
  role: TeamRole,
  invitedBy: Nullable(Type.String({ description: 'Name of the inviter; null if the account was deleted' })),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};
export const TeamInvitation = Named('TeamInvitation', 'A person who is invited to a team', {
  ...INVITATION,
  email: Nullable({ ...Email, description: 'Null if invited by user ID' }),
  userId: Nullable({ ...UserId, description: 'Null if invited by email' }),
  name: Nullable(Type.String({ description: 'Null if invited by email' })),
  isExpired: Type.Boolean({ description: 'Whether it has expired; invite the person again to renew it' }),
  url: Type.String({
    description: 'Send it to the invited person. It works only for an account with the invited email',
  }),
  isMailed: Type.Optional(IsMailed),
});
export const TeamInvitationPage = PageSchema(TeamInvitation);
export const InvitationParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const Invitation = Named('Invitation', 'An invitation of yours to a team', {
  ...INVITATION,
  team: Type.Object({ id: TeamId, name: Type.String() }),
});
export const InvitationPage = PageSchema(Invitation);

export const PermissionParams = Type.Object({
  id: Type.String({ maxLength: 64 }),
  person: Type.String({ maxLength: 254, description: 'The user ID or email, as listed' }),
});
export const ShareBody = NamedExact('PermissionInput', 'The person to share with, and the role', {
  ...USER_REF,
  role: ShareRole,
});
export type ShareBody = Static<typeof ShareBody>;
export const Permission = Named('Permission', 'A user or an email that a workflow is shared with', {
  userId: Nullable({
    ...UserId,
    description: 'Null if shared by email and nobody with that email has opened the workflow',
  }),
  name: Nullable(Type.String({ description: 'Null under the same condition as `userId`' })),
  email: Nullable({ ...Email, description: 'Null if shared by user ID' }),
  role: ShareRole,
  createdAt: Timestamp,
});
export const PermissionPage = PageSchema(Permission);

/** A path of this service. `//host` and `/\\host` would be URLs of other servers. */
const NextPath = Type.Optional(
  Type.String({
    pattern: '^/(?![/\\\\])[!-~]*$',
    maxLength: 500,
    description: 'The page that opens when the user has set a password, such as `/flow/wf_…`',
  }),
);

export const CreateUserBody = NamedExact('UserInput', 'The account to create', {
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
      description: 'Whether sessions of the account have the scope instance:admin',
    }),
  ),
  invite: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Creates a link where the user sets a password, valid for 72 hours and shown once',
    }),
  ),
  next: NextPath,
  keyScopes: Type.Optional(
    Type.Array(Type.Enum(SCOPES), {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      description: 'Creates a key with these scopes, shown once',
    }),
  ),
});
export type CreateUserBody = Static<typeof CreateUserBody>;
export const ChangeUserBody = NamedExact('UserChanges', 'The fields of an account to change', {
  name: Type.Optional(Name),
  email: Type.Optional({
    ...Email,
    description:
      'Shares and invitations for the old email follow; links that set a password stop working. Check that it belongs to the person',
  }),
  plan: Type.Optional(Type.String({ maxLength: 64 })),
  isAuthor: Type.Optional(Type.Boolean()),
  isAdmin: Type.Optional(Type.Boolean()),
  disabled: Type.Optional(
    Type.Boolean({
      description: 'Disables the account; its keys and sessions stop working within 5 seconds',
    }),
  ),
});
export type ChangeUserBody = Static<typeof ChangeUserBody>;
export const User = Named('User', 'An account', {
  ...ACCOUNT,
  disabled: Type.Boolean(),
  createdAt: Timestamp,
});
export const ListUsersQuery = Type.Object({
  query: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Part of name or email' })),
  disabled: Type.Optional(Type.Boolean({ description: 'Only disabled accounts, or only the others' })),
  ...PageQuery.properties,
});
export const DeleteUserQuery = Type.Object({
  transferTo: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The ID of the user, or of the team, who gets the workflows, folders and media',
  }),
});
export const DeletedUser = Named('DeletedUser', 'The work of a deleted account that others have now', {
  workflows: Type.Integer({ description: 'Workflows of the personal workspace' }),
  media: Type.Integer({ description: 'Uploads and results of the personal workspace' }),
});
export const UserPage = PageSchema(
  Named('UserListItem', 'An account, its credits, and when it was last seen in a session', {
    ...User.properties,
    hasPassword: Type.Boolean(),
    hasSecondFactor: Type.Boolean(),
    credits: Type.Object(
      { balance: Type.Integer(), held: Type.Integer() },
      { description: 'Credits of the personal workspace' },
    ),
    lastSeenAt: Nullable(Timestamp),
  }),
);
export const CreatedUser = Named('CreatedUser', 'A new account, with its key or invitation if requested', {
  ...User.properties,
  apiKey: Type.Optional(Type.String()),
  inviteUrl: Type.Optional(Type.String()),
  isMailed: Type.Optional(IsMailed),
});

export const LinkBody = NamedExact('PasswordLinkInput', 'The account whose password the link sets', {
  kind: Type.Enum(LINK_KINDS, {
    description:
      '`setup`: for the account of the first user; `invite`: for a new account; `reset`: for a forgotten password',
  }),
  email: Type.Optional(Email),
  next: NextPath,
});
export const PasswordLinkResponse = Named('PasswordLink', 'A link that sets a password', {
  url: Type.String({ description: 'Shown once, and valid for one use' }),
  expiresAt: Nullable(Timestamp),
  isMailed: Type.Optional(IsMailed),
});

export const Success = Named('Success', 'The request succeeded', { success: Type.Literal(true) });
