// Describes a client's redirect address, including whether another program could receive its response.

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Excludes URLs without a path, such as `mailto:`, and URLs that a browser itself runs or displays. */
const HAS_PATH = /^[a-z][a-z0-9+.-]*:\//i;

export interface Redirect {
  /** Displayed to people, and part of the key under which a consent is stored. */
  readonly host: string;
  readonly kind: 'https' | 'loopback' | 'app';
  /** The value for the page's `form-action`, so that the browser follows the redirect. */
  readonly policySource: string;
}

/** Returns whether the address can be a redirect. The authorization library makes further checks. */
export const isRedirect = (uri: string): boolean => HAS_PATH.test(uri) && URL.canParse(uri);

export function describeRedirect(uri: string): Redirect {
  const { protocol, hostname, host, origin } = new URL(uri);
  // CSP has no syntax for IPv6 addresses.
  const policySource = hostname.startsWith('[') ? 'http:' : origin;
  if (LOOPBACK.has(hostname) && protocol === 'http:')
    return { host: hostname, kind: 'loopback', policySource };
  if (protocol === 'https:') return { host, kind: 'https', policySource: origin };
  return { host: `${protocol}//${host}`, kind: 'app', policySource: protocol };
}
