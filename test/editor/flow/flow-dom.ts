// Opens the editor in Node for tests of the board that need no layout; in the nightly tier in Chromium.
import { after, before } from 'node:test';
import { shared } from '../../support/shared.ts';
import { startSignedInBrowser } from '../../support/signed-in-browser.ts';
import { openPages } from '../dom/dom-browser.ts';
import { createFlowTests, type FlowTests } from './flow-page.ts';

/** Call this in `before`, and `close` in `after`. The files of a process share one service. */
export const startFlowPages = shared(async () =>
  createFlowTests(await startSignedInBrowser({ HIDE_TEMPLATES: 'all' }, openPages)),
);

/** Starts the service before the tests of the enclosing `describe` and closes it after them. */
export function setUpFlowPages(): FlowTests {
  const flow: Partial<FlowTests> = {};
  before(async () => {
    Object.assign(flow, await startFlowPages());
  });
  after(() => flow.close?.());
  return flow as FlowTests;
}
