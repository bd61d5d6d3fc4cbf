// Where a client is answered: how the place is called, and whether anybody could stand there.

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** A URL with a path of its own: not `mailto:`, not `urn:`, nothing that a browser runs or shows by itself. */
const HAS_PLACE = /^[a-z][a-z0-9+.-]*:\//i;

export interface Redirect {
  /** Shown to people, and part of what a consent is remembered by. */
  readonly host: string;
  readonly kind: 'https' | 'loopback' | 'app';
  /** What a page's `form-action` must allow, so that the browser follows the answer there. */
  readonly policySource: string;
}

/** Whether the address can be a redirect at all; the authorization server's library refuses more. */
export const isRedirect = (uri: string): boolean => HAS_PLACE.test(uri) && URL.canParse(uri);

export function describeRedirect(uri: string): Redirect {
  const { protocol, hostname, host, origin } = new URL(uri);
  // Policies have no form for IPv6 addresses.
  const policySource = hostname.startsWith('[') ? 'http:' : origin;
  if (LOOPBACK.has(hostname) && protocol === 'http:')
    return { host: hostname, kind: 'loopback', policySource };
  if (protocol === 'https:') return { host, kind: 'https', policySource: origin };
  return { host: `${protocol}//${host}`, kind: 'app', policySource: protocol };
}
