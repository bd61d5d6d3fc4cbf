// The one client for requests to addresses that users or providers name: it reaches public hosts only, checks every
// redirect hop again, and bounds size and time.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Agent, type Dispatcher } from 'undici';
import { isLoopbackHost, isPublicAddress } from './addresses.ts';
import { FetchError, refusal, toFetchError } from './fetch-error.ts';

/** A body that is too large to hold; it can be sent once, so no redirect is followed with it. */
export interface SizedStream {
  readonly stream: Readable;
  readonly bytes: number;
}

export interface OutboundRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | SizedStream;
  readonly signal?: AbortSignal | undefined;
  /** For the whole exchange: redirects and the body's last byte included. */
  readonly timeoutMs: number;
  /** Of the answer's body. */
  readonly maxBytes: number;
  /** Default 5. With 0 a redirect is returned as the answer it is. */
  readonly maxRedirects?: number;
  /** Lets `localhost`, `127.0.0.1` and `*.localhost` through, as webhooks may need; not after a redirect. */
  readonly allowLoopback?: boolean;
}

export interface OutboundAnswer<Body> {
  readonly status: number;
  /** Lower-case names; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the last redirect led. */
  readonly url: string;
  readonly body: Body;
}

export interface GuardedFetch {
  /** The whole answer, whatever its status. Throws FetchError. */
  fetch(url: string, request: OutboundRequest): Promise<OutboundAnswer<Buffer>>;
  /** The answer with its body still to come, under the same bounds; reading it may throw FetchError. */
  stream(url: string, request: OutboundRequest): Promise<OutboundAnswer<AsyncIterable<Uint8Array>>>;
  close(): Promise<void>;
}

export interface GuardedFetchOptions {
  /** The operator lets every request reach private addresses. */
  readonly allowPrivate: boolean;
  /** Addresses that the operator configured, e.g. `http://10.0.0.7:8188/api`: their origins are reached wherever they are. */
  readonly trustedOrigins: readonly string[];
  /** Stands in for the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

/** Who may be connected to: each policy has a pool of its own, so that no connection made under one serves another. */
type Policy = 'public' | 'loopback' | 'anywhere';

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const MAX_URL_CHARS = 8192;
const MAX_REDIRECTS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
const BODY_SILENCE_MS = 30_000;
const DRAINED_BYTES = 65_536;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
// Anything else may be a credential of the first origin: `authorization`, but `xi-api-key` just as well.
const HEADERS_FOR_STRANGERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'range',
  'user-agent',
]);
const HEADERS_OF_THE_CLIENT: ReadonlySet<string> = new Set(
  'connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** A client with its keep-alive pools; `close` ends them and whatever is under way. */
export function createGuardedFetch({
  allowPrivate,
  trustedOrigins,
  resolve = resolveBySystem,
}: GuardedFetchOptions): GuardedFetch {
  const trusted = new Set(trustedOrigins.map(address => new URL(address).origin));
  const agents: Readonly<Record<Policy, Agent>> = {
    public: createAgent(async hostname => checkAddresses(hostname, await resolve(hostname))),
    loopback: createAgent(async () => LOOPBACK),
    anywhere: createAgent(resolve),
  };
  const agentFor = (url: URL, allowLoopback: boolean): Agent => {
    if (allowPrivate || trusted.has(url.origin)) return agents.anywhere;
    if (allowLoopback && isLoopbackHost(url.hostname)) return agents.loopback;
    // A socket asks no resolver about a literal address, so the agent's own check would never see it.
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw refusal('blocked_address', url.hostname);
    return agents.public;
  };
  return {
    stream: (url, request) => exchange(url, request, agentFor),
    async fetch(url, request) {
      const answer = await exchange(url, request, agentFor);
      return { ...answer, body: await buffer(answer.body) };
    },
    async close() {
      await Promise.all(Object.values(agents).map(agent => agent.destroy()));
    },
  };
}

/** The URL as one that may be requested at all: http or https, no credentials, not too long. Throws FetchError `bad_url`. */
export function parseOutboundUrl(text: string): URL {
  const url = text.length > MAX_URL_CHARS ? null : URL.parse(text);
  if (url === null) throw new FetchError('bad_url', 'The address is not a URL.');
  if (!/^https?:$/.test(url.protocol))
    throw new FetchError('bad_url', 'The address must begin with http:// or https://.');
  if (url.username + url.password !== '')
    throw new FetchError('bad_url', 'The address must not hold a user name or password.');
  return url;
}

/** One request of an exchange. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutboundRequest['body'];
}

/** What the hops of one exchange share. */
interface Exchange {
  readonly request: OutboundRequest;
  readonly deadline: AbortSignal;
  readonly signal: AbortSignal;
  host: string;
  maybeSent: boolean;
}

async function exchange(
  start: string,
  request: OutboundRequest,
  agentFor: (url: URL, allowLoopback: boolean) => Agent,
): Promise<OutboundAnswer<AsyncIterable<Uint8Array>>> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  const shared: Exchange = { request, deadline, signal, host: 'The address', maybeSent: false };
  const maxRedirects = request.maxRedirects ?? MAX_REDIRECTS;
  try {
    let hop = firstHop(start, request);
    for (let redirects = 0; ; redirects++) {
      shared.host = hop.url.hostname;
      const agent = agentFor(hop.url, redirects === 0 && request.allowLoopback === true);
      const answer = await send(hop, shared, agent);
      const next = maxRedirects === 0 ? undefined : nextHop(hop, answer);
      if (next === undefined) return present(hop, answer, shared);
      await answer.body.dump({ limit: DRAINED_BYTES, signal });
      if (redirects === maxRedirects) throw refusal('too_many_redirects', shared.host);
      hop = next;
    }
  } catch (err) {
    throw failed(err, shared);
  }
}

function firstHop(start: string, request: OutboundRequest): Hop {
  const url = parseOutboundUrl(start);
  const given = Object.entries(request.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const refused = given.find(([name]) => HEADERS_OF_THE_CLIENT.has(name));
  if (refused !== undefined)
    throw new FetchError('bad_header', `The header ${refused[0]} is set by the service itself.`);
  const headers = Object.fromEntries([['user-agent', 'Graphwright'], ...given]);
  return { url, method: request.method ?? 'GET', headers, body: request.body };
}

/** The request that a redirect asks for, as the fetch standard has it; undefined where the answer is no redirect. */
function nextHop(hop: Hop, { statusCode, headers }: Dispatcher.ResponseData): Hop | undefined {
  const location = headers.location;
  if (!REDIRECTS.has(statusCode) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, hop.url.href);
  if (target === null) throw refusal('bad_url', hop.url.hostname);
  const url = parseOutboundUrl(target.href);
  const isStranger = url.origin !== hop.url.origin;
  const becomesGet = statusCode === 303 ? hop.method !== 'HEAD' : statusCode <= 302 && hop.method === 'POST';
  if (!becomesGet && isStream(hop.body)) return undefined;
  const kept = Object.entries(hop.headers).filter(
    ([name]) =>
      (!isStranger || HEADERS_FOR_STRANGERS.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : hop.body,
  };
}

function isStream(body: OutboundRequest['body']): body is SizedStream {
  return typeof body === 'object' && 'stream' in body;
}

async function send(hop: Hop, shared: Exchange, agent: Agent): Promise<Dispatcher.ResponseData> {
  shared.signal.throwIfAborted();
  return await agent.compose(noteSending(shared)).request({
    origin: hop.url.origin,
    path: hop.url.pathname + hop.url.search,
    method: hop.method,
    headers: isStream(hop.body) ? { ...hop.headers, 'content-length': String(hop.body.bytes) } : hop.headers,
    body: (isStream(hop.body) ? hop.body.stream : hop.body) ?? null,
    signal: shared.signal,
  });
}

/** undici starts a request on a socket only once that is connected and its TLS done: only from then on bytes may be out. */
function noteSending(shared: Exchange): Dispatcher.DispatcherComposeInterceptor {
  return dispatch => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      shared.maybeSent = true;
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

function present(
  hop: Hop,
  answer: Dispatcher.ResponseData,
  shared: Exchange,
): OutboundAnswer<AsyncIterable<Uint8Array>> {
  const headers = Object.entries(answer.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(headers),
    url: hop.url.href,
    body: bounded(answer, shared),
  };
}

/** The body, refused as soon as it is known to be too large. Leaving it early ends the connection. */
async function* bounded(
  { headers, body }: Dispatcher.ResponseData,
  shared: Exchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const declared = Number(headers['content-length'] ?? 0);
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (Math.max(bytes, declared) > shared.request.maxBytes) throw refusal('too_large', shared.host);
      yield chunk;
    }
  } catch (err) {
    throw failed(err, shared);
  }
}

function failed(err: unknown, { request, deadline, host, maybeSent }: Exchange): FetchError {
  return toFetchError(err, {
    host,
    maybeSent,
    isLate: deadline.aborted,
    isAborted: request.signal?.aborted === true,
  });
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

/** A pool whose sockets connect to just the addresses that `resolve` returned, so that no second look-up can differ. */
function createAgent(resolve: Resolve): Agent {
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
  return new Agent({
    allowH2: false,
    connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: BODY_SILENCE_MS,
  });
}
