// Tests the endpoints that administer accounts: create, list, change and disable.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

interface User {
  readonly userId: number;
  readonly email: string;
  readonly plan: string;
  readonly isAuthor: boolean;
  readonly disabled: boolean;
  readonly apiKey?: string;
}

let nowMs: number;
let test: TestApp;
let admin: ApiUser;
let count = 0;

before(async () => {
  nowMs = Date.now();
  test = await createTestApp({ now: () => nowMs, env: { DEFAULT_PLAN: 'starter' } });
  admin = await test.createUser();
});
after(() => test.close());

const create = (body: object = {}, user = admin) =>
  user.request<User>('POST', '/admin/users', { email: `new-${count++}@example.com`, name: 'New', ...body });
const requestMe = (key: string | undefined) =>
  test.anonymous.request('GET', '/me', undefined, { authorization: `Bearer ${key}` });

describe('POST /admin/users', () => {
  it('creates an account on the default plan', async () => {
    const { status, body } = await create();
    assert.equal(status, 201);
    assert.equal(typeof body.userId, 'number');
    assert.deepEqual(
      [body.plan, body.isAuthor, body.disabled, body.apiKey],
      ['starter', false, false, undefined],
    );
  });

  it('creates an API key if keyScopes is given', async () => {
    const { body } = await create({ keyScopes: ['workflows:read'], plan: 'pro', isAuthor: true });
    const response = await requestMe(body.apiKey);
    assert.equal(response.status, 200);
    assert.deepEqual(
      [response.body.userId, response.body.plan, response.body.isAuthor, response.body.scopes],
      [body.userId, 'pro', true, ['workflows:read']],
    );
  });

  it('returns 409 for the email of an existing account in any letter case', async () => {
    const { body } = await create();
    assertRefused(await create({ email: body.email.toUpperCase() }), 409, 'conflict');
  });

  it('creates one account if concurrent requests use the same email', async () => {
    const responses = await Promise.all([1, 2, 3].map(() => create({ email: 'race@example.com' })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409]);
  });

  it('returns 403 for scopes that the administrator lacks, without creating an account', async () => {
    const limited = await test.withScopes(admin, ['instance:admin']);
    const email = 'nobody@example.com';
    assert.equal((await create({ email, keyScopes: ['workflows:read'] }, limited)).status, 403);
    assert.equal((await create({ email }, limited)).status, 201);
  });

  for (const [label, body] of Object.entries({
    'an unknown plan': { plan: 'gold' },
    'the plan of anonymous clients': { plan: 'anonymous' },
    'an invalid email': { email: 'nobody' },
    'a blank name': { name: ' ' },
    'an unknown scope': { keyScopes: ['everything'] },
  })) {
    it(`returns 400 for ${label}`, async () => {
      assert.equal((await create(body)).status, 400);
    });
  }

  it('returns 401 insufficient_scope without instance:admin', async () => {
    const userWithoutScope = await test.withScopes(admin, ['account:admin', 'workflows:write']);
    const responses = [
      await create({}, userWithoutScope),
      await userWithoutScope.request('GET', '/admin/users'),
      await userWithoutScope.request('PATCH', '/admin/users/1', { plan: 'pro' }),
    ];
    for (const { status, body } of responses)
      assert.deepEqual([status, body.code], [401, 'insufficient_scope']);
  });
});

describe('GET /admin/users', () => {
  it('pages through all users by cursor', async () => {
    const userIds: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { body: { data: User[]; nextCursor: string | null } } = await admin.request(
        'GET',
        `/admin/users?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      userIds.push(...page.body.data.map(({ userId }) => userId));
      cursor = page.body.nextCursor;
    }
    const { rows } = await test.deps.db.query<{ id: number }>('select id from users order by id');
    assert.deepEqual(
      userIds,
      rows.map(({ id }) => id),
    );
  });
});

describe('PATCH /admin/users/{userId}', () => {
  it('changes only the sent fields', async () => {
    const { body: user } = await create({ isAuthor: true });
    const { status, body } = await admin.request<User>('PATCH', `/admin/users/${user.userId}`, {
      plan: 'enterprise',
    });
    assert.equal(status, 200);
    assert.deepEqual([body.plan, body.isAuthor, body.disabled], ['enterprise', true, false]);
  });

  it('disables and enables the keys of a user within five seconds', async () => {
    const { body: user } = await create({ keyScopes: ['workflows:read'] });
    const path = `/admin/users/${user.userId}`;
    assert.equal((await requestMe(user.apiKey)).status, 200);
    assert.equal((await admin.request<User>('PATCH', path, { disabled: true })).body.disabled, true);
    nowMs += 5000;
    assertRefused(await requestMe(user.apiKey), 401, 'invalid_api_key');
    await admin.request('PATCH', path, { disabled: false });
    nowMs += 5000;
    assert.equal((await requestMe(user.apiKey)).status, 200);
  });

  it('refuses administrators who would disable themselves', async () => {
    const response = await admin.request('PATCH', `/admin/users/${admin.userId}`, { disabled: true });
    assert.match(assertRefused(response, 409, 'conflict').error, /your own account/);
    assert.equal((await admin.request('GET', '/me')).status, 200);
  });

  it('returns 404 for an unknown user and 400 for an unknown plan', async () => {
    assert.equal((await admin.request('PATCH', '/admin/users/2000000000', { plan: 'pro' })).status, 404);
    assert.equal((await admin.request('PATCH', '/admin/users/1', { plan: 'gold' })).status, 400);
  });
});
