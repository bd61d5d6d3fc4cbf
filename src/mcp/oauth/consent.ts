// Handles a person's consent: reuses earlier grants, shows the consent page, and records the decision.
import { errors, type Provider } from 'oidc-provider';
import { hmacSha256Hex, safeEqual } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { renderConsentPage } from '../../pages/consent-page.ts';
import { createPolicy } from '../../pages/security-policy.ts';
import { findActiveUser } from '../../services/accounts/accounts.ts';
import type { AgentScope, UserActor } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import {
  type ConnectionClient,
  createConnection,
  findConnectionId,
} from '../../services/oauth/connections.ts';
import type { OAuthKeys } from '../../services/oauth/oauth-keys.ts';
import type {
  ConsentRequest,
  ConsentResult,
  Decision,
  OAuthServer,
} from '../../services/oauth/oauth-server.ts';
import { hasRecentProof } from '../../services/sessions/reauthenticate.ts';
import { EXPIRED_MESSAGE, PAGE_SOURCES } from './error-page.ts';
import { forwardRequest } from './forwarded-request.ts';
import { describeRedirect, type Redirect } from './redirects.ts';
import { parseScopes } from './requests.ts';

type InteractionResult = Parameters<Provider['interactionResult']>[2];

interface ConsentContext {
  readonly deps: Deps;
  readonly provider: Provider;
  readonly keys: OAuthKeys;
}

export function createConsent(
  deps: Deps,
  provider: Provider,
  keys: OAuthKeys,
): Pick<OAuthServer, 'openConsent' | 'decide'> {
  const ctx = { deps, provider, keys };
  return {
    openConsent: request => openConsent(ctx, request),
    decide: (request, decision) => decide(ctx, request, decision),
  };
}

async function openConsent(ctx: ConsentContext, request: ConsentRequest): Promise<ConsentResult> {
  const { deps, keys } = ctx;
  const { client, redirect, scopes, mustAsk } = await readAuthorizationRequest(ctx, request);
  if (await needsConfirmation(deps, request, scopes)) return toConfirmation(request);
  // Without https, another program could impersonate the client that was granted access.
  if (redirect.kind === 'https' && !mustAsk) {
    const grantId = await findConnectionId(deps, request.actor, client, scopes);
    if (grantId !== undefined) return finish(ctx, request, toGrantResult(request.actor, grantId));
  }
  const person = await findActiveUser(deps, request.actor.userId);
  if (person === undefined)
    throw new AppError('unauthorized', 'The account no longer exists. Sign in again.');
  const html = renderConsentPage({
    uid: request.uid,
    clientName: client.name,
    redirectHost: redirect.host,
    redirectKind: redirect.kind,
    person,
    scopes,
    token: createFormToken(keys, request),
  });
  return { kind: 'page', html, contentSecurityPolicy: createConsentPolicy(redirect) };
}

async function decide(
  ctx: ConsentContext,
  request: ConsentRequest,
  decision: Decision,
): Promise<ConsentResult> {
  if (!safeEqual(decision.token, createFormToken(ctx.keys, request)))
    throw new AppError('cross_site_request', 'The form is invalid. Open the page again.');
  const { client, scopes } = await readAuthorizationRequest(ctx, request);
  const grantedScopes = decision.isAllowed ? scopes.filter(scope => decision.scopes.includes(scope)) : [];
  if (grantedScopes.length === 0) return finish(ctx, request, DENIED);
  if (await needsConfirmation(ctx.deps, request, grantedScopes)) return toConfirmation(request);
  const refused = scopes.filter(scope => !grantedScopes.includes(scope));
  const grantId = await createConnection(ctx.deps, request.actor, client, { scopes: grantedScopes, refused });
  return finish(ctx, request, toGrantResult(request.actor, grantId));
}

/** Returns whether the person must confirm their identity before an application may change or spend something. */
const needsConfirmation = async (
  deps: Deps,
  { actor }: ConsentRequest,
  scopes: readonly AgentScope[],
): Promise<boolean> =>
  scopes.some(scope => scope !== 'workflows:read') && !(await hasRecentProof(deps, actor));

/** The page returns to the consent. */
const toConfirmation = ({ uid }: ConsentRequest): ConsentResult => ({
  kind: 'redirect',
  to: `/confirm?next=${encodeURIComponent(`/oauth/interaction/${encodeURIComponent(uid)}`)}`,
});

async function finish(
  { provider, deps }: ConsentContext,
  request: ConsentRequest,
  result: InteractionResult,
): Promise<ConsentResult> {
  const url = await provider.interactionResult(toLibraryRequest(deps, request), request.res, result, {
    mergeWithLastSubmission: false,
  });
  return { kind: 'redirect', to: url };
}

const toLibraryRequest = ({ settings }: Deps, { raw, uid }: ConsentRequest) =>
  forwardRequest(raw, settings.BASE_URL, { method: 'GET', url: `/oauth/interaction/${uid}` });

const DENIED = { error: 'access_denied', error_description: 'The user denied access.' };

const toGrantResult = ({ userId }: UserActor, grantId: string): InteractionResult => ({
  login: { accountId: String(userId), remember: false },
  consent: { grantId },
});

/** Returns a token that is bound to the session and the request, so that no other page or user can submit the form. */
function createFormToken(keys: OAuthKeys, { uid, actor }: ConsentRequest): string {
  return hmacSha256Hex(keys.cookies, JSON.stringify(['consent', uid, actor.userId, actor.credential.id]));
}

interface AuthorizationRequest {
  readonly client: ConnectionClient;
  readonly redirect: Redirect;
  readonly scopes: ReturnType<typeof parseScopes>;
  /** Whether the client wants the person to be asked again after an earlier consent. */
  readonly mustAsk: boolean;
}

/** Returns the pending authorization request. A cookie proves that this browser started it. Throws 404. */
async function readAuthorizationRequest(
  { provider, deps }: ConsentContext,
  request: ConsentRequest,
): Promise<AuthorizationRequest> {
  const { uid, params } = await provider
    .interactionDetails(toLibraryRequest(deps, request), request.res)
    .catch(throwExpired);
  if (uid !== request.uid) throw createExpiredError();
  const client = await provider.Client.find(String(params.client_id));
  if (client === undefined) throw createExpiredError();
  const redirect = describeRedirect(String(params.redirect_uri));
  return {
    client: {
      id: client.clientId,
      name: sanitizeName(client.clientName, redirect.host),
      redirectHost: redirect.host,
    },
    redirect,
    scopes: parseScopes(splitWords(params.scope)),
    mustAsk: splitWords(params.prompt).has('consent'),
  };
}

const splitWords = (text: unknown): ReadonlySet<string> =>
  new Set(typeof text === 'string' ? text.split(' ') : []);

/**
 * Returns the policy of the page. `form-action` must also allow the redirect, because Chrome applies it to the redirects
 * of a form.
 */
const createConsentPolicy = ({ policySource }: Redirect): string =>
  createPolicy({ ...PAGE_SOURCES, 'form-action': `'self' ${policySource}` });

const createExpiredError = (): AppError => new AppError('not_found', EXPIRED_MESSAGE);

function throwExpired(err: unknown): never {
  throw err instanceof errors.SessionNotFound ? createExpiredError() : err;
}

const MAX_NAME_CHARACTERS = 60;
/** Control and format characters, including those that change text direction, and line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Returns one line without invisible characters. A client without a usable name is identified by its redirect host. */
export function sanitizeName(name: string | undefined, redirectHost: string): string {
  const line = [...(name ?? '').normalize('NFC').replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim()];
  if (line.length === 0) return `A program at ${redirectHost}`;
  return line.length <= MAX_NAME_CHARACTERS
    ? line.join('')
    : `${line.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`;
}
