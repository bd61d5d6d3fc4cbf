// What the document says of sign-in and sessions.
import type { OperationLines } from './operation.ts';

const V1 = '/api/v1';

export const SIGN_IN_OPERATIONS: OperationLines = {
  [`POST ${V1}/auth/setup`]: [
    'setUp',
    'Makes the first user somebody who can sign in. The link works once, also for two who use it at the same time.',
    ['invalid_link', 'conflict', 'invalid_credentials'],
  ],
  [`POST ${V1}/auth/accept-invite`]: [
    'acceptInvite',
    'The link works once. All sessions that the account had end.',
    ['invalid_link', 'invalid_credentials'],
  ],
  [`POST ${V1}/auth/sign-in`]: [
    'signIn',
    'A wrong email and a wrong password give the same answer. After ten failures in 15 minutes for an account from one ' +
      'network, fifty from all networks without a sign-in to it in the last 30 days, or fifty from an address: 429.',
    ['invalid_credentials'],
  ],
  [`GET ${V1}/auth/methods`]: ['listSignInMethods', 'What the sign-in page offers.'],
  [`GET ${V1}/auth/oidc`]: [
    'beginOpenIdSignIn',
    'For browsers: sends them to the identity provider. A browser that cannot be sent there goes to `/sign-in?refused=…`. With `reauthenticate=true` the provider asks for the credentials again, and the session that asks is proved.',
    ['not_found', 'unauthorized'],
  ],
  [`GET ${V1}/auth/oidc/callback`]: [
    'completeOpenIdSignIn',
    'Where the identity provider sends the browser back. It goes on with a session cookie to `next`, or to ' +
      '`/sign-in?refused=…`; whoever does not ask for HTML gets the refusal as JSON, with `reason`.',
    ['not_found', 'sign_in_refused', 'conflict'],
  ],
  [`POST ${V1}/auth/password`]: [
    'changePassword',
    'All sessions end, and a new one starts for who asks. With `revokeKeys` all API keys and connections end too.',
    ['invalid_credentials'],
  ],
  [`POST ${V1}/auth/reauthenticate`]: [
    'reauthenticate',
    'A session must prove itself again after 15 minutes before it makes a key or changes a role or an owner: those answer ' +
      '403 `reauthentication_required`. Limited as a sign-in. Without a password: ' +
      '`GET /api/v1/auth/oidc?reauthenticate=true` in the browser.',
    ['invalid_credentials'],
  ],
  [`POST ${V1}/auth/sign-out`]: ['signOut', 'Without a session it does nothing.'],
  [`GET ${V1}/auth/session`]: [
    'getSession',
    'Your user, active workspace and its credits, teams, and when the session ends.',
  ],
  [`GET ${V1}/auth/sessions`]: ['listSessions', 'Those that have not ended, newest first.'],
  [`DELETE ${V1}/auth/sessions/{id}`]: [
    'endSession',
    'It is refused by this process at once, by others within 5 s.',
    ['not_found'],
  ],
  [`POST ${V1}/admin/password-links`]: [
    'createPasswordLink',
    '`setup` is for the first user and takes no `email`; `invite` and `reset` need one.',
    ['not_found'],
  ],
};
