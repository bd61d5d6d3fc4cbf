// Builds the discovery documents of the authorization server and the protected resource.
import type { Settings } from '../../lib/settings.ts';
import { AGENT_SCOPES } from '../../services/accounts/actor.ts';
import { getMcpResource } from '../../services/oauth/oauth-server.ts';

type MetadataSettings = Pick<Settings, 'BASE_URL' | 'CIMD'>;

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** Returns the metadata of the protected resource (RFC 9728). */
export function getResourceMetadata(settings: MetadataSettings): object {
  return {
    resource: getMcpResource(settings),
    resource_name: 'Graphwright',
    authorization_servers: [settings.BASE_URL],
    scopes_supported: AGENT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_documentation: `${settings.BASE_URL}/docs`,
  };
}

/** Returns the metadata of the authorization server (RFC 8414). Some clients request all of `scopes_supported`. */
export function getServerMetadata({ BASE_URL, CIMD }: MetadataSettings): object {
  return {
    issuer: BASE_URL,
    authorization_endpoint: `${BASE_URL}/oauth/authorize`,
    token_endpoint: `${BASE_URL}/oauth/token`,
    registration_endpoint: `${BASE_URL}/oauth/register`,
    revocation_endpoint: `${BASE_URL}/oauth/revoke`,
    scopes_supported: [...AGENT_SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: CIMD,
    service_documentation: `${BASE_URL}/docs`,
  };
}
