// Creates the HTTP client for addresses that users or providers supply. The client reaches only public hosts, checks
// every redirect again, and limits size and time.
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Agent, Dispatcher } from 'undici';
import { type Deadline, startDeadline } from './deadline.ts';
import { decodeBody } from './fetch/decode-body.ts';
import { createFetchError, FetchError, toFetchError } from './fetch/error.ts';
import { createPools, type NetworkPolicy, type Pools } from './fetch/pools.ts';
import { type OpenedSocket, openSocket, type SocketRequest } from './fetch/socket.ts';
import { inRequestSpan } from './fetch/span.ts';

/** A body that is too large for memory. A stream can be sent only once, so a redirect that needs the body is not followed. */
export interface SizedStream {
  readonly stream: Readable;
  readonly bytes: number;
}

export interface OutboundRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | SizedStream;
  readonly signal?: AbortSignal | undefined;
  /** Limits the whole exchange, including redirects and the last byte of the body. */
  readonly timeoutMs: number;
  /** Maximum size of the response body, also after it is decompressed. */
  readonly maxBytes: number;
  /** Default 5. With 0 a redirect is returned as the response. */
  readonly maxRedirects?: number;
  /** Allows `localhost`, `127.0.0.1` and `*.localhost`, as webhooks may need. Does not apply after a redirect. */
  readonly allowLoopback?: boolean;
  /** An origin that the operator configured for this request: reachable even if its address is private. */
  readonly trustedOrigin?: string;
  /**
   * Returns whether a redirect to this URL keeps the headers and body. If not, the headers are dropped, and a redirect
   * that needs the body fails.
   */
  readonly keepsRequestOnRedirect?: (next: URL) => boolean;
  /** Sends the trace context, so that the receiver can join the trace. */
  readonly propagateTraceContext?: boolean;
}

export interface OutboundResponse<Body> {
  readonly status: number;
  /** Lower-case names; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The final URL after redirects. */
  readonly url: string;
  readonly body: Body;
}

/** A response whose body is read from the network. Reading it may throw FetchError. */
export interface StreamedResponse extends OutboundResponse<AsyncIterable<Uint8Array>> {
  /** Closes the connection, for a body that is not needed. */
  close(): void;
}

export interface GuardedFetch {
  /** Returns the complete response, whatever its status. Throws FetchError. */
  fetch(url: string, request: OutboundRequest): Promise<OutboundResponse<Buffer>>;
  /** Returns the response with a streaming body under the same bounds. The caller must read the body or close it. */
  stream(url: string, request: OutboundRequest): Promise<StreamedResponse>;
  /** Opens a WebSocket at an http or https URL, without redirects. Throws FetchError. */
  connect(url: string, request: SocketRequest): Promise<OpenedSocket>;
  close(): Promise<void>;
}

const MAX_URL_CHARS = 8192;
const MAX_REDIRECTS = 5;
const MAX_DRAINED_BYTES = 65_536;
/** Responses that describe a body without having one. */
const BODYLESS_STATUSES: ReadonlySet<number> = new Set([204, 304]);
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
// Any other header may be a credential of the first origin: not only `authorization`, but also, say, `xi-api-key`.
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'range',
  'user-agent',
]);
const DEFAULT_HEADERS: Hop['headers'] = { 'user-agent': 'Graphwright' };
const RESERVED_HEADERS: ReadonlySet<string> = new Set(
  'connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

export interface GuardOptions extends NetworkPolicy {
  /** Origins that receive the trace context. */
  readonly tracedOrigins?: readonly string[];
}

/** Creates a client with keep-alive pools; `close` ends them and all requests in progress. */
export function createGuardedFetch({ tracedOrigins = [], ...policy }: GuardOptions): GuardedFetch {
  const pools = createPools(policy);
  const traceReceivers = new Set(tracedOrigins);
  return {
    stream: (url, request) =>
      inRequestSpan(url, request, traceReceivers, tracedRequest => exchange(url, tracedRequest, pools)),
    fetch: (url, request) =>
      inRequestSpan(url, request, traceReceivers, async tracedRequest => {
        const { close: _, ...response } = await exchange(url, tracedRequest, pools);
        return { ...response, body: await buffer(response.body) };
      }),
    connect: async (address, request) => {
      const url = parseOutboundUrl(address);
      const { trustedOrigin } = request;
      return openSocket(url, request, await pools.getAgent(url, { allowLoopback: false, trustedOrigin }));
    },
    close: () => pools.close(),
  };
}

/** Parses a URL that may be requested: http or https, no credentials, not too long. Throws FetchError `bad_url`. */
export function parseOutboundUrl(text: string): URL {
  if (text.length > MAX_URL_CHARS)
    throw new FetchError('bad_url', `The URL must have at most ${MAX_URL_CHARS} characters.`);
  const url = URL.parse(text);
  if (url === null) throw new FetchError('bad_url', 'The URL is malformed.');
  if (!/^https?:$/.test(url.protocol))
    throw new FetchError('bad_url', 'The URL must start with http:// or https://.');
  if (url.username + url.password !== '')
    throw new FetchError('bad_url', 'The URL must not contain a user name or password.');
  return url;
}

/** One request of an exchange. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutboundRequest['body'];
}

/** State shared by the hops of one exchange. */
interface Exchange {
  readonly request: OutboundRequest;
  /** The time limit, which is disposed of after the last byte of the response or an error. */
  readonly deadline: Deadline;
  /** The host of the current hop. */
  host: string;
  /** Whether a byte of the request may have reached a server. */
  maybeSent: boolean;
}

async function exchange(address: string, request: OutboundRequest, pools: Pools): Promise<StreamedResponse> {
  const deadline = startDeadline(request.timeoutMs, request.signal);
  const state: Exchange = { request, deadline, host: 'The URL', maybeSent: false };
  const maxRedirects = request.maxRedirects ?? MAX_REDIRECTS;
  try {
    let hop = createFirstHop(address, request);
    for (let redirects = 0; ; redirects++) {
      state.host = hop.url.hostname;
      const agent = await pools.getAgent(hop.url, {
        allowLoopback: redirects === 0 && request.allowLoopback === true,
        trustedOrigin: request.trustedOrigin,
      });
      const response = await send(hop, state, agent);
      const nextHop =
        maxRedirects === 0 ? undefined : createNextHop(hop, response, request.keepsRequestOnRedirect);
      if (nextHop === undefined) return toOutboundResponse(hop, response, state);
      await response.body.dump({ limit: MAX_DRAINED_BYTES, signal: deadline.signal });
      if (redirects === maxRedirects) throw createFetchError('too_many_redirects', state.host);
      hop = nextHop;
    }
  } catch (err) {
    deadline[Symbol.dispose]();
    throw toExchangeError(err, state);
  }
}

function createFirstHop(address: string, request: OutboundRequest): Hop {
  const url = parseOutboundUrl(address);
  const entries = Object.entries(request.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const reservedHeader = entries.find(([name]) => RESERVED_HEADERS.has(name));
  if (reservedHeader !== undefined)
    throw new FetchError('bad_header', `Remove the header ${reservedHeader[0]}; the service sets it.`);
  const headers = { ...DEFAULT_HEADERS, ...Object.fromEntries(entries) };
  return { url, method: request.method ?? 'GET', headers, body: request.body };
}

/**
 * Returns the request that the fetch standard prescribes after a redirect. Returns undefined if the response is not a
 * redirect, or if a body that was already streamed would have to be sent again.
 */
function createNextHop(
  hop: Hop,
  { statusCode, headers }: Dispatcher.ResponseData,
  keepsRequestOnRedirect: OutboundRequest['keepsRequestOnRedirect'],
): Hop | undefined {
  const location = headers.location;
  if (!REDIRECT_STATUSES.has(statusCode) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, hop.url.href);
  if (target === null) throw createFetchError('bad_url', hop.url.hostname);
  const url = parseOutboundUrl(target.href);
  const isCrossOrigin = url.origin !== hop.url.origin;
  const becomesGet = statusCode === 303 ? hop.method !== 'HEAD' : statusCode <= 302 && hop.method === 'POST';
  if (!becomesGet && isStream(hop.body)) return undefined;
  if (keepsRequestOnRedirect?.(url) === false) {
    if (!becomesGet && hop.body !== undefined) throw createFetchError('redirect_refused', hop.url.hostname);
    return { url, method: becomesGet ? 'GET' : hop.method, headers: DEFAULT_HEADERS, body: undefined };
  }
  const hopHeaders = Object.entries(hop.headers).filter(
    ([name]) =>
      (!isCrossOrigin || CROSS_ORIGIN_HEADERS.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(hopHeaders),
    body: becomesGet ? undefined : hop.body,
  };
}

function isStream(body: OutboundRequest['body']): body is SizedStream {
  return typeof body === 'object' && 'stream' in body;
}

async function send(hop: Hop, state: Exchange, agent: Agent): Promise<Dispatcher.ResponseData> {
  state.deadline.signal.throwIfAborted();
  return await agent.compose(recordSending(state)).request({
    origin: hop.url.origin,
    path: hop.url.pathname + hop.url.search,
    method: hop.method,
    headers: isStream(hop.body) ? { ...hop.headers, 'content-length': String(hop.body.bytes) } : hop.headers,
    body: (isStream(hop.body) ? hop.body.stream : hop.body) ?? null,
    signal: state.deadline.signal,
  });
}

/**
 * Creates an interceptor that records when bytes may have been sent. undici starts a request only after the socket is
 * connected and TLS is done.
 */
function recordSending(state: Exchange): Dispatcher.DispatcherComposeInterceptor {
  return dispatch => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      state.maybeSent = true;
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

function toOutboundResponse(hop: Hop, response: Dispatcher.ResponseData, state: Exchange): StreamedResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    status: response.statusCode,
    headers: Object.fromEntries(headers),
    url: hop.url.href,
    body: boundedBody(hop, response, state),
    close() {
      state.deadline[Symbol.dispose]();
      // Destroying an unread body emits an error, which would end the process if nobody handled it.
      response.body.on('error', () => undefined).destroy();
    },
  };
}

/** Yields the decompressed body, and throws as soon as it is known to be too large. Leaving the loop early closes the connection. */
async function* boundedBody(
  { method }: Hop,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  state: Exchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const declared = Number(headers['content-length'] ?? 0);
  const isEmpty = method === 'HEAD' || BODYLESS_STATUSES.has(statusCode);
  let bytes = 0;
  try {
    for await (const chunk of isEmpty ? body : decodeBody(body, String(headers['content-encoding'] ?? ''))) {
      bytes += chunk.length;
      if (Math.max(bytes, declared) > state.request.maxBytes) throw createFetchError('too_large', state.host);
      yield chunk;
    }
  } catch (err) {
    throw toExchangeError(err, state);
  } finally {
    state.deadline[Symbol.dispose]();
  }
}

function toExchangeError(err: unknown, { request, deadline, host, maybeSent }: Exchange): FetchError {
  return toFetchError(err, {
    host,
    maybeSent,
    isLate: deadline.isPast,
    isAborted: request.signal?.aborted === true,
  });
}
