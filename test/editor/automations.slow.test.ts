// Tests the automations panel of the board and the page of the workspace: schedules, triggers, history.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Schedule, Trigger } from '../../sdk/src/schemas.ts';
import { node } from '../support/workflows.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';
import { clickTool, showCanvas } from './flow/flow-page.ts';

const PHONE = { width: 390, height: 844, colorScheme: 'light' } as const;

describe('the automations of a workflow', () => {
  const editor = setUpSignedInPages();

  const createWorkflow = (): Promise<string> =>
    editor.service.createWorkflow({
      name: 'Words',
      nodes: [node('idea', 'input:text', { value: 'a boat' })],
      edges: [],
    });
  const openPanel = async (id: string, view?: typeof PHONE) => {
    const testPage = await editor.open(`/flow/${id}`, view);
    const { page } = testPage;
    await showCanvas(page);
    await clickTool(page, 'Automations');
    return { testPage, page, panel: page.getByRole('complementary', { name: 'Automations' }) };
  };
  const readList = async <T>(path: string): Promise<readonly T[]> =>
    (await editor.service.request<{ data: readonly T[] }>('GET', path)).body.data;
  const findNextTimes = (page: Page) =>
    page.getByRole('list', { name: 'Next five times' }).getByRole('listitem');

  it('create, run, pause and edit a schedule by keyboard', async () => {
    const id = await createWorkflow();
    const { testPage, page, panel } = await openPanel(id);
    await using _ = testPage;
    await panel.getByText('Run this workflow at set times').waitFor();
    await panel.getByRole('button', { name: 'Add schedule' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'New schedule' });
    await form.getByText('Runs every weekday at 9:00, Lisbon time.').waitFor();
    await findNextTimes(page).nth(4).waitFor();
    await form.getByLabel('Repeat').selectOption('Every week');
    await form.getByLabel('Day', { exact: true }).selectOption('Thursday');
    await form.getByLabel('Time', { exact: true }).fill('17:30');
    await form.getByLabel('Time zone').fill('Europe/Berlin');
    await form.getByText('Runs every Thursday at 17:30, Berlin time.').waitFor();
    await findNextTimes(page)
      .filter({ hasText: /Thursday.*17:30/ })
      .nth(4)
      .waitFor();
    await form.getByLabel('Name').fill('Thursdays');
    await form.getByLabel('idea').fill('a whale');
    await form.getByRole('button', { name: 'Create' }).press('Enter');
    // The card appears before the form closes, and cannot get the focus until then.
    await form.waitFor({ state: 'detached' });
    const card = panel.getByRole('listitem', { name: 'Thursdays' });
    await card.getByText('Active', { exact: true }).waitFor();
    const [schedule] = await readList<Schedule>(`/workflows/${id}/schedules`);
    assert.deepEqual(
      [schedule?.cron, schedule?.timeZone, schedule?.inputs],
      ['30 17 * * 4', 'Europe/Berlin', { idea: 'a whale' }],
    );

    await card.getByRole('button', { name: 'Run now' }).press('Enter');
    await card.getByText('Completed').waitFor();
    await card.getByRole('button', { name: 'Pause' }).press('Enter');
    await card.getByText('Paused', { exact: true }).waitFor();
    assert.equal((await readList<Schedule>(`/workflows/${id}/schedules`))[0]?.isActive, false);
    await card.getByRole('button', { name: 'Activate', disabled: false }).press('Enter');
    await card.getByText('Active', { exact: true }).waitFor();

    await card.getByRole('button', { name: 'Actions for Thursdays' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
    const editDialog = page.getByRole('dialog', { name: 'Edit schedule' });
    assert.equal(await editDialog.getByLabel('Time', { exact: true }).inputValue(), '17:30');
    await editDialog.getByLabel('Repeat').selectOption('At an interval');
    await editDialog.getByLabel('Every').fill('2');
    await editDialog.getByText('Runs every 2 hours.').waitFor();
    await editDialog.getByRole('button', { name: 'Save' }).press('Enter');
    await editDialog.waitFor({ state: 'detached' });
    await card.getByText('Runs every 2 hours.').waitFor();
    assert.equal((await readList<Schedule>(`/workflows/${id}/schedules`))[0]?.everySeconds, 7200);
    assert.deepEqual(testPage.errors, []);
  });

  it('name a refused input by its label, at its field, and keep no input of a deleted node', async () => {
    const first = node('n_1', 'input:number', { value: 3 });
    const wide = { ...first, data: { ...first.data, label: 'Width' } };
    const id = await editor.service.createWorkflow({
      name: 'Sizes',
      nodes: [wide, node('n_2', 'input:number', { value: 4 })],
      edges: [],
    });
    const body = { name: 'Daily', cron: '0 9 * * *', inputs: { n_1: 5, n_2: 6 } };
    const { status } = await editor.service.request('POST', `/workflows/${id}/schedules`, body);
    assert.equal(status, 201);
    const { testPage, page, panel } = await openPanel(id);
    await using _ = testPage;
    await editor.service.request('PUT', `/workflows/${id}`, { nodes: [wide], edges: [] });
    await panel.getByRole('button', { name: 'Actions for Daily' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit schedule' });
    const width = form.getByLabel('Width');
    await width.fill('wide');
    await form.getByRole('button', { name: 'Save' }).click();
    const alert = form.getByRole('alert');
    await alert.waitFor();
    assert.equal(await alert.textContent(), 'Width: This input must be a number, not "wide".');
    assert.equal(await width.getAttribute('aria-invalid'), 'true');
    // The browser reports the refused request.
    testPage.errors.length = 0;
    await width.fill('7');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const [schedule] = await readList<Schedule>(`/workflows/${id}/schedules`);
    assert.deepEqual(schedule?.inputs, { n_1: 7 });
    assert.deepEqual(testPage.errors, []);
  });

  it('show the price of runs for past times before these runs start', async () => {
    const id = await createWorkflow();
    await editor.service.request('POST', `/workflows/${id}/schedules`, { name: 'Hourly', cron: '0 * * * *' });
    const { testPage, page, panel } = await openPanel(id);
    await using _ = testPage;
    const card = panel.getByRole('listitem', { name: 'Hourly' });
    await card.getByRole('button', { name: 'Actions for Hourly' }).click();
    await page.getByRole('menuitem', { name: 'Run for past times' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run Hourly for past times' });
    await dialog.getByLabel('To').fill('2026-01-01T02:30');
    await dialog.getByLabel('From').fill('2026-01-01T00:30');
    await dialog.getByText('2 runs, 0 credits in all.').waitFor();
    // Between the two changes, the times are in the wrong order, which the service can refuse.
    testPage.errors.length = 0;
    await dialog.getByRole('button', { name: 'Start 2 runs' }).click();
    await dialog.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('dialog', { name: 'History of Hourly' });
    await history.getByRole('link', { name: 'Open run' }).nth(1).waitFor();
    assert.equal(await history.getByText('Started', { exact: true }).count(), 2);
    await page.keyboard.press('Escape');
    await card.getByRole('button', { name: 'Actions for Hourly' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete Hourly?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await panel.getByText('Run this workflow at set times').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show the URL of a webhook once', async () => {
    const id = await createWorkflow();
    const { testPage, page, panel } = await openPanel(id);
    await using _ = testPage;
    await panel.getByRole('button', { name: 'Add trigger' }).click();
    const form = page.getByRole('dialog', { name: 'New trigger' });
    await form.getByLabel('Name').fill('Orders');
    await form.getByLabel('idea from').fill('/order/title');
    await form.getByRole('button', { name: 'Create' }).click();
    const urlDialog = page.getByRole('dialog', { name: 'Webhook URL' });
    const url = (await urlDialog.locator('pre').first().textContent()) ?? '';
    const example = (await urlDialog.locator('pre').nth(1).textContent()) ?? '';
    assert.match(example, /^curl -X POST 'http/);
    assert.ok(example.endsWith(` -d '{"order":{"title":"Hello"}}'`), example);
    await urlDialog.getByRole('button', { name: 'Done' }).click();
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"order":{"title":"a whale"}}',
    });
    assert.equal(response.status, 202, await response.text());
    const card = panel.getByRole('listitem', { name: 'Orders' });
    await card.getByText('Runs when a webhook is received.').waitFor();
    await card.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('dialog', { name: 'History of Orders' });
    await history.getByRole('link', { name: 'Open run' }).waitFor();
    const [trigger] = await readList<Trigger>(`/workflows/${id}/triggers`);
    assert.deepEqual([trigger?.kind, trigger?.inputs], ['hook', { idea: '/order/title' }]);
    assert.equal(JSON.stringify(trigger).includes(url.split('/').at(-1) ?? ''), false);

    await page.keyboard.press('Escape');
    await history.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Actions for Orders' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Replace URL' }).press('Enter');
    const confirm = page.getByRole('dialog', { name: 'Replace the webhook URL for Orders?' });
    await confirm.getByRole('button', { name: 'Replace URL' }).press('Enter');
    const newUrl = (await urlDialog.locator('pre').first().textContent()) ?? '';
    assert.notEqual(newUrl, url);
    await urlDialog.getByRole('button', { name: 'Done' }).press('Enter');
    await urlDialog.waitFor({ state: 'detached' });
    const statuses = [url, newUrl].map(async target => (await fetch(target, { method: 'POST' })).status);
    assert.deepEqual(await Promise.all(statuses), [404, 202]);
    assert.deepEqual(testPage.errors, []);
  });

  it('add triggers for workflows, feeds and files on a phone', async () => {
    const [id, sourceId] = [await createWorkflow(), await createWorkflow()];
    await editor.service.request('PUT', `/workflows/${sourceId}`, { name: 'Source' });
    const { testPage, page, panel } = await openPanel(id, PHONE);
    await using _ = testPage;
    const form = page.getByRole('dialog', { name: 'New trigger' });
    const addTrigger = async (kind: string, name: string, fill: () => Promise<unknown>): Promise<void> => {
      await panel.getByRole('button', { name: 'Add trigger' }).click();
      await form.getByLabel('Start a run').selectOption(kind);
      await fill();
      await form.getByLabel('Name').fill(name);
      await form.getByRole('button', { name: 'Create' }).click();
      await form.waitFor({ state: 'detached' });
      await panel.getByRole('listitem', { name }).waitFor();
    };
    await addTrigger('After another workflow has run', 'After', async () => {
      await form.getByLabel('Workflow', { exact: true }).selectOption('Source');
      await form.getByLabel('Failed').check();
    });
    await panel.getByText('Runs when a run of Source is completed or failed.').waitFor();
    await addTrigger('For each new item of a feed', 'News', () =>
      form.getByLabel('Feed URL').fill('https://example.com/feed.xml'),
    );
    await addTrigger('For each new file in a folder', 'Files', async () => undefined);
    const kinds = (await readList<Trigger>(`/workflows/${id}/triggers`)).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['after', 'bucket', 'feed']);
    assert.deepEqual(testPage.errors, []);
  });

  it('keep an open form when their list cannot be reloaded', async () => {
    const id = await createWorkflow();
    await editor.service.request('POST', `/workflows/${id}/schedules`, {
      name: 'Nightly',
      cron: '0 3 * * *',
    });
    await using testPage = await editor.open('/automations');
    const { page } = testPage;
    const card = page.getByRole('listitem', { name: 'Nightly' });
    await card.getByText('Active', { exact: true }).waitFor();
    const isFilled = Promise.withResolvers<void>();
    await page.route('**/api/v1/schedules?*', async route => {
      await isFilled.promise;
      await route.fulfill({ status: 500, json: { code: 'internal', error: 'Out of order.' } });
    });
    // The list is reloaded after the change.
    const reload = page.waitForRequest('**/api/v1/schedules?*');
    await card.getByRole('button', { name: 'Pause' }).click();
    await reload;
    await page.getByRole('button', { name: 'Actions for Nightly' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const name = page.getByRole('dialog', { name: 'Edit schedule' }).getByLabel('Name');
    await name.fill('Every night');
    isFilled.resolve();
    const alert = page.getByRole('alert');
    await alert.getByText('Out of order.').waitFor();
    // Only an operator can explain this error.
    await alert.getByText('internal', { exact: true }).waitFor();
    assert.equal(await name.inputValue(), 'Every night');
  });

  it('offer a new URL of a webhook only to its creator', async () => {
    const id = await createWorkflow();
    const other = await editor.service.createUser();
    const share = { email: other.email, role: 'EDIT' };
    await editor.service.request('PUT', `/workflows/${id}/permissions`, share);
    await other.request('POST', `/workflows/${id}/triggers`, { kind: 'hook', name: 'Orders' });
    const { testPage, page, panel } = await openPanel(id);
    await using _ = testPage;
    const card = panel.getByRole('listitem', { name: 'Orders' });
    await card.getByRole('button', { name: 'Actions for Orders' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Replace URL' }).count(), 0);
  });

  it('are listed for all workflows of the workspace', async () => {
    const id = await createWorkflow();
    await editor.service.request('POST', `/workflows/${id}/schedules`, {
      name: 'Every morning',
      cron: '0 9 * * 1-5',
      timeZone: 'Europe/Berlin',
    });
    await editor.service.request('POST', `/workflows/${id}/triggers`, {
      kind: 'hook',
      name: 'Incoming orders',
    });
    await using testPage = await editor.open('/automations');
    const { page } = testPage;
    const card = page.getByRole('listitem', { name: 'Every morning' });
    await card.getByText('Runs every weekday at 9:00, Berlin time.').waitFor();
    await card.getByRole('link', { name: 'Words' }).waitFor();
    const orders = page.getByRole('listitem', { name: 'Incoming orders' });
    await orders.waitFor();
    await page.getByLabel('Kind').selectOption('Schedule');
    await orders.waitFor({ state: 'detached' });
    await page.getByLabel('Search').fill('nothing like it');
    await page.getByText('No matching automations').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await orders.waitFor();
    await page.getByLabel('State').selectOption('Paused');
    await orders.waitFor({ state: 'detached' });
    await page.getByLabel('State').selectOption('Active');
    await card.waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('are added on the page of the workspace', async () => {
    const id = await createWorkflow();
    await editor.service.request('PUT', `/workflows/${id}`, { name: 'Boats' });
    await using testPage = await editor.open('/automations');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Add schedule' }).click();
    const form = page.getByRole('dialog', { name: 'New schedule' });
    await form.getByLabel('Workflow to run').selectOption('Boats');
    await form.getByLabel('idea').fill('a raft');
    await form.getByLabel('Name').fill('Rafts');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('listitem', { name: 'Rafts' }).getByRole('link', { name: 'Boats' }).waitFor();
    const [schedule] = await readList<Schedule>(`/workflows/${id}/schedules`);
    assert.deepEqual(schedule?.inputs, { idea: 'a raft' });
    assert.deepEqual(testPage.errors, []);
  });
});
