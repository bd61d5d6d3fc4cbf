// Tests PUT /workflows/{id} with folderId: permissions, targets and effects of a move.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow, putWorkflow, readWorkflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let editor: ApiUser;
let teammate: ApiUser;
let otherUser: ApiUser;
let teamId: string;
let teamFolder: string;
let ownFolder: string;
let strangersFolder: string;
let id: string;

const createFolder = async (user: ApiUser, body: object): Promise<string> =>
  String((await user.request('POST', '/folders', { name: 'F', ...body })).body.id);

before(async () => {
  test = await openTestApp();
  [owner, editor, teammate, otherUser] = await test.createUsers(4);
  teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
  await joinTeam(owner, teamId, teammate, 'EDITOR');
  teamFolder = await createFolder(owner, { teamId });
  ownFolder = await createFolder(owner, {});
  strangersFolder = await createFolder(otherUser, {});
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(owner));
  await owner.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
});

describe('moving a workflow', () => {
  it('to a folder of the workspace or to the root succeeds', async () => {
    assert.equal((await putWorkflow(owner, id, { folderId: ownFolder })).body.folderId, ownFolder);
    const { body } = await putWorkflow(owner, id, { folderId: null });
    assert.deepEqual([body.folderId, body.teamId], [null, null]);
  });

  it('to a team gives access to the members and keeps shares and link permission', async () => {
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    assert.equal((await readWorkflow(teammate, id)).userRole, 'VIEWER');
    const { body } = await putWorkflow(owner, id, { folderId: teamFolder });
    assert.deepEqual([body.teamId, body.folderId, body.isOwner], [teamId, teamFolder, true]);
    assert.deepEqual([body.linkPermission, body.userId], ['VIEW', owner.userId]);
    assert.equal((await readWorkflow(teammate, id)).userRole, 'EDITOR');
    assert.equal((await readWorkflow(editor, id)).userRole, 'EDITOR');
  });

  it('from a team to a personal folder ends the access of the members', async () => {
    await putWorkflow(owner, id, { folderId: teamFolder });
    const { body } = await putWorkflow(owner, id, { folderId: ownFolder });
    assert.deepEqual([body.teamId, body.folderId], [null, ownFolder]);
    assertRefused(await teammate.request('GET', `/workflows/${id}`), 403, 'forbidden');
    assert.equal((await readWorkflow(editor, id)).userRole, 'EDITOR');
  });

  it('to the same folder is allowed to editors', async () => {
    await putWorkflow(owner, id, { folderId: ownFolder });
    const { status, body } = await putWorkflow(editor, id, { folderId: ownFolder });
    assert.deepEqual([status, body.meta.warnings], [200, []]);
  });

  it('to a team makes the team pay for later runs', async () => {
    const run = async (): Promise<string> => {
      const response = await owner.request('POST', `/workflows/${id}/run`, {});
      assert.equal(response.status, 202);
      const { rows } = await test.deps.db.query<{ workspace: string }>(
        'select workspace from executions where id = $1',
        [response.body.executionId],
      );
      return rows[0]?.workspace ?? '';
    };
    assert.equal(await run(), `user:${owner.userId}`);
    await putWorkflow(owner, id, { folderId: teamFolder });
    assert.equal(await run(), teamId);
    const { rows } = await test.deps.db.query<{ workspace: string }>(
      'select workspace from executions where workflow_id = $1 order by id',
      [id],
    );
    assert.deepEqual(
      rows.map(row => row.workspace),
      [`user:${owner.userId}`, teamId],
    );
  });
});

describe('moving a workflow without permission', () => {
  it('returns 403 to editors', async () => {
    const folderId = await createFolder(editor, {});
    assertRefused(await putWorkflow(editor, id, { folderId }), 403, 'forbidden');
    await putWorkflow(owner, id, { folderId: teamFolder });
    assertRefused(await putWorkflow(teammate, id, { folderId: null }), 403, 'forbidden');
  });

  it('returns 403 for a folder of another user or team', async () => {
    assertRefused(await putWorkflow(owner, id, { folderId: strangersFolder }), 403, 'forbidden');
    const otherTeam = await otherUser.request('POST', '/teams', { name: 'S' });
    const folderId = await createFolder(otherUser, { teamId: otherTeam.body.id });
    assertRefused(await putWorkflow(owner, id, { folderId }), 403, 'forbidden');
  });

  it('returns 403 to a shared owner for another workspace', async () => {
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: otherUser.userId, role: 'OWNER' });
    assertRefused(await putWorkflow(otherUser, id, { folderId: strangersFolder }), 403, 'forbidden');
    assert.equal((await readWorkflow(owner, id)).folderId, null);
  });

  it('returns 404 for an unknown folder', async () => {
    assertRefused(await putWorkflow(owner, id, { folderId: newId('folder') }), 404, 'not_found');
  });

  it('returns 400 folder_workspace_mismatch for a folder in a team that the user has left', async () => {
    const teamIdOfFormerMember = String((await otherUser.request('POST', '/teams', { name: 'L' })).body.id);
    await joinTeam(otherUser, teamIdOfFormerMember, owner, 'EDITOR');
    const folderId = await createFolder(owner, { teamId: teamIdOfFormerMember });
    await otherUser.request('DELETE', `/teams/${teamIdOfFormerMember}/members/${owner.userId}`);
    assertRefused(await putWorkflow(owner, id, { folderId }), 400, 'folder_workspace_mismatch');
  });
});
