// Defines what a look of the application is: pages and dialogs in states that are checked for layout and accessibility.
import type { Page } from 'playwright-core';
import type { SignedInBrowser } from '../../support/signed-in-browser.ts';

export interface LookTests extends SignedInBrowser {
  /** The page that all looks share. */
  readonly page: Page;
  /** The console errors so far. A look removes those that it causes. */
  readonly errors: string[];
  /** Checks the page, which must be ready, as a light desktop and as a dark phone. */
  check(name: string, isReady: (page: Page) => Promise<unknown>): Promise<void>;
  /** Checks another state of a page, or a dialog on it, as a light desktop, and at night in all views. */
  checkState(name: string): Promise<void>;
}

export interface Look {
  /** What is shown, as in "the list of runs". */
  readonly title: string;
  /** Opens the page, brings it into each state, and checks it there. */
  visit(tests: LookTests): Promise<void>;
}
