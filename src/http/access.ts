// Lists the access that each route requires. Admission checks it before the body is read; OpenAPI's `security` follows it.
import type { RouteOptions } from 'fastify';
import type { Scope } from '../services/accounts/actor.ts';
import type { App } from './app.ts';

/** An API key with the scope. Sessions are not accepted. */
type KeyOnly = `key with ${Scope}`;

/**
 * The credential that a route requires:
 * - a scope: a credential with this scope;
 * - `signed-in`: any credential of a user;
 * - `session`: a session, no API key;
 * - `anyone`: none. An API key that is sent must be valid; an invalid session cookie is ignored;
 * - `agent`: an API key or an OAuth access token, for MCP;
 * - `public`: none. Credentials are not read;
 * - `content-secret`: CONTENT_WEBHOOK_SECRET.
 */
export type Access =
  | Scope
  | KeyOnly
  | 'signed-in'
  | 'session'
  | 'agent'
  | 'anyone'
  | 'public'
  | 'content-secret';

const KEY_ONLY = 'key with ';
export const isKeyOnly = (access: Access): access is KeyOnly => access.startsWith(KEY_ONLY);
export const scopeOf = (access: KeyOnly): Scope => access.slice(KEY_ONLY.length) as Scope;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set from the table. undefined only if no route matched. */
    access?: Access;
  }
}

const V1 = '/api/v1';

/** One entry per route. HEAD is covered by GET. A route without an entry prevents the service from starting. */
export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /openapi.json': 'public',
  'GET /docs/*': 'public',
  'GET /pages/*': 'public',

  // Users who are signed in are redirected to their workflows.
  'GET /': 'anyone',
  'GET /theme/:theme': 'public',
  // Pages of the application load their data from the API. Visitors are redirected to sign-in.
  'GET /setup': 'public',
  'GET /sign-in': 'anyone',
  'GET /workflows': 'anyone',
  'GET /templates': 'anyone',
  'GET /executions': 'anyone',
  'GET /executions/:id': 'anyone',
  'GET /media': 'anyone',
  'GET /settings': 'anyone',
  'GET /settings/:part': 'anyone',
  'GET /assets/:name': 'public',
  'GET /sitemap.xml': 'public',
  'GET /robots.txt': 'public',
  'GET /llms.txt': 'public',
  'GET /blog': 'public',
  'GET /blog/:slug': 'public',
  'GET /blog/rss.xml': 'public',
  'GET /features': 'public',
  'GET /features/:slug': 'public',
  'GET /models': 'public',
  'GET /models/:slug': 'public',
  'GET /flow/:id': 'anyone',
  'GET /flow/:id/preview.svg': 'public',
  'GET /cdn/:mediaId/:name': 'public',
  // The URL is signed.
  'PUT /uploads/:mediaId': 'public',
  'POST /api/content/webhook': 'content-secret',
  'PUT /api/content/webhook': 'content-secret',

  // Each tool requires its own scope.
  'POST /mcp': 'agent',

  'GET /.well-known/oauth-protected-resource': 'public',
  'GET /.well-known/oauth-protected-resource/mcp': 'public',
  'GET /.well-known/oauth-authorization-server': 'public',
  'GET /oauth/authorize': 'public',
  'GET /oauth/authorize/:uid': 'public',
  'POST /oauth/token': 'public',
  'POST /oauth/register': 'public',
  'POST /oauth/revoke': 'public',
  // Visitors are redirected to sign-in.
  'GET /oauth/interaction/:uid': 'anyone',
  'POST /oauth/interaction/:uid': 'session',

  [`GET ${V1}/nodes`]: 'anyone',
  [`GET ${V1}/models`]: 'anyone',
  [`GET ${V1}/templates`]: 'anyone',
  [`GET ${V1}/published/:slug`]: 'anyone',

  [`GET ${V1}/workflows`]: 'workflows:read',
  [`POST ${V1}/workflows`]: 'workflows:write',
  [`POST ${V1}/workflows/import`]: 'workflows:write',
  [`POST ${V1}/workflows/lint`]: 'workflows:read',
  // A key without workflows:read is treated as an anonymous visitor.
  [`GET ${V1}/workflows/:id`]: 'anyone',
  [`PUT ${V1}/workflows/:id`]: 'workflows:write',
  [`DELETE ${V1}/workflows/:id`]: 'workflows:write',
  [`GET ${V1}/workflows/:id/export`]: 'anyone',
  [`POST ${V1}/workflows/:id/lint`]: 'workflows:read',
  [`POST ${V1}/workflows/:id/layout`]: 'workflows:write',
  [`POST ${V1}/workflows/:id/heartbeat`]: 'workflows:write',
  [`PUT ${V1}/workflows/:id/selection`]: 'workflows:read',
  [`POST ${V1}/workflows/:id/duplicate`]: 'workflows:write',
  [`POST ${V1}/workflows/:id/restore`]: 'workflows:write',
  [`POST ${V1}/workflows/:id/visibility`]: 'workflows:write',
  [`POST ${V1}/workflows/:id/publish`]: 'workflows:write',
  [`PUT ${V1}/workflows/:id/budget`]: 'workflows:write',
  [`GET ${V1}/workflows/:id/events`]: 'workflows:read',
  [`GET ${V1}/workflows/:id/versions`]: 'workflows:read',
  [`GET ${V1}/workflows/:id/versions/:version`]: 'workflows:read',
  [`POST ${V1}/workflows/:id/versions/:version/restore`]: 'workflows:write',
  [`GET ${V1}/workflows/:id/permissions`]: 'workflows:read',
  [`PUT ${V1}/workflows/:id/permissions`]: 'workflows:write',
  [`DELETE ${V1}/workflows/:id/permissions/:person`]: 'workflows:write',

  [`POST ${V1}/workflows/:id/run`]: 'workflows:execute',
  [`POST ${V1}/workflows/:id/execute`]: 'workflows:execute',
  [`POST ${V1}/workflows/:id/estimate`]: 'workflows:execute',
  [`GET ${V1}/workflows/:id/executions`]: 'workflows:read',
  [`GET ${V1}/executions`]: 'workflows:read',
  [`GET ${V1}/executions/:id`]: 'workflows:read',
  [`DELETE ${V1}/executions/:id`]: 'workflows:write',
  [`GET ${V1}/executions/:id/workflow`]: 'workflows:read',
  [`GET ${V1}/executions/:id/outputs/:nodeId`]: 'workflows:read',
  [`GET ${V1}/executions/:id/events`]: 'workflows:read',
  [`POST ${V1}/executions/:id/cancel`]: 'workflows:execute',
  [`POST ${V1}/executions/:id/resume`]: 'workflows:execute',
  [`GET ${V1}/executions/:id/deliveries`]: 'workflows:read',
  [`POST ${V1}/executions/:id/deliveries/:deliveryId/redeliver`]: 'workflows:execute',
  [`POST ${V1}/webhooks/test`]: 'workflows:execute',
  // The signature of the provider is checked instead.
  'POST /hooks/:provider/:token': 'public',

  [`GET ${V1}/folders`]: 'workflows:read',
  [`POST ${V1}/folders`]: 'workflows:write',
  [`GET ${V1}/folders/:id`]: 'workflows:read',
  [`PATCH ${V1}/folders/:id`]: 'workflows:write',
  [`DELETE ${V1}/folders/:id`]: 'workflows:write',
  [`GET ${V1}/media`]: 'workflows:write',
  [`GET ${V1}/media/:id`]: 'workflows:write',
  [`GET ${V1}/media/:id/uses`]: 'workflows:write',
  [`DELETE ${V1}/media/:id`]: 'workflows:write',
  [`POST ${V1}/media/upload`]: 'workflows:write',
  [`POST ${V1}/media/upload-url`]: 'workflows:write',
  [`POST ${V1}/media/upload-url/complete`]: 'workflows:write',

  [`GET ${V1}/renderer/scene-graph`]: 'key with workflows:read',
  [`GET ${V1}/renderer/templates`]: 'key with workflows:read',
  [`GET ${V1}/renderer/templates/:id`]: 'key with workflows:read',
  // The same routes for the pages of the application.
  'GET /app/renderer/scene-graph': 'session',
  'GET /app/renderer/templates': 'session',
  'GET /app/renderer/templates/:id': 'session',
  [`GET ${V1}/renderer/templates/:id/thumbnail`]: 'anyone',
  [`POST ${V1}/render/renderer/preview`]: 'workflows:execute',
  [`GET ${V1}/render/renderer/:id`]: 'workflows:read',
  [`POST ${V1}/render/renderer/:id/cancel`]: 'workflows:execute',

  [`POST ${V1}/auth/setup`]: 'public',
  [`POST ${V1}/auth/accept-invite`]: 'public',
  [`POST ${V1}/auth/sign-in`]: 'public',
  [`GET ${V1}/auth/methods`]: 'public',
  // A browser with a session can reauthenticate here.
  [`GET ${V1}/auth/oidc`]: 'anyone',
  [`GET ${V1}/auth/oidc/callback`]: 'anyone',
  [`POST ${V1}/auth/password`]: 'session',
  [`POST ${V1}/auth/reauthenticate`]: 'session',
  // Succeeds for a session that has already ended.
  [`POST ${V1}/auth/sign-out`]: 'anyone',
  [`GET ${V1}/auth/session`]: 'session',
  [`GET ${V1}/auth/sessions`]: 'account:admin',
  [`DELETE ${V1}/auth/sessions/:id`]: 'account:admin',

  [`GET ${V1}/me`]: 'signed-in',
  [`PATCH ${V1}/me`]: 'account:admin',
  [`PUT ${V1}/me/workspace`]: 'workflows:write',
  [`GET ${V1}/connections`]: 'account:admin',
  [`DELETE ${V1}/connections/:id`]: 'account:admin',
  [`GET ${V1}/keys`]: 'account:admin',
  [`POST ${V1}/keys`]: 'account:admin',
  [`GET ${V1}/keys/:id`]: 'account:admin',
  [`PATCH ${V1}/keys/:id`]: 'account:admin',
  [`DELETE ${V1}/keys/:id`]: 'account:admin',
  [`GET ${V1}/credits`]: 'account:admin',
  [`GET ${V1}/credits/spending`]: 'account:admin',
  [`GET ${V1}/credits/budgets`]: 'account:admin',
  [`GET ${V1}/teams`]: 'account:admin',
  [`POST ${V1}/teams`]: 'account:admin',
  [`GET ${V1}/teams/:id`]: 'account:admin',
  [`PATCH ${V1}/teams/:id`]: 'account:admin',
  [`DELETE ${V1}/teams/:id`]: 'account:admin',
  [`GET ${V1}/teams/:id/members`]: 'account:admin',
  [`POST ${V1}/teams/:id/members`]: 'account:admin',
  [`GET ${V1}/teams/:id/members/:userId`]: 'account:admin',
  [`PATCH ${V1}/teams/:id/members/:userId`]: 'account:admin',
  [`DELETE ${V1}/teams/:id/members/:userId`]: 'account:admin',
  [`GET ${V1}/teams/:id/invitations`]: 'account:admin',
  [`POST ${V1}/teams/:id/invitations`]: 'account:admin',
  [`GET ${V1}/teams/:id/invitations/:invitationId`]: 'account:admin',
  [`DELETE ${V1}/teams/:id/invitations/:invitationId`]: 'account:admin',
  [`GET ${V1}/invitations`]: 'account:admin',
  [`GET ${V1}/invitations/:id`]: 'account:admin',
  [`DELETE ${V1}/invitations/:id`]: 'account:admin',
  [`POST ${V1}/invitations/:id/accept`]: 'account:admin',

  [`GET ${V1}/admin/users`]: 'instance:admin',
  [`GET ${V1}/admin/models`]: 'instance:admin',
  [`POST ${V1}/admin/models`]: 'instance:admin',
  [`GET ${V1}/admin/models/offers`]: 'instance:admin',
  [`POST ${V1}/admin/models/plan`]: 'instance:admin',
  [`POST ${V1}/admin/users`]: 'instance:admin',
  [`GET ${V1}/admin/users/:userId`]: 'instance:admin',
  [`PATCH ${V1}/admin/users/:userId`]: 'instance:admin',
  [`POST ${V1}/admin/password-links`]: 'instance:admin',
  [`GET ${V1}/admin/credits`]: 'instance:admin',
  [`POST ${V1}/admin/credits`]: 'instance:admin',
  [`GET ${V1}/admin/plans`]: 'instance:admin',
  [`GET ${V1}/admin/providers`]: 'instance:admin',
  [`GET ${V1}/admin/workload`]: 'instance:admin',
  [`POST ${V1}/admin/workflows/:id/restore`]: 'instance:admin',
};

/** Folders whose files all have the same access share one entry. */
const FILES = /^\/(docs|pages)(?:\/.*)?$/;

/** Sets the access of each route. Must be called before the first route is registered. */
export function registerAccess(app: App): void {
  app.addHook('onRoute', route => {
    const access = accessOf(route);
    route.config = { ...route.config, access };
    route.schema = { ...route.schema, security: securityOf(access) };
  });
}

/** Returns the key of a route in the tables. */
export function tableKeyOf({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string {
  const verb = String([method].flat().find(it => it !== 'HEAD') ?? 'GET');
  return `${verb} ${url.replace(FILES, '/$1/*')}`;
}

function accessOf(route: Pick<RouteOptions, 'method' | 'url'>): Access {
  // CORS preflights.
  if (route.method === 'OPTIONS') return 'public';
  const key = tableKeyOf(route);
  const access = ACCESS[key];
  if (access === undefined) throw new Error(`${key} has no entry in the table of http/access.ts.`);
  return access;
}

/** Returns the `security` of the route in OpenAPI. */
function securityOf(access: Access): Readonly<Record<string, string[]>>[] {
  if (access === 'public') return [];
  if (access === 'content-secret') return [{ contentSecret: [] }];
  if (access === 'anyone') return [{ apiKey: [] }, { session: [] }, {}];
  if (access === 'session') return [{ session: [] }];
  if (access === 'agent') return [{ apiKey: [] }];
  if (isKeyOnly(access)) return [{ apiKey: [scopeOf(access)] }];
  return [{ apiKey: access === 'signed-in' ? [] : [access] }, { session: [] }];
}
