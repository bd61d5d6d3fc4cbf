// Tests folders over HTTP: the tree of a workspace, who may change the tree, and what happens to workflows in a folder.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

interface Folder {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly teamId: string | null;
  readonly workflowCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const ABSENT = 'fld_00000000000000000000000000';

let test: TestApp;
let owner: ApiUser;
let editor: ApiUser;
let viewer: ApiUser;
let otherUser: ApiUser;
let teamId: string;

before(async () => {
  test = await openTestApp();
  [owner, editor, viewer, otherUser] = await test.createUsers(4);
  teamId = String((await owner.request('POST', '/teams', { name: 'Studio' })).body.id);
  await joinTeam(owner, teamId, editor, 'EDITOR');
  await joinTeam(owner, teamId, viewer, 'VIEWER');
});
after(() => test.close());

async function create(user: ApiUser, body: object): Promise<Folder> {
  const response = await user.request<Folder>('POST', '/folders', body);
  assert.equal(response.status, 201);
  return response.body;
}

const listNames = async (user: ApiUser): Promise<readonly string[]> =>
  (await user.request<Folder[]>('GET', '/folders')).body.map(({ name }) => name);

/** Stores a workflow in the folder without using the API. */
async function addWorkflow(folder: Folder, user: ApiUser): Promise<string> {
  const id = newId('workflow');
  await test.deps.db.query(
    `insert into workflows (id, user_id, team_id, folder_id, version, name) values ($1, $2, $3, $4, 1, 'W')`,
    [id, user.userId, folder.teamId, folder.id],
  );
  return id;
}

describe('POST /folders', () => {
  it('creates a personal folder if no team is active', async () => {
    const folder = await create(owner, { name: 'Reels' });
    assert.match(folder.id, /^fld_[0-9a-z]{26}$/);
    assert.deepEqual(
      [folder.name, folder.parentId, folder.teamId, folder.workflowCount],
      ['Reels', null, null, 0],
    );
    assert.equal(folder.createdAt, folder.updatedAt);
  });

  it('creates the folder in the active workspace', async () => {
    const member = await test.createUser();
    await joinTeam(owner, teamId, member, 'EDITOR');
    await member.request('PUT', '/me/workspace', { teamId });
    assert.equal((await create(member, { name: 'Here' })).teamId, teamId);
  });

  it('creates the folder in the workspace given by teamId', async () => {
    assert.equal((await create(editor, { name: 'Theirs', teamId })).teamId, teamId);
    const { personalTeamId } = (await owner.request('GET', '/me')).body;
    assert.equal((await create(owner, { name: 'Mine', teamId: personalTeamId })).teamId, null);
    assert.equal((await create(owner, { name: 'Mine too', teamId: null })).teamId, null);
  });

  it('returns 404 for teams of other users and unknown teams', async () => {
    const { personalTeamId } = (await owner.request('GET', '/me')).body;
    for (const id of [teamId, 'team_00000000000000000000000000', personalTeamId, 'nonsense']) {
      assertRefused(await otherUser.request('POST', '/folders', { name: 'x', teamId: id }), 404, 'not_found');
    }
  });

  it('returns 404 for a team that the user has left', async () => {
    const former = await test.createUser();
    const members = `/teams/${teamId}/members`;
    await joinTeam(owner, teamId, former, 'EDITOR');
    const createInTeam = () => former.request('POST', '/folders', { name: 'x', teamId });
    assert.equal((await createInTeam()).status, 201);
    await former.request('DELETE', `${members}/${former.userId}`);
    assertRefused(await createInTeam(), 404, 'not_found');
  });

  it('returns 403 to viewers of the team', async () => {
    assert.equal((await viewer.request('POST', '/folders', { name: 'x', teamId })).status, 403);
  });

  it('returns 400 folder_workspace_mismatch for a parent in another workspace', async () => {
    const parent = await create(owner, { name: 'Parent', teamId });
    const child = await create(owner, { name: 'Child', teamId, parentId: parent.id });
    assert.equal(child.parentId, parent.id);
    assertRefused(
      await owner.request('POST', '/folders', {
        name: 'x',
        teamId: null,
        parentId: parent.id,
      }),
      400,
      'folder_workspace_mismatch',
    );
  });

  it("returns 404 for an unknown parent and 403 for another user's folder", async () => {
    const folder = await create(owner, { name: 'Mine' });
    const createUnder = (parentId: string) => otherUser.request('POST', '/folders', { name: 'x', parentId });
    assert.equal((await createUnder(ABSENT)).status, 404);
    assert.equal((await createUnder(folder.id)).status, 403);
  });

  it('returns 400 for more than 32 levels', async () => {
    let parent = await create(owner, { name: '1' });
    for (let depth = 2; depth <= 32; depth++)
      parent = await create(owner, { name: String(depth), parentId: parent.id });
    const response = await owner.request('POST', '/folders', { name: '33', parentId: parent.id });
    assert.equal(response.status, 400);
  });

  for (const [label, body] of Object.entries({
    'no name': {},
    'a blank name': { name: ' ' },
    'a name of 201 characters': { name: 'n'.repeat(201) },
    'an unknown member': { name: 'x', color: 'red' },
  })) {
    it(`returns 400 for ${label}`, async () => {
      assert.equal((await owner.request('POST', '/folders', body)).status, 400);
    });
  }

  it('returns 401 insufficient_scope without workflows:write', async () => {
    const reader = await test.withScopes(owner, ['workflows:read']);
    assertRefused(await reader.request('POST', '/folders', { name: 'x' }), 401, 'insufficient_scope');
  });
});

describe('GET /folders', () => {
  it('lists only folders of the active workspace', async () => {
    const member = await test.createUser();
    await joinTeam(owner, teamId, member, 'VIEWER');
    await create(member, { name: 'Personal' });
    await create(editor, { name: 'Shared', teamId });
    assert.deepEqual(await listNames(member), ['Personal']);
    await member.request('PUT', '/me/workspace', { teamId });
    const names = await listNames(member);
    assert.ok(names.includes('Shared'));
    assert.ok(!names.includes('Personal'));
  });

  it('returns an array with the next page in the Link header', async () => {
    const member = await test.createUser();
    for (const name of ['a', 'b', 'c']) await create(member, { name });
    const first = await member.request<Folder[]>('GET', '/folders?limit=2');
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
    const { pathname, search } = new URL(String(next));
    const second = await member.request<Folder[]>('GET', `${pathname}${search}`);
    assert.equal(first.body.length, 2);
    assert.equal(second.body.length, 1);
    assert.equal(second.headers.link, undefined);
  });

  it('counts only undeleted workflows directly in the folder', async () => {
    const member = await test.createUser();
    const folder = await create(member, { name: 'Full' });
    const child = await create(member, { name: 'Child', parentId: folder.id });
    await addWorkflow(folder, member);
    const deleted = await addWorkflow(folder, member);
    await addWorkflow(child, member);
    await test.deps.db.query('update workflows set deleted_at = now() where id = $1', [deleted]);
    const { body } = await member.request<Folder[]>('GET', '/folders');
    assert.deepEqual(Object.fromEntries(body.map(({ name, workflowCount }) => [name, workflowCount])), {
      Full: 1,
      Child: 1,
    });
  });

  it('requires workflows:read or workflows:execute', async () => {
    const runner = await test.withScopes(owner, ['workflows:execute']);
    const writer = await test.withScopes(owner, ['workflows:write']);
    assert.equal((await runner.request('GET', '/folders')).status, 200);
    assert.equal((await writer.request('GET', '/folders')).status, 401);
    assert.equal((await test.anonymous.request('GET', '/folders')).status, 401);
  });
});

describe('PATCH /folders/{id}', () => {
  it('renames the folder and updates updatedAt', async () => {
    const folder = await create(owner, { name: 'Old' });
    const { status, body } = await owner.request<Folder>('PATCH', `/folders/${folder.id}`, { name: 'New' });
    assert.equal(status, 200);
    assert.equal(body.name, 'New');
    assert.ok(body.updatedAt > folder.updatedAt);
  });

  it('moves the folder under another folder or to the root', async () => {
    const parent = await create(owner, { name: 'Parent' });
    const folder = await create(owner, { name: 'Moved' });
    const move = (parentId: string | null) =>
      owner.request<Folder>('PATCH', `/folders/${folder.id}`, { parentId });
    assert.equal((await move(parent.id)).body.parentId, parent.id);
    assert.equal((await move(null)).body.parentId, null);
  });

  it('returns 400 folder_cycle for a move into the folder itself or a descendant', async () => {
    const top = await create(owner, { name: 'Top' });
    const middle = await create(owner, { name: 'Middle', parentId: top.id });
    const bottom = await create(owner, { name: 'Bottom', parentId: middle.id });
    for (const parentId of [top.id, middle.id, bottom.id]) {
      assertRefused(await owner.request('PATCH', `/folders/${top.id}`, { parentId }), 400, 'folder_cycle');
    }
  });

  it('creates no cycle if two moves run concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const a = await create(owner, { name: 'A' });
      const b = await create(owner, { name: 'B' });
      const responses = await Promise.all([
        owner.request('PATCH', `/folders/${a.id}`, { parentId: b.id }),
        owner.request('PATCH', `/folders/${b.id}`, { parentId: a.id }),
      ]);
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400]);
    }
  });

  it('returns 400 folder_workspace_mismatch for a move to another workspace', async () => {
    const personal = await create(owner, { name: 'Personal' });
    const shared = await create(owner, { name: 'Shared', teamId });
    assertRefused(
      await owner.request('PATCH', `/folders/${personal.id}`, { parentId: shared.id }),
      400,
      'folder_workspace_mismatch',
    );
  });

  it('returns 400 for a move that would create more than 32 levels', async () => {
    let deepest = await create(owner, { name: '1' });
    for (let depth = 2; depth <= 31; depth++)
      deepest = await create(owner, { name: String(depth), parentId: deepest.id });
    const pair = await create(owner, { name: 'pair' });
    await create(owner, { name: 'below', parentId: pair.id });
    assert.equal((await owner.request('PATCH', `/folders/${pair.id}`, { parentId: deepest.id })).status, 400);
  });

  it('is allowed only for editors of the team', async () => {
    const folder = await create(owner, { name: 'Shared', teamId });
    const rename = (user: Pick<ApiUser, 'request'>, id = folder.id) =>
      user.request('PATCH', `/folders/${id}`, { name: 'x' });
    assert.equal((await rename(editor)).status, 200);
    assert.equal((await rename(viewer)).status, 403);
    assert.equal((await rename(otherUser)).status, 403);
    assert.equal((await rename(owner, ABSENT)).status, 404);
    assert.equal((await rename(test.anonymous)).status, 401);
  });
});

describe('DELETE /folders/{id}', () => {
  it('moves the workflows of the folder to the root of the workspace', async () => {
    const folder = await create(editor, { name: 'Doomed', teamId });
    const id = await addWorkflow(folder, editor);
    const readRow = async () =>
      (
        await test.deps.db.query<{ folder_id: string | null; team_id: string; updated_at: Date }>(
          'select folder_id, team_id, updated_at from workflows where id = $1',
          [id],
        )
      ).rows[0];
    const earlier = await readRow();
    assert.deepEqual((await editor.request('DELETE', `/folders/${folder.id}`)).body, { success: true });
    const later = await readRow();
    assert.equal(later?.folder_id, null);
    assert.equal(later?.team_id, teamId);
    assert.ok(Number(later?.updated_at) > Number(earlier?.updated_at));
    assert.equal((await editor.request('DELETE', `/folders/${folder.id}`)).status, 404);
  });

  it('returns 409 folder_not_empty for a folder with subfolders unless recursive=true', async () => {
    const top = await create(owner, { name: 'Top' });
    const below = await create(owner, { name: 'Below', parentId: top.id });
    const bottom = await create(owner, { name: 'Bottom', parentId: below.id });
    const id = await addWorkflow(bottom, owner);
    for (const query of ['', '?recursive=false']) {
      assertRefused(await owner.request('DELETE', `/folders/${top.id}${query}`), 409, 'folder_not_empty');
    }
    assert.equal((await owner.request('DELETE', `/folders/${top.id}?recursive=true`)).status, 200);
    for (const { id: deletedId } of [top, below, bottom])
      assert.equal((await owner.request('PATCH', `/folders/${deletedId}`, { name: 'x' })).status, 404);
    const { rows } = await test.deps.db.query('select folder_id from workflows where id = $1', [id]);
    assert.deepEqual(rows, [{ folder_id: null }]);
  });

  it('is allowed only for editors of the team', async () => {
    const folder = await create(owner, { name: 'Shared', teamId });
    assert.equal((await viewer.request('DELETE', `/folders/${folder.id}`)).status, 403);
    assert.equal((await otherUser.request('DELETE', `/folders/${folder.id}`)).status, 403);
    assert.equal((await editor.request('DELETE', `/folders/${folder.id}`)).status, 200);
  });

  it('deletes no folder in which a subfolder is created concurrently', async () => {
    const top = await create(owner, { name: 'Top' });
    const [deletion, creation] = await Promise.all([
      owner.request('DELETE', `/folders/${top.id}`),
      owner.request('POST', '/folders', { name: 'Late', parentId: top.id }),
    ]);
    assert.ok(
      (deletion.status === 200 && creation.status === 404) ||
        (deletion.status === 409 && creation.status === 201),
    );
  });
});
