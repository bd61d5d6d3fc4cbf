// The session cookie: how it is read from a request and written into an answer.

const NAMES = { https: '__Host-session', http: 'session' } as const;
const NAMED = new RegExp(`(?:^|;\\s*)(?:${Object.values(NAMES).join('|')})=`);
/** 256 bits in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface SessionCookie {
  readonly name: string;
  /** The first token under the cookie's name; undefined where nothing there has the form of one. */
  read(header: string | undefined): string | undefined;
  write(token: string, expiresAt: Date): string;
  /** Has the browser forget it. */
  readonly cleared: string;
}

/** Whether a request has one, good or not: enough to choose which link a page shows, and for nothing else. */
export const namesSession = (header = ''): boolean => NAMED.test(header);

/**
 * Under https its name makes browsers see to it that no other host and no plain http sets it. JavaScript cannot read it,
 * and other sites cannot send it along but by a link to a page.
 */
export function sessionCookieOf(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = NAMES[isSecure ? 'https' : 'http'];
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read: header =>
      header
        ?.split(';')
        .map(tokenIn)
        .find(token => token !== undefined),
    write: (token, expiresAt) => `${name}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes}`,
    cleared: `${name}=; Max-Age=0; ${attributes}`,
  };

  function tokenIn(pair: string): string | undefined {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    return key === name && TOKEN.test(value) ? value : undefined;
  }
}
