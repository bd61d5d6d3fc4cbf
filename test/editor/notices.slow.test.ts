// Tests the bell: the number of unread notices, and the list, which marks notices as read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertNotice } from '../../src/store/notices.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('the bell', () => {
  const editor = setUpSignedInPages();

  const addNotice = (cause: string, title: string, link: string | null): Promise<void> =>
    insertNotice(editor.service.db, {
      kind: 'batch_stopped',
      cause,
      workspace: null,
      userId: null,
      title,
      text: 'It reached its limit of credits. Raise the limit, then resume it.',
      link,
    });

  it('counts unread notices as they arrive and marks an opened notice as read', async () => {
    await using testPage = await editor.open('/workflows');
    const { page } = testPage;
    const bell = page.getByRole('banner').getByRole('button', { name: /^Notices/ });
    await bell.click();
    await page.getByText('No notices yet.').waitFor();
    await page.keyboard.press('Escape');
    await addNotice('bat_1', 'A batch stopped', '/batches');
    await page.getByRole('button', { name: 'Notices, 1 unread' }).waitFor();
    await addNotice('bat_2', 'Another batch stopped', null);
    await page.getByRole('button', { name: 'Notices, 2 unread' }).click();
    const items = page.getByRole('menuitem');
    await items.filter({ hasText: 'Another batch stopped' }).waitFor();
    assert.deepEqual(await items.locator('strong').allTextContents(), [
      'Another batch stopped',
      'A batch stopped',
    ]);
    await items.filter({ hasText: /^A batch stopped/ }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/batches');
    await page.getByRole('button', { name: 'Notices, 1 unread' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Mark all as read' }).press('Enter');
    await page.getByRole('button', { name: 'Notices', exact: true }).waitFor();
    const { body } = await editor.service.request<{ unread: number }>('GET', '/notices');
    assert.equal(body.unread, 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('counts a notice that arrives before the response to marking the others as read', async () => {
    // Two, so that only the notice below makes it one.
    await addNotice('bat_3', 'A third batch stopped', '/batches');
    await addNotice('bat_4', 'A fourth batch stopped', null);
    await using testPage = await editor.open('/workflows');
    const { page } = testPage;
    const isRead = Promise.withResolvers<void>();
    const isCounted = Promise.withResolvers<void>();
    await page.route('**/notices/read', async route => {
      const response = await route.fetch();
      isRead.resolve();
      await isCounted.promise;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Notices, 2 unread' }).click();
    await page.getByRole('menuitem', { name: 'Mark all as read' }).click();
    await isRead.promise;
    await addNotice('bat_5', 'A fifth batch stopped', null);
    const bell = page.getByRole('button', { name: 'Notices, 1 unread' });
    await bell.waitFor();
    const response = page.waitForResponse('**/notices/read');
    isCounted.resolve();
    await (await response).finished();
    await page.evaluate(
      () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    assert.equal(await bell.count(), 1);
  });

  it('lists a notice that arrives while the list is loading', async () => {
    await using testPage = await editor.open('/workflows');
    const { page } = testPage;
    const isRead = Promise.withResolvers<void>();
    const isCounted = Promise.withResolvers<void>();
    await page.route(
      '**/api/v1/notices?*',
      async route => {
        const response = await route.fetch();
        isRead.resolve();
        await isCounted.promise;
        // The page may have canceled the request.
        await route.fulfill({ response }).catch(() => undefined);
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Notices, 1 unread' }).click();
    await isRead.promise;
    await addNotice('bat_6', 'A sixth batch stopped', null);
    await page.getByRole('button', { name: 'Notices, 2 unread' }).waitFor();
    isCounted.resolve();
    await page.getByRole('menuitem').filter({ hasText: 'A sixth batch stopped' }).waitFor();
  });
});
