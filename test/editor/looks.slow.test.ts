// Tests how the pages look: their layout from phones to very wide screens, and their accessibility, in light and dark. What
// the pages do is tested in Node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  applyView,
  assertAccessible,
  BROWSER_MISSING_REASON,
  checkLook,
  type TestPage,
  VIEWS,
} from '../support/browser.ts';
import { setUpSignedInBrowser } from '../support/signed-in-browser.ts';
import { isNightly } from '../support/tier.ts';
import { APPROVAL_LOOKS } from './looks/approvals.ts';
import { APP_LOOKS } from './looks/apps.ts';
import { AUTOMATION_LOOKS } from './looks/automations.ts';
import { BATCH_LOOKS } from './looks/batches.ts';
import { type LookEnv, startLookEnv } from './looks/look-env.ts';
import { RUN_LOOKS } from './looks/runs.ts';
import { EMPTY_LOOKS, SETTINGS_LOOKS } from './looks/settings.ts';
import { SITE_LOOKS } from './looks/site.ts';

/** Pages that are empty before there is data come first in their list. */
const LOOKS = [
  ...EMPTY_LOOKS,
  ...RUN_LOOKS,
  ...APPROVAL_LOOKS,
  ...BATCH_LOOKS,
  ...AUTOMATION_LOOKS,
  ...APP_LOOKS,
  ...SITE_LOOKS,
  ...SETTINGS_LOOKS,
];

describe('the look in light and dark, on phones and desktops', { skip: BROWSER_MISSING_REASON }, () => {
  let testPage: TestPage;
  // The page is closed before the browser.
  after(() => testPage?.[Symbol.asyncDispose]());
  let lookEnv: LookEnv;
  const editor = setUpSignedInBrowser(async () => {
    lookEnv = await startLookEnv();
    return lookEnv.env;
  });
  after(() => lookEnv?.close());
  before(async () => {
    testPage = await editor.open('/healthz');
  });

  for (const { title, visit } of LOOKS)
    it(`is right for ${title}`, async () => {
      const { page, errors } = testPage;
      errors.length = 0;
      await applyView(page, VIEWS[2]);
      await visit({
        ...editor,
        page,
        errors,
        check: (name, isReady) => checkLook(testPage, name, isReady),
        checkState: async name => {
          if (isNightly) await checkLook(testPage, name);
          else await assertAccessible(page);
          assert.deepEqual(errors, []);
        },
      });
    });
});
