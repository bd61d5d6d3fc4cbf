// Which addresses the guarded client may connect to, and the connections that it keeps: checked by the very look-up that
// a socket uses, so that no second look-up can answer otherwise.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import type { Agent } from 'undici';
import { isLoopbackHost, isPublicAddress } from '../addresses.ts';
import { refusal } from './error.ts';

export interface ReachOptions {
  /** The operator lets every request reach private addresses. */
  readonly allowPrivate: boolean;
  /** Addresses that the operator configured, e.g. `http://10.0.0.7:8188/api`: their origins are reached wherever they are. */
  readonly trustedOrigins: readonly string[];
  /** Stands in for the system's resolver. */
  readonly resolve?: Resolve;
}

export interface Pools {
  /** Throws `blocked_address` for a literal address that may not be reached; names are checked as they are looked up. */
  agentFor(url: URL, allowLoopback: boolean): Promise<Agent>;
  close(): Promise<void>;
}

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const CONNECT_TIMEOUT_MS = 10_000;
const BODY_SILENCE_MS = 30_000;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** A pool for each policy, so that no connection made under one ever serves another. */
export function createPools({
  allowPrivate,
  trustedOrigins,
  resolve = resolveBySystem,
}: ReachOptions): Pools {
  const trusted = new Set(trustedOrigins.map(address => new URL(address).origin));
  const publicOnly = keepAgent(async hostname => checkAddresses(hostname, await resolve(hostname)));
  const loopback = keepAgent(async () => LOOPBACK);
  const anywhere = keepAgent(resolve);
  return {
    async agentFor(url, allowLoopback) {
      if (trusted.has(url.origin)) return anywhere.open();
      // Before the resolver is asked: not every one knows *.localhost.
      if (allowLoopback && isLoopbackHost(url.hostname)) return loopback.open();
      if (allowPrivate) return anywhere.open();
      // A socket asks no resolver about a literal address, so the agent's own check would never see it.
      const literal = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw refusal('blocked_address', url.hostname);
      return publicOnly.open();
    },
    async close() {
      await Promise.all([publicOnly, loopback, anywhere].map(agent => agent.close()));
    },
  };
}

const lookupAll = promisify(systemLookup);

async function resolveBySystem(hostname: string): Promise<readonly LookupAddress[]> {
  return await lookupAll(hostname, { all: true });
}

/** One address that is not public condemns the name: which of them is dialled is not ours to choose. */
function checkAddresses(hostname: string, addresses: readonly LookupAddress[]): readonly LookupAddress[] {
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw refusal('blocked_address', hostname);
  return addresses;
}

/** A pool that is made for its first request: most processes need one of the three, and many none at the start. */
function keepAgent(resolve: Resolve): { open(): Promise<Agent>; close(): Promise<void> } {
  let opening: Promise<Agent> | undefined;
  return {
    open: () => {
      opening ??= createAgent(resolve);
      return opening;
    },
    close: async () => (await opening)?.destroy(),
  };
}

/** A pool whose sockets connect to just the addresses that `resolve` returned, so that no second look-up can differ. */
async function createAgent(resolve: Resolve): Promise<Agent> {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      ([...addresses]) => {
        const [first] = addresses;
        if (first === undefined) callback(refusal('dns_failed', hostname), '');
        else if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (err: Error) => callback(err, ''),
    );
  };
  // The exchange's own deadline bounds the wait for headers: some providers take minutes.
  const { Agent } = await import('undici');
  return new Agent({
    allowH2: false,
    connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: BODY_SILENCE_MS,
  });
}
