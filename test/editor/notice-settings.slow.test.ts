// Tests the page on which users choose how they receive notices.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('the settings of notices', () => {
  const pages = setUpSignedInPages();

  it('show each kind, store a choice, and offer only mail for the security of the account', async () => {
    await using testPage = await pages.open('/settings/notices');
    const { page } = testPage;
    const batches = page.getByLabel('Batches', { exact: true });
    await batches.waitFor();
    assert.equal(await batches.inputValue(), 'bell');
    await page.getByText('This service sends no mail').waitFor();
    await batches.selectOption('both');
    await page.getByText('Your choice was saved.').waitFor();
    const { rows } = await pages.service.db.query<{ delivery: string }>(
      `select notice_settings ->> 'batch_stopped' as delivery from users where id = 1`,
    );
    assert.equal(rows[0]?.delivery, 'both');
    const options = await page.getByLabel('Password', { exact: true }).locator('option').allTextContents();
    assert.deepEqual(options, ['Mail', 'Bell and mail']);
  });
});
