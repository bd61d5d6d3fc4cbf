// Direct shares of workflows over HTTP, and what they open.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { PAIR } from '../../support/workflows.ts';

interface Permission {
  readonly userId: number;
  readonly role: string;
}

let test: TestApp;
let owner: Caller;
let friend: Caller;
let stranger: Caller;
let path: string;

before(async () => {
  test = await createTestApp();
  [owner, friend, stranger] = [
    await test.createCaller(),
    await test.createCaller(),
    await test.createCaller(),
  ];
});
after(() => test.close());
beforeEach(async () => {
  const { status, body } = await owner.request('POST', '/workflows', { name: 'W', ...PAIR });
  assert.equal(status, 201);
  path = `/workflows/${body.id}`;
});

const share = (role: string, by = owner) =>
  by.request<Permission>('PUT', `${path}/permissions`, { userId: friend.userId, role });
const statusOf = async (by: Pick<Caller, 'request'>, method: 'GET' | 'PUT' | 'DELETE'): Promise<number> =>
  (await by.request(method, path, method === 'PUT' ? { name: 'New' } : undefined)).status;

describe('PUT /workflows/{id}/permissions', () => {
  it('opens a private workflow as far as the role goes', async () => {
    assert.deepEqual(await statusOf(friend, 'GET'), 403);
    await share('VIEW');
    assert.deepEqual([await statusOf(friend, 'GET'), await statusOf(friend, 'PUT')], [200, 403]);
    await share('EDIT');
    assert.deepEqual([await statusOf(friend, 'PUT'), await statusOf(friend, 'DELETE')], [200, 403]);
    await share('OWNER');
    assert.deepEqual(await statusOf(friend, 'DELETE'), 200);
  });

  it('names the user by id or by email and answers with the share', async () => {
    const { status, body } = await owner.request<Permission>('PUT', `${path}/permissions`, {
      email: friend.email,
      role: 'EDIT',
    });
    assert.equal(status, 200);
    assert.deepEqual([body.userId, body.role], [friend.userId, 'EDIT']);
  });

  it("shows nobody's email to one who guesses a userId", async () => {
    const { body } = await share('VIEW');
    const listed = await owner.request('GET', `${path}/permissions`);
    assert.ok(!JSON.stringify([body, listed.body]).includes(friend.email));
  });

  it('changes the role of a share there is', async () => {
    await share('VIEW');
    await share('OWNER');
    const { body } = await owner.request<{ data: Permission[] }>('GET', `${path}/permissions`);
    assert.deepEqual(
      body.data.map(({ role }) => role),
      ['OWNER'],
    );
  });

  it('is for owners, a share as OWNER included; 403 for others, 401 for nobody', async () => {
    await share('EDIT');
    assert.equal((await share('OWNER', friend)).status, 403);
    assert.equal((await share('OWNER', stranger)).status, 403);
    await share('OWNER');
    const answer = await friend.request('PUT', `${path}/permissions`, {
      userId: stranger.userId,
      role: 'VIEW',
    });
    assert.equal(answer.status, 200);
    assert.equal(
      (await test.anonymous.request('PUT', `${path}/permissions`, { userId: 1, role: 'VIEW' })).status,
      401,
    );
  });

  it('refuses the creator, with 409', async () => {
    const answer = await owner.request('PUT', `${path}/permissions`, { userId: owner.userId, role: 'VIEW' });
    assert.equal(answer.status, 409);
  });

  it('answers 404 for an unknown user or workflow, 400 for a wrong role or no user', async () => {
    const put = (body: object, at = path) => owner.request('PUT', `${at}/permissions`, body);
    assert.equal((await put({ email: 'nobody@example.com', role: 'VIEW' })).status, 404);
    assert.equal((await put({ userId: friend.userId, role: 'VIEW' }, '/workflows/wf_none')).status, 404);
    assert.equal((await put({ userId: friend.userId, role: 'EDITOR' })).status, 400);
    assert.equal((await put({ role: 'VIEW' })).status, 400);
  });

  it('needs workflows:write, or answers 401 insufficient_scope', async () => {
    const reader = await test.withScopes(owner, ['workflows:execute']);
    const { status, body } = await share('VIEW', reader);
    assert.equal(status, 401);
    assert.equal(body.code, 'insufficient_scope');
  });
});

describe('GET /workflows/{id}/permissions', () => {
  it('lists the shares to owners alone', async () => {
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
  it('ends the share at once', async () => {
    await share('EDIT');
    const answer = await owner.request('DELETE', `${path}/permissions/${friend.userId}`);
    assert.deepEqual([answer.status, answer.body], [200, { success: true }]);
    assert.equal(await statusOf(friend, 'GET'), 403);
    assert.equal((await owner.request('DELETE', `${path}/permissions/${friend.userId}`)).status, 404);
  });

  it("gives one's own share back, and nobody else's", async () => {
    await share('VIEW');
    assert.equal((await stranger.request('DELETE', `${path}/permissions/${friend.userId}`)).status, 403);
    assert.equal((await friend.request('DELETE', `${path}/permissions/${friend.userId}`)).status, 200);
    assert.equal(await statusOf(friend, 'GET'), 403);
  });
});

describe('access by a team', () => {
  it('follows the role in the team of the workflow, and ends with it', async () => {
    const team = (await owner.request('POST', '/teams', { name: 'Studio' })).body.id;
    const member = `/teams/${team}/members/${friend.userId}`;
    await owner.request('POST', `/teams/${team}/members`, { userId: friend.userId, role: 'VIEWER' });
    await test.deps.db.query('update workflows set team_id = $2 where id = $1', [
      path.split('/').at(-1),
      team,
    ]);
    assert.deepEqual([await statusOf(friend, 'GET'), await statusOf(friend, 'PUT')], [200, 403]);
    await owner.request('PATCH', member, { role: 'EDITOR' });
    assert.deepEqual([await statusOf(friend, 'PUT'), await statusOf(friend, 'DELETE')], [200, 403]);
    await owner.request('DELETE', member);
    assert.equal(await statusOf(friend, 'GET'), 403);
    await owner.request('POST', `/teams/${team}/members`, { userId: friend.userId, role: 'OWNER' });
    assert.equal(await statusOf(friend, 'DELETE'), 200);
  });
});
