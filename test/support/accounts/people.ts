// Creates signed-in accounts for tests, which send requests as a browser does from a page of the service.
import assert from 'node:assert/strict';
import { type ApiUser, type Method, pathOf, type TestApp, type TestResponse } from '../app.ts';

export const PASSWORD = 'correct horse battery';

/** The header that browsers send with a request from a page of the service. */
export const SAME_ORIGIN_HEADERS = { 'sec-fetch-site': 'same-origin' };

export interface Person extends Pick<ApiUser, 'request'> {
  readonly userId: number;
  readonly email: string;
  /** The value of the request header: `session=…`. */
  readonly cookie: string;
}

let personCount = 0;

/** Creates an account that is signed in. */
export async function createPerson(
  test: TestApp,
  administrator: ApiUser,
  user: Readonly<Record<string, unknown>> = {},
): Promise<Person> {
  const email = `signed-in-${personCount++}@example.com`;
  const invited = await administrator.request<{ userId: number; inviteUrl: string }>('POST', '/admin/users', {
    email,
    name: 'Ana',
    plan: 'self_hosted',
    invite: true,
    ...user,
  });
  assert.equal(invited.status, 201, JSON.stringify(invited.body));
  const response = await test.anonymous.request('POST', '/auth/accept-invite', {
    token: readLinkToken(invited.body.inviteUrl),
    password: PASSWORD,
  });
  assert.equal(response.status, 204, JSON.stringify(response.body));
  return { userId: invited.body.userId, email, ...withCookie(test, readCookie(response)) };
}

/** Signs an account in again, with another session. */
export async function signIn(
  test: TestApp,
  { email }: Pick<Person, 'email'>,
  password = PASSWORD,
): Promise<Pick<Person, 'cookie' | 'request'>> {
  const response = await test.anonymous.request('POST', '/auth/sign-in', { email, password });
  assert.equal(response.status, 204, JSON.stringify(response.body));
  return withCookie(test, readCookie(response));
}

/** Creates a client that sends requests with this cookie, as from a page of the service. */
export function withCookie(test: TestApp, cookie: string): Pick<Person, 'cookie' | 'request'> {
  return {
    cookie,
    request: (method, path, body, headers) =>
      test.anonymous.request(method, path, body, { cookie, ...SAME_ORIGIN_HEADERS, ...headers }),
  };
}

/** Returns the cookie that a response sets, as `name=value`. */
export const readCookie = ({ headers }: Pick<TestResponse, 'headers'>): string =>
  (headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';

export const readLinkToken = (link: string): string => new URL(link).hash.slice(1);

/** Sends an anonymous request from an IP address. */
export async function sendFrom(
  test: TestApp,
  remoteAddress: string,
  method: Method,
  path: string,
  body: object,
): Promise<{ status: number; code: unknown; headers: Readonly<Record<string, unknown>> }> {
  const response = await test.app.inject({ method, url: pathOf(path), payload: body, remoteAddress });
  return {
    status: response.statusCode,
    code: response.body === '' ? undefined : response.json().code,
    headers: response.headers,
  };
}

/** Makes the user a member of the team by an invitation that the user accepts. */
export async function joinTeam(
  owner: Pick<ApiUser, 'request'>,
  teamId: string,
  { email, request }: Pick<ApiUser, 'email' | 'request'>,
  role: string,
): Promise<void> {
  const invitation = await owner.request('POST', `/teams/${teamId}/members`, { email, role });
  assert.equal(invitation.status, 202, invitation.body.error);
  assert.equal((await request('POST', `/invitations/${invitation.body.id}/accept`)).status, 200);
}
