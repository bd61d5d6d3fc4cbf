// Whether the authorization server is on, and what it is called.
import { isLoopbackHost } from '../../lib/addresses.ts';
import type { Settings } from '../../lib/settings.ts';

type Address = Pick<Settings, 'BASE_URL'>;

/** Tokens may not travel in the clear: the service must be reached by https, or from this machine alone. */
export function isOAuthOn({ BASE_URL }: Address): boolean {
  const { protocol, hostname } = new URL(BASE_URL);
  return protocol === 'https:' || isLoopbackHost(hostname) || hostname === '[::1]';
}

/** What access tokens are for: their audience (RFC 8707). */
export const resourceOf = ({ BASE_URL }: Address): string => `${BASE_URL}/mcp`;
