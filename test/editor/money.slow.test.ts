// Tests the pages of spending, monthly limits and policies of teams.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { newId } from '../../src/lib/ids.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('the pages about money', () => {
  const editor = setUpSignedInPages(async () => ({ FAL_KEY: 'fal-key' }));
  let teamId: string;

  before(async () => {
    const { service } = editor;
    teamId = (await service.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    await service.request('PUT', '/me/workspace', { teamId });
    await service.db.query(
      `insert into credit_entries (workspace, kind, amount, execution_id, workflow_id, user_id, key_id, node_type, provider, credential_id)
       select $1, 'charge', 10 * n, 'ex_' || n, 'wf_gone', 1, '', (array['generate:fal_seedream', 'video:fal_veo3_1'])[1 + n % 2], 'fal',
         'cred_environment_fal' from generate_series(1, 4) n`,
      [teamId],
    );
  });

  const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

  it('show who spent what, and narrow it down by choosing rows', async () => {
    await using testPage = await editor.open('/settings/spending');
    const { page } = testPage;
    await page.getByText('100 credits', { exact: true }).waitFor();
    await page.getByLabel('Group by').selectOption('model');
    await page.getByRole('button', { name: /^Show only .*Seedream/ }).click();
    await page.getByRole('button', { name: /^Remove the filter Model: .*Seedream/ }).waitFor();
    await page.getByText('60 credits', { exact: true }).waitFor();
    await page.getByLabel('Group by').selectOption('workflow');
    await page.getByRole('button', { name: 'Show only Deleted workflow' }).waitFor();
    const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    assert.match(csv ?? '', /^\/api\/v1\/credits\/spending\?groupBy=workflow&.*model=generate.*format=csv$/);
    await page.getByRole('button', { name: /^Remove the filter/ }).click();
    await page.getByText('100 credits', { exact: true }).waitFor();
    const audit = await page.getByRole('link', { name: 'Limits of members' }).getAttribute('href');
    assert.equal(audit, `/settings/team-audit?teamId=${teamId}&action=member.limited`);
    await page.getByLabel('Period').selectOption('last-month');
    await page.getByText('No spending in this period.').waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show administrators the spending of all workspaces', async () => {
    await using testPage = await editor.open('/settings/all-spending?by=team');
    const { page } = testPage;
    await page.getByRole('button', { name: 'Show only Studio' }).click();
    await page.getByRole('button', { name: 'Remove the filter Workspace: Studio' }).waitFor();
    await page.getByText('100 credits', { exact: true }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('set the monthly limit of a member, who sees it with the credits', async () => {
    await using testPage = await editor.open(`/settings/teams?team=${teamId}`);
    const { page } = testPage;
    await page.getByRole('button', { name: /^Set limit of / }).click();
    await page.getByLabel('Monthly limit', { exact: true }).fill('2000');
    await save(page);
    await page.getByRole('cell', { name: '0 of 2,000' }).waitFor();
    await page.goto('/settings/credits');
    await page.getByText('0 of 2,000 this month').waitFor();
    await page.goto(`/settings/teams?team=${teamId}`);
    await page.getByRole('button', { name: /^Set limit of / }).click();
    await page.getByLabel('Monthly limit', { exact: true }).fill('');
    await save(page);
    await page.getByRole('cell', { name: '0', exact: true }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('set the monthly limit of an API key', async () => {
    const name = newId('key');
    await editor.service.request('POST', '/keys', { name, scopes: ['workflows:read'] });
    await using testPage = await editor.open('/settings/keys');
    const { page } = testPage;
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Set limit' }).click();
    await page.getByLabel('Monthly limit', { exact: true }).fill('50');
    await save(page);
    await page.getByRole('cell', { name: '0 of 50' }).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('choose the providers and models of a team', async () => {
    await using testPage = await editor.open(`/settings/teams?team=${teamId}`);
    const { page } = testPage;
    await page.getByRole('button', { name: 'Change providers and models of Studio' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Replicate').uncheck();
    await dialog.getByLabel('Refused models').selectOption('generate:fal_seedream');
    await dialog.getByRole('button', { name: /^Remove .*Seedream/ }).waitFor();
    await save(page);
    await page.getByText('1 model', { exact: true }).waitFor();
    const { body } = await editor.service.request('GET', `/teams/${teamId}/policy`);
    assert.deepEqual(body, {
      providers: ['fal', 'openai', 'elevenlabs', 'comfyui'],
      models: { allow: null, deny: ['generate:fal_seedream'] },
    });
    assert.deepEqual(testPage.errors, []);
  });
});
