// What clients send, in the forms in which they really send it, made into what the authorization server's library takes.
import { AppError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { AGENT_SCOPES } from '../../services/accounts/agent-caller.ts';
import type { AgentScope } from '../../services/connections/consent.ts';
import { isRedirect } from './redirects.ts';

const OFFLINE = 'offline_access';
/** What is read of a registration, or of a metadata document. `scope` is not: it would narrow what may be asked later. */
const KEPT = [
  'client_id',
  'client_name',
  'client_uri',
  'logo_uri',
  'policy_uri',
  'tos_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  // Refused in metadata documents.
  'client_secret',
  'client_secret_expires_at',
];
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const MAX_REDIRECTS = 20;
const MAX_URI_CHARS = 2000;

/** Of a registration: who registers gets an id and a secret, and brings none. */
export function readRegistration(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) throw invalid('A registration is a JSON object.');
  const { client_id: _id, client_secret: _secret, client_secret_expires_at: _until, ...rest } = body;
  return readMetadata(rest);
}

/**
 * Metadata of a client. All are taken as native, whatever they claim: only then may the port of a loopback redirect
 * change, apps have addresses of their own, and plain http goes to this machine alone. Throws 400.
 */
export function readMetadata(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.fromEntries(KEPT.flatMap(name => (name in given ? [[name, given[name]]] : [])));
  const { grant_types: grants, response_types: responses = ['code'] } = given;
  const known = Array.isArray(grants) ? GRANT_TYPES.filter(type => grants.includes(type)) : GRANT_TYPES;
  requireRedirects(kept.redirect_uris);
  return {
    token_endpoint_auth_method: 'none',
    ...kept,
    application_type: 'native',
    grant_types: known.includes('authorization_code') ? known : GRANT_TYPES,
    response_types: Array.isArray(responses) && responses.includes('code') ? ['code'] : responses,
  };
}

function requireRedirects(uris: unknown): void {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS)
    throw invalid(`redirect_uris must be a list of 1 to ${MAX_REDIRECTS} addresses.`);
  for (const uri of uris)
    if (typeof uri !== 'string' || uri.length > MAX_URI_CHARS || !isRedirect(uri))
      throw invalid(
        `redirect_uris must be addresses of at most ${MAX_URI_CHARS} characters, with a scheme and a path.`,
      );
}

const invalid = (message: string): AppError => new AppError('invalid_request', message);

/** The query of a request for authorization. Without a scope of ours it asks for all three. */
export function readAuthorization(search: string, resource: string): URLSearchParams {
  const params = new URLSearchParams(search);
  const asked = new Set(params.getAll('scope').flatMap(text => text.split(' ')));
  const scopes = scopesIn(asked);
  params.set(
    'scope',
    [...(scopes.length > 0 ? scopes : AGENT_SCOPES), ...(asked.has(OFFLINE) ? [OFFLINE] : [])].join(' '),
  );
  return withResource(params, resource);
}

/** The form of a request for tokens. */
export function readTokenForm(body: string, resource: string): URLSearchParams {
  const params = new URLSearchParams(body);
  const scopes = scopesIn(new Set((params.get('scope') ?? '').split(' ')));
  if (scopes.length > 0) params.set('scope', scopes.join(' '));
  else params.delete('scope');
  return withResource(params, resource);
}

/** Those of our scopes that are among the words, in our order. */
export const scopesIn = (words: ReadonlySet<string>): readonly AgentScope[] =>
  AGENT_SCOPES.filter(scope => words.has(scope));

/**
 * Clients write the resource as they please: `/mcp`, `/mcp/`, the origin with a slash or without. All mean the one there
 * is. Another stays, and is refused.
 */
function withResource(params: URLSearchParams, resource: string): URLSearchParams {
  const base = resource.slice(0, -'/mcp'.length);
  const spellings = new Set([resource, `${resource}/`, base, `${base}/`]);
  const named = params.getAll('resource').map(text => {
    const href = URL.parse(text)?.href;
    return href !== undefined && spellings.has(href) ? resource : text;
  });
  params.delete('resource');
  for (const name of new Set(named)) params.append('resource', name);
  return params;
}
