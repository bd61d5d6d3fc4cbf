// Starts a service for tests of components: its pages are opened in Node.
import { type SignedInBrowser, setUpSignedInBrowser } from '../../support/signed-in-browser.ts';
import { openPages } from './dom-browser.ts';

/** Like `setUpSignedInBrowser`, with pages in Node; in the nightly tier in Chromium, which shows whether both agree. */
export const setUpSignedInPages = (createEnv?: () => Promise<NodeJS.ProcessEnv>): SignedInBrowser =>
  setUpSignedInBrowser(createEnv, openPages);
