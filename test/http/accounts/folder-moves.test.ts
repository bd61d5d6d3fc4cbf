// Tests moves of a workflow between two teams, and moves to a folder that is deleted at the same time.
// workflows-move.test.ts tests moves between personal folders and one team.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deleteFolderRow, lockFolder } from '../../../src/store/folders.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

let test: TestApp;
let creator: ApiUser;
let teammate: ApiUser;
let viewer: ApiUser;
/**
 * The creator owns both teams; the teammate is EDITOR in the first and OWNER of the second; the viewer is VIEWER in
 * both.
 */
let teamA: string;
let teamB: string;
let id: string;

before(async () => {
  test = await openTestApp();
  [creator, teammate, viewer] = await test.createUsers(3);
  [teamA, teamB] = [await createTeam('EDITOR'), await createTeam('OWNER')];
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(creator));
});

async function createTeam(roleOfTeammate: string): Promise<string> {
  const team = String((await creator.request('POST', '/teams', { name: 'Team' })).body.id);
  await joinTeam(creator, team, teammate, roleOfTeammate);
  await joinTeam(creator, team, viewer, 'VIEWER');
  return team;
}

async function createFolder(teamId: string | null, user = creator): Promise<string> {
  const { status, body } = await user.request('POST', '/folders', { name: 'Folder', teamId });
  assert.equal(status, 201);
  return String(body.id);
}

const moveToFolder = (folderId: string | null, user = creator): Promise<TestResponse<Workflow>> =>
  putWorkflow(user, id, { folderId });

/** Moves the workflow to a new folder of the team, or of the creator if `teamId` is null. Returns the folder's id. */
async function moveToNewFolderOf(teamId: string | null): Promise<string> {
  const folderId = await createFolder(teamId);
  const { status, body } = await moveToFolder(folderId);
  assert.deepEqual([status, body.folderId, body.teamId], [200, folderId, teamId]);
  return folderId;
}

describe('moving a workflow', () => {
  it('gives access to the members of the new team and takes it from the previous team', async () => {
    const readRole = async (user: ApiUser): Promise<string> => (await readWorkflow(user, id)).userRole;
    await moveToNewFolderOf(teamA);
    assert.deepEqual([await readRole(teammate), await readRole(viewer)], ['EDITOR', 'VIEWER']);
    await moveToNewFolderOf(teamB);
    assert.equal(await readRole(teammate), 'OWNER');
    await moveToNewFolderOf(null);
    for (const member of [teammate, viewer])
      assertRefused(await member.request('GET', `/workflows/${id}`), 403, 'forbidden');
  });

  it('with folderId null keeps the workflow in its team', async () => {
    await moveToNewFolderOf(teamA);
    const { body } = await moveToFolder(null);
    assert.deepEqual([body.folderId, body.teamId], [null, teamA]);
  });

  it('is possible only within the team for a team owner who did not create the workflow', async () => {
    await moveToNewFolderOf(teamB);
    assert.equal((await moveToFolder(await createFolder(teamB), teammate)).status, 200);
    assertRefused(await moveToFolder(await createFolder(teamA, teammate), teammate), 403, 'forbidden');
    assertRefused(await moveToFolder(await createFolder(null, teammate), teammate), 403, 'forbidden');
    assert.equal((await readWorkflow(creator, id)).teamId, teamB);
  });

  it('returns 403 to a viewer of the new team', async () => {
    const viewersWorkflow = await createWorkflow(viewer);
    assertRefused(
      await putWorkflow(viewer, viewersWorkflow.id, { folderId: await createFolder(teamA) }),
      403,
      'forbidden',
    );
  });
});

describe('a folder that receives a workflow', () => {
  it('includes the workflow in its count', async () => {
    const folderId = await moveToNewFolderOf(null);
    const { body } = await creator.request<{ id: string; workflowCount: number }[]>(
      'GET',
      '/folders?limit=1000',
    );
    assert.equal(body.find(folder => folder.id === folderId)?.workflowCount, 1);
  });

  it('is locked until the move is committed', async () => {
    const folderId = await createFolder(null);
    await test.deps.db.transaction(async movingTx => {
      await lockFolder(movingTx, creator.userId, folderId);
      const deletion = test.deps.db.transaction(async tx => {
        await tx.query(`set local lock_timeout = '20ms'`);
        await deleteFolderRow(tx, folderId);
      });
      await assert.rejects(deletion, { code: '55P03' });
    });
  });

  it('can be deleted at the same time, which leaves the workflow without a folder', async () => {
    for (let round = 0; round < 5; round++) {
      const folderId = await createFolder(null);
      const [moved, deleted] = await Promise.all([
        moveToFolder(folderId),
        creator.request('DELETE', `/folders/${folderId}`),
      ]);
      assert.equal(deleted.status, 200);
      assert.ok([200, 404].includes(moved.status));
      assert.equal((await readWorkflow(creator, id)).folderId, null);
    }
  });
});
