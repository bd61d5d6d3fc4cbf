// Tests moves of workflows between folders and teams: required roles in both workspaces, and concurrent deletions.
// workflows-move.test.ts tests folderId.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deleteFolderRow, lockFolder } from '../../../src/store/folders.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

let test: TestApp;
let creator: Caller;
let teammate: Caller;
let viewer: Caller;
/**
 * The creator owns both teams; the teammate is EDITOR in the first and OWNER of the second; the viewer is VIEWER in
 * both.
 */
let teamA: string;
let teamB: string;
let id: string;

before(async () => {
  test = await createTestApp();
  [creator, teammate, viewer] = await test.createCallers(3);
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

async function createFolder(teamId: string | null, caller = creator): Promise<string> {
  const { status, body } = await caller.request('POST', '/folders', { name: 'Folder', teamId });
  assert.equal(status, 201);
  return String(body.id);
}

const move = (folderId: string | null, caller = creator): Promise<TestResponse<Workflow>> =>
  putWorkflow(caller, id, { folderId });

async function moveTo(teamId: string | null): Promise<string> {
  const folderId = await createFolder(teamId);
  const { status, body } = await move(folderId);
  assert.deepEqual([status, body.folderId, body.teamId], [200, folderId, teamId]);
  return folderId;
}

describe('moving a workflow', () => {
  it('gives access to the members of the new team and takes it from the previous team', async () => {
    const readRole = async (caller: Caller): Promise<string> => (await readWorkflow(caller, id)).userRole;
    await moveTo(teamA);
    assert.deepEqual([await readRole(teammate), await readRole(viewer)], ['EDITOR', 'VIEWER']);
    await moveTo(teamB);
    assert.equal(await readRole(teammate), 'OWNER');
    await moveTo(null);
    for (const member of [teammate, viewer])
      assertRefused(await member.request('GET', `/workflows/${id}`), 403, 'forbidden');
  });

  it('with folderId null keeps the workflow in its team', async () => {
    await moveTo(teamA);
    const { body } = await move(null);
    assert.deepEqual([body.folderId, body.teamId], [null, teamA]);
  });

  it('is allowed to team owners only within the team', async () => {
    await moveTo(teamB);
    assert.equal((await move(await createFolder(teamB), teammate)).status, 200);
    assertRefused(await move(await createFolder(teamA, teammate), teammate), 403, 'forbidden');
    assertRefused(await move(await createFolder(null, teammate), teammate), 403, 'forbidden');
    assert.equal((await readWorkflow(creator, id)).teamId, teamB);
  });

  it('is refused with 403 to viewers of the new team', async () => {
    const viewersWorkflow = await createWorkflow(viewer);
    assertRefused(
      await putWorkflow(viewer, viewersWorkflow.id, { folderId: await createFolder(teamA) }),
      403,
      'forbidden',
    );
  });
});

describe('a folder that receives a workflow', () => {
  it('counts the workflow', async () => {
    const folderId = await moveTo(null);
    const { body } = await creator.request<{ id: string; workflowCount: number }[]>(
      'GET',
      '/folders?limit=1000',
    );
    assert.equal(body.find(folder => folder.id === folderId)?.workflowCount, 1);
  });

  it('cannot be deleted before the move is committed', async () => {
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

  it('leaves the workflow at the root if the folder is deleted concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const folderId = await createFolder(null);
      const [moved, deleted] = await Promise.all([
        move(folderId),
        creator.request('DELETE', `/folders/${folderId}`),
      ]);
      assert.equal(deleted.status, 200);
      assert.ok([200, 404].includes(moved.status));
      assert.equal((await readWorkflow(creator, id)).folderId, null);
    }
  });
});
