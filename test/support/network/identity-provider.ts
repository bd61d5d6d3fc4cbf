// Runs an OpenID provider whose responses tests can change, and signs people in on the provider's pages.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

type Claims = Record<string, unknown>;

/** A change of the token response. An ID token with changed claims is signed again. */
export interface Tampering {
  readonly claims?: (claims: Claims) => Claims;
  readonly signedBy?: KeyObject | 'nobody';
  /** Replaces the whole response. With `answer: undefined`, the provider does not respond. */
  readonly answer?: { readonly status: number; readonly body: object } | undefined;
}

export interface IdentityProvider {
  readonly issuer: string;
  /** Claims by subject. */
  readonly people: Map<string, Claims>;
  /** Changes later token responses, or no longer changes them if `tampering` is undefined. */
  tamper(tampering: Tampering | undefined): void;
  /** Signs in as the subject and consents. Returns the URL that the browser is redirected to. */
  visit(url: string, subject: string): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { id: 'graphwright', secret: 'secret-of-the-client' };
const MAX_REDIRECTS = 12;

const createKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
/** A key that the provider does not publish. */
export const UNPUBLISHED_KEY = createKey();

export async function startIdentityProvider(callback: string): Promise<IdentityProvider> {
  const key = createKey();
  const people = new Map<string, Claims>();
  let tampering: Tampering | undefined;
  const server = createServer((req, res) => handle(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback] }],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' }] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      // Sent only for this scope, as by Okta.
      groups: ['groups', '_claim_names'],
    },
    conformIdTokenClaims: false,
    cookies: { keys: ['of the test'] },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
  });
  provider.use(async (ctx, next) => {
    await next();
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
    tamper: newTampering => {
      tampering = newTampering;
    },
    visit,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forge(
  token: string,
  { claims: changeClaims = claims => claims, signedBy }: Tampering,
  key: KeyObject,
): string {
  const [head = '', payload = ''] = token.split('.');
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decode = (text: string): Claims => JSON.parse(Buffer.from(text, 'base64url').toString());
  const isUnsigned = signedBy === 'nobody';
  const signedPart = `${isUnsigned ? encode({ ...decode(head), alg: 'none' }) : head}.${encode(changeClaims(decode(payload)))}`;
  if (isUnsigned) return `${signedPart}.`;
  return `${signedPart}.${sign('RSA-SHA256', Buffer.from(signedPart), signedBy ?? key).toString('base64url')}`;
}

async function visit(start: string, subject: string): Promise<string> {
  const { origin } = new URL(start);
  const cookies = new Map<string, string>();
  let nextRequest: { url: string; form?: Record<string, string> } = { url: start };
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const response = await fetch(nextRequest.url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(nextRequest.form === undefined
        ? {}
        : { method: 'POST', body: new URLSearchParams(nextRequest.form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    if (location === null) {
      assert.match(nextRequest.url, /\/interaction\//, page);
      const isLogin = page.includes('value="login"');
      const form = isLogin ? { prompt: 'login', login: subject, password: 'any' } : { prompt: 'consent' };
      nextRequest = { url: nextRequest.url, form };
      continue;
    }
    const target = new URL(location, nextRequest.url);
    if (target.origin !== origin) return target.href;
    nextRequest = { url: target.href };
  }
  throw new Error('The provider redirected too often.');
}
