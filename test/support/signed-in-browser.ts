// Starts a service and a browser for tests of pages that a signed-in user sees.
import { signInFirstUser } from './accounts/first-user.ts';
import { openBrowser, type TestBrowser } from './browser.ts';
import { ownAddressSettings, startTestService, type TestService } from './service.ts';

export interface SignedInBrowser {
  readonly service: TestService;
  readonly browser: TestBrowser;
  /** The session of the first user, an administrator. */
  readonly cookie: string;
}

/** Starts the service and the browser, and signs the first user in. */
export async function startSignedInBrowser(): Promise<SignedInBrowser> {
  const [service, browser] = await Promise.all([startTestService(await ownAddressSettings()), openBrowser()]);
  return { service, browser, cookie: await signInFirstUser(service) };
}
