// Tests that edits right before a page ends are saved, in Chromium, which ends pages and sends their last requests.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { isNightly } from '../../support/tier.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, fillIdea, ideaOf, nodeOf, PICTURE, untilIdea, untilSaved } from './flow-page.ts';

/** The other ways end the page like closing its tab. */
const TESTED = ['closing the tab', 'a link'];

describe('late edits', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  const WAYS_OUT: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    'the address bar': page => page.goto('/workflows'),
    'a reload': page => page.reload(),
    'another site': page => page.goto('about:blank'),
    'closing the tab': page => page.close(),
    'a link': page => page.evaluate(() => history.pushState(null, '', '/workflows')),
  };

  for (const [way, leave] of Object.entries(WAYS_OUT).filter(([way]) => isNightly || TESTED.includes(way)))
    it(`are saved at the service and in the draft 0 ms before leaving by ${way}`, async () => {
      const id = await flow.create(PICTURE);
      await using testPage = await flow.open(id);
      const { context, page } = testPage;
      testPage.discard();
      await fillIdea(page, 'a whal');
      await untilIdea(flow, id, 'a whal');
      await untilSaved(page);
      await page.keyboard.press('e');
      await leave(page);
      await untilIdea(flow, id, 'a whale');

      // Without a request at the end, the draft keeps the edit.
      const offlinePage = await context.newPage();
      await offlinePage.goto(`/flow/${id}`);
      await boardOf(offlinePage).waitFor();
      await fillIdea(offlinePage, 'a gul');
      await untilIdea(flow, id, 'a gul');
      await untilSaved(offlinePage);
      // A reloaded page saves the draft.
      const autosaves = `**/api/v1/workflows/${id}?autosave=true`;
      await context.route(autosaves, route => route.abort());
      await offlinePage.evaluate(() => {
        window.fetch = () => Promise.reject(new TypeError('Offline'));
      });
      await offlinePage.keyboard.press('l');
      await leave(offlinePage);
      assert.equal(ideaOf(await flow.read(id)), 'a gul');
      await context.unroute(autosaves);
      const newPage = await context.newPage();
      await newPage.goto(`/flow/${id}`);
      await nodeOf(newPage, 'Idea').getByText('a gull', { exact: true }).waitFor();
      await untilIdea(flow, id, 'a gull');
    });
});
