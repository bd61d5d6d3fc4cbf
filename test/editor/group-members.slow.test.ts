// Tests that the members of a team show which memberships come from a group of the identity provider, and that the group decides.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

describe('the members of a team', () => {
  const editor = setUpSignedInPages();
  let teamId: string;
  before(async () => {
    const { service } = editor;
    teamId = (await service.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    for (const [name, isFromGroup] of [
      ['Gia', true],
      ['Max', false],
    ] as const) {
      const user = { email: `${name}@example.com`, name };
      const { body } = await service.request<{ userId: number }>('POST', '/admin/users', user);
      await service.db.query(
        `insert into team_members (team_id, user_id, role, from_group) values ($1, $2, 'EDITOR', $3)`,
        [teamId, body.userId, isFromGroup],
      );
    }
  });

  it('are marked if a group decides, and can be removed only by that group', async () => {
    await using testPage = await editor.open(`/settings/teams?team=${teamId}`);
    const { page } = testPage;
    await page.getByText('A group of the identity provider decides').waitFor();
    await page.getByRole('row', { name: /Gia Group/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Remove Gia' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Remove Max' }).count(), 1);
    // A role that an owner gives makes it an ordinary membership.
    await page.getByLabel('Role of Gia').selectOption('VIEWER');
    await page.getByRole('button', { name: 'Remove Gia' }).waitFor();
    assert.equal(await page.getByText('A group of the identity provider decides').count(), 0);
    assert.deepEqual(testPage.errors, []);
  });
});
