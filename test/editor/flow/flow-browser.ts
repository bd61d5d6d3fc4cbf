// Opens the editor in Chromium for tests of drawing, gestures, focus and layout.
import { after, before } from 'node:test';
import { shared } from '../../support/shared.ts';
import { startSignedInBrowser } from '../../support/signed-in-browser.ts';
import { createFlowTests, type FlowTests } from './flow-page.ts';

/** Call this in `before`, and `close` in `after`. The files of a batch share one service and one browser. */
export const startFlowTests = shared(async () =>
  createFlowTests(await startSignedInBrowser({ HIDE_TEMPLATES: 'all' })),
);

/** Starts the editor before the tests of the enclosing `describe` and closes it after them. */
export function setUpFlowTests(): FlowTests {
  const flow: Partial<FlowTests> = {};
  before(async () => {
    Object.assign(flow, await startFlowTests());
  });
  after(() => flow.close?.());
  return flow as FlowTests;
}
