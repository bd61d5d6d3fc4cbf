// Reads the session cookie from requests and writes it to responses.

const NAMES = { https: '__Host-session', http: 'session' } as const;
const NAMED = new RegExp(`(?:^|;\\s*)(?:${Object.values(NAMES).join('|')})=`);
/** 256 bits in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface SessionCookie {
  readonly name: string;
  /** Returns the first well-formed token in a cookie with this name, or undefined. */
  read(header: string | undefined): string | undefined;
  write(token: string, expiresAt: Date): string;
  /** The Set-Cookie value that deletes the cookie. */
  readonly cleared: string;
}

/** Returns whether a request has a session cookie, valid or not. Use it only to choose which links a page shows. */
export const namesSession = (header = ''): boolean => NAMED.test(header);

/**
 * Creates the cookie for a base URL. With https, the `__Host-` prefix prevents other hosts and plain http from setting
 * it. JavaScript cannot read it, and other sites can send it only by linking to a page.
 */
export function createSessionCookie(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = NAMES[isSecure ? 'https' : 'http'];
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read: header =>
      header
        ?.split(';')
        .map(readToken)
        .find(token => token !== undefined),
    write: (token, expiresAt) => `${name}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes}`,
    cleared: `${name}=; Max-Age=0; ${attributes}`,
  };

  function readToken(pair: string): string | undefined {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    return key === name && TOKEN.test(value) ? value : undefined;
  }
}
