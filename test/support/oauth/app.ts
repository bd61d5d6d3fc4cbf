// Runs OAuth on an in-process test app, with a signed-in browser and clients.
import { createPerson, PASSWORD, type Person } from '../accounts/people.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../app.ts';
import {
  CookieBrowser,
  connect,
  createInjectingSend,
  createOAuthClient,
  type OAuthClient,
  type Send,
  type Tokens,
} from './clients.ts';

export interface OAuthApp {
  readonly test: TestApp;
  readonly person: Person;
  readonly client: OAuthClient;
  readonly send: Send;
  /** Creates another browser of the same person. With an empty cookie, the browser is signed out. */
  newBrowser(cookie?: string): CookieBrowser;
  /** Registers a client and gets tokens, like `connect` of `clients.ts`. */
  connect(options?: Parameters<typeof connect>[2]): Promise<Tokens>;
  /** Pings `/mcp` with the token and returns the status. */
  ping(token: string): Promise<number>;
}

export async function createOAuthApp(options?: TestAppOptions): Promise<OAuthApp> {
  const test = await createTestApp(options);
  const person = await createPerson(test, await test.createUser());
  const send = createInjectingSend(test.app);
  const client = createOAuthClient(send);
  const newBrowser = (cookie = person.cookie): CookieBrowser =>
    new CookieBrowser(send, cookie === '' ? {} : { cookie });
  return {
    test,
    person,
    client,
    send,
    newBrowser,
    connect: async input => {
      // Tests may have moved the clock since the last confirmation.
      await person.request('POST', '/auth/reauthenticate', { password: PASSWORD });
      return connect(client, newBrowser(), input);
    },
    ping: async token => {
      const response = await test.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
      });
      return response.statusCode;
    },
  };
}
