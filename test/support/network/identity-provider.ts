// Runs a real OpenID provider on its own port, whose tokens can be tampered with, and signs people in on its pages.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

type Claims = Record<string, unknown>;

/** Changes the claims of the token response; the ID token is signed again. */
export interface Tampering {
  readonly claims?: (claims: Claims) => Claims;
  readonly signedBy?: KeyObject | 'nobody';
  /** Replaces the whole response; undefined means that the provider never responds. */
  readonly answer?: { readonly status: number; readonly body: object } | undefined;
}

export interface IdentityProvider {
  readonly issuer: string;
  /** Claims by subject. */
  readonly people: Map<string, Claims>;
  tamper(tampering: Tampering | undefined): void;
  /** Signs in as the subject and consents. Returns the URL that the browser is redirected to. */
  visit(url: string, subject: string): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { id: 'graphwright', secret: 'secret-of-the-client' };
const MAX_REDIRECTS = 12;

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
/** A key that the provider does not publish. */
export const UNPUBLISHED_KEY = newKey();

export async function startIdentityProvider(callback: string): Promise<IdentityProvider> {
  const key = newKey();
  const people = new Map<string, Claims>();
  const current: { tampering: Tampering | undefined } = { tampering: undefined };
  const server = createServer((req, res) => handle(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback] }],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['of the test'] },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
  });
  provider.use(async (ctx, next) => {
    await next();
    const { tampering } = current;
    if (ctx.path !== '/token' || tampering === undefined) return;
    if ('answer' in tampering) {
      if (tampering.answer === undefined) ctx.respond = false;
      else Object.assign(ctx, tampering.answer);
      return;
    }
    const body = ctx.body as { id_token?: string };
    if (body.id_token !== undefined) ctx.body = { ...body, id_token: forge(body.id_token, tampering, key) };
  });
  const handle: RequestListener = provider.callback();
  return {
    issuer,
    people,
    tamper: tampering => {
      current.tampering = tampering;
    },
    visit,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forge(token: string, { claims = item => item, signedBy }: Tampering, key: KeyObject): string {
  const [head = '', payload = ''] = token.split('.');
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decode = (text: string): Claims => JSON.parse(Buffer.from(text, 'base64url').toString());
  const isUnsigned = signedBy === 'nobody';
  const signed = `${isUnsigned ? encode({ ...decode(head), alg: 'none' }) : head}.${encode(claims(decode(payload)))}`;
  if (isUnsigned) return `${signed}.`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), signedBy ?? key).toString('base64url')}`;
}

async function visit(start: string, subject: string): Promise<string> {
  const { origin } = new URL(start);
  const cookies = new Map<string, string>();
  let next: { url: string; form?: Record<string, string> } = { url: start };
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const response = await fetch(next.url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.form === undefined ? {} : { method: 'POST', body: new URLSearchParams(next.form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    if (location === null) {
      assert.match(next.url, /\/interaction\//, page);
      const isLogin = page.includes('value="login"');
      const form = isLogin ? { prompt: 'login', login: subject, password: 'any' } : { prompt: 'consent' };
      next = { url: next.url, form };
      continue;
    }
    const target = new URL(location, next.url);
    if (target.origin !== origin) return target.href;
    next = { url: target.href };
  }
  throw new Error('The provider redirected too often.');
}
