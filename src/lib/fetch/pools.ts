// Creates the connection pools of the guarded client. IP addresses are checked by the lookup that the socket itself
// uses, so that DNS rebinding cannot bypass the check.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import type { Agent } from 'undici';
import { isLoopbackHost, isPublicAddress } from '../addresses.ts';
import { createFetchError } from './error.ts';

export interface NetworkPolicy {
  /** The operator allows requests to private addresses. */
  readonly allowPrivate: boolean;
  /** URLs that the operator configured, e.g. `http://10.0.0.7:8188/api`. Their origins are always reachable. */
  readonly trustedUrls: readonly string[];
  /** Replaces the system's resolver. */
  readonly resolve?: Resolve;
}

/** What one request may reach besides public addresses. */
export interface RequestPolicy {
  readonly allowLoopback: boolean;
  readonly trustedOrigin: string | undefined;
}

export interface Pools {
  /** Throws `blocked_address` for a literal address that is not allowed; names are checked when they are resolved. */
  getAgent(url: URL, policy: RequestPolicy): Promise<Agent>;
  close(): Promise<void>;
}

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const CONNECT_TIMEOUT_MS = 10_000;
const BODY_IDLE_TIMEOUT_MS = 30_000;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Creates one pool per policy, so that a connection made under one policy never serves another. */
export function createPools({
  allowPrivate,
  trustedUrls,
  resolve = resolveWithSystem,
}: NetworkPolicy): Pools {
  const trustedOrigins = new Set(trustedUrls.map(url => new URL(url).origin));
  const publicOnly = createLazyAgent(async hostname => requirePublic(hostname, await resolve(hostname)));
  const loopback = createLazyAgent(async () => LOOPBACK);
  const unrestricted = createLazyAgent(resolve);
  return {
    async getAgent(url, { allowLoopback, trustedOrigin }) {
      if (url.origin === trustedOrigin || trustedOrigins.has(url.origin)) return unrestricted.get();
      // Before resolving, because not every resolver knows *.localhost.
      if (allowLoopback && isLoopbackHost(url.hostname)) return loopback.get();
      if (allowPrivate) return unrestricted.get();
      // A socket does not resolve a literal address, so the check of the agent's lookup would be skipped.
      const literal = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !isPublicAddress(literal))
        throw createFetchError('blocked_address', url.hostname);
      return publicOnly.get();
    },
    async close() {
      await Promise.all([publicOnly, loopback, unrestricted].map(agent => agent.close()));
    },
  };
}

const lookupAll = promisify(systemLookup);

async function resolveWithSystem(hostname: string): Promise<readonly LookupAddress[]> {
  return await lookupAll(hostname, { all: true });
}

/** Throws if any address is not public, since the socket may connect to any of them. */
function requirePublic(hostname: string, addresses: readonly LookupAddress[]): readonly LookupAddress[] {
  if (!addresses.every(({ address }) => isPublicAddress(address)))
    throw createFetchError('blocked_address', hostname);
  return addresses;
}

/** Creates a pool on first use: most processes need only one of the three. */
function createLazyAgent(resolve: Resolve): { get(): Promise<Agent>; close(): Promise<void> } {
  let agent: Promise<Agent> | undefined;
  return {
    get: () => {
      agent ??= createAgent(resolve);
      return agent;
    },
    close: async () => (await agent)?.destroy(),
  };
}

/**
 * Creates a pool whose sockets connect only to the addresses that `resolve` returned, so that no second lookup can
 * return other addresses.
 */
async function createAgent(resolve: Resolve): Promise<Agent> {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      ([...addresses]) => {
        const [firstAddress] = addresses;
        if (firstAddress === undefined) callback(createFetchError('dns_failed', hostname), '');
        else if (options.all === true) callback(null, addresses);
        else callback(null, firstAddress.address, firstAddress.family);
      },
      (err: Error) => callback(err, ''),
    );
  };
  // The request's deadline bounds the wait for headers: some providers take minutes.
  const { Agent } = await import('undici');
  return new Agent({
    allowH2: false,
    connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: BODY_IDLE_TIMEOUT_MS,
  });
}
