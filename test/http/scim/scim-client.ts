// Sends SCIM requests to a test app, in the forms that Okta and Entra ID document.
import type { ApiUser, TestApp } from '../../support/app.ts';

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

export interface ScimResource {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly userName: string;
  readonly displayName: string;
  readonly externalId?: string;
  readonly active: boolean;
  readonly name: { readonly formatted: string; readonly givenName?: string; readonly familyName?: string };
  readonly emails: readonly { readonly value: string }[];
  readonly members: readonly { readonly value: string; readonly display: string }[];
  readonly Resources: readonly ScimResource[];
  readonly totalResults: number;
  readonly itemsPerPage: number;
  readonly startIndex: number;
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
  readonly meta: { readonly location: string };
}

export interface ScimResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: ScimResource;
}

export type SendScim = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<ScimResponse>;

/** Creates a token and returns a client that sends it. */
export async function createScimClient(test: TestApp, admin: ApiUser): Promise<SendScim> {
  const { body } = await admin.request<{ token: string }>('POST', '/admin/scim-token');
  return sendWith(test, body.token);
}

export const sendWith =
  (test: TestApp, token: string): SendScim =>
  async (method, path, body) => {
    const response = await test.app.inject({
      method,
      url: `/scim/v2${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.body === '' ? undefined : response.json(),
    } as ScimResponse;
  };

/** Builds a PATCH request of these operations. */
export const patchOf = (...operations: readonly object[]) => ({
  schemas: [PATCH_SCHEMA],
  Operations: operations,
});
