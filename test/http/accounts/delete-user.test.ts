// Tests changes of emails, the list of disabled accounts, and deletions that hand work to others.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

let test: TestApp;
let admin: ApiUser;
before(async () => {
  test = await createTestApp();
  admin = await test.createUser();
});
after(() => test.close());

const findUser = async (userId: number) =>
  (await admin.request<{ email: string }>('GET', `/admin/users/${userId}`)).body;
const listIds = async (query: string) => {
  const { body } = await admin.request<{ data: { userId: number }[] }>(
    'GET',
    `/admin/users?limit=200&${query}`,
  );
  return body.data.map(({ userId }) => userId);
};

describe('the email of an account', () => {
  it('is changed by administrators, and shares and invitations follow', async () => {
    const [owner, user] = [await test.createUser(), await test.createUser()];
    const { email } = await findUser(user.userId);
    const workflow = await createWorkflow(owner);
    const path = `/workflows/${workflow.id}`;
    await owner.request('PUT', `${path}/permissions`, { email, role: 'EDIT' });
    assert.equal((await user.request('GET', path)).status, 200);
    const newEmail = `moved-${user.userId}@example.com`;
    const { status, body } = await admin.request('PATCH', `/admin/users/${user.userId}`, { email: newEmail });
    assert.deepEqual([status, body.email], [200, newEmail]);
    assert.equal((await user.request('GET', path)).status, 200);
    const { body: me } = await user.request('GET', '/me');
    assert.equal(me.email, newEmail);
  });

  it('may not be that of another account, and ends open links', async () => {
    const [user, other] = [await test.createUser(), await test.createUser()];
    const { email } = await findUser(other.userId);
    const path = `/admin/users/${user.userId}`;
    assertRefused(await admin.request('PATCH', path, { email: email.toUpperCase() }), 409, 'conflict');
    assert.equal((await admin.request('PATCH', path, { email: 'nobody' })).status, 400);
    const { body: invited } = await admin.request('POST', '/admin/users', {
      email: `wrong-${user.userId}@example.com`,
      name: 'W',
      invite: true,
    });
    await admin.request('PATCH', `/admin/users/${invited.userId}`, {
      email: `right-${user.userId}@example.com`,
    });
    const token = String(invited.inviteUrl).split('#')[1];
    const accepted = await test.anonymous.request('POST', '/auth/accept-invite', {
      token,
      password: 'correct horse battery',
    });
    assertRefused(accepted, 400, 'invalid_link');
  });
});

describe('GET /admin/users', () => {
  it('lists only disabled accounts, or only the others', async () => {
    const user = await test.createUser();
    await admin.request('PATCH', `/admin/users/${user.userId}`, { disabled: true });
    assert.ok((await listIds('disabled=true')).includes(user.userId));
    assert.ok(!(await listIds('disabled=true')).includes(admin.userId));
    assert.ok(!(await listIds('disabled=false')).includes(user.userId));
  });
});

describe('DELETE /admin/users/{userId}', () => {
  const remove = (userId: number, transferTo: string | number, user = admin) =>
    user.request('DELETE', `/admin/users/${userId}?transferTo=${transferTo}`);

  it('hands workflows, folders and media to another user', async () => {
    const [user, heir] = [await test.createUser(), await test.createUser()];
    const workflow = await createWorkflow(user);
    const { mediaId } = await uploadPicture(user);
    const { body: folder } = await user.request('POST', '/folders', { name: 'F' });
    await user.request('PUT', `/workflows/${workflow.id}`, { folderId: folder.id });
    const { body: collection } = await user.request('POST', '/collections', {
      name: 'C',
      mediaIds: [mediaId],
    });
    const { status, body } = await remove(user.userId, heir.userId);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, { workflows: 1, media: 1 });
    const moved = await heir.request('GET', `/workflows/${workflow.id}`);
    assert.deepEqual([moved.body.isOwner, moved.body.folderId], [true, folder.id]);
    assert.equal((await heir.request('GET', `/media/${mediaId}`)).status, 200);
    assert.equal((await heir.request('GET', `/collections/${collection.id}`)).body.mediaCount, 1);
    assert.equal((await user.request('GET', '/me')).status, 401);
    assert.equal((await admin.request('GET', `/admin/users/${user.userId}`)).status, 404);
    assert.ok(!(await listIds('')).includes(user.userId));
    const { rows } = await test.deps.db.query<{ email: string; name: string }>(
      'select email, name from users where id = $1',
      [user.userId],
    );
    assert.deepEqual(rows, [{ email: `deleted-${user.userId}@deleted.invalid`, name: 'Deleted user' }]);
  });

  it('hands them to a team, and pauses schedules', async () => {
    const [user, owner] = [await test.createUser(), await test.createUser()];
    const { body: team } = await owner.request('POST', '/teams', { name: 'Studio' });
    const workflow = await createWorkflow(user);
    const { body: schedule } = await user.request('POST', `/workflows/${workflow.id}/schedules`, {
      name: 'Daily',
      cron: '0 9 * * *',
      timeZone: 'Europe/Berlin',
      version: 'current',
    });
    assert.match(String(schedule.id), /^sch_/);
    assert.equal((await remove(user.userId, String(team.id))).status, 200);
    const { body } = await owner.request('GET', `/workflows/${workflow.id}`);
    assert.equal(body.teamId, team.id);
    const kept = await owner.request('GET', `/schedules/${schedule.id}`);
    assert.equal(kept.body.isActive, false);
  });

  it('makes a user who gets the work an OWNER of teams without another one', async () => {
    const [user, heir] = [await test.createUser(), await test.createUser()];
    const { body: team } = await user.request('POST', '/teams', { name: 'Alone' });
    const { body: other } = await heir.request('POST', '/teams', { name: 'Other' });
    assertRefused(await remove(user.userId, String(other.id)), 409, 'last_owner');
    assert.equal((await remove(user.userId, heir.userId)).status, 200);
    const { body } = await heir.request('GET', `/teams/${team.id}`);
    assert.equal(body.role, 'OWNER');
  });

  it('refuses unknown heirs, active runs, the own account, and users without the scope', async () => {
    const [user, heir] = [await test.createUser(), await test.createUser()];
    for (const [transferTo, status] of [
      [user.userId, 400],
      [999_999_999, 404],
      ['team_unknown', 404],
    ] as const)
      assert.equal((await remove(user.userId, transferTo)).status, status, String(transferTo));
    assertRefused(await remove(admin.userId, heir.userId), 409, 'conflict');
    const workflow = await createWorkflow(user);
    const run = await user.request('POST', `/workflows/${workflow.id}/run`, {});
    assert.equal(run.status, 202);
    assertRefused(await remove(user.userId, heir.userId), 409, 'conflict');
    await user.request('POST', `/executions/${run.body.executionId}/cancel`);
    assert.equal((await remove(user.userId, heir.userId)).status, 200);
    assert.equal((await remove(user.userId, heir.userId)).status, 404);
  });
});
