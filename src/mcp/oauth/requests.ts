// Normalizes client requests to the form that the authorization library accepts.
import { AppError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { AGENT_SCOPES, type AgentScope } from '../../services/accounts/actor.ts';
import { isRedirect } from './redirects.ts';

const OFFLINE_SCOPE = 'offline_access';
/** The fields of a registration or metadata document that are used. `scope` would limit later requests. */
const ACCEPTED_FIELDS = [
  'client_id',
  'client_name',
  'client_uri',
  'logo_uri',
  'policy_uri',
  'tos_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  // The library rejects these two in metadata documents.
  'client_secret',
  'client_secret_expires_at',
];
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const MAX_REDIRECTS = 20;
const MAX_URI_CHARS = 2000;

/** Reads a registration, for which the service creates the id and secret. */
export function parseRegistration(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) throw createInvalidError('A registration must be a JSON object.');
  const { client_id: _id, client_secret: _secret, client_secret_expires_at: _until, ...metadata } = body;
  return parseMetadata(metadata);
}

/**
 * Reads the metadata of a client. Treats all clients as native, whatever they claim, because only for native clients the
 * library accepts any port of a loopback redirect, accepts URL schemes of apps, and limits plain http to loopback
 * addresses. Throws 400.
 */
export function parseMetadata(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.fromEntries(
    ACCEPTED_FIELDS.flatMap(name => (name in input ? [[name, input[name]]] : [])),
  );
  const { grant_types: grants, response_types: responses = ['code'] } = input;
  const grantTypes = Array.isArray(grants) ? GRANT_TYPES.filter(type => grants.includes(type)) : GRANT_TYPES;
  requireRedirects(fields.redirect_uris);
  return {
    token_endpoint_auth_method: 'none',
    ...fields,
    application_type: 'native',
    grant_types: grantTypes.includes('authorization_code') ? grantTypes : GRANT_TYPES,
    response_types: Array.isArray(responses) && responses.includes('code') ? ['code'] : responses,
  };
}

function requireRedirects(uris: unknown): void {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS)
    throw createInvalidError(`redirect_uris must be a list of 1 to ${MAX_REDIRECTS} addresses.`);
  for (const uri of uris)
    if (typeof uri !== 'string' || uri.length > MAX_URI_CHARS || !isRedirect(uri))
      throw createInvalidError(
        `redirect_uris must be addresses of at most ${MAX_URI_CHARS} characters, with a scheme and a path.`,
      );
}

const createInvalidError = (message: string): AppError => new AppError('invalid_request', message);

/** Reads the query of an authorization request. If it has none of our scopes, it requests all three. */
export function parseAuthorizationQuery(search: string, resource: string): URLSearchParams {
  const params = new URLSearchParams(search);
  const requestedScopes = new Set(params.getAll('scope').flatMap(text => text.split(' ')));
  const scopes = parseScopes(requestedScopes);
  params.set(
    'scope',
    [
      ...(scopes.length > 0 ? scopes : AGENT_SCOPES),
      ...(requestedScopes.has(OFFLINE_SCOPE) ? [OFFLINE_SCOPE] : []),
    ].join(' '),
  );
  return withResource(params, resource);
}

/** Reads the form of a token request. */
export function parseTokenForm(body: string, resource: string): URLSearchParams {
  const params = new URLSearchParams(body);
  const scopes = parseScopes(new Set((params.get('scope') ?? '').split(' ')));
  if (scopes.length > 0) params.set('scope', scopes.join(' '));
  else params.delete('scope');
  return withResource(params, resource);
}

/** Returns our scopes among the words, in our order. */
export const parseScopes = (words: ReadonlySet<string>): readonly AgentScope[] =>
  AGENT_SCOPES.filter(scope => words.has(scope));

/**
 * Normalizes the resource. Clients write `/mcp`, `/mcp/`, or the origin with or without a slash, and all mean the only
 * resource. The library rejects any other value.
 */
function withResource(params: URLSearchParams, resource: string): URLSearchParams {
  const base = resource.slice(0, -'/mcp'.length);
  const spellings = new Set([resource, `${resource}/`, base, `${base}/`]);
  const resources = params.getAll('resource').map(text => {
    const href = URL.parse(text)?.href;
    return href !== undefined && spellings.has(href) ? resource : text;
  });
  params.delete('resource');
  for (const name of new Set(resources)) params.append('resource', name);
  return params;
}
