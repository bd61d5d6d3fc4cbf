// Decides whether the authorization server is enabled, and defines its identifiers.
import { isLoopbackHost } from '../../lib/addresses.ts';
import type { Settings } from '../../lib/settings.ts';

type Address = Pick<Settings, 'BASE_URL'>;

/** Tokens must not be sent in plain text: the service must use https, or be reached from this machine only. */
export function isOAuthOn({ BASE_URL }: Address): boolean {
  const { protocol, hostname } = new URL(BASE_URL);
  return protocol === 'https:' || isLoopbackHost(hostname) || hostname === '[::1]';
}

/** The audience of access tokens (RFC 8707). */
export const mcpResource = ({ BASE_URL }: Address): string => `${BASE_URL}/mcp`;
