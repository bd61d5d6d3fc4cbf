// Which network addresses the outside may be asked to reach, and which host names mean this machine.
import ipaddr from 'ipaddr.js';

// Global unicast as far as it is handed out. ipaddr.js calls ::7f00:1 (127.0.0.1 in a deprecated dress) unicast.
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Public by number, and yet answered by the host that a virtual machine runs on: Azure's wire server, which hands out
 * settings and certificates. The metadata addresses of other clouds lie in special ranges.
 */
const CLOUD_HOSTS: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether the address is plain public unicast. All of IANA's special-purpose registries are refused: private, loopback,
 * link-local, CGNAT, multicast, documentation and reserved ranges, and every IPv6 form that carries an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_V6)) return false;
  return address.range() === 'unicast' && !CLOUD_HOSTS.has(address.toString());
}

/** Whether the host of a URL is one of the names that webhooks may use for this machine: localhost, 127.0.0.1, *.localhost. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname.endsWith('.localhost');
}

/** Whether a server that listens on the host is reached from this machine alone: `localhost`, 127.0.0.0/8 or `::1`. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** What one caller can have of addresses: an IPv4 address, or the /64 of an IPv6 one. Other texts stay as they are. */
export function networkOf(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`;
}
