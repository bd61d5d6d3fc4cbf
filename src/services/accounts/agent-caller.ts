// Who calls over MCP: the bearer is an API key or an access token, and a caller without one learns where to get one.
import { AppError } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Scope, UserActor } from './actor.ts';
import type { KeyAuthenticator } from './key-authenticator.ts';

/** The scopes that an agent can be granted, in the order in which they are asked for. */
export const AGENT_SCOPES = [
  'workflows:read',
  'workflows:write',
  'workflows:execute',
] as const satisfies readonly Scope[];

/** The access tokens that this service's authorization server has issued. */
export interface AccessTokens {
  /** The user of the token with the scopes that were granted; undefined where it is unknown, expired or revoked. */
  authenticate(token: string): UserActor | undefined | Promise<UserActor | undefined>;
}

/** What is needed to say who calls. `accessTokens` is undefined where the authorization server is off. */
export interface AgentCallerDeps {
  readonly settings: Pick<Settings, 'BASE_URL'>;
  readonly keys: KeyAuthenticator;
  readonly accessTokens: AccessTokens | undefined;
}

/** The user behind an `Authorization` header. Throws 401 with the challenge that MCP clients follow. */
export async function authenticateAgent(
  deps: AgentCallerDeps,
  authorization: string | undefined,
): Promise<UserActor> {
  if (authorization === undefined)
    throw refusal(deps, 'unauthorized', 'This needs an API key or an access token, Authorization: Bearer ….');
  const bearer = /^Bearer ([\x21-\x7e]{1,2048})$/i.exec(authorization)?.[1] ?? '';
  if (bearer.startsWith('sk-')) return authenticateKey(deps, bearer);
  const actor = bearer === '' ? undefined : await deps.accessTokens?.authenticate(bearer);
  if (actor !== undefined) return actor;
  throw refusal(deps, 'invalid_api_key', 'The API key or access token is not valid: sign in again.');
}

async function authenticateKey(deps: AgentCallerDeps, key: string): Promise<UserActor> {
  try {
    return await deps.keys.authenticate(key);
  } catch (err) {
    if (err instanceof AppError && err.status === 401) throw refusal(deps, err.code, err.message);
    throw err;
  }
}

function refusal(deps: AgentCallerDeps, code: AppError['code'], message: string): AppError {
  // RFC 6750 §3.1: a request without credentials gets no error code.
  const error = code === 'unauthorized' ? [] : ['error="invalid_token"'];
  return new AppError(code, message, { headers: { 'www-authenticate': challengeOf(deps, error) } });
}

/** A value of `WWW-Authenticate`: first asks for all scopes, since few clients manage to ask for more later. */
function challengeOf(deps: AgentCallerDeps, first: readonly string[]): string {
  const metadata = resourceMetadataUrl(deps);
  const place = metadata === undefined ? [] : [`resource_metadata="${metadata}"`];
  return `Bearer ${[...first, ...place, `scope="${AGENT_SCOPES.join(' ')}"`].join(', ')}`;
}

/** Where clients read which authorization server to ask (RFC 9728); undefined where it is off. */
export function resourceMetadataUrl({ settings, accessTokens }: AgentCallerDeps): string | undefined {
  if (accessTokens === undefined) return undefined;
  return `${settings.BASE_URL}/.well-known/oauth-protected-resource/mcp`;
}
