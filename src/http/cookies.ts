// Reads and writes the cookies of sessions, of sign-ins at an identity provider, and of anonymous visitors of apps.
import { randomBytes } from 'node:crypto';

/** 256 bits in base64url. */
const SESSION_TOKEN = /^[A-Za-z0-9_-]{43}$/;
const VISITOR_NAME = 'app-visitor';
const VISITOR_BYTES = 16;
/** 128 bits in base64url. */
const VISITOR_ID = /^[A-Za-z0-9_-]{22}$/;
const YEAR_SECONDS = 31_536_000;

export interface Cookie {
  readonly name: string;
  /** Returns the first well-formed value in a Cookie header, or undefined. */
  read(header: string | undefined): string | undefined;
  /** Returns the Set-Cookie header. The lifetime is in seconds, or until a date. */
  format(value: string, lifetime: number | Date): string;
  /** The Set-Cookie header that deletes the cookie. */
  readonly deleteHeader: string;
}

/**
 * Creates the cookie of sessions. JavaScript cannot read it, and other sites can send it only by linking to a page. With
 * https, the `__Host-` prefix prevents other hosts and plain http from setting it.
 */
export const createSessionCookie = (baseUrl: string): Cookie =>
  createCookie(baseUrl, 'session', SESSION_TOKEN);

const createBrowserCookie = (baseUrl: string): Cookie => createCookie(baseUrl, 'browser', VISITOR_ID);

/** How long browsers keep a cookie at most. */
const BROWSER_SECONDS = 400 * 86_400;

/** Returns the value by which a browser is recognized at its next sign-in. */
export const readBrowserCookie = (baseUrl: string, header: string | undefined): string | undefined =>
  createBrowserCookie(baseUrl).read(header);

/** Returns the Set-Cookie headers of a session that has started. */
export const formatSessionCookies = (
  baseUrl: string,
  session: { readonly token: string; readonly expiresAt: Date; readonly browser: string },
): string[] => [
  createSessionCookie(baseUrl).format(session.token, session.expiresAt),
  createBrowserCookie(baseUrl).format(session.browser, BROWSER_SECONDS),
];

/** Creates the cookie of a sign-in. It is SameSite=Lax, so that browsers send it when the provider redirects back. */
export const createSignInCookie = (baseUrl: string): Cookie => createCookie(baseUrl, 'sign-in', /./);

function createCookie(baseUrl: string, baseName: string, pattern: RegExp): Cookie {
  const name = baseUrl.startsWith('https:') ? `__Host-${baseName}` : baseName;
  return {
    name,
    read: header => readCookie(header, name, pattern),
    format: (value, lifetime) => formatCookie(baseUrl, name, value, lifetime),
    deleteHeader: formatCookie(baseUrl, name, '', 0),
  };
}

/** Returns whether a request has a session cookie, valid or not. Use it only to choose which links a page shows. */
export const hasSessionCookie = (header = ''): boolean => /(?:^|;\s*)(?:__Host-)?session=/.test(header);

/** Returns the id by which an anonymous visitor finds earlier results of an app again. */
export const readVisitorCookie = (header: string | undefined): string | undefined =>
  readCookie(header, VISITOR_NAME, VISITOR_ID);

/** Returns the id of a new visitor and the Set-Cookie header that stores it. */
export function createVisitorCookie(baseUrl: string): { readonly value: string; readonly header: string } {
  const value = randomBytes(VISITOR_BYTES).toString('base64url');
  return { value, header: formatCookie(baseUrl, VISITOR_NAME, value, YEAR_SECONDS) };
}

function readCookie(header = '', name: string, pattern: RegExp): string | undefined {
  return header
    .split(';')
    .map(pair => pair.trim().split('=', 2))
    .find(([key, value = '']) => key === name && pattern.test(value))?.[1];
}

function formatCookie(baseUrl: string, name: string, value: string, lifetime: number | Date): string {
  const expiry = typeof lifetime === 'number' ? `Max-Age=${lifetime}` : `Expires=${lifetime.toUTCString()}`;
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; ${expiry}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}
