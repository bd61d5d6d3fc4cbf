// Creates accounts with a session for browser tests. The first account owns everything that the service's key creates.
import assert from 'node:assert/strict';
import type { Settings } from '../../../src/lib/settings.ts';
import { BOOTSTRAP_USER_ID } from '../../../src/services/accounts/bootstrap.ts';
import { createPasswordLink } from '../../../src/services/sessions/password-links.ts';
import type { TestService } from '../service.ts';
import { PASSWORD, readLinkToken, SAME_ORIGIN_HEADERS } from './people.ts';

/** Invites a user, sets the user's password, and returns the session cookie. */
export async function signUpUser(
  service: Pick<TestService, 'url' | 'request'>,
  user: { readonly email: string; readonly name: string },
): Promise<string> {
  const { status, body } = await service.request<{ inviteUrl: string }>('POST', '/admin/users', {
    plan: 'self_hosted',
    invite: true,
    ...user,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return setPassword(service, 'accept-invite', body.inviteUrl);
}

/** Sets up the first account, and returns the session cookie as `name=value`. */
export async function signInFirstUser(
  service: Pick<TestService, 'url' | 'db'>,
  name = 'Ana',
): Promise<string> {
  const deps = { now: Date.now, settings: { BASE_URL: service.url } as Settings };
  const { url } = await createPasswordLink(service.db, deps, { userId: BOOTSTRAP_USER_ID, kind: 'setup' });
  return setPassword(service, 'setup', url, { email: 'ana@example.com', name });
}

/** Uses a link to set the account's password, and returns the session cookie. */
async function setPassword(
  service: Pick<TestService, 'url'>,
  route: 'setup' | 'accept-invite',
  link: string,
  user: object = {},
): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/auth/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...SAME_ORIGIN_HEADERS },
    body: JSON.stringify({ token: readLinkToken(link), password: PASSWORD, ...user }),
  });
  assert.equal(response.status, 204, await response.text());
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}
