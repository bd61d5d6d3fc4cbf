// Tests that the groups of an identity provider, sent by SCIM, give their members roles in teams.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertMember, insertTeam } from '../../../src/store/teams.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { createScimClient, GROUP_SCHEMA, patchOf, type SendScim } from './scim-client.ts';

let test: TestApp;
let admin: ApiUser;
let send: SendScim;
before(async () => {
  test = await createTestApp();
  admin = await test.createUser();
  send = await createScimClient(test, admin);
});
after(() => test.close());

let count = 0;
async function createUserId(): Promise<string> {
  return (await send('POST', '/Users', { userName: `member${count++}@corp.example` })).body.id;
}

async function createTeam(): Promise<string> {
  const id = `team_${String(count++).padStart(26, '0')}`;
  await insertTeam(test.deps.db, { id, name: id });
  await insertMember(test.deps.db, id, admin.userId, 'OWNER');
  return id;
}

async function createGroup(displayName: string, ...userIds: readonly string[]): Promise<string> {
  const { status, body } = await send('POST', '/Groups', {
    schemas: [GROUP_SCHEMA],
    displayName,
    members: userIds.map(value => ({ value })),
  });
  assert.equal(status, 201, body.detail);
  return body.id;
}

const patch = async (id: string, ...operations: readonly object[]) => {
  const response = await send('PATCH', `/Groups/${id}`, patchOf(...operations));
  assert.deepEqual([response.status, response.body], [204, undefined], response.body?.detail);
};

const map = async (...rows: readonly (readonly [group: string, teamId: string, role: string])[]) => {
  const data = rows.map(([group, teamId, role]) => ({ group, teamId, role }));
  assert.equal((await admin.request('PUT', '/admin/groups', data)).status, 200);
};

/** Returns the roles in the team, without that of its owner. */
async function readRoles(teamId: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await test.deps.db.query<{ user_id: number; role: string }>(
    'select user_id, role from team_members where team_id = $1 and user_id <> $2',
    [teamId, admin.userId],
  );
  return Object.fromEntries(rows.map(({ user_id, role }) => [String(user_id), role]));
}

const readMembers = async (id: string) =>
  (await send('GET', `/Groups/${id}`)).body.members.map(({ value }) => value);

async function assertError(response: ReturnType<SendScim>, status: number, scimType?: string): Promise<void> {
  const { status: actual, body } = await response;
  assert.deepEqual([actual, body.scimType], [status, scimType], body.detail);
}

describe('a SCIM group', () => {
  it('gives its members the roles of the table', async () => {
    const team = await createTeam();
    const [ana, ben, cleo] = [await createUserId(), await createUserId(), await createUserId()];
    await map(['Designers', team, 'EDITOR'], ['Leads', team, 'OWNER']);
    const designers = await createGroup('Designers', ana, ben);
    assert.deepEqual(await readRoles(team), { [ana]: 'EDITOR', [ben]: 'EDITOR' });
    const leads = await createGroup('Leads', ana);
    assert.deepEqual(await readRoles(team), { [ana]: 'OWNER', [ben]: 'EDITOR' });
    await patch(designers, { op: 'Add', path: 'members', value: [{ value: cleo }] });
    await patch(designers, { op: 'Remove', path: `members[value eq "${ben}"]` });
    assert.deepEqual(await readRoles(team), { [ana]: 'OWNER', [cleo]: 'EDITOR' });
    assert.equal((await send('DELETE', `/Groups/${leads}`)).status, 204);
    assert.deepEqual(await readRoles(team), { [ana]: 'EDITOR', [cleo]: 'EDITOR' });
    assert.equal((await send('DELETE', `/Users/${cleo}`)).status, 204);
    assert.deepEqual(await readRoles(team), { [ana]: 'EDITOR' });
    assert.deepEqual(await readMembers(designers), [ana]);
    await map();
    assert.deepEqual(await readRoles(team), {});
    await map(['Designers', team, 'VIEWER']);
    assert.deepEqual(await readRoles(team), { [ana]: 'VIEWER' });
  });

  it('is found in the table by its name or external ID', async () => {
    const team = await createTeam();
    const user = await createUserId();
    const objectId = '7d4dd4cf-0000-4000-8000-24c4aefb1f4c';
    await map([objectId, team, 'VIEWER'], ['Renamed', team, 'EDITOR']);
    const id = await createGroup('Original', user);
    assert.deepEqual(await readRoles(team), {});
    await patch(id, { op: 'Add', path: 'externalId', value: objectId });
    assert.deepEqual(await readRoles(team), { [user]: 'VIEWER' });
    // As Okta renames a group.
    await patch(id, { op: 'replace', value: { id, displayName: 'Renamed' } });
    assert.deepEqual(await readRoles(team), { [user]: 'EDITOR' });
    await assertError(send('POST', '/Groups', { displayName: objectId }), 409, 'uniqueness');
    await assertError(
      send('POST', '/Groups', { displayName: 'x', externalId: 'renamed' }),
      409,
      'uniqueness',
    );
    await assertError(send('POST', '/Groups', { displayName: 'RENAMED' }), 409, 'uniqueness');
  });

  it('changes its members in all documented forms', async () => {
    const users = await Promise.all(Array.from({ length: 4 }, createUserId));
    const [a = '', b = '', c = '', d = ''] = users.toSorted((x, y) => Number(x) - Number(y));
    const id = await createGroup('Forms', a);
    // Okta
    await patch(
      id,
      { op: 'add', path: 'members', value: [{ value: b, display: 'b' }] },
      { op: 'remove', path: `members[value eq "${a}"]` },
    );
    assert.deepEqual(await readMembers(id), [b]);
    await patch(id, { op: 'replace', path: 'members', value: [{ value: c }, { value: d }] });
    assert.deepEqual(await readMembers(id), [c, d]);
    // Entra ID
    await patch(id, { op: 'Add', path: 'members', value: [{ $ref: null, value: a }] });
    await patch(id, { op: 'Remove', path: 'members', value: [{ $ref: null, value: c }] });
    assert.deepEqual(await readMembers(id), [a, d]);
    // Both, in one operation without a path.
    await patch(id, { op: 'add', value: { members: [{ value: b }] } });
    assert.deepEqual(await readMembers(id), [a, b, d]);
    await patch(id, { op: 'remove', path: 'members' });
    assert.deepEqual(await readMembers(id), []);
    const put = await send('PUT', `/Groups/${id}`, { displayName: 'Forms', members: [{ value: d }] });
    assert.deepEqual(put.body.members, [
      {
        value: d,
        display: `member${put.body.members[0]?.display.slice(6)}`,
        type: 'User',
        $ref: `${test.deps.settings.BASE_URL}/scim/v2/Users/${d}`,
      },
    ] as never);
    assert.deepEqual((await send('PUT', `/Groups/${id}`, { displayName: 'Forms' })).body.members.length, 1);
  });

  it('is found by name, external ID and member, with or without its members', async () => {
    const user = await createUserId();
    const id = await createGroup('Find me', user);
    await patch(id, { op: 'add', path: 'externalId', value: 'find-1' });
    const find = async (filter: string, query = '') =>
      (await send('GET', `/Groups?filter=${encodeURIComponent(filter)}${query}`)).body.Resources;
    for (const filter of [
      'displayName eq "find me"',
      'externalId eq "find-1"',
      `members.value eq "${user}"`,
      `id eq "${id}" and members eq "${user}"`,
    ]) {
      const [group] = await find(filter);
      assert.deepEqual([group?.id, group?.members.length], [id, 1], filter);
      const [withoutMembers] = await find(filter, '&excludedAttributes=members');
      assert.deepEqual([withoutMembers?.id, withoutMembers?.members], [id, undefined]);
    }
    for (const member of [String(admin.userId), '0', '99999999999', `${user} `, 'x', ''])
      assert.deepEqual(await find(`id eq "${id}" and members eq "${member}"`), [], member);
    const [onlyName] = await find(`id eq "${id}"`, '&attributes=displayName');
    assert.deepEqual(Object.keys(onlyName ?? {}), ['schemas', 'id', 'displayName']);
  });

  it('refuses members that the provider does not manage, and changes nothing then', async () => {
    const user = await createUserId();
    const id = await createGroup('Strict', user);
    const add = (value: unknown) =>
      send('PATCH', `/Groups/${id}`, patchOf({ op: 'replace', path: 'members', value }));
    for (const value of [
      [{ value: String(admin.userId) }],
      [{ value: user }, { value: '99999999' }],
      [{ value: id }],
      [{ value: 7 }],
      [null],
      [{}],
      'x',
    ])
      await assertError(add(value), 400, 'invalidValue');
    await assertError(
      add(Array.from({ length: 20_001 }, (_, index) => ({ value: `${index + 1}` }))),
      413,
      'tooMany',
    );
    for (const path of ['members[value eq "x"]', `members[display eq "x"]`, 'members[value eq ]'])
      assert.equal((await send('PATCH', `/Groups/${id}`, patchOf({ op: 'remove', path }))).status, 400, path);
    await assertError(
      send('PATCH', `/Groups/${id}`, patchOf({ op: 'replace', path: 'displayName', value: '' })),
      400,
      'invalidValue',
    );
    await assertError(send('POST', '/Groups', {}), 400, 'invalidValue');
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const)
      await assertError(
        send(
          method,
          '/Groups/grp_none',
          method === 'PATCH'
            ? patchOf({ op: 'remove', path: 'members' })
            : method === 'PUT'
              ? { displayName: 'x' }
              : undefined,
        ),
        404,
      );
    assert.deepEqual(await readMembers(id), [user]);
  });

  it('gives both roles if two requests add a member at the same time', async () => {
    const [first, second] = [await createTeam(), await createTeam()];
    const user = await createUserId();
    await map(['One', first, 'VIEWER'], ['Two', second, 'VIEWER'], ['One', second, 'VIEWER']);
    const [one, two] = [await createGroup('One'), await createGroup('Two', user)];
    const member = { path: 'members', value: [{ value: user }] };
    await Promise.all([patch(one, { op: 'add', ...member }), patch(two, { op: 'remove', ...member })]);
    assert.deepEqual(
      [await readRoles(first), await readRoles(second)],
      [{ [user]: 'VIEWER' }, { [user]: 'VIEWER' }],
    );
  });

  it('holds thousands of members, and does not send too many at once', async () => {
    await test.deps.db.query(
      `with u as (insert into users (email, name, plan) select 'bulk' || n || '@corp.example', 'Bulk', 'free' from generate_series(1, 12000) n returning id)
       insert into scim_users (user_id, user_name, created_at, updated_at) select id, 'bulk' || id, now(), now() from u`,
    );
    const { rows } = await test.deps.db.query<{ id: string }>(
      `select user_id::text as id from scim_users where user_name like 'bulk%'`,
    );
    const team = await createTeam();
    await map(['Everybody', team, 'VIEWER']);
    const ids = rows.map(({ id }) => id);
    const everybody = await createGroup('Everybody', ...ids);
    assert.equal(Object.keys(await readRoles(team)).length, 12_000);
    await createGroup('Everybody else', ...ids);
    await assertError(send('GET', '/Groups?count=200'), 413, 'tooMany');
    assert.equal((await send('GET', '/Groups?count=200&excludedAttributes=members')).status, 200);
    assert.equal((await readMembers(everybody)).length, 12_000);
    await patch(everybody, { op: 'remove', path: 'members' });
    assert.deepEqual(await readRoles(team), {});
  });
});
