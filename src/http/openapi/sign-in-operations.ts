// Describes the operations of sign-in and sessions.
import type { OperationTable } from './operation.ts';

const V1 = '/api/v1';

export const SIGN_IN_OPERATIONS: OperationTable = {
  [`POST ${V1}/auth/setup`]: [
    'setUp',
    'Sets the email, name and password of the first user with the setup link that the first start prints. The link can be used only once, even by concurrent requests.',
    ['invalid_link', 'conflict', 'invalid_credentials'],
  ],
  [`POST ${V1}/auth/accept-invite`]: [
    'acceptInvite',
    'Sets a password with an invitation or reset link. The link can be used only once. All existing sessions of the account end.',
    ['invalid_link', 'invalid_credentials'],
  ],
  [`POST ${V1}/auth/sign-in`]: [
    'signIn',
    'Creates a session. A wrong email and a wrong password return the same error. Returns 429 after ten failures in 15 minutes for an account from one network, after fifty for an account from all networks that have not signed in to it in the last 30 days, or after fifty from one address.',
    ['invalid_credentials'],
  ],
  [`GET ${V1}/auth/methods`]: ['listSignInMethods', 'Returns the methods that the sign-in page offers.'],
  [`GET ${V1}/auth/oidc`]: [
    'beginOpenIdSignIn',
    'Redirects a browser to the identity provider. If that fails, the browser is redirected to `/sign-in?refused=…`. With `reauthenticate=true`, the provider asks for the credentials again, which confirms the identity of the current session.',
    ['not_found', 'unauthorized'],
  ],
  [`GET ${V1}/auth/oidc/callback`]: [
    'completeOpenIdSignIn',
    'Receives the browser from the identity provider, creates a session cookie and redirects to `next`, or to `/sign-in?refused=…` on failure. Clients that do not accept HTML receive errors as JSON, with `reason`.',
    ['not_found', 'sign_in_refused', 'conflict'],
  ],
  [`POST ${V1}/auth/password`]: [
    'changePassword',
    'Changes your password. All sessions end, and a new one is created for the caller. With `revokeKeys`, all API keys and connections are revoked too.',
    ['invalid_credentials'],
  ],
  [`POST ${V1}/auth/reauthenticate`]: [
    'reauthenticate',
    'Confirms the identity of the current session with the password. A session that was last confirmed more than 15 minutes ago cannot create keys or change roles or owners: those requests return 403 `reauthentication_required`. The same limits as for sign-in apply. Accounts without a password use `GET /api/v1/auth/oidc?reauthenticate=true` in the browser.',
    ['invalid_credentials'],
  ],
  [`POST ${V1}/auth/sign-out`]: ['signOut', 'Ends the current session. Without a session, nothing changes.'],
  [`GET ${V1}/auth/session`]: [
    'getSession',
    'Returns your user, your active workspace and its credits, your teams, and when the session expires.',
  ],
  [`GET ${V1}/auth/sessions`]: ['listSessions', 'Returns your active sessions, newest first.'],
  [`DELETE ${V1}/auth/sessions/{id}`]: [
    'endSession',
    'Ends a session. This process refuses it immediately, others within 5 s.',
    ['not_found'],
  ],
  [`POST ${V1}/admin/password-links`]: [
    'createPasswordLink',
    'Creates a link to set a password. It replaces an earlier link of the user. `setup` is for the first user and takes no `email`. `invite` and `reset` require an `email`.',
    ['not_found'],
  ],
};
