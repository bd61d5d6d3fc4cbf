// Authenticates callers of MCP by API key or access token, and tells callers without a credential where to get one.
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../deps.ts';
import { AGENT_SCOPES, type UserActor } from './actor.ts';

type AgentDeps = Pick<Deps, 'settings' | 'keys' | 'accessTokens'>;

/** An authenticated MCP request: its caller and its parsed JSON body. */
export interface McpCall {
  readonly actor: UserActor;
  readonly body: unknown;
  /** Fires when the caller disconnects or the service stops. */
  readonly signal: AbortSignal;
  /** Counts an open stream of the caller until the returned function is called. Throws 429 `too_many_streams`. */
  readonly reserveStream: () => () => void;
}

/** Returns the user of an `Authorization` header. Throws 401 with the challenge that MCP clients follow. */
export async function authenticateAgent(
  deps: AgentDeps,
  authorization: string | undefined,
): Promise<UserActor> {
  if (authorization === undefined)
    throw createAuthError(
      deps,
      'unauthorized',
      'Send an API key or an access token (Authorization: Bearer …).',
    );
  const bearer = /^Bearer ([\x21-\x7e]{1,2048})$/i.exec(authorization)?.[1] ?? '';
  if (bearer.startsWith('sk-')) return authenticateKey(deps, bearer);
  const actor = bearer === '' ? undefined : await deps.accessTokens?.authenticate(bearer);
  if (actor !== undefined) return actor;
  throw createAuthError(deps, 'invalid_api_key', 'The API key or access token is invalid. Sign in again.');
}

async function authenticateKey(deps: AgentDeps, key: string): Promise<UserActor> {
  try {
    return await deps.keys.authenticate(key);
  } catch (err) {
    if (err instanceof AppError && err.status === 401) throw createAuthError(deps, err.code, err.message);
    throw err;
  }
}

function createAuthError(deps: AgentDeps, code: AppError['code'], message: string): AppError {
  // RFC 6750 §3.1: a request without credentials gets no error code.
  const parameters = code === 'unauthorized' ? [] : ['error="invalid_token"'];
  return new AppError(code, message, { headers: { 'www-authenticate': formatChallenge(deps, parameters) } });
}

/** Returns the value of `WWW-Authenticate`. It lists all scopes, since few clients can request more later. */
function formatChallenge(deps: AgentDeps, parameters: readonly string[]): string {
  const metadata = getResourceMetadataUrl(deps);
  const metadataParameter = metadata === undefined ? [] : [`resource_metadata="${metadata}"`];
  return `Bearer ${[...parameters, ...metadataParameter, `scope="${AGENT_SCOPES.join(' ')}"`].join(', ')}`;
}

/** Returns the URL where clients find the authorization server (RFC 9728); undefined if the server is off. */
export function getResourceMetadataUrl({ settings, accessTokens }: AgentDeps): string | undefined {
  if (accessTokens === undefined) return undefined;
  return `${settings.BASE_URL}/.well-known/oauth-protected-resource/mcp`;
}
