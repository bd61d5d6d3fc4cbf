// Tests team invitations over HTTP: emails with and without an account, and who may see, accept and revoke them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertUser } from '../../../src/store/users.ts';
import { createPerson, joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly expiresAt: string;
  readonly isExpired: boolean;
  readonly url: string;
}

const DAY_MS = 86_400_000;

let test: TestApp;
let owner: ApiUser;
let now: number;
before(async () => {
  now = Date.now();
  test = await createTestApp({ now: () => now });
  owner = await test.createUser();
});
after(() => test.close());

const createTeam = async (): Promise<string> =>
  (await owner.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;

async function invite(teamId: string, email: string, role = 'EDITOR'): Promise<Invitation> {
  const { status, body } = await owner.request<Invitation>('POST', `/teams/${teamId}/invitations`, {
    email,
    role,
  });
  assert.equal(status, 201, body.error);
  return body;
}

const listPending = async (teamId: string): Promise<readonly Invitation[]> =>
  (await owner.request<{ data: Invitation[] }>('GET', `/teams/${teamId}/invitations`)).body.data;
const listReceived = async (user: Pick<ApiUser, 'request'>): Promise<readonly { readonly id: string }[]> =>
  (await user.request<{ data: { id: string }[] }>('GET', '/invitations')).body.data;
const readRole = async (teamId: string, { userId }: { readonly userId: number }): Promise<unknown> =>
  (await owner.request('GET', `/teams/${teamId}/members/${userId}`)).body.role;

describe('an invitation to a team', () => {
  it('can be accepted by a user whose account is created later', async () => {
    const teamId = await createTeam();
    const invitation = await invite(teamId, '  New.Person@Example.com ', 'VIEWER');
    assert.equal(invitation.email, 'New.Person@Example.com');
    assert.ok(invitation.url.endsWith(`/settings/teams?invitation=${invitation.id}`), invitation.url);
    assert.equal(Date.parse(invitation.expiresAt) - now, 7 * DAY_MS);
    const person = await createPerson(test, owner, { email: 'new.person@example.com', name: 'Bea' });
    const session = await person.request('GET', '/auth/session');
    assert.deepEqual([session.body.invitations, session.body.teams], [1, []]);
    assert.deepEqual(
      (await listReceived(person)).map(({ id }) => id),
      [invitation.id],
    );
    const read = await person.request('GET', `/invitations/${invitation.id}`);
    assert.deepEqual([read.body.team, read.body.role], [{ id: teamId, name: 'Studio' }, 'VIEWER']);
    const accepted = await person.request('POST', `/invitations/${invitation.id}/accept`);
    assert.deepEqual([accepted.status, accepted.body.id, accepted.body.role], [200, teamId, 'VIEWER']);
    assert.equal(await readRole(teamId, person), 'VIEWER');
    assert.deepEqual([await listPending(teamId), await listReceived(person)], [[], []]);
    assert.equal((await person.request('GET', '/auth/session')).body.invitations, 0);
    assertRefused(await person.request('POST', `/invitations/${invitation.id}/accept`), 404, 'not_found');
  });

  it('does not show the owner whether the email has an account', async () => {
    const teamId = await createTeam();
    const member = await test.createUser();
    await joinTeam(owner, teamId, member, 'VIEWER');
    const userWithAccount = await test.createUser();
    const responses = [];
    for (const email of ['nobody@example.com', userWithAccount.email, member.email]) {
      const { status, body } = await owner.request('POST', `/teams/${teamId}/invitations`, {
        email,
        role: 'EDITOR',
      });
      responses.push({ status, body: { ...body, id: '', email: '', url: '' } });
    }
    assert.deepEqual([responses[1], responses[2]], [responses[0], responses[0]]);
    assert.equal((await listPending(teamId)).length, 3);
    assert.equal(await readRole(teamId, member), 'VIEWER');
    assert.deepEqual(await listReceived(member), []);
    assert.equal((await listReceived(userWithAccount)).length, 1);
    const { rows } = await test.deps.db.query('select from users where email = $1', ['nobody@example.com']);
    assert.equal(rows.length, 0, 'no account is made');
  });

  it('never changes the role of an existing member', async () => {
    const teamId = await createTeam();
    const member = await test.createUser();
    const { id } = await invite(teamId, member.email, 'VIEWER');
    const byId = { userId: member.userId, role: 'OWNER' };
    const second = await owner.request('POST', `/teams/${teamId}/members`, byId);
    assert.equal((await member.request('POST', `/invitations/${second.body.id}/accept`)).status, 200);
    assert.equal((await member.request('POST', `/invitations/${id}/accept`)).body.role, 'OWNER');
  });

  it('gets the new role and expiry if the email is invited again', async () => {
    const teamId = await createTeam();
    const person = await test.createUser();
    const first = await invite(teamId, person.email, 'VIEWER');
    now += 8 * DAY_MS;
    assert.deepEqual(
      (await listPending(teamId)).map(item => item.isExpired),
      [true],
    );
    assert.deepEqual(await listReceived(person), []);
    assertRefused(await person.request('POST', `/invitations/${first.id}/accept`), 404, 'not_found');
    const second = await invite(teamId, person.email.toUpperCase(), 'EDITOR');
    assert.deepEqual([second.id, second.role, second.isExpired], [first.id, 'EDITOR', false]);
    assert.equal((await person.request('POST', `/invitations/${first.id}/accept`)).body.role, 'EDITOR');
  });

  it('cannot be accepted after it was declined or revoked', async () => {
    const teamId = await createTeam();
    const person = await test.createUser();
    const declined = await invite(teamId, person.email);
    assert.equal((await person.request('DELETE', `/invitations/${declined.id}`)).status, 200);
    const revoked = await invite(teamId, person.email);
    const path = `/teams/${teamId}/invitations/${revoked.id}`;
    assert.equal((await owner.request('DELETE', path)).status, 200);
    assertRefused(await owner.request('DELETE', path), 404, 'not_found');
    for (const { id } of [declined, revoked])
      assertRefused(await person.request('POST', `/invitations/${id}/accept`), 404, 'not_found');
    assert.equal(await readRole(teamId, person), undefined);
  });

  it('can be read, accepted and declined only by the invited user', async () => {
    const teamId = await createTeam();
    const otherUser = await test.createUser();
    const { id } = await invite(teamId, 'somebody@example.com');
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/accept'],
    ] as const) {
      const response = await otherUser.request(method, `/invitations/${id}${path}`);
      assert.doesNotMatch(JSON.stringify(assertRefused(response, 403, 'forbidden')), /somebody|Studio/);
    }
    assert.equal((await listPending(teamId)).length, 1);
  });

  it('can be sent, listed and revoked by owners only', async () => {
    const teamId = await createTeam();
    const { id } = await invite(teamId, 'somebody@example.com');
    const [editor, otherUser] = await test.createUsers(2);
    await joinTeam(owner, teamId, editor, 'EDITOR');
    const path = `/teams/${teamId}/invitations`;
    for (const [user, status, code] of [
      [editor, 403, 'forbidden'],
      [otherUser, 404, 'not_found'],
    ] as const) {
      assertRefused(await user.request('POST', path, { email: user.email, role: 'OWNER' }), status, code);
      assertRefused(await user.request('GET', path), status, code);
      assertRefused(await user.request('GET', `${path}/${id}`), status, code);
      assertRefused(await user.request('DELETE', `${path}/${id}`), status, code);
    }
    const otherTeam = await createTeam();
    assertRefused(await owner.request('DELETE', `/teams/${otherTeam}/invitations/${id}`), 404, 'not_found');
  });

  it('names no inviter whose account was deleted', async () => {
    const teamId = await createTeam();
    const inviter = await test.createUser();
    await joinTeam(owner, teamId, inviter, 'OWNER');
    const email = 'invited@example.com';
    await inviter.request('POST', `/teams/${teamId}/invitations`, { email, role: 'VIEWER' });
    const readInviter = async () =>
      (await owner.request<{ data: { invitedBy: string | null }[] }>('GET', `/teams/${teamId}/invitations`))
        .body.data[0]?.invitedBy;
    assert.equal(typeof (await readInviter()), 'string');
    const path = `/admin/users/${inviter.userId}?transferTo=${owner.userId}`;
    assert.equal((await owner.request('DELETE', path)).status, 200);
    assert.equal(await readInviter(), null);
  });

  it('accepts only one of several concurrent answers', async () => {
    const person = await test.createUser();
    const teamId = await createTeam();
    const { id } = await invite(teamId, person.email);
    const responses = await Promise.all([
      person.request('POST', `/invitations/${id}/accept`),
      person.request('DELETE', `/invitations/${id}`),
      owner.request('DELETE', `/teams/${teamId}/invitations/${id}`),
    ]);
    assert.deepEqual(responses.map(item => item.status).toSorted(), [200, 404, 404]);
    const deletedTeam = await createTeam();
    const last = await invite(deletedTeam, person.email);
    const [deleted, accepted] = await Promise.all([
      owner.request('DELETE', `/teams/${deletedTeam}`),
      person.request('POST', `/invitations/${last.id}/accept`),
    ]);
    assert.equal(deleted.status, 200);
    // Whichever is first, nothing of the team is left.
    assert.ok([200, 404].includes(accepted.status), `${accepted.status}`);
    assert.deepEqual(await listReceived(person), []);
    const { rows } = await test.deps.db.query('select from team_members where team_id = $1', [deletedTeam]);
    assert.equal(rows.length, 0);
  });

  it('counts toward the limit of 100 invitations per team', async () => {
    const teamId = await createTeam();
    await test.deps.db.query(
      `insert into team_invitations (id, team_id, email, role, created_at, expires_at)
       select 'inv_' || n, $1, n || '@example.com', 'VIEWER', now(), now() from generate_series(1, 100) as n`,
      [teamId],
    );
    const response = await owner.request('POST', `/teams/${teamId}/invitations`, {
      email: 'one@example.com',
      role: 'VIEWER',
    });
    assertRefused(response, 409, 'conflict');
    assert.equal((await invite(teamId, '7@example.com')).id, 'inv_7');
  });

  it('requires an email and a team role', async () => {
    const teamId = await createTeam();
    for (const body of [
      {},
      { email: 'no email', role: 'VIEWER' },
      { email: 'a@b', role: 'KING' },
      { email: 'a@b', role: 'OWNER', userId: 1 },
      { email: `${'a'.repeat(254)}@b`, role: 'OWNER' },
      { email: 'a\u0000@b', role: 'OWNER' },
    ])
      assertRefused(
        await owner.request('POST', `/teams/${teamId}/invitations`, body),
        400,
        'invalid_request',
      );
  });

  it('returns an email with a script unchanged', async () => {
    const email = '"><script>alert(1)</script>@example.com';
    assert.equal((await invite(await createTeam(), email)).email, email);
  });

  it('remains when the account of the sender is deleted', async () => {
    const teamId = await createTeam();
    const { id } = await invite(teamId, 'orphan@example.com');
    const { db } = test.deps;
    const userId = await insertUser(db, {
      email: 'gone@example.com',
      name: 'G',
      plan: 'free',
      isAuthor: false,
    });
    await db.query('update team_invitations set invited_by = $2 where id = $1', [id, userId]);
    await db.query('delete from users where id = $1', [userId]);
    const [sent] = await listPending(teamId);
    assert.equal((sent as unknown as { invitedBy: unknown }).invitedBy, null);
  });
});
