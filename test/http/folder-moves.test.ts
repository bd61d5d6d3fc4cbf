// Workflows moved between folders and workspaces, with all that follows (contract, Rules for PUT 7 and for POST 3).
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deleteFolder, holdFolder } from '../../src/store/folders.ts';
import { type Answer, type Caller, createTestApp, type TestApp } from '../support/app.ts';

interface Workflow {
  readonly id: string;
  readonly folderId: string | null;
  readonly teamId: string | null;
  readonly userId: number;
  readonly userRole: string;
  readonly isOwner: boolean;
  readonly linkPermission: string;
  readonly updatedAt: string;
}

const GRAPH = {
  nodes: [
    {
      id: 'a',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'Text', category: 'input', nodeType: 'input:text', config: { value: 'x' } },
    },
  ],
  edges: [],
};

let test: TestApp;
let creator: Caller;
let teammate: Caller;
let viewer: Caller;
let friend: Caller;
/** The creator owns both; the teammate edits in the first, owns the second; the viewer views in both. */
let teamA: string;
let teamB: string;
let workflow: Workflow;

before(async () => {
  test = await createTestApp();
  [creator, teammate, viewer, friend] = [
    await test.createCaller(),
    await test.createCaller(),
    await test.createCaller(),
    await test.createCaller(),
  ];
  [teamA, teamB] = [await createTeam('EDITOR'), await createTeam('OWNER')];
});
after(() => test.close());
beforeEach(async () => {
  const { status, body } = await creator.request<Workflow>('POST', '/workflows', { name: 'W', ...GRAPH });
  assert.equal(status, 201);
  workflow = body;
});

async function createTeam(roleOfTeammate: string): Promise<string> {
  const id = String((await creator.request('POST', '/teams', { name: 'Team' })).body.id);
  const add = (userId: number, role: string) =>
    creator.request('POST', `/teams/${id}/members`, { userId, role });
  await add(teammate.userId, roleOfTeammate);
  await add(viewer.userId, 'VIEWER');
  return id;
}

async function createFolder(teamId: string | null, by = creator): Promise<string> {
  const { status, body } = await by.request('POST', '/folders', { name: 'Folder', teamId });
  assert.equal(status, 201);
  return String(body.id);
}

const move = (folderId: string | null, by = creator): Promise<Answer<Workflow>> =>
  by.request<Workflow>('PUT', `/workflows/${workflow.id}`, { folderId });

const read = (by: Caller): Promise<Answer<Workflow>> =>
  by.request<Workflow>('GET', `/workflows/${workflow.id}`);

async function moveTo(teamId: string | null): Promise<string> {
  const folderId = await createFolder(teamId);
  const { status, body } = await move(folderId);
  assert.equal(status, 200);
  assert.deepEqual([body.folderId, body.teamId], [folderId, teamId]);
  return folderId;
}

const assertRefused = ({ status, body }: Answer<Workflow>, expected: number, code: string): void =>
  assert.deepEqual([status, body.code], [expected, code]);

describe('a move within a workspace', () => {
  it('puts a workflow into a folder, and with null back to the root', async () => {
    await moveTo(null);
    const { body } = await move(null);
    assert.deepEqual([body.folderId, body.teamId], [null, null]);
  });

  it('leaves it in its team at the root', async () => {
    await moveTo(teamA);
    const { body } = await move(null);
    assert.deepEqual([body.folderId, body.teamId], [null, teamA]);
  });

  it('is for owners alone, an OWNER of its team included', async () => {
    await moveTo(teamA);
    const folderA = await createFolder(teamA);
    assertRefused(await move(folderA, teammate), 403, 'forbidden');
    await moveTo(teamB);
    assert.equal((await move(await createFolder(teamB), teammate)).status, 200);
  });

  it('is counted by the folder', async () => {
    const folderId = await moveTo(null);
    const { body } = await creator.request<{ id: string; workflowCount: number }[]>(
      'GET',
      '/folders?limit=1000',
    );
    assert.equal(body.find(({ id }) => id === folderId)?.workflowCount, 1);
  });
});

describe('a move to another workspace', () => {
  it("makes the folder's team the workflow's, and the mover stays owner", async () => {
    await moveTo(teamA);
    const { body } = await read(creator);
    assert.deepEqual(
      [body.teamId, body.userRole, body.isOwner, body.userId],
      [teamA, 'OWNER', true, creator.userId],
    );
  });

  it('gives the members of the new team what their roles allow, and takes it from those of the old', async () => {
    assert.equal((await read(teammate)).status, 403);
    await moveTo(teamA);
    assert.equal((await read(teammate)).body.userRole, 'EDITOR');
    assert.equal((await read(viewer)).body.userRole, 'VIEWER');
    await moveTo(teamB);
    assert.equal((await read(teammate)).body.userRole, 'OWNER');
    await moveTo(null);
    assert.deepEqual([(await read(teammate)).status, (await read(viewer)).status], [403, 403]);
  });

  it('leaves direct shares and the link as they are', async () => {
    await creator.request('PUT', `/workflows/${workflow.id}/permissions`, {
      userId: teammate.userId,
      role: 'VIEW',
    });
    await creator.request('POST', `/workflows/${workflow.id}/visibility`, { linkPermission: 'VIEW' });
    await moveTo(teamA);
    await moveTo(null);
    assert.equal((await read(teammate)).body.userRole, 'VIEWER');
    assert.equal((await read(friend)).status, 200);
    assert.equal((await read(creator)).body.linkPermission, 'VIEW');
  });

  it('bills later runs to the new pool, while runs under way end on the old', async () => {
    const start = async (): Promise<string> => {
      const { status, body } = await creator.request('POST', `/workflows/${workflow.id}/run`, {});
      assert.equal(status, 202);
      return String(body.executionId);
    };
    const earlier = await start();
    await moveTo(teamA);
    const later = await start();
    const { rows } = await test.deps.db.query<{ id: string; workspace: string }>(
      'select id, workspace from executions where workflow_id = $1',
      [workflow.id],
    );
    assert.deepEqual(Object.fromEntries(rows.map(({ id, workspace }) => [id, workspace])), {
      [earlier]: `user:${creator.userId}`,
      [later]: teamA,
    });
  });

  it('is not for one who owns the workflow only through its team', async () => {
    await moveTo(teamB);
    assertRefused(await move(await createFolder(teamA, teammate), teammate), 403, 'forbidden');
    assertRefused(await move(await createFolder(null, teammate), teammate), 403, 'forbidden');
    assert.equal((await read(creator)).body.teamId, teamB);
  });

  it('needs more than the role VIEWER in the team', async () => {
    const { body } = await viewer.request<Workflow>('POST', '/workflows', { name: 'Theirs', ...GRAPH });
    const folderId = await createFolder(teamA);
    assertRefused(
      await viewer.request<Workflow>('PUT', `/workflows/${body.id}`, { folderId }),
      403,
      'forbidden',
    );
  });

  it('is refused with 400 to a folder of the mover in a team that the mover has left', async () => {
    const team = await createTeam('OWNER');
    const folderId = await createFolder(team);
    assert.equal((await creator.request('DELETE', `/teams/${team}/members/${creator.userId}`)).status, 200);
    assertRefused(await move(folderId), 400, 'folder_workspace_mismatch');
  });
});

describe('a folder', () => {
  it('that does not exist is 404', async () => {
    assertRefused(await move('fld_00000000000000000000000000'), 404, 'not_found');
  });

  it("that is somebody else's, or of a foreign team, is 403", async () => {
    assertRefused(await move(await createFolder(null, friend)), 403, 'forbidden');
    const team = String((await friend.request('POST', '/teams', { name: 'Foreign' })).body.id);
    assertRefused(await move(await createFolder(team, friend)), 403, 'forbidden');
  });

  it('under a stale body is 409 stale_write, and nothing moves', async () => {
    const folderId = await createFolder(null);
    await creator.request('PUT', `/workflows/${workflow.id}`, { name: 'Changed' });
    const answer = await creator.request<Workflow>('PUT', `/workflows/${workflow.id}`, {
      folderId,
      updatedAt: workflow.updatedAt,
    });
    assertRefused(answer, 409, 'stale_write');
    assert.equal((await read(creator)).body.folderId, null);
  });

  it('cannot be deleted between the moment a move has found it and the commit', async () => {
    const folderId = await createFolder(null);
    await test.deps.db.transaction(async moving => {
      await holdFolder(moving, creator.userId, folderId);
      const deletion = test.deps.db.transaction(async tx => {
        await tx.query(`set local lock_timeout = '20ms'`);
        await deleteFolder(tx, folderId);
      });
      await assert.rejects(deletion, { code: '55P03' });
    });
  });

  it('that is deleted at the same time leaves the workflow at the root', async () => {
    for (let round = 0; round < 5; round++) {
      const folderId = await createFolder(null);
      const [moved, deleted] = await Promise.all([
        move(folderId),
        creator.request('DELETE', `/folders/${folderId}`),
      ]);
      assert.equal(deleted.status, 200);
      assert.ok([200, 404].includes(moved.status));
      assert.equal((await read(creator)).body.folderId, null);
    }
  });
});

describe('POST /workflows with an id', () => {
  const save = (folderId: string): Promise<Answer<Workflow>> =>
    creator.request<Workflow>('POST', '/workflows', { id: workflow.id, name: 'W', ...GRAPH, folderId });

  it('moves within the workspace', async () => {
    const folderId = await createFolder(null);
    const { body } = await save(folderId);
    assert.deepEqual([body.id, body.folderId, body.teamId], [workflow.id, folderId, null]);
  });

  it('never to another one, with 400 folder_workspace_mismatch', async () => {
    assertRefused(await save(await createFolder(teamA)), 400, 'folder_workspace_mismatch');
    assert.equal((await read(creator)).body.teamId, null);
  });

  it('makes a new workflow personal, whatever the active workspace', async () => {
    await creator.request('PUT', '/me/workspace', { teamId: teamA });
    const { body } = await creator.request<Workflow>('POST', '/workflows', { name: 'New', ...GRAPH });
    assert.deepEqual([body.teamId, body.folderId], [null, null]);
    await creator.request('PUT', '/me/workspace', { teamId: null });
  });
});
