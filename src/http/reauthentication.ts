// Lists the routes that require a recently confirmed session, so that a stolen cookie alone cannot change permissions.
import { requireRecentProof } from '../services/sessions/reauthenticate.ts';
import { tableKeyOf } from './access.ts';
import type { App } from './app.ts';
import type { HttpDeps } from './deps.ts';

/** When a route requires it. `for OWNER`: only if the `role` in the body is OWNER. */
export type Reauthentication = 'always' | 'for OWNER';

const V1 = '/api/v1';

/** One entry per route, as in access.ts. */
export const REAUTHENTICATION: Readonly<Record<string, Reauthentication>> = {
  [`POST ${V1}/keys`]: 'always',
  [`PUT ${V1}/workflows/:id/permissions`]: 'for OWNER',
  [`POST ${V1}/teams/:id/members`]: 'for OWNER',
  [`PATCH ${V1}/teams/:id/members/:userId`]: 'always',
  [`DELETE ${V1}/teams/:id/members/:userId`]: 'always',
  [`POST ${V1}/teams/:id/invitations`]: 'for OWNER',
  [`POST ${V1}/admin/users`]: 'always',
  [`PATCH ${V1}/admin/users/:userId`]: 'always',
  // A password link gives access to the account.
  [`POST ${V1}/admin/password-links`]: 'always',
};

/** Must be called before the first route is registered. */
export function registerReauthentication(app: App, deps: HttpDeps): void {
  app.addHook('onRoute', route => {
    const when = REAUTHENTICATION[tableKeyOf(route)];
    if (when === undefined) return;
    route.schema = { ...route.schema, ...{ 'x-reauthentication': when } };
    // After validation, since it may depend on the body.
    route.preHandler = async ({ actor, body }) => {
      if (when === 'always' || roleIn(body) === 'OWNER') await requireRecentProof(deps, actor);
    };
  });
}

const roleIn = (body: unknown): unknown => (body as { readonly role?: unknown } | undefined)?.role;
