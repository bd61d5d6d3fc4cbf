// Starts an app that listens at BASE_URL, for tests of OAuth clients over the network.
import { createPerson, type Person } from '../accounts/people.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../app.ts';
import { findFreePort } from '../network/free-port.ts';
import {
  CookieBrowser,
  createOAuthClient,
  type Decision,
  type OAuthClient,
  sendOverNetwork,
} from './clients.ts';

export interface OAuthService {
  readonly test: TestApp;
  readonly person: Person;
  readonly origin: string;
  readonly mcpUrl: string;
  readonly client: OAuthClient;
  newBrowser(): CookieBrowser;
  /**
   * Opens a client's authorization request, approves it unless `decision` says otherwise, and returns the URL of the final
   * redirect. If the user has consented before, the service redirects without a form.
   */
  authorize(authorizationUrl: string | URL, decision?: Decision): Promise<URL>;
}

export async function startOAuthService(options: TestAppOptions = {}): Promise<OAuthService> {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const test = await createTestApp({ ...options, env: { BASE_URL: origin, ...options.env } });
  await test.app.listen({ port, host: '127.0.0.1' });
  const person = await createPerson(test, await test.createUser());
  const newBrowser = (): CookieBrowser =>
    new CookieBrowser(sendOverNetwork, { cookie: person.cookie, origin });
  return {
    test,
    person,
    origin,
    mcpUrl: `${origin}/mcp`,
    client: createOAuthClient(sendOverNetwork, origin),
    newBrowser,
    authorize: async (url, decision) => {
      const finalPage = await newBrowser().openAndDecide(String(url), decision);
      return new URL(finalPage.url);
    },
  };
}
