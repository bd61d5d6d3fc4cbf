// Starts a service and a browser for tests of pages that a signed-in user sees.
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { signInFirstUser } from './accounts/first-user.ts';
import { checkViews, openBrowser, type TestBrowser, type TestPage, type View } from './browser.ts';
import { ownAddressSettings, startTestService, type TestService } from './service.ts';

export interface SignedInBrowser {
  readonly service: TestService;
  readonly browser: TestBrowser;
  /** The session of the first user, an administrator. */
  readonly cookie: string;
  /** Opens a page as the first user. */
  open(path: string, view?: View): Promise<TestPage>;
  /** Checks a page in all views as the first user. `name` is the name of the screenshots. */
  checkViews(page: { path: string; name: string }, isReady: (page: Page) => Promise<unknown>): Promise<void>;
}

/** Starts a service with further settings and a browser, by default Chromium, and signs the first user in. */
export async function startSignedInBrowser(
  env: NodeJS.ProcessEnv,
  openPages: () => Promise<TestBrowser> = openBrowser,
): Promise<SignedInBrowser> {
  const [service, browser] = await Promise.all([
    startTestService({ ...(await ownAddressSettings()), ...env }),
    openPages(),
  ]);
  const cookie = await signInFirstUser(service);
  return {
    service,
    browser,
    cookie,
    open: async (path, view) => {
      const testPage = await browser.open(service.url, view, cookie);
      await testPage.page.goto(path);
      return testPage;
    },
    checkViews: (page, isReady) => checkViews(browser, { ...page, url: service.url, cookie }, isReady),
  };
}

/**
 * Starts the service and the browser before the tests of the enclosing `describe`, and closes both after the tests. The
 * properties of the result exist only in hooks and tests. `createEnv` returns further settings of the service.
 */
export function setUpSignedInBrowser(
  createEnv: () => Promise<NodeJS.ProcessEnv> = async () => ({}),
  openPages: () => Promise<TestBrowser> = openBrowser,
): SignedInBrowser {
  const editor: Partial<SignedInBrowser> = {};
  before(async () => {
    Object.assign(editor, await startSignedInBrowser(await createEnv(), openPages));
  });
  after(async () => {
    await editor.browser?.close();
    await editor.service?.close();
  });
  return editor as SignedInBrowser;
}
