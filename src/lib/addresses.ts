// Classifies network addresses: which ones outbound requests may reach, and which host names mean this machine.
import ipaddr from 'ipaddr.js';

// The allocated part of global unicast. ipaddr.js counts ::7f00:1 (127.0.0.1 in a deprecated notation) as unicast.
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Publicly routable addresses at which the host of a virtual machine responds: Azure's wire server, which provides
 * settings and certificates. The metadata addresses of other clouds are in special ranges.
 */
const CLOUD_HOST_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Returns whether the address is plain public unicast. All of IANA's special-purpose ranges are rejected: private,
 * loopback, link-local, CGNAT, multicast, documentation and reserved ranges, and every IPv6 form that carries an IPv4
 * address (mapped, compatible, NAT64, 6to4, Teredo). So are the addresses of cloud hosts.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_V6)) return false;
  return address.range() === 'unicast' && !CLOUD_HOST_ADDRESSES.has(address.toString());
}

/**
 * Returns whether the host of a URL is one of the names for this machine that webhooks may use: localhost, 127.0.0.1 or
 * *.localhost.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname.endsWith('.localhost');
}

/**
 * Returns whether a server that listens on the host is reachable only from this machine: `localhost`, 127.0.0.0/8 or
 * `::1`.
 */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** Domains that are not in the public DNS; see RFC 6761, 6762, 8375 and ICANN's `internal`. */
const PRIVATE_DOMAINS = /(?:^|\.)(?:localhost|local|internal|home\.arpa|lan)$/;

/**
 * Returns whether the host of a URL is private by its name: a literal address that is not public, a name without a dot,
 * such as that of a container, or a name in a domain that the public DNS does not have.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return !isPublicAddress(host);
  return !host.includes('.') || PRIVATE_DOMAINS.test(host);
}

/**
 * Returns the network that a single client controls: the IPv4 address, or the /64 of an IPv6 address. Any other text is
 * returned unchanged.
 */
export function toNetwork(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`;
}
