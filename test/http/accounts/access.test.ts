// Tests who may use each workflow route, who gets 401, 403 or 404, and which scope the route requires.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Scope } from '../../../src/services/accounts/actor.ts';
import { upsertPermission } from '../../../src/store/permissions.ts';
import { deleteMember, insertMember, insertTeam } from '../../../src/store/teams.ts';
import { type ApiUser, type Method, openTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { PAIR } from '../../support/workflows.ts';

const TEAM = 'team_00000000000000000000000000';

const OWNERS = ['creator', 'team OWNER', 'shared OWNER'] as const;
const EDITORS = ['team EDITOR', 'shared EDIT'] as const;
const VIEWERS = ['team VIEWER', 'shared VIEW'] as const;
/** Users who created the workflow or uploaded its media, and have left its team since. */
const REMOVED = ['removed creator', 'removed uploader'] as const;
const PEOPLE = [...OWNERS, ...EDITORS, ...VIEWERS, ...REMOVED, 'stranger'] as const;
type Person = (typeof PEOPLE)[number];

/** The users who may use a route, if the link of the workflow is PRIVATE. */
const AUDIENCES = {
  owners: OWNERS,
  editors: [...OWNERS, ...EDITORS],
  readers: [...OWNERS, ...EDITORS, ...VIEWERS],
} as const satisfies Record<string, readonly Person[]>;

type Route = readonly [
  method: Method,
  path: string,
  audience: keyof typeof AUDIENCES,
  scope: Scope,
  body?: (userId: number) => unknown,
];

/** One line per route. The request with this body succeeds for everyone in the audience. */
const ROUTES: readonly Route[] = [
  ['GET', '', 'readers', 'workflows:read'],
  ['PUT', '', 'editors', 'workflows:write', () => ({ name: 'New' })],
  ['DELETE', '', 'owners', 'workflows:write'],
  ['POST', '/lint', 'readers', 'workflows:read', () => ({})],
  ['POST', '/layout', 'editors', 'workflows:write', () => ({})],
  ['POST', '/heartbeat', 'editors', 'workflows:write'],
  ['PUT', '/selection', 'readers', 'workflows:read', () => ({ nodeIds: [] })],
  ['GET', '/versions', 'editors', 'workflows:read'],
  ['GET', '/versions/1', 'editors', 'workflows:read'],
  ['POST', '/versions/1/restore', 'editors', 'workflows:write'],
  ['GET', '/export', 'editors', 'workflows:read'],
  ['POST', '/duplicate', 'editors', 'workflows:write', () => ({})],
  ['POST', '/visibility', 'owners', 'workflows:write', () => ({ linkPermission: 'PRIVATE' })],
  ['POST', '/publish', 'owners', 'workflows:write', () => ({ isPublished: false })],
  ['PUT', '/budget', 'owners', 'workflows:write', () => ({ dailyCreditBudget: 5 })],
  ['GET', '/permissions', 'owners', 'workflows:read'],
  ['PUT', '/permissions', 'owners', 'workflows:write', userId => ({ userId, role: 'VIEW' })],
  ['POST', '/run', 'editors', 'workflows:execute', () => ({})],
  ['POST', '/execute', 'editors', 'workflows:execute', () => ({})],
  ['GET', '/executions', 'editors', 'workflows:read'],
];

let test: TestApp;
let newUser: ApiUser;
/** Media of the team. */
let mediaId: string;
const people = new Map<Person, ApiUser>();

before(async () => {
  test = await openTestApp();
  const { db } = test.deps;
  for (const person of PEOPLE) people.set(person, await test.createUser());
  newUser = await test.createUser();
  await insertTeam(db, { id: TEAM, name: 'Team' });
  for (const role of ['OWNER', 'EDITOR', 'VIEWER'] as const)
    await insertMember(db, TEAM, getCaller(`team ${role}`).userId, role);
  await insertMember(db, TEAM, getCaller('creator').userId, 'VIEWER');
  await insertMember(db, TEAM, getCaller('removed uploader').userId, 'EDITOR');
  await getCaller('removed uploader').request('PUT', '/me/workspace', { teamId: TEAM });
  ({ mediaId } = await uploadPicture(getCaller('removed uploader')));
  await deleteMember(db, TEAM, getCaller('removed uploader').userId);
});
after(() => test.close());

function getCaller(person: Person): ApiUser {
  const user = people.get(person);
  assert(user !== undefined);
  return user;
}

/** Creates a private workflow in the team, shares it, and returns its path. */
async function createWorkflow(creator: Person = 'creator'): Promise<string> {
  const { db } = test.deps;
  const { status, body } = await getCaller(creator).request('POST', '/workflows', { name: 'W', ...PAIR });
  assert.equal(status, 201);
  const workflowId = String(body.id);
  await db.query('update workflows set team_id = $2, media_id = $3 where id = $1', [
    workflowId,
    TEAM,
    mediaId,
  ]);
  for (const role of ['OWNER', 'EDIT', 'VIEW'] as const)
    await upsertPermission(
      db,
      { workflowId, userId: getCaller(`shared ${role}`).userId, role },
      getCaller(creator).userId,
    );
  return `/workflows/${workflowId}`;
}

for (const [method, path, audience, scope, body] of ROUTES) {
  const sendRequest = (user: Pick<ApiUser, 'request'>, workflow: string) =>
    user.request(method, `${workflow}${path}`, body?.(newUser.userId));

  describe(`${method} /workflows/{id}${path}`, () => {
    it(`returns 403 forbidden to everyone except ${audience}`, async () => {
      for (const person of PEOPLE) {
        const creator = person === 'removed creator' ? person : 'creator';
        const response = await sendRequest(getCaller(person), await createWorkflow(creator));
        const isAllowed = (AUDIENCES[audience] as readonly Person[]).includes(person);
        if (isAllowed)
          assert.ok(response.status < 300, `${person}: ${response.status} ${response.body?.error}`);
        else assert.deepEqual([person, response.status, response.body.code], [person, 403, 'forbidden']);
      }
    });

    it('returns 401 unauthorized to anonymous clients', async () => {
      const { status, body: refusal, headers } = await sendRequest(test.anonymous, await createWorkflow());
      assert.deepEqual([status, refusal.code], [401, 'unauthorized']);
      assert.equal(headers['www-authenticate'], 'Bearer');
    });

    it('returns 404 not_found for an unknown workflow', async () => {
      const { status, body: refusal } = await sendRequest(
        getCaller('creator'),
        '/workflows/wf_00000000000000000000000000',
      );
      assert.deepEqual([status, refusal.code], [404, 'not_found']);
    });

    it(`requires the scope ${scope}`, async () => {
      const workflow = await createWorkflow();
      const scopes: readonly Scope[] = [
        'workflows:read',
        'workflows:write',
        ...(scope === 'workflows:read' ? [] : ['workflows:execute' as const]),
        'account:admin',
        'instance:admin',
      ];
      const callerWithoutScope = await test.withScopes(
        getCaller('creator'),
        scopes.filter(each => each !== scope),
      );
      const { status, body: refusal, headers } = await sendRequest(callerWithoutScope, workflow);
      // The only exception: a key without the scope reads like an anonymous visitor.
      const isRead = method === 'GET' && (path === '' || path === '/export');
      assert.deepEqual([status, refusal.code], [401, isRead ? 'unauthorized' : 'insufficient_scope']);
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
      assert.equal(headers['www-authenticate'], isRead ? 'Bearer' : challenge);
    });
  });
}

describe('linkPermission', () => {
  const REQUESTS = [
    ['VIEW', 'GET', '', 200],
    ['VIEW', 'POST', '/duplicate', 403],
    ['VIEW', 'GET', '/export', 403],
    ['VIEW', 'POST', '/run', 403],
    ['DUPLICATE', 'POST', '/duplicate', 201],
    ['DUPLICATE', 'GET', '/export', 200],
    ['DUPLICATE', 'PUT', '', 403],
  ] as const;
  for (const [linkPermission, method, path, expected] of REQUESTS) {
    it(`gives ${expected} to a stranger's ${method} /workflows/{id}${path} if linkPermission is ${linkPermission}`, async () => {
      const workflow = await createWorkflow();
      await getCaller('creator').request('POST', `${workflow}/visibility`, { linkPermission });
      const body = method === 'GET' ? undefined : {};
      assert.equal(
        (await getCaller('stranger').request(method, `${workflow}${path}`, body)).status,
        expected,
      );
    });
  }

  it('lets anonymous clients read a workflow but not duplicate it', async () => {
    const workflow = await createWorkflow();
    await getCaller('creator').request('POST', `${workflow}/visibility`, { linkPermission: 'DUPLICATE' });
    const { status, body } = await test.anonymous.request('GET', workflow);
    assert.deepEqual(
      [status, body.userRole, body.canEdit, body.canDuplicate],
      [200, 'ANONYMOUS', false, true],
    );
    assert.equal((await test.anonymous.request('POST', `${workflow}/duplicate`, {})).status, 401);
  });
});
