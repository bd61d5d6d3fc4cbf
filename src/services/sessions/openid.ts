// Signs users in at an OpenID provider: the code flow with PKCE, state and nonce, tied to one browser by an encrypted
// cookie.
import type * as openid from 'openid-client';
import { decrypt, encrypt } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import type { GuardedFetch } from '../../lib/fetch.ts';
import { isRecord } from '../../lib/record.ts';
import { findIdentity } from '../../store/people/identities.ts';
import type { Actor } from '../accounts/actor.ts';
import { translateEmailConflict } from '../accounts/names.ts';
import type { Deps } from '../deps.ts';
import { applyClaimedGroups } from '../groups/apply-groups.ts';
import { isStorable, readClaimedGroups } from '../groups/claimed-groups.ts';
import { hasMappings } from '../groups/store.ts';
import { userHasFactor } from '../second-factors/prove-factor.ts';
import { isSession, type SignInOutcome, startSessionOrSecondStep } from '../second-factors/second-step.ts';
import { recordFailures } from './failed-attempts.ts';
import { type Claims, createSignInError, findOrCreateUser } from './identities.ts';
import { confirmSession } from './reauthenticate.ts';
import { recordSignIn, type Visitor } from './start-session.ts';

/** The path below BASE_URL; the provider must know it as a redirect URI. */
export const CALLBACK_PATH = '/api/v1/auth/oidc/callback';
/** The maximum duration of a sign-in at the provider. */
export const FLOW_SECONDS = 600;

/** Maximum difference between the clocks of this service and the provider. */
const CLOCK_SKEW_MS = 30_000;
/** Timeout of requests to the provider. */
const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 1_000_000;
/** OpenID Connect allows 255. */
const MAX_SUBJECT_CHARS = 1_000;

/** The state of a sign-in. The browser stores it, encrypted, until it returns from the provider. */
interface SignInFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** A path of this service to continue to. */
  readonly next: string;
  /** The session to confirm; undefined for a sign-in. */
  readonly sessionId?: string | undefined;
  readonly expiresAtMs: number;
}

interface FlowRequest {
  readonly next: string | undefined;
  /** The session that the user confirms with a fresh sign-in; undefined to start a session. */
  readonly sessionId?: string | undefined;
}

export interface OpenIdSignIn {
  /**
   * Returns the provider's URL for the browser, and the encrypted flow that the browser must send back. Throws 503 if
   * the provider does not respond.
   */
  begin(request: FlowRequest): Promise<{ readonly url: string; readonly flow: string }>;
  /**
   * Completes the sign-in. `search` is the query of the provider's redirect, with its `?`. Returns no outcome if the
   * sign-in confirmed an existing session. Throws 403 `sign_in_refused`, and 503.
   */
  complete(
    callback: { readonly search: string; readonly flow: string | undefined },
    visitor: Visitor,
    actor: Actor,
  ): Promise<{ readonly outcome: SignInOutcome | undefined; readonly next: string }>;
  /** Returns the path to which a failed sign-in would have continued, for the next attempt. */
  getNextPath(flow: string | undefined): string;
}

type OpenIdDeps = Pick<
  Deps,
  'db' | 'log' | 'sessions' | 'now' | 'settings' | 'secretsKey' | 'providerFetch' | 'rateLimiter'
>;

/** The library, with the provider's metadata. */
interface Provider {
  readonly oidc: typeof openid;
  readonly config: openid.Configuration;
}

/**
 * Creates the sign-in; returns undefined if no provider is configured. The first sign-in fetches the provider's
 * metadata. After a failure, the next sign-in fetches it again.
 */
export function createOpenIdSignIn(deps: OpenIdDeps): OpenIdSignIn | undefined {
  if (deps.settings.OIDC_ISSUER === undefined) return undefined;
  let discovered: Promise<Provider> | undefined;
  const getProvider = (): Promise<Provider> => {
    discovered ??= discover(deps).catch((err: unknown) => {
      discovered = undefined;
      throw createUnreachableError(err);
    });
    return discovered;
  };
  return {
    begin: async request => beginFlow(deps, await getProvider(), request),
    async complete({ search, flow: encrypted }, visitor, actor) {
      const flow = decryptFlow(deps, encrypted);
      const claims = await readClaims(deps, await getProvider(), search, flow);
      const { next, sessionId } = flow;
      return recordFailures(deps, { userId: undefined, method: 'openid' }, async () => {
        if (sessionId === undefined)
          return { outcome: await startIdentitySession(deps, claims, visitor), next };
        await confirmSessionByIdentity(deps, claims, { ...flow, sessionId }, actor);
        return { outcome: undefined, next };
      });
    },
    getNextPath: encrypted => tryDecryptFlow(deps, encrypted)?.next ?? '/',
  };
}

async function discover({ settings, providerFetch }: OpenIdDeps): Promise<Provider> {
  const { OIDC_ISSUER = '', OIDC_CLIENT_ID = '', OIDC_CLIENT_SECRET = '' } = settings;
  // Loaded at the first sign-in, to keep startup fast.
  const oidc = await import('openid-client');
  const options: openid.DiscoveryRequestOptions = {
    [oidc.customFetch]: toFetch(providerFetch),
    timeout: TIMEOUT_MS / 1000,
    execute: [
      // Checks the token's signature although the token comes directly from the provider, because the connection may
      // use http or a proxy.
      oidc.enableNonRepudiationChecks,
      // An issuer with plain http is allowed if the operator configured it.
      ...(OIDC_ISSUER.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
    ],
  };
  const auth = authenticateClient(oidc, OIDC_CLIENT_SECRET);
  const config = await oidc.discovery(new URL(OIDC_ISSUER), OIDC_CLIENT_ID, {}, auth, options);
  return { oidc, config };
}

/** Authenticates the client with a header, or in the body if the provider's metadata does not list the header. */
function authenticateClient(oidc: typeof openid, secret: string): openid.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...request);
  };
}

/** Sends the library's requests through the guarded client, like all outbound requests. */
function toFetch({ fetch }: Pick<GuardedFetch, 'fetch'>): openid.CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const response = await fetch(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      maxRedirects: 0,
    });
    const hasBody = response.status !== 204 && response.status !== 304;
    return new Response(hasBody ? new Uint8Array(response.body) : null, {
      status: response.status,
      headers: { ...response.headers },
    });
  };
}

function createUnreachableError(cause: unknown): AppError {
  return new AppError('unavailable', 'The identity provider is not responding. Try again in a few seconds.', {
    cause,
    details: { reason: 'unreachable' },
    headers: { 'retry-after': '10' },
  });
}

async function beginFlow(
  { db, settings, secretsKey, now }: OpenIdDeps,
  { oidc, config }: Provider,
  { next, sessionId }: FlowRequest,
): Promise<{ readonly url: string; readonly flow: string }> {
  const flow: SignInFlow = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    next: parseNextPath(next),
    sessionId,
    expiresAtMs: now() + FLOW_SECONDS * 1000,
  };
  // Some providers send the groups only for this scope, others refuse a scope that they do not know.
  const needsGroupsScope =
    config.serverMetadata().scopes_supported?.includes('groups') === true && (await hasMappings(db));
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: settings.BASE_URL + CALLBACK_PATH,
    scope: `openid email profile${needsGroupsScope ? ' groups' : ''}`,
    code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: 'S256',
    state: flow.state,
    nonce: flow.nonce,
    // A sign-in that the provider remembers does not confirm the user's identity.
    ...(sessionId === undefined ? {} : { prompt: 'login', max_age: '0' }),
  });
  return { url: url.href, flow: encrypt(secretsKey, JSON.stringify(flow)).toString('base64url') };
}

function decryptFlow(deps: OpenIdDeps, encrypted: string | undefined): SignInFlow {
  const flow = tryDecryptFlow(deps, encrypted);
  if (flow !== undefined && flow.expiresAtMs > deps.now()) return flow;
  throw createSignInError('expired');
}

/** Decrypts the flow. Returns undefined if the cookie is missing, truncated or encrypted with another key. */
function tryDecryptFlow({ secretsKey }: OpenIdDeps, encrypted: string | undefined): SignInFlow | undefined {
  try {
    return JSON.parse(decrypt(secretsKey, Buffer.from(encrypted ?? '', 'base64url'))) as SignInFlow;
  } catch {
    return undefined;
  }
}

/** Returns the confirmed identity after checking issuer, audience, signature, nonce and times of the token. */
async function readClaims(
  deps: OpenIdDeps,
  { oidc, config }: Provider,
  search: string,
  { state, nonce, verifier }: SignInFlow,
): Promise<Claims> {
  const callbackUrl = new URL(deps.settings.BASE_URL + CALLBACK_PATH + search);
  const checks = {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  };
  const tokens = await oidc.authorizationCodeGrant(config, callbackUrl, checks).catch(throwSignInError);
  const token = tokens.claims();
  if (token === undefined || token.sub.length > MAX_SUBJECT_CHARS || !isStorable(token.sub))
    throw createSignInError('refused');
  // Providers may omit the email from the token.
  const profile: Readonly<Record<string, unknown>> =
    token.email === undefined
      ? await oidc.fetchUserInfo(config, tokens.access_token, token.sub).catch(throwSignInError)
      : token;
  const { email, email_verified: isVerified, name } = profile;
  if (typeof email !== 'string' || isVerified !== true) throw createSignInError('unverified');
  return {
    issuer: token.iss,
    subject: token.sub,
    email,
    name: typeof name === 'string' ? name : undefined,
    signedInAtMs: typeof token.auth_time === 'number' ? token.auth_time * 1000 : undefined,
    hasSecondFactor: reportsSecondFactor(token),
    groups: await readGroups(deps, token.groups === undefined ? profile : token, async () =>
      oidc.fetchUserInfo(config, tokens.access_token, token.sub),
    ),
  };
}

/** Returns the groups of the token, or of the provider's user info; undefined if the provider does not report them. */
async function readGroups(
  { db, log }: OpenIdDeps,
  token: Readonly<Record<string, unknown>>,
  fetchProfile: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<readonly string[] | undefined> {
  if (!(await hasMappings(db))) return undefined;
  let claimed = readClaimedGroups(token);
  // If the user info cannot be read, the provider has not reported groups.
  if (claimed.groups === undefined && claimed.reason === 'absent')
    claimed = readClaimedGroups(await fetchProfile().catch(() => ({})));
  if (claimed.groups === undefined)
    log.warn(
      { reason: claimed.reason },
      'the groups of a sign-in are unknown, so its memberships stay as they are',
    );
  return claimed.groups;
}

/**
 * The values of `amr` that stand for a second factor (RFC 8176), those that do only beside another one, because a code alone is one
 * factor, and the values of `acr` (OpenID Connect EAP ACR values, REFEDS MFA profile, and
 * the policy of PAPE that Keycloak and others use).
 */
const FACTOR_AMR: ReadonlySet<unknown> = new Set(['mfa', 'hwk', 'swk', 'sc']);
const CODE_AMR: ReadonlySet<unknown> = new Set(['otp', 'sms', 'tel']);
const FACTOR_ACR: ReadonlySet<unknown> = new Set([
  'phr',
  'phrh',
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
]);

function reportsSecondFactor({ amr, acr }: openid.IDToken): boolean {
  if (FACTOR_ACR.has(acr)) return true;
  const methods: readonly unknown[] = Array.isArray(amr) ? amr : [];
  const hasCode = methods.some(method => CODE_AMR.has(method));
  return methods.some(method => FACTOR_AMR.has(method) || (hasCode && !CODE_AMR.has(method)));
}

/** Throws the error of a failed sign-in: 503 for an outage of the provider, otherwise a rejection. */
function throwSignInError(thrown: unknown): never {
  throw isOutage(thrown) ? createUnreachableError(thrown) : createSignInError('refused', thrown);
}

/** Returns whether the error, or an error that the library wrapped in it, means that the provider is down. */
function isOutage(thrown: unknown): boolean {
  if (thrown instanceof Response) return thrown.status >= 500;
  if (!(thrown instanceof Error)) return isRecord(thrown) && isOutage(thrown.response);
  return thrown.name === 'FetchError' || thrown.name === 'TimeoutError' || isOutage(thrown.cause);
}

function startIdentitySession(deps: OpenIdDeps, claims: Claims, visitor: Visitor): Promise<SignInOutcome> {
  const session = deps.db.transaction(async tx => {
    const userId = await findOrCreateUser(tx, deps.settings, claims);
    const nowMs = deps.now();
    const outcome = await startSessionOrSecondStep(tx, deps, {
      userId,
      visitor,
      authenticatedAtMs: Math.min(nowMs, claims.signedInAtMs ?? nowMs),
      hasSecondFactor: claims.hasSecondFactor,
    });
    if (outcome === undefined) throw createSignInError('disabled');
    if (isSession(outcome)) recordSignIn(tx, userId, 'openid');
    // After the session, which locks the account, because a deletion locks accounts before teams.
    await applyClaimedGroups(tx, userId, claims.groups);
    return outcome;
  });
  return translateEmailConflict(session);
}

/**
 * Confirms the session if the identity belongs to its user. A provider that omits `auth_time`, although `max_age`
 * requests it, is assumed to have required a fresh sign-in. Throws 403 `sign_in_refused`.
 */
async function confirmSessionByIdentity(
  deps: OpenIdDeps,
  { signedInAtMs, hasSecondFactor, ...identity }: Claims,
  { sessionId, expiresAtMs }: SignInFlow & { readonly sessionId: string },
  actor: Actor,
): Promise<void> {
  const isSameSession = actor.kind === 'user' && actor.credential.id === sessionId;
  if (!isSameSession) throw createSignInError('expired');
  if ((await findIdentity(deps.db, identity)) !== actor.userId) throw createSignInError('other');
  const startedAtMs = expiresAtMs - FLOW_SECONDS * 1000;
  if (signedInAtMs !== undefined && signedInAtMs < startedAtMs - CLOCK_SKEW_MS)
    throw createSignInError('refused');
  // Otherwise the provider's password would replace the second factor.
  if (!hasSecondFactor && (await userHasFactor(deps.db, actor.userId))) throw createSignInError('factor');
  await confirmSession(deps, sessionId, { atMs: deps.now(), byFactor: hasSecondFactor });
}

/** Returns the path if it is a path of this service, and otherwise `/`. `//host` and `/\host` would be other sites. */
function parseNextPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(next) ? next : '/';
}
