// The network of a page in Node: adds its cookies to requests and lets tests hold, replace and observe them.

/** A pattern as in Playwright: a glob, in which ** matches any characters and * any but slashes, or a test. */
export type UrlPattern = string | RegExp | ((url: URL) => boolean);

export interface SentRequest {
  url(): string;
  method(): string;
  postData(): string | null;
  postDataJSON(): unknown;
  headers(): Record<string, string>;
  resourceType(): string;
  isNavigationRequest(): boolean;
}

export interface ReceivedResponse {
  url(): string;
  status(): number;
  ok(): boolean;
  headers(): Record<string, string>;
  request(): SentRequest;
  body(): Promise<Buffer>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  finished(): Promise<null>;
}

/** What a test answers a request with. */
interface Fulfillment {
  readonly response?: ReceivedResponse;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: string | Buffer;
  readonly json?: unknown;
}

export interface Route {
  request(): SentRequest;
  /** Sends the request, without giving the response to the page. */
  fetch(): Promise<ReceivedResponse>;
  continue(): Promise<void>;
  fallback(): Promise<void>;
  fulfill(fulfillment?: Fulfillment): Promise<void>;
  abort(): Promise<void>;
}

type RouteHandler = (route: Route, request: SentRequest) => unknown;

export interface RegisteredRoute {
  readonly pattern: UrlPattern;
  readonly handler: RouteHandler;
  remaining: number;
}

/** Called for each request, response and failed request of the page. */
export type NetworkListener = (
  type: 'request' | 'response' | 'requestfailed',
  subject: SentRequest | ReceivedResponse,
) => void;

/** What the pages of a profile share. Its routes are asked after those of the page. */
export interface NetworkProfile {
  readonly cookies: Map<string, string>;
  readonly routes: RegisteredRoute[];
  isOffline: boolean;
}

export interface Network {
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  route(pattern: UrlPattern, handler: RouteHandler, options?: { readonly times?: number }): void;
  unroute(pattern?: UrlPattern): void;
  /** Aborts the requests of a page that is left or closed, and its event streams. */
  abort(): void;
}

/** The newest handler is asked first. */
export function addRoute(
  routes: RegisteredRoute[],
  {
    pattern,
    handler,
    times = Number.POSITIVE_INFINITY,
  }: Omit<RegisteredRoute, 'remaining'> & { readonly times?: number | undefined },
): void {
  routes.unshift({ pattern, handler, remaining: times });
}

/** Removes the routes with this pattern, or all. */
export function removeRoutes(routes: RegisteredRoute[], pattern?: UrlPattern): void {
  const kept = pattern === undefined ? [] : routes.filter(route => route.pattern !== pattern);
  routes.splice(0, routes.length, ...kept);
}

/** Creates the network of a page of the service at this origin. */
export function createNetwork(origin: string, profile: NetworkProfile, notify: NetworkListener): Network {
  const { cookies } = profile;
  const routes: RegisteredRoute[] = [];
  let leaving = new AbortController();

  const send = async (url: URL, init: RequestInit): Promise<Response> => {
    if (profile.isOffline) throw new TypeError('fetch failed: the page is offline');
    const headers = new Headers(init.headers);
    if (url.origin === origin) {
      headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
      headers.set('sec-fetch-site', 'same-origin');
      headers.set('origin', origin);
    }
    // A request with `keepalive` continues after the page is left.
    const signals = [init.keepalive === true ? undefined : leaving.signal, init.signal].filter(
      signal => signal != null,
    );
    const response = await fetch(url, { ...init, headers, signal: AbortSignal.any(signals) });
    for (const line of response.headers.getSetCookie()) storeCookie(cookies, line);
    return response;
  };

  return {
    abort: () => {
      leaving.abort();
      leaving = new AbortController();
    },
    route: (pattern, handler, { times } = {}) => addRoute(routes, { pattern, handler, times }),
    unroute: pattern => removeRoutes(routes, pattern),
    fetch: async (input, init = {}) => {
      const url = new URL(input instanceof Request ? input.url : String(input), origin);
      const request = presentRequest(url, init);
      const isLeft = leaving.signal;
      notify('request', request);
      init.signal?.throwIfAborted();
      try {
        const route = [...routes, ...profile.routes].find(
          ({ pattern, remaining }) => remaining > 0 && matchesUrl(pattern, url),
        );
        const response = await (route === undefined
          ? send(url, init)
          : answerByTest(route, request, () => send(url, init), init.signal));
        const copy = isEventStream(response) ? withoutBody(response) : response.clone();
        const body = Buffer.from(await copy.arrayBuffer());
        notify('response', presentResponse(request, copy, body));
        return response;
      } catch (err) {
        notify('requestfailed', request);
        // The scripts of a page that was left do not continue.
        if (isLeft.aborted) return new Promise(() => undefined);
        throw err;
      }
    },
  };
}

/** Lets the handler of a test decide how the request is answered. */
function answerByTest(
  route: RegisteredRoute,
  request: SentRequest,
  send: () => Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  route.remaining--;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  const forward = (): Promise<void> => send().then(resolve, reject);
  const result = route.handler(
    {
      request: () => request,
      fetch: async () => presentResponse(request, await send()),
      continue: forward,
      fallback: forward,
      abort: async () => reject(new TypeError('fetch failed: the test aborted the request')),
      fulfill: async fulfillment => resolve(await createResponse(fulfillment ?? {})),
    },
    request,
  );
  Promise.resolve(result).catch(reject);
  return promise;
}

async function createResponse({
  response,
  status = response?.status() ?? 200,
  headers = {},
  contentType,
  body,
  json,
}: Fulfillment): Promise<Response> {
  const content = json !== undefined ? JSON.stringify(json) : (body ?? (await response?.body()) ?? '');
  const type = contentType ?? (json === undefined ? undefined : 'application/json');
  return new Response(status === 204 || status === 304 ? null : (content as BodyInit), {
    status,
    headers: { ...response?.headers(), ...(type === undefined ? {} : { 'content-type': type }), ...headers },
  });
}

function presentRequest(url: URL, init: RequestInit): SentRequest {
  const body = typeof init.body === 'string' ? init.body : null;
  const isNavigation = new Headers(init.headers).get('sec-fetch-dest') === 'document';
  return {
    url: () => url.href,
    method: () => init.method ?? 'GET',
    postData: () => body,
    postDataJSON: () => (body === null ? null : (JSON.parse(body) as unknown)),
    headers: () => Object.fromEntries(new Headers(init.headers)),
    resourceType: () => (isNavigation ? 'document' : 'fetch'),
    isNavigationRequest: () => isNavigation,
  };
}

function presentResponse(request: SentRequest, response: Response, loaded?: Buffer): ReceivedResponse {
  let reading = loaded && Promise.resolve(loaded);
  const body = (): Promise<Buffer> => {
    reading ??= response.arrayBuffer().then(bytes => Buffer.from(bytes));
    return reading;
  };
  const text = async (): Promise<string> => (await body()).toString();
  return {
    url: () => request.url(),
    status: () => response.status,
    ok: () => response.ok,
    // The body was decoded, so its old encoding and length are wrong.
    headers: () =>
      Object.fromEntries(
        [...response.headers].filter(([name]) => !/^content-(?:encoding|length)$/.test(name)),
      ),
    request: () => request,
    body,
    text,
    json: async () => JSON.parse(await text()) as unknown,
    finished: async () => {
      await body();
      return null;
    },
  };
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** An event stream never ends, so tests see only its status and headers. */
const withoutBody = ({ status, headers }: Response): Response => new Response(null, { status, headers });

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  const [name = ''] = pair.split('=', 1);
  const isExpired = attributes.some(attribute =>
    /^max-age=(?:0|-)|^expires=Thu, 01 Jan 1970/i.test(attribute),
  );
  if (isExpired) cookies.delete(name);
  else cookies.set(name, pair.slice(name.length + 1));
}

export function matchesUrl(pattern: UrlPattern, url: URL): boolean {
  if (typeof pattern === 'function') return pattern(url);
  if (pattern instanceof RegExp) return pattern.test(url.href);
  return toRegExp(new URL(pattern.replace(/^\//, `${url.origin}/`), url.origin).href, pattern).test(url.href);
}

/** Translates a glob. A glob that starts with a star is not relative to the origin. */
function toRegExp(resolved: string, glob: string): RegExp {
  const text = glob.startsWith('*') ? glob : resolved;
  const source = text.replace(/\*\*|\*|[.+?^$()[\]\\|]|\{|\}/g, token => {
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '{') return '(?:';
    if (token === '}') return ')';
    return `\\${token}`;
  });
  return new RegExp(
    `^${source.replace(/\(\?:([^)]*)\)/g, (_, list: string) => `(?:${list.replaceAll(',', '|')})`)}$`,
  );
}
