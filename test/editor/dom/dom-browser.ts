// Opens pages of a service in Node, in happy-dom: without layout, styles, canvas and late scripts, but in a tenth of the
// time of Chromium.
import { CHROMIUM, openBrowser, type TestBrowser, VIEWS } from '../../support/browser.ts';
import { isNightly } from '../../support/tier.ts';
import { createContext } from './page.ts';

/** Opens the pages in Node; in the nightly tier in Chromium, if it is installed. */
export const openPages = (): Promise<TestBrowser> =>
  isNightly && CHROMIUM !== undefined ? openBrowser() : openDomBrowser();

/** Call this function in `before`, and `close` in `after`. */
export async function openDomBrowser(): Promise<TestBrowser> {
  return {
    open: async (url, view = VIEWS[2], cookie = undefined) => {
      const errors: string[] = [];
      const { context, newPage, close } = createContext(new URL(url).origin, view, errors, cookie);
      return { page: newPage(), context, errors, discard: () => undefined, [Symbol.asyncDispose]: close };
    },
    close: async () => undefined,
  };
}
