// Configures the library of the authorization server: lifetimes, routes, cookies, clients and storage.
import { type AdapterFactory, type Configuration, errors, Provider } from 'oidc-provider';
import { toAppError, toError } from '../../lib/errors.ts';
import { createPolicy } from '../../pages/security-policy.ts';
import { findActiveUser } from '../../services/accounts/accounts.ts';
import { AGENT_SCOPES } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import type { OAuthKeys } from '../../services/oauth/oauth-keys.ts';
import { createOAuthRecords } from '../../services/oauth/oauth-records.ts';
import { getMcpResource } from '../../services/oauth/oauth-server.ts';
import { createDocumentFetch } from './client-documents.ts';
import { PAGE_SOURCES, renderErrorPage, UNAVAILABLE } from './error-page.ts';
import { AUTH_METHODS } from './metadata.ts';

const HOUR_SECONDS = 3600;
const LIFETIMES = {
  AccessToken: HOUR_SECONDS,
  AuthorizationCode: 300,
  RefreshToken: 30 * 24 * HOUR_SECONDS,
  // Long enough to find a password or to request an account.
  Interaction: HOUR_SECONDS,
  Session: HOUR_SECONDS,
  Grant: 30 * 24 * HOUR_SECONDS,
};

const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
};

const COOKIES = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;

export function createProvider(deps: Deps, keys: OAuthKeys): Provider {
  const { BASE_URL } = deps.settings;
  const provider = new Provider(BASE_URL, configure(deps, keys));
  // The URL of each request is based on BASE_URL (see forwarded-request.ts).
  provider.proxy = true;
  const failures = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, err) => {
    failures.set(ctx, err);
    deps.log.error({ err: toError(err) }, 'the authorization server failed');
  });
  provider.use(async (ctx, next) => {
    await next();
    if (failures.has(ctx)) sendOutage(ctx, failures.get(ctx));
  });
  return provider;
}

type ProviderContext = Parameters<Parameters<Provider['use']>[0]>[0];

/**
 * Replaces the library's 500 for storage errors by a 503. Clients can repeat every request. At worst, the service rejects a
 * code that was already used.
 */
function sendOutage(ctx: ProviderContext, thrown: unknown): void {
  const { status, message, headers = {} } = toAppError(thrown, { isRepeatable: true });
  if (status !== 503) return;
  ctx.status = status;
  ctx.set(headers);
  const body = { error: UNAVAILABLE, error_description: message };
  ctx.body = ctx.accepts('json', 'html') === 'html' ? renderErrorPage(status, body) : body;
}

function configure(deps: Deps, keys: OAuthKeys): Configuration {
  const { settings } = deps;
  return {
    adapter: createAdapter(deps),
    jwks: { keys: [keys.signing as never] },
    cookies: {
      keys: [keys.cookies],
      names: { session: 'oauth_session', interaction: 'oauth_interaction', resume: 'oauth_resume' },
      long: { ...COOKIES, path: '/oauth' },
      short: COOKIES,
    },
    ttl: LIFETIMES,
    // A process whose clock is behind may receive a token that this process has just issued.
    clockTolerance: 60,
    scopes: ['offline_access'],
    claims: {},
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: [...AUTH_METHODS],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    // A client that revokes any of its tokens no longer needs the connection.
    revokeGrantPolicy: () => true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // The service's own sessions do not limit how long an agent may refresh its token.
    expiresWithSession: async () => false,
    findAccount: async (_ctx, sub) =>
      (await findActiveUser(deps, Number(sub))) && { accountId: sub, claims: async () => ({ sub }) },
    clientBasedCORS: () => true,
    fetch: createDocumentFetch(deps) as typeof fetch,
    interactions: { url: (_ctx, { uid }) => `${settings.BASE_URL}/oauth/interaction/${uid}` },
    routes: ROUTES,
    features: configureFeatures(settings),
    renderError: (ctx, error) => {
      ctx.type = 'html';
      ctx.set('content-security-policy', createPolicy(PAGE_SOURCES));
      ctx.body = renderErrorPage(ctx.status, error);
    },
  };
}

function configureFeatures(settings: Deps['settings']): NonNullable<Configuration['features']> {
  const resource = getMcpResource(settings);
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: settings.CIMD ? { enabled: true, ack: 'draft-02' } : { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, requestedResource) => {
        if (requestedResource !== resource) throw new errors.InvalidTarget();
        return {
          scope: AGENT_SCOPES.join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: LIFETIMES.AccessToken,
        };
      },
    },
  };
}

function createAdapter(deps: Deps): AdapterFactory {
  return model => {
    const records = createOAuthRecords(deps, model);
    return {
      find: id => records.find(id),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      upsert: (id, payload, expiresIn) => records.upsert(id, { ...payload }, expiresIn),
      destroy: id => records.destroy(id),
      revokeByGrantId: id => records.revokeByGrantId(id),
      async consume(id) {
        const isFirst = await records.consume(id);
        // If two requests use the same code concurrently, one is rejected. A refresh token has a grace period instead.
        if (!isFirst && model === 'AuthorizationCode')
          throw new errors.InvalidGrant('authorization code already consumed');
      },
    };
  };
}
