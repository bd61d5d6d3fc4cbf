// Tests that the groups of an identity provider give roles in teams at each sign-in, and take only what they gave.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { CALLBACK_PATH } from '../../../src/services/sessions/openid.ts';
import { insertMember, insertTeam } from '../../../src/store/teams.ts';
import { createPerson, type Person, withCookie } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/network/identity-provider.ts';

const BASE_URL = 'http://localhost:3000';
let provider: IdentityProvider;
let test: TestApp;
let admin: ApiUser;
before(async () => {
  provider = await startIdentityProvider(BASE_URL + CALLBACK_PATH);
  test = await createTestApp({
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_ALLOWED_DOMAINS: 'example.com',
    },
  });
  admin = await test.createUser();
});
after(async () => {
  await test.close();
  await provider.close();
});
beforeEach(() => provider.tamper(undefined));

let teamCount = 0;
async function createTeam(): Promise<string> {
  const id = `team_${String(teamCount++).padStart(26, '0')}`;
  await insertTeam(test.deps.db, { id, name: `Team ${id}` });
  return id;
}

const map = (...mappings: readonly (readonly [group: string, teamId: string, role: string])[]) =>
  admin.request(
    'PUT',
    '/admin/groups',
    mappings.map(([group, teamId, role]) => ({ group, teamId, role })),
  );

/** Signs the person in at the provider and returns their client. */
async function signIn(subject: string, claims: object): Promise<Pick<Person, 'cookie' | 'request'>> {
  provider.people.set(subject, {
    email: `${subject}@example.com`,
    email_verified: true,
    name: subject,
    ...claims,
  });
  const start = await test.app.inject({ url: '/api/v1/auth/oidc' });
  const readCookies = (header: unknown): string =>
    [header ?? []]
      .flat()
      .map(text => String(text).split(';', 1)[0])
      .join('; ');
  const callbackUrl = await provider.visit(start.headers.location as string, subject);
  const callback = await test.app.inject({
    url: callbackUrl.slice(BASE_URL.length),
    headers: { cookie: readCookies(start.headers['set-cookie']) },
  });
  assert.equal(callback.statusCode, 303, callback.body);
  const session = readCookies(callback.headers['set-cookie']).match(/session=[^;]+/)?.[0];
  assert.ok(session, callback.headers.location as string);
  return withCookie(test, session);
}

/** Returns the roles of a person by team. */
async function readRoles({ request }: Pick<Person, 'request'>): Promise<Readonly<Record<string, string>>> {
  const { body } = await request<{ teams: readonly { id: string; role: string }[] }>('GET', '/auth/session');
  return Object.fromEntries(body.teams.map(({ id, role }) => [id, role]));
}

describe('the claim groups', () => {
  it('gives, changes and takes roles at each sign-in', async () => {
    const [design, ads] = [await createTeam(), await createTeam()];
    assert.equal(
      (await map(['designers', design, 'EDITOR'], ['leads', design, 'OWNER'], ['ads', ads, 'VIEWER'])).status,
      200,
    );
    assert.deepEqual(await readRoles(await signIn('ana', { groups: ['designers', 'unknown'] })), {
      [design]: 'EDITOR',
    });
    // The strongest role of several groups counts.
    assert.deepEqual(await readRoles(await signIn('ana', { groups: ['ads', 'leads', 'designers'] })), {
      [design]: 'OWNER',
      [ads]: 'VIEWER',
    });
    await insertMember(test.deps.db, design, admin.userId, 'OWNER');
    assert.deepEqual(await readRoles(await signIn('ana', { groups: ['designers'] })), { [design]: 'EDITOR' });
    assert.deepEqual(await readRoles(await signIn('ana', { groups: [] })), {});
  });

  it('changes nothing without the claim, and accepts a text for a single group', async () => {
    const team = await createTeam();
    await map(['single', team, 'VIEWER']);
    assert.deepEqual(await readRoles(await signIn('bea', { groups: 'single' })), { [team]: 'VIEWER' });
    for (const claims of [{}, { _claim_names: { groups: 'src1' } }, { groups: { a: 1 } }])
      assert.deepEqual(
        await readRoles(await signIn('bea', claims)),
        { [team]: 'VIEWER' },
        JSON.stringify(claims),
      );
    assert.deepEqual(await readRoles(await signIn('bea', { groups: '' })), {});
  });

  it('keeps the last owner of a team', async () => {
    const team = await createTeam();
    await map(['owners', team, 'OWNER']);
    assert.deepEqual(await readRoles(await signIn('carl', { groups: ['owners'] })), { [team]: 'OWNER' });
    assert.deepEqual(await readRoles(await signIn('carl', { groups: [] })), { [team]: 'OWNER' });
    await map();
    assert.deepEqual(await readRoles(await signIn('carl', { groups: [] })), { [team]: 'OWNER' });
    await map(['owners', team, 'OWNER']);
    await signIn('dora', { groups: ['owners'] });
    assert.deepEqual(await readRoles(await signIn('carl', { groups: [] })), {});
  });

  it('does not touch memberships that people made', async () => {
    const team = await createTeam();
    await insertMember(test.deps.db, team, admin.userId, 'OWNER');
    await map(['staff', team, 'OWNER']);
    const person = await signIn('eva', { groups: [] });
    const { userId } = (await person.request<{ userId: number }>('GET', '/me')).body;
    await insertMember(test.deps.db, team, userId, 'VIEWER');
    for (const groups of [['staff'], []])
      assert.deepEqual(await readRoles(await signIn('eva', { groups })), { [team]: 'VIEWER' });
  });

  it('leaves a membership to the owner who changes its role', async () => {
    const team = await createTeam();
    await insertMember(test.deps.db, team, admin.userId, 'OWNER');
    await map(['staff', team, 'EDITOR']);
    const person = await signIn('fay', { groups: ['staff'] });
    const { userId } = (await person.request<{ userId: number }>('GET', '/me')).body;
    const path = `/teams/${team}/members/${userId}`;
    assert.equal((await admin.request('GET', path)).body.fromGroup, true);
    const changed = await admin.request('PATCH', path, { role: 'VIEWER' });
    assert.deepEqual([changed.body.role, changed.body.fromGroup], ['VIEWER', false]);
    for (const groups of [['staff'], []])
      assert.deepEqual(await readRoles(await signIn('fay', { groups })), { [team]: 'VIEWER' });
  });

  it('lets nobody shed the limit of a membership by leaving and signing in again', async () => {
    const team = await createTeam();
    await insertMember(test.deps.db, team, admin.userId, 'OWNER');
    await map(['staff', team, 'EDITOR']);
    const person = await signIn('hal', { groups: ['staff'] });
    const { userId } = (await person.request<{ userId: number }>('GET', '/me')).body;
    const path = `/teams/${team}/members/${userId}`;
    assert.equal((await admin.request('PUT', `${path}/limit`, { monthlyCredits: 5 })).status, 200);
    for (const caller of [person, admin]) {
      const { status, body } = await caller.request('DELETE', path);
      assert.deepEqual([status, body.code], [409, 'conflict']);
    }
    const again = await signIn('hal', { groups: ['staff'] });
    assert.deepEqual(await readRoles(again), { [team]: 'EDITOR' });
    assert.equal((await admin.request('GET', path)).body.monthlyCredits, 5);
    // A role that an owner gives makes it an ordinary membership.
    await admin.request('PATCH', path, { role: 'EDITOR' });
    assert.equal((await admin.request('DELETE', path)).status, 200);
  });

  it('accepts a text that cannot be stored as no group', async () => {
    await map(['staff', await createTeam(), 'EDITOR']);
    assert.deepEqual(await readRoles(await signIn('ivy', { groups: 'nul\0' })), {});
  });

  it('ignores what is not a name, and more groups than a token holds', async () => {
    const team = await createTeam();
    await map(['g 9999', team, 'VIEWER']);
    const groups = [
      null,
      7,
      { a: [] },
      ['g 9999'],
      'nul\0',
      '\ud800',
      ...Array.from({ length: 9_000 }, (_, i) => `g ${i}`),
    ];
    assert.deepEqual(await readRoles(await signIn('gus', { groups })), {});
    assert.deepEqual(await readRoles(await signIn('gus', { groups: [...groups, 'g 9999'] })), {
      [team]: 'VIEWER',
    });
    const tooMany = Array.from({ length: 10_001 }, (_, index) => `h ${index}`);
    assert.deepEqual(await readRoles(await signIn('gus', { groups: tooMany })), { [team]: 'VIEWER' });
    const { rows } = await test.deps.db.query(
      'select group_name from claimed_groups where group_name like $1',
      ['g %'],
    );
    assert.deepEqual(rows, [{ group_name: 'g 9999' }]);
  });

  it('applies the groups of concurrent sign-ins once', async () => {
    const team = await createTeam();
    await map(['rush', team, 'EDITOR']);
    const people = await Promise.all(Array.from({ length: 6 }, () => signIn('hal', { groups: ['rush'] })));
    for (const person of people) assert.deepEqual(await readRoles(person), { [team]: 'EDITOR' });
  });
});

describe('PUT /admin/groups', () => {
  it('changes memberships at once', async () => {
    const team = await createTeam();
    await insertMember(test.deps.db, team, admin.userId, 'OWNER');
    await map(['crew', team, 'VIEWER']);
    const person = await signIn('ida', { groups: ['crew'] });
    const { body } = await map(['crew', team, 'EDITOR']);
    assert.deepEqual(body, [{ group: 'crew', teamId: team, teamName: `Team ${team}`, role: 'EDITOR' }]);
    assert.deepEqual(await readRoles(person), { [team]: 'EDITOR' });
    await map();
    assert.deepEqual(await readRoles(person), {});
    assert.deepEqual((await admin.request('GET', '/admin/groups')).body, []);
  });

  it('refuses unknown teams, repeated pairs and other people', async () => {
    const team = await createTeam();
    const refusals = [
      [map(['a', 'team_none', 'VIEWER']), '/0/teamId'],
      [map(['a', team, 'VIEWER'], ['a', team, 'OWNER']), '/1/group'],
      [map([' a', team, 'VIEWER']), '/0/group'],
      [map(['', team, 'VIEWER']), '/0/group'],
      [map(['a', team, 'ADMIN']), '/0/role'],
      [map(...Array.from({ length: 501 }, (_, i) => [`${i}`, team, 'VIEWER'] as const)), ''],
    ] as const;
    for (const [response, path] of refusals) {
      const { status, body } = await response;
      assert.equal(status, 400, path);
      assert.equal((body.issues as { path: string }[])[0]?.path, path);
    }
    const person = await createPerson(test, admin);
    for (const method of ['GET', 'PUT'] as const)
      assert.equal((await person.request(method, '/admin/groups', [])).status, 401);
  });
});
