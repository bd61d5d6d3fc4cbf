// Defines the schemas of requests and responses about sign-in and sessions.
import { Type } from 'typebox';
import { TEAM_ROLES } from '../../store/teams.ts';
import { STORAGE_USAGE } from '../accounts/account.schema.ts';
import { SCOPES } from '../accounts/actor.ts';
import { Email, Name } from '../accounts/names.ts';
import { PageSchema } from '../paging.ts';
import { Named, NamedExact, Nullable, Timestamp } from '../schema.ts';

const Password = Type.String({ maxLength: 256 });
const NewPassword = Type.String({ minLength: 10, maxLength: 256 });
const RevokeKeys = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Also revokes all API keys of the account and ends its connections',
  }),
);
const Token = Type.String({ minLength: 1, maxLength: 100, description: 'The part of the link after #' });
const TeamRole = Type.Enum(TEAM_ROLES);
const Credits = Type.Integer();

export const SetUpBody = NamedExact('SetUpInput', 'The account of the first user', {
  token: Token,
  email: Email,
  name: Name,
  password: NewPassword,
});
export const AcceptInviteBody = NamedExact('AcceptInviteInput', 'A link, and the password it sets', {
  token: Token,
  password: NewPassword,
  revokeKeys: RevokeKeys,
});
export const ForgottenPasswordBody = NamedExact('ForgottenPasswordInput', 'The email of an account', {
  email: Email,
});
export const SignInBody = NamedExact('SignInInput', 'Email and password', {
  email: Email,
  password: Password,
});
export const PasswordBody = NamedExact('PasswordChange', 'The current and the new password', {
  current: Password,
  next: NewPassword,
  revokeKeys: RevokeKeys,
});

export const SignInMethods = Named('SignInMethods', 'The available sign-in methods', {
  password: Type.Literal(true),
  passkeys: Type.Boolean({ description: 'Whether browsers can use passkeys here' }),
  mail: Type.Boolean({ description: 'Whether the service mails links for forgotten passwords' }),
  openid: Nullable(
    Type.Object({
      issuer: Type.String(),
      startUrl: Type.String({ description: 'Where a browser starts the sign-in; accepts `next`' }),
    }),
  ),
  needsSetup: Type.Boolean({
    description: 'True if nobody can sign in yet: the first user must open the link that the service printed',
  }),
});
export const BeginOpenIdQuery = Type.Object({
  next: Type.Optional(
    Type.String({ maxLength: 500, description: 'A path of this service to continue to; default /' }),
  ),
  reauthenticate: Type.Optional(
    Type.Boolean({
      description: 'Confirms the identity of the current session with a new sign-in at the provider',
    }),
  ),
});
export const OpenIdCallbackQuery = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 8192 })),
    state: Type.Optional(Type.String({ maxLength: 8192 })),
    error: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  { additionalProperties: true },
);

export const OwnSession = Named('Session', 'The signed-in user', {
  user: Type.Object({
    userId: Type.Integer(),
    email: Email,
    name: Type.String(),
    isAuthor: Type.Boolean(),
    isAdmin: Type.Boolean(),
    scopes: Type.Array(Type.Enum(SCOPES)),
    personalTeamId: Type.String(),
  }),
  workspace: Type.Object(
    {
      teamId: Nullable(Type.String({ description: 'Null for your personal workspace' })),
      name: Type.String(),
      role: TeamRole,
    },
    { description: 'The active workspace' },
  ),
  teams: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: TeamRole })),
  invitations: Type.Integer({ description: 'Number of your pending team invitations' }),
  plan: Type.String(),
  credits: Type.Object(
    { balance: Credits, held: Credits },
    { description: 'Credits of the active workspace' },
  ),
  storage: Type.Object(STORAGE_USAGE),
  expiresAt: Timestamp,
  needsSecondFactor: Type.Boolean({
    description: 'Whether this service requires a second factor that the session lacks',
  }),
});

export const SessionParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
const SessionObject = Named('ListedSession', 'A session of your account', {
  id: Type.String(),
  userAgent: Nullable(Type.String()),
  address: Type.String({ description: 'Network address from which it was started' }),
  createdAt: Timestamp,
  lastSeenAt: Type.String({ format: 'date-time', description: 'Accurate to a few seconds' }),
  expiresAt: Timestamp,
  isCurrent: Type.Boolean({ description: 'Whether it is the session of this request' }),
});
export const SessionPage = PageSchema(SessionObject);
