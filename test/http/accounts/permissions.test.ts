// Tests shares of workflows over HTTP and the access that they give.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createPerson, joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, PAIR } from '../../support/workflows.ts';

interface Permission {
  readonly userId: number | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly role: string;
}

let test: TestApp;
let owner: ApiUser;
let friend: ApiUser;
let otherUser: ApiUser;
let path: string;

before(async () => {
  test = await openTestApp();
  [owner, friend, otherUser] = await test.createUsers(3);
});
after(() => test.close());
beforeEach(async () => {
  const { status, body } = await owner.request('POST', '/workflows', { name: 'W', ...PAIR });
  assert.equal(status, 201);
  path = `/workflows/${body.id}`;
});

const share = (role: string, user = owner) =>
  user.request<Permission>('PUT', `${path}/permissions`, { userId: friend.userId, role });
const getStatus = async (user: Pick<ApiUser, 'request'>, method: 'GET' | 'PUT' | 'DELETE'): Promise<number> =>
  (await user.request(method, path, method === 'PUT' ? { name: 'New' } : undefined)).status;

describe('PUT /workflows/{id}/permissions', () => {
  it('gives a user the access of the role to a private workflow', async () => {
    assert.deepEqual(await getStatus(friend, 'GET'), 403);
    await share('VIEW');
    assert.deepEqual([await getStatus(friend, 'GET'), await getStatus(friend, 'PUT')], [200, 403]);
    await share('EDIT');
    assert.deepEqual([await getStatus(friend, 'PUT'), await getStatus(friend, 'DELETE')], [200, 403]);
    await share('OWNER');
    assert.deepEqual(await getStatus(friend, 'DELETE'), 200);
  });

  it("returns the same 404 for an unknown user and for a user outside the user's teams", async () => {
    const ownerWithoutAdmin = await test.withScopes(owner, ['workflows:write']);
    const put = (userId: number) =>
      ownerWithoutAdmin.request('PUT', `${path}/permissions`, { userId, role: 'VIEW' });
    const [unknown, nobody] = [await put(otherUser.userId), await put(2_000_000_000)];
    assert.deepEqual(
      [unknown.status, unknown.body],
      [404, { ...nobody.body, requestId: unknown.body.requestId }],
    );
    const team = String((await otherUser.request('POST', '/teams', { name: 'Common' })).body.id);
    await joinTeam(otherUser, team, owner, 'VIEWER');
    const { status, body } = await put(otherUser.userId);
    assert.deepEqual([status, body.userId, body.email], [200, otherUser.userId, null]);
    await otherUser.request('DELETE', `/teams/${team}/members/${owner.userId}`);
    assert.equal((await put(otherUser.userId)).status, 200, 'an existing share can be changed');
  });

  it('does not reveal the email of a user to another user who guesses the userId', async () => {
    const { body } = await share('VIEW');
    const list = await owner.request('GET', `${path}/permissions`);
    assert.ok(!JSON.stringify([body, list.body]).includes(friend.email));
  });

  it('changes the role of an existing share', async () => {
    await share('VIEW');
    await share('OWNER');
    const { body } = await owner.request<{ data: Permission[] }>('GET', `${path}/permissions`);
    assert.deepEqual(
      body.data.map(({ role }) => role),
      ['OWNER'],
    );
  });

  it('returns 403 to users who are neither creator nor shared owner', async () => {
    await share('EDIT');
    assert.equal((await share('OWNER', friend)).status, 403);
    assert.equal((await share('OWNER', otherUser)).status, 403);
    await share('OWNER');
    const response = await friend.request('PUT', `${path}/permissions`, {
      userId: otherUser.userId,
      role: 'VIEW',
    });
    assert.equal(response.status, 200);
    assert.equal(
      (await test.anonymous.request('PUT', `${path}/permissions`, { userId: 1, role: 'VIEW' })).status,
      401,
    );
  });

  it('returns 409 for a share with the creator', async () => {
    const response = await owner.request('PUT', `${path}/permissions`, {
      userId: owner.userId,
      role: 'VIEW',
    });
    assert.equal(response.status, 409);
  });

  it('returns 404 for an unknown user or workflow and 400 for an invalid role or user', async () => {
    const put = (body: object, workflowPath = path) =>
      owner.request('PUT', `${workflowPath}/permissions`, body);
    assert.equal((await put({ userId: 2_000_000_000, role: 'VIEW' })).status, 404);
    assert.equal((await put({ userId: friend.userId, role: 'VIEW' }, '/workflows/wf_none')).status, 404);
    assert.equal((await put({ userId: friend.userId, role: 'EDITOR' })).status, 400);
    assert.equal((await put({ role: 'VIEW' })).status, 400);
  });

  it('returns 401 insufficient_scope without workflows:write', async () => {
    const reader = await test.withScopes(owner, ['workflows:execute']);
    assertRefused(await share('VIEW', reader), 401, 'insufficient_scope');
  });
});

describe('GET /workflows/{id}/permissions', () => {
  it('lists shares only for owners', async () => {
    await share('EDIT');
    const { body } = await owner.request<{ data: Permission[]; nextCursor: null }>(
      'GET',
      `${path}/permissions`,
    );
    assert.deepEqual(
      body.data.map(({ userId, role }) => [userId, role]),
      [[friend.userId, 'EDIT']],
    );
    assert.equal(body.nextCursor, null);
    assert.equal((await friend.request('GET', `${path}/permissions`)).status, 403);
  });
});

describe('DELETE /workflows/{id}/permissions/{userId}', () => {
  it('revokes access immediately', async () => {
    await share('EDIT');
    const response = await owner.request('DELETE', `${path}/permissions/${friend.userId}`);
    assert.deepEqual([response.status, response.body], [200, { success: true }]);
    assert.equal(await getStatus(friend, 'GET'), 403);
    assert.equal((await owner.request('DELETE', `${path}/permissions/${friend.userId}`)).status, 404);
  });

  it('allows users to remove only their own share', async () => {
    await share('VIEW');
    assert.equal((await otherUser.request('DELETE', `${path}/permissions/${friend.userId}`)).status, 403);
    assert.equal((await friend.request('DELETE', `${path}/permissions/${friend.userId}`)).status, 200);
    assert.equal(await getStatus(friend, 'GET'), 403);
  });
});

describe('team membership', () => {
  it('gives access to workflows of the team according to the role', async () => {
    const team = String((await owner.request('POST', '/teams', { name: 'Studio' })).body.id);
    const member = `/teams/${team}/members/${friend.userId}`;
    await joinTeam(owner, team, friend, 'VIEWER');
    await test.deps.db.query('update workflows set team_id = $2 where id = $1', [
      path.split('/').at(-1),
      team,
    ]);
    assert.deepEqual([await getStatus(friend, 'GET'), await getStatus(friend, 'PUT')], [200, 403]);
    await owner.request('PATCH', member, { role: 'EDITOR' });
    assert.deepEqual([await getStatus(friend, 'PUT'), await getStatus(friend, 'DELETE')], [200, 403]);
    await owner.request('DELETE', member);
    assert.equal(await getStatus(friend, 'GET'), 403);
    await joinTeam(owner, team, friend, 'OWNER');
    assert.equal(await getStatus(friend, 'DELETE'), 200);
  });
});

describe('a share by email', () => {
  const put = (email: string, role: string) =>
    owner.request<Permission>('PUT', `${path}/permissions`, { email, role });
  const listShares = async () =>
    (await owner.request<{ data: Permission[] }>('GET', `${path}/permissions`)).body.data.map(
      ({ userId, name, email, role }) => ({ userId, name, email, role }),
    );

  it('hides the user until they open the workflow', async () => {
    const responses = [await put('nobody@example.com', 'VIEW'), await put(friend.email, 'VIEW')];
    const shares = responses.map(({ status, body: { userId, name, email, role } }) => ({
      ...{ status, userId, name, email, role },
    }));
    const hidden = { userId: null, name: null, role: 'VIEW' };
    assert.deepEqual(shares, [
      { status: 200, ...hidden, email: 'nobody@example.com' },
      { status: 200, ...hidden, email: friend.email },
    ]);
    assert.deepEqual(
      (await listShares()).map(({ userId }) => userId),
      [null, null],
    );
    const byId = await owner.request('DELETE', `${path}/permissions/${friend.userId}`);
    assert.equal(byId.status, 404, 'the id of a hidden share tells nothing');
    assert.equal(await getStatus(friend, 'GET'), 200);
    const name = friend.email.split('@')[0];
    assert.deepEqual((await listShares())[1], {
      userId: friend.userId,
      name,
      email: friend.email,
      role: 'VIEW',
    });
  });

  it('gives access to existing and later accounts in any letter case of the email', async () => {
    await put(friend.email.toUpperCase(), 'EDIT');
    assert.deepEqual([await getStatus(friend, 'PUT'), await getStatus(friend, 'DELETE')], [200, 403]);
    await put('Later@Example.com', 'VIEW');
    const later = await createPerson(test, owner, { email: 'later@example.com', name: 'Lee' });
    assert.equal((await later.request('GET', path)).status, 200);
    assert.equal((await listShares()).at(-1)?.name, 'Lee');
  });

  it('gives the stronger role if the user also has a share by id', async () => {
    await put(friend.email, 'EDIT');
    await share('VIEW');
    assert.equal(await getStatus(friend, 'PUT'), 200);
    const endShare = () => owner.request('DELETE', `${path}/permissions/${encodeURIComponent(friend.email)}`);
    assert.equal((await endShare()).status, 200);
    assert.deepEqual([await getStatus(friend, 'GET'), await getStatus(friend, 'PUT')], [200, 403]);
    assert.equal((await endShare()).status, 404);
    assert.equal((await owner.request('DELETE', `${path}/permissions/nonsense`)).status, 400);
  });

  it('can be removed by the user and changed by user id', async () => {
    await put(friend.email, 'VIEW');
    assert.equal((await friend.request('DELETE', `${path}/permissions/${friend.userId}`)).status, 200);
    assert.deepEqual(await listShares(), []);
    await put(friend.email, 'VIEW');
    assert.equal(await getStatus(friend, 'GET'), 200);
    const ownerWithoutAdmin = await test.withScopes(owner, ['workflows:write']);
    const role = { userId: friend.userId, role: 'EDIT' };
    const change = await ownerWithoutAdmin.request<Permission>('PUT', `${path}/permissions`, role);
    assert.deepEqual([change.status, change.body.email], [200, friend.email]);
    assert.equal((await listShares()).length, 1);
    assert.equal(
      (await ownerWithoutAdmin.request('DELETE', `${path}/permissions/${friend.userId}`)).status,
      200,
    );
    assert.equal(await getStatus(friend, 'GET'), 403);
  });

  it('gives no access after the user changed the email', async () => {
    const person = await test.createUser();
    await put(person.email, 'VIEW');
    assert.equal(await getStatus(person, 'GET'), 200);
    await test.deps.db.query("update users set email = 'moved@example.com' where id = $1", [person.userId]);
    assert.equal(await getStatus(person, 'GET'), 403);
    assert.deepEqual((await listShares())[0]?.userId, null);
  });

  it('counts toward the limit of 200 shares', async () => {
    await test.deps.db.query(
      `insert into workflow_email_shares (workflow_id, email, role)
       select $1, n || '@example.com', 'VIEW' from generate_series(1, 200) as n`,
      [path.split('/').at(-1)],
    );
    assert.equal((await put('one@example.com', 'VIEW')).status, 409);
    assert.equal((await put('7@example.com', 'EDIT')).status, 200);
    await share('VIEW');
    const emails: (string | null)[] = [];
    let cursor = '';
    do {
      const { body } = await owner.request<{ data: Permission[]; nextCursor: string | null }>(
        'GET',
        `${path}/permissions?limit=150${cursor}`,
      );
      emails.push(...body.data.map(({ email }) => email));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    assert.deepEqual([emails.length, new Set(emails).size], [201, 201]);
  });
});
