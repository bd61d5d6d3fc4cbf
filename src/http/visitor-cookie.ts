// Reads and writes the cookie by which an anonymous visitor finds earlier results of an app again.
import { randomBytes } from 'node:crypto';

const COOKIE = /(?:^|;\s*)app-visitor=([A-Za-z0-9_-]{22})(?:;|$)/;
const YEAR_SECONDS = 31_536_000;

export function readVisitorCookie(header = ''): string | undefined {
  return COOKIE.exec(header)?.[1];
}

/** Returns the Set-Cookie value of a new visitor, and the value of the cookie. */
export function createVisitorCookie(baseUrl: string): { readonly value: string; readonly header: string } {
  const value = randomBytes(16).toString('base64url');
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return {
    value,
    header: `app-visitor=${value}; Max-Age=${YEAR_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`,
  };
}
