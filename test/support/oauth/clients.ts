// Acts as an OAuth client, which registers and requests tokens, and as a browser, which has cookies and follows redirects.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

export interface WebResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface WebRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: a form, or text of the type in the headers. */
  readonly body?: string | URLSearchParams;
  /** The client's IP address. By default, each registration has a different one, because of rate limits. */
  readonly from?: string;
}

/** Sends one request without following redirects. */
export type Send = (method: string, url: string, request?: WebRequest) => Promise<WebResponse>;

interface Injectable {
  inject(options: object): Promise<{
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
    readonly body: string;
  }>;
}

/** Creates a function that injects requests into an app, for any host. */
export function createInjectingSend(app: Injectable): Send {
  let registrations = 0;
  return async (method, url, { headers = {}, body, from } = {}) => {
    const { pathname, search, host } = new URL(url, ORIGIN);
    const defaultAddress = pathname === '/oauth/register' ? `10.0.0.${registrations++ % 256}` : '127.0.0.1';
    const response = await app.inject({
      method,
      url: pathname + search,
      remoteAddress: from ?? defaultAddress,
      headers: { host, ...formHeader(body), ...headers },
      ...(body === undefined ? {} : { payload: String(body) }),
    });
    const pairs = Object.entries(response.headers).flatMap(([name, value]) =>
      [value].flat().map(each => [name, String(each ?? '')] as [string, string]),
    );
    return { status: response.statusCode, headers: new Headers(pairs), text: response.body };
  };
}

/** Sends requests over the network. */
export const sendOverNetwork: Send = async (method, url, { headers = {}, body } = {}) => {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...formHeader(body), ...headers },
    ...(body === undefined ? {} : { body: String(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const formHeader = (body: WebRequest['body']): Record<string, string> =>
  body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {};

export const ORIGIN = 'http://localhost:3000';
export const RESOURCE = `${ORIGIN}/mcp`;
export const ALL_SCOPES = 'workflows:read workflows:write workflows:execute';
export const REDIRECT = 'http://127.0.0.1:33418/callback';

/** A client registration as most clients send it. */
export const REGISTRATION = {
  client_name: 'Agent',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

const parseBody = ({ text }: WebResponse): Record<string, unknown> =>
  text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);

export interface OAuthResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface OAuthClient {
  register(metadata?: object): Promise<OAuthResponse>;
  /** Registers a client and returns its id. */
  newClient(metadata?: object): Promise<string>;
  token(
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<OAuthResponse>;
  revoke(form: Readonly<Record<string, string>>): Promise<OAuthResponse>;
  refresh(
    clientId: string,
    refreshToken: unknown,
    more?: Readonly<Record<string, string>>,
  ): Promise<OAuthResponse>;
}

export function createOAuthClient(send: Send, origin = ORIGIN): OAuthClient {
  const post = async (path: string, request: WebRequest): Promise<OAuthResponse> => {
    const response = await send('POST', `${origin}${path}`, request);
    return { status: response.status, headers: response.headers, body: parseBody(response) };
  };
  const register: OAuthClient['register'] = (metadata = {}) =>
    post('/oauth/register', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Array.isArray(metadata) ? metadata : { ...REGISTRATION, ...metadata }),
    });
  const token: OAuthClient['token'] = (form, headers = {}) =>
    post('/oauth/token', { body: new URLSearchParams(form), headers });
  return {
    register,
    newClient: async metadata => {
      const { status, body } = await register(metadata);
      assert.equal(status, 201, JSON.stringify(body));
      return String(body.client_id);
    },
    token,
    revoke: form => post('/oauth/revoke', { body: new URLSearchParams(form) }),
    refresh: (clientId, refreshToken, more = {}) =>
      token({
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: String(refreshToken),
        ...more,
      }),
  };
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function makePkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The page after all redirects. It is outside the service if the last redirect leads there. */
export interface BrowserPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

export interface Decision {
  /** The scopes that stay checked. By default, all scopes. */
  readonly scopes?: readonly string[];
  readonly choice?: 'allow' | 'deny';
}

/** A browser with cookies that follows redirects within the service. */
export class CookieBrowser {
  readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();
  readonly #send: Send;
  readonly #origin: string;

  constructor(send: Send, options: { readonly cookie?: string; readonly origin?: string } = {}) {
    this.#send = send;
    this.#origin = options.origin ?? ORIGIN;
    if (options.cookie !== undefined) this.#storeCookie(`${options.cookie}; Path=/`);
  }

  async open(url: string): Promise<BrowserPage> {
    return this.#follow('GET', url);
  }

  /** Opens an authorization request and submits the form. Returns the page unchanged if it has no form. */
  async openAndDecide(url: string, decision?: Decision): Promise<BrowserPage> {
    const page = await this.open(url);
    return page.html.includes('name="token"') ? this.decide(page, decision) : page;
  }

  /** Submits the form of the page. */
  async decide(page: BrowserPage, { scopes, choice = 'allow' }: Decision = {}): Promise<BrowserPage> {
    const offeredScopes = [...page.html.matchAll(/name="scope" value="([^"]+)"/g)].map(
      match => match[1] ?? '',
    );
    const form = new URLSearchParams({ token: readFormToken(page), decision: choice });
    for (const scope of scopes ?? offeredScopes) form.append('scope', scope);
    return this.#follow('POST', page.url, form);
  }

  async #follow(method: string, start: string, form?: URLSearchParams): Promise<BrowserPage> {
    let [url, currentMethod, body] = [new URL(start, this.#origin).href, method, form];
    for (let hop = 0; hop < 10; hop++) {
      const response = await this.#send(currentMethod, url, {
        headers: {
          accept: 'text/html',
          cookie: this.#cookieFor(url),
          ...(currentMethod === 'POST' ? { 'sec-fetch-site': 'same-origin', origin: this.#origin } : {}),
        },
        ...(body === undefined ? {} : { body }),
      });
      for (const line of response.headers.getSetCookie()) this.#storeCookie(line);
      const location = response.headers.get('location');
      const nextUrl = location === null ? undefined : new URL(location, url).href;
      if (!nextUrl?.startsWith(`${this.#origin}/oauth/`)) {
        return {
          url: nextUrl ?? url,
          status: response.status,
          headers: response.headers,
          html: response.text,
        };
      }
      [url, currentMethod, body] = [nextUrl, 'GET', undefined];
    }
    throw new Error('The redirects do not end.');
  }

  #storeCookie(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map(part => part.trim());
    const separator = pair.indexOf('=');
    const path = attributes.find(part => /^path=/i.test(part))?.slice('path='.length) ?? '/';
    const isExpired = attributes.some(part => /^expires=thu, 01 jan 1970/i.test(part));
    const key = `${pair.slice(0, separator)} ${path}`;
    if (isExpired) this.cookies.delete(key);
    else this.cookies.set(key, { value: pair, path });
  }

  #cookieFor(url: string): string {
    const { pathname } = new URL(url);
    return [...this.cookies.values()]
      .filter(({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(({ value }) => value)
      .join('; ');
  }
}

export const readFormToken = ({ html }: Pick<BrowserPage, 'html'>): string =>
  /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** Builds the URL of an authorization request. Parameters that are undefined are left out. */
export function buildAuthorizeUrl(
  params: Readonly<Record<string, string | undefined>>,
  origin = ORIGIN,
): string {
  const allParams = {
    response_type: 'code',
    redirect_uri: REDIRECT,
    code_challenge_method: 'S256',
    state: 'state-1',
    scope: ALL_SCOPES,
    resource: `${origin}/mcp`,
    ...params,
  };
  const parameters = Object.entries(allParams).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return `${origin}/oauth/authorize?${new URLSearchParams(parameters)}`;
}

export interface Tokens {
  readonly clientId: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

/** Registers a client, gets the user's consent, by default to all scopes, and returns the tokens. */
export async function connect(
  client: OAuthClient,
  browser: CookieBrowser,
  options: {
    readonly clientId?: string;
    readonly params?: Readonly<Record<string, string | undefined>>;
    readonly decision?: Decision;
    readonly origin?: string;
  } = {},
): Promise<Tokens> {
  const clientId = options.clientId ?? (await client.newClient());
  const pkce = makePkce();
  const params = { client_id: clientId, code_challenge: pkce.challenge, ...options.params };
  const finalPage = await browser.openAndDecide(buildAuthorizeUrl(params, options.origin), options.decision);
  const code = new URL(finalPage.url).searchParams.get('code');
  assert.ok(code, `${finalPage.status} ${finalPage.url} ${finalPage.html.slice(0, 2000)}`);
  const { status, body } = await client.token({
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: options.params?.redirect_uri ?? REDIRECT,
    code_verifier: pkce.verifier,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return { clientId, ...(body as unknown as Omit<Tokens, 'clientId'>) };
}
