// Tests the pages of the audit log: of the instance and of a team.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('the pages of the audit log', () => {
  const editor = setUpSignedInPages();

  it('list entries as sentences, show the details of one, and filter by its object and person', async () => {
    const { body: team } = await editor.service.request<{ id: string }>('POST', '/teams', { name: 'Studio' });
    await editor.service.request('POST', '/teams', { name: 'Other' });
    await using testPage = await editor.open('/settings/audit');
    const { page } = testPage;
    const getEntry = (name: string) => page.getByRole('button', { name: `created the team ${name}` });
    await getEntry('Other').waitFor();
    await getEntry('Studio').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('team.created').waitFor();
    await dialog.getByRole('button', { name: 'Show all about this object' }).click();
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('target'), team.id);
    await getEntry('Other').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Action').selectOption('team.deleted');
    await page.getByText('No matching entries').waitFor();
  });

  it('have a heading for a person who owns no team, too', async () => {
    await editor.service.db.query('delete from team_members');
    await using testPage = await editor.open('/settings/team-audit');
    await testPage.page.getByRole('heading', { name: 'Team audit log', level: 1 }).waitFor();
  });

  it('show an owner the entries of a team', async () => {
    const { body: team } = await editor.service.request<{ id: string }>('POST', '/teams', { name: 'North' });
    await using testPage = await editor.open(`/settings/team-audit?teamId=${team.id}`);
    const { page } = testPage;
    await page.getByRole('button', { name: 'created the team North' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'created the team Studio' }).count(), 0);
  });
});
