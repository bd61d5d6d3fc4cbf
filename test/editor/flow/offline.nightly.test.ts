// Tests a browser that is offline for a minute, in Chromium. Tests of the saver show the same with a fake network.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { boardOf, fillIdea, ideaOf, PICTURE } from './flow-page.ts';

describe('a local draft', { skip: BROWSER_MISSING_REASON }, () => {
  const flow = setUpFlowTests();

  it('is saved after a minute offline', async () => {
    const id = await flow.create(PICTURE);
    await using testPage = await flow.open(id);
    const { page, context } = testPage;
    testPage.discard();
    await page.clock.install();
    await page.reload();
    await boardOf(page).waitFor();
    await context.setOffline(true);
    const status = page.getByRole('status', { name: 'Saving' });
    await fillIdea(page, 'a whale');
    await page.clock.runFor(2000);
    await status.filter({ hasText: 'Offline' }).waitFor();
    await page.keyboard.press('Control+s');
    for (let seconds = 0; seconds < 60; seconds += 10) {
      await fillIdea(page, `a whale at ${seconds}`);
      await page.clock.runFor(10_000);
      assert.notEqual(await status.textContent(), 'Saved');
    }
    assert.equal(ideaOf(await flow.read(id)), 'a boat');
    await context.setOffline(false);
    await waitUntil('the last text to be saved', async () => {
      await page.clock.runFor(2000);
      return ideaOf(await flow.read(id)) === 'a whale at 50';
    });
    await status.filter({ hasText: /^Saved$/ }).waitFor();
  });
});
