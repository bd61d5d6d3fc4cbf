// Tests accounts, teams and members over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { assertRefused, createWorkflow, putWorkflow, readWorkflow } from '../../support/workflows.ts';

interface Team {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

interface Member {
  readonly userId: number;
  readonly role: string;
}

let test: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;

before(async () => {
  test = await openTestApp();
  [owner, otherUser] = await test.createUsers(2);
});
after(() => test.close());

async function createTeam(...members: readonly (readonly [ApiUser, string])[]): Promise<string> {
  const { status, body } = await owner.request<Team>('POST', '/teams', { name: 'Studio' });
  assert.equal(status, 201);
  for (const [member, role] of members) await joinTeam(owner, body.id, member, role);
  return body.id;
}

async function readRoles(teamId: string): Promise<Readonly<Record<number, string>>> {
  const { body } = await owner.request<{ data: Member[] }>('GET', `/teams/${teamId}/members`);
  return Object.fromEntries(body.data.map(({ userId, role }) => [userId, role]));
}

describe('GET and PATCH /me', () => {
  it('GET returns the user, the scopes and the active workspace', async () => {
    const { status, body } = await owner.request('GET', '/me');
    assert.equal(status, 200);
    assert.equal(body.userId, owner.userId);
    assert.equal(body.email, owner.email);
    assert.equal(body.activeTeamId, null);
    assert.equal(body.activeRole, 'OWNER');
    assert.equal(body.isAuthor, false);
    assert.ok(Array.isArray(body.scopes));
  });

  it('GET accepts a key with any scope', async () => {
    const writer = await test.withScopes(owner, ['workflows:write']);
    assert.equal((await writer.request('GET', '/me')).status, 200);
  });

  it('GET returns 401 to anonymous clients', async () => {
    assert.equal((await test.anonymous.request('GET', '/me')).status, 401);
  });

  it('PATCH accepts only names with visible characters', async () => {
    const { status, body } = await owner.request('PATCH', '/me', { name: '  Ana North ' });
    assert.deepEqual([status, body.name], [200, 'Ana North']);
    assert.equal((await owner.request('GET', '/me')).body.name, 'Ana North');
    for (const name of ['', '   ', 'a\u202eb', 'x'.repeat(201), 7])
      assert.equal((await owner.request('PATCH', '/me', { name })).status, 400, String(name));
  });
});

describe('PUT /me/workspace', () => {
  it('activates a team or the personal workspace', async () => {
    const teamId = await createTeam();
    const teamResponse = await owner.request('PUT', '/me/workspace', { teamId });
    assert.equal(teamResponse.status, 200);
    assert.equal(teamResponse.body.activeTeamId, teamId);
    assert.equal((await owner.request('GET', '/me')).body.activeTeamId, teamId);
    const personalResponse = await owner.request('PUT', '/me/workspace', { teamId: null });
    assert.equal(personalResponse.body.activeTeamId, null);
  });

  it('activates the personal workspace for the id of the personal team', async () => {
    const { body } = await owner.request('GET', '/me');
    const response = await owner.request('PUT', '/me/workspace', { teamId: body.personalTeamId });
    assert.equal(response.status, 200);
    assert.equal(response.body.activeTeamId, null);
  });

  it('returns 404 for teams of other users and unknown teams', async () => {
    const teamId = await createTeam();
    const { body } = await owner.request('GET', '/me');
    for (const id of [teamId, 'team_00000000000000000000000000', body.personalTeamId]) {
      assertRefused(await otherUser.request('PUT', '/me/workspace', { teamId: id }), 404, 'not_found');
    }
  });

  it('returns 401 insufficient_scope without workflows:write', async () => {
    const reader = await test.withScopes(owner, ['workflows:execute']);
    assertRefused(await reader.request('PUT', '/me/workspace', { teamId: null }), 401, 'insufficient_scope');
  });

  it('falls back to the personal workspace when the member leaves the team', async () => {
    const teamId = await createTeam([otherUser, 'EDITOR']);
    await otherUser.request('PUT', '/me/workspace', { teamId });
    assert.equal(
      (await otherUser.request('DELETE', `/teams/${teamId}/members/${otherUser.userId}`)).status,
      200,
    );
    assert.equal((await otherUser.request('GET', '/me')).body.activeTeamId, null);
  });
});

describe('GET and POST /teams', () => {
  it("GET lists the user's teams with the role in each team", async () => {
    const member = await test.createUser();
    const first = await createTeam([member, 'VIEWER']);
    const second = await createTeam([member, 'EDITOR']);
    await createTeam();
    const { body } = await member.request<{ data: Team[]; nextCursor: null }>('GET', '/teams');
    assert.deepEqual(Object.fromEntries(body.data.map(({ id, role }) => [id, role])), {
      [first]: 'VIEWER',
      [second]: 'EDITOR',
    });
    assert.equal(body.nextCursor, null);
  });

  it('GET pages by cursor', async () => {
    const member = await test.createUser();
    for (let i = 0; i < 3; i++) await createTeam([member, 'VIEWER']);
    const first = await member.request<{ data: Team[]; nextCursor: string }>('GET', '/teams?limit=2');
    const second = await member.request<{ data: Team[]; nextCursor: null }>(
      'GET',
      `/teams?limit=2&cursor=${first.body.nextCursor}`,
    );
    assert.deepEqual([first.body.data.length, second.body.data.length], [2, 1]);
    assert.equal(second.body.nextCursor, null);
  });

  it('POST makes the user the owner of the new team', async () => {
    const teamId = await createTeam();
    assert.deepEqual(await readRoles(teamId), { [owner.userId]: 'OWNER' });
  });

  it('returns 401 insufficient_scope without account:admin', async () => {
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:write', 'workflows:execute']);
    for (const method of ['GET', 'POST'] as const) {
      assertRefused(
        await reader.request(method, '/teams', method === 'POST' ? { name: 'x' } : undefined),
        401,
        'insufficient_scope',
      );
    }
  });

  it('POST returns 400 for a blank name', async () => {
    assert.equal((await owner.request('POST', '/teams', { name: ' ' })).status, 400);
  });
});

describe('members of a team', () => {
  it('join only when they accept the invitation', async () => {
    const teamId = await createTeam();
    const { status, body } = await owner.request('POST', `/teams/${teamId}/members`, {
      email: otherUser.email.toUpperCase(),
      role: 'EDITOR',
    });
    assert.deepEqual([status, body.userId, body.name], [202, null, null]);
    assert.deepEqual(await readRoles(teamId), { [owner.userId]: 'OWNER' });
    assert.equal((await otherUser.request('POST', `/invitations/${body.id}/accept`)).status, 200);
    assert.equal((await readRoles(teamId))[otherUser.userId], 'EDITOR');
  });

  it('are invited by email with the same response with and without an account', async () => {
    const teamId = await createTeam();
    const responses = [];
    for (const email of ['nobody@example.com', otherUser.email]) {
      const { status, body } = await owner.request('POST', `/teams/${teamId}/members`, {
        email,
        role: 'VIEWER',
      });
      responses.push({ status, body: { ...body, id: '', email: '', url: '', createdAt: '', expiresAt: '' } });
    }
    assert.deepEqual(responses[1], responses[0]);
  });

  it('can be invited by id only by users who share another team with them', async () => {
    const boss = await test.withScopes(await test.createUser(), ['account:admin']);
    const teammate = await test.createUser();
    const newTeam = async () => String((await boss.request('POST', '/teams', { name: 'Small' })).body.id);
    const [first, second] = [await newTeam(), await newTeam()];
    const invite = (userId: number) =>
      boss.request('POST', `/teams/${second}/members`, { userId, role: 'EDITOR' });
    const [mateResponse, nobodyResponse] = [await invite(teammate.userId), await invite(2_000_000_000)];
    assert.deepEqual(
      [mateResponse.status, mateResponse.body],
      [404, { ...nobodyResponse.body, requestId: mateResponse.body.requestId }],
    );
    await joinTeam(boss, first, teammate, 'VIEWER');
    const { status, body } = await invite(teammate.userId);
    const name = teammate.email.split('@')[0];
    assert.deepEqual([status, body.userId, body.name, body.email], [202, teammate.userId, name, null]);
    const received = await teammate.request<{ data: { id: string }[] }>('GET', '/invitations');
    assert.deepEqual(
      received.body.data.map(({ id }) => id),
      [body.id],
    );
    assert.equal((await otherUser.request('POST', `/invitations/${body.id}/accept`)).status, 403);
    assert.equal((await teammate.request('POST', `/invitations/${body.id}/accept`)).status, 200);
  });

  it('can be invited by id by any administrator', async () => {
    const teamId = await createTeam();
    const invitation = { userId: otherUser.userId, role: 'EDITOR' };
    assert.equal((await owner.request('POST', `/teams/${teamId}/members`, invitation)).status, 202);
    const secondResponse = await owner.request('POST', `/teams/${teamId}/members`, {
      ...invitation,
      role: 'VIEWER',
    });
    const invitations = await owner.request<{ data: { role: string }[] }>(
      'GET',
      `/teams/${teamId}/invitations`,
    );
    assert.deepEqual(
      [secondResponse.status, invitations.body.data.map(({ role }) => role)],
      [202, ['VIEWER']],
    );
    assert.deepEqual(await readRoles(teamId), { [owner.userId]: 'OWNER' });
  });

  it('are listed without emails', async () => {
    const teamId = await createTeam([otherUser, 'VIEWER']);
    const { body } = await owner.request('GET', `/teams/${teamId}/members`);
    assert.ok(!JSON.stringify(body).includes(otherUser.email));
  });

  it('cannot be invited again by id', async () => {
    const teamId = await createTeam([otherUser, 'VIEWER']);
    const body = { userId: otherUser.userId, role: 'EDITOR' };
    assert.equal((await owner.request('POST', `/teams/${teamId}/members`, body)).status, 409);
    assert.equal((await readRoles(teamId))[otherUser.userId], 'VIEWER');
  });

  it('must be invited by either a known id or an email', async () => {
    const teamId = await createTeam();
    const add = (body: object) => owner.request('POST', `/teams/${teamId}/members`, body);
    assert.equal((await add({ userId: 2_000_000_000, role: 'VIEWER' })).status, 404);
    assert.equal((await add({ email: 'nobody', role: 'VIEWER' })).status, 400);
    assert.equal((await add({ role: 'VIEWER' })).status, 400);
    assert.equal(
      (await add({ userId: otherUser.userId, email: otherUser.email, role: 'VIEWER' })).status,
      400,
    );
    assert.equal((await add({ userId: otherUser.userId, role: 'ADMIN' })).status, 400);
  });

  it('can be given another role by an owner', async () => {
    const teamId = await createTeam([otherUser, 'VIEWER']);
    const { status, body } = await owner.request<Member>(
      'PATCH',
      `/teams/${teamId}/members/${otherUser.userId}`,
      {
        role: 'OWNER',
      },
    );
    assert.equal(status, 200);
    assert.equal(body.role, 'OWNER');
  });

  it('can be read by every member and changed only by owners', async () => {
    const viewer = await test.createUser();
    const teamId = await createTeam([otherUser, 'EDITOR'], [viewer, 'VIEWER']);
    for (const member of [otherUser, viewer]) {
      assert.equal((await member.request('GET', `/teams/${teamId}/members`)).status, 200);
      const refusals = [
        await member.request('POST', `/teams/${teamId}/members`, { userId: 1, role: 'VIEWER' }),
        await member.request('PATCH', `/teams/${teamId}/members/${member.userId}`, { role: 'OWNER' }),
        await member.request('DELETE', `/teams/${teamId}/members/${owner.userId}`),
      ];
      assert.deepEqual(
        refusals.map(({ status }) => status),
        [403, 403, 403],
      );
    }
  });

  it('are 404 for users outside the team', async () => {
    const teamId = await createTeam();
    for (const id of [teamId, 'team_00000000000000000000000000', 'user:1']) {
      const responses = [
        await otherUser.request('GET', `/teams/${id}/members`),
        await otherUser.request('POST', `/teams/${id}/members`, { userId: otherUser.userId, role: 'OWNER' }),
        await otherUser.request('PATCH', `/teams/${id}/members/${owner.userId}`, { role: 'VIEWER' }),
        await otherUser.request('DELETE', `/teams/${id}/members/${owner.userId}`),
        await otherUser.request('DELETE', `/teams/${id}/members/${otherUser.userId}`),
      ];
      assert.deepEqual(
        responses.map(({ status }) => status),
        [404, 404, 404, 404, 404],
      );
    }
  });

  it('are 404 in changes if they are not in the team', async () => {
    const teamId = await createTeam();
    const path = `/teams/${teamId}/members/${otherUser.userId}`;
    assert.equal((await owner.request('PATCH', path, { role: 'VIEWER' })).status, 404);
    assert.equal((await owner.request('DELETE', path)).status, 404);
  });

  it('can leave or be removed by owners', async () => {
    const viewer = await test.createUser();
    const teamId = await createTeam([otherUser, 'EDITOR'], [viewer, 'VIEWER']);
    assert.equal((await owner.request('DELETE', `/teams/${teamId}/members/${otherUser.userId}`)).status, 200);
    assert.equal((await viewer.request('DELETE', `/teams/${teamId}/members/${viewer.userId}`)).status, 200);
    assert.deepEqual(await readRoles(teamId), { [owner.userId]: 'OWNER' });
  });

  it('cannot lose their last owner', async () => {
    const teamId = await createTeam([otherUser, 'EDITOR']);
    const path = `/teams/${teamId}/members/${owner.userId}`;
    const leaveResponse = await owner.request('DELETE', path);
    const demoteResponse = await owner.request('PATCH', path, { role: 'EDITOR' });
    for (const { status, body } of [leaveResponse, demoteResponse]) {
      assert.equal(status, 409);
      assert.equal(body.code, 'last_owner');
    }
    await owner.request('PATCH', `/teams/${teamId}/members/${otherUser.userId}`, { role: 'OWNER' });
    assert.equal((await owner.request('DELETE', path)).status, 200);
  });

  it('keep an owner if the last two owners leave concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const teamId = await createTeam([otherUser, 'OWNER']);
      const responses = await Promise.all(
        [owner, otherUser].map(member =>
          member.request('DELETE', `/teams/${teamId}/members/${member.userId}`),
        ),
      );
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
      const { rows } = await test.deps.db.query('select role from team_members where team_id = $1', [teamId]);
      assert.deepEqual(rows, [{ role: 'OWNER' }]);
    }
  });

  it('keep an owner if two owners demote each other concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const teamId = await createTeam([otherUser, 'OWNER']);
      const responses = await Promise.all([
        owner.request('PATCH', `/teams/${teamId}/members/${otherUser.userId}`, { role: 'VIEWER' }),
        otherUser.request('PATCH', `/teams/${teamId}/members/${owner.userId}`, { role: 'VIEWER' }),
      ]);
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 403]);
    }
  });
});

describe('/teams/{id}', () => {
  it('can be read by members and changed only by owners', async () => {
    const [editor, stranger] = await test.createUsers(2);
    const teamId = await createTeam([otherUser, 'VIEWER'], [editor, 'EDITOR']);
    const path = `/teams/${teamId}`;
    for (const [user, role] of [
      [owner, 'OWNER'],
      [editor, 'EDITOR'],
      [otherUser, 'VIEWER'],
    ] as const) {
      const { status, body } = await user.request<Team>('GET', path);
      assert.deepEqual([status, body.id, body.name, body.role], [200, teamId, 'Studio', role]);
    }
    for (const user of [editor, otherUser]) {
      assert.equal((await user.request('PATCH', path, { name: 'X' })).status, 403);
      assert.equal((await user.request('DELETE', path)).status, 403);
    }
    for (const [method, body] of [['GET'], ['PATCH', { name: 'X' }], ['DELETE']] as const) {
      assert.equal((await stranger.request(method, path, body)).status, 404);
      assert.equal((await stranger.request(method, '/teams/team_x', body)).status, 404);
    }
    for (const body of [{}, { name: '' }, { name: ' ' }, { name: 'X', role: 'OWNER' }]) {
      assert.equal((await owner.request('PATCH', path, body)).status, 400);
    }
    const renamed = await owner.request<Team>('PATCH', path, { name: ' Workshop ' });
    assert.deepEqual([renamed.status, renamed.body.name, renamed.body.role], [200, 'Workshop', 'OWNER']);
    assert.deepEqual((await owner.request('DELETE', path)).body, { success: true });
    assert.equal((await owner.request('GET', path)).status, 404);
  });

  it('can be deleted only if it has no workflows', async () => {
    const teamId = await createTeam([otherUser, 'EDITOR']);
    const path = `/teams/${teamId}`;
    await otherUser.request('PUT', '/me/workspace', { teamId });
    const { mediaId } = await uploadPicture(otherUser);
    const folderId = String((await owner.request('POST', '/folders', { name: 'F', teamId })).body.id);
    const { id } = await createWorkflow(owner);
    await putWorkflow(owner, id, { folderId });
    assertRefused(await owner.request('DELETE', path), 409, 'team_not_empty');
    await owner.request('DELETE', `/workflows/${id}`);
    assert.equal((await owner.request('DELETE', path)).status, 200);
    assert.equal((await owner.request('GET', `/folders/${folderId}`)).status, 404);
    assert.equal((await otherUser.request('GET', '/me')).body.activeTeamId, null);
    assert.equal((await otherUser.request('GET', `/media/${mediaId}`)).body.teamId, null);
    await owner.request('POST', `/admin/workflows/${id}/restore`);
    assert.deepEqual(
      [(await readWorkflow(owner, id)).teamId, (await readWorkflow(owner, id)).folderId],
      [null, null],
    );
  });

  it('accepts no workflow during the deletion of the team', async () => {
    const teamId = await createTeam();
    const folderId = String((await owner.request('POST', '/folders', { name: 'F', teamId })).body.id);
    const { id } = await createWorkflow(owner);
    const [moved, deleted] = await Promise.all([
      putWorkflow(owner, id, { folderId }),
      owner.request('DELETE', `/teams/${teamId}`),
    ]);
    const statuses = [moved.status, deleted.status];
    assert.ok(
      [
        [200, 409],
        [404, 200],
      ].some(item => item.join() === statuses.join()),
      statuses.join(),
    );
  });
});

describe('/teams/{id}/members/{userId}', () => {
  it('can be read by members of the team', async () => {
    const teamId = await createTeam([otherUser, 'VIEWER']);
    const path = `/teams/${teamId}/members/${owner.userId}`;
    assert.equal((await otherUser.request<Member>('GET', path)).body.role, 'OWNER');
    assert.equal((await otherUser.request('GET', `/teams/${teamId}/members/2147483647`)).status, 404);
    assert.equal((await (await test.createUser()).request('GET', path)).status, 404);
  });
});
