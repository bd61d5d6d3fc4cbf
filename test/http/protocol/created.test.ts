// Tests that every created resource has an absolute Location where it can be read, renamed and deleted.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { createWorkflow, PAIR } from '../../support/workflows.ts';

const CONTENT_SECRET = 'content-secret-of-this-test';

interface Made {
  readonly method: 'POST';
  readonly path: string;
  readonly body: () => object | Promise<object>;
  /** A body that renames the resource, with its method. Absent if it has no name of its own. */
  readonly rename?: readonly [method: 'PUT' | 'PATCH', body: object];
  readonly isDeletable: boolean;
}

describe('a created resource', () => {
  let test: TestApp;
  let caller: Caller;
  let teamId: string;
  let workflowId: string;

  before(async () => {
    test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: CONTENT_SECRET } });
    caller = await test.createCaller();
    teamId = String((await caller.request('POST', '/teams', { name: 'T' })).body.id);
    workflowId = (await createWorkflow(caller)).id;
    await test.deps.db.query('update users set is_author = true where id = $1', [caller.userId]);
  });
  after(() => test.close());

  const named = () => ({ name: 'First' });
  const graph = () => ({ name: 'First', ...PAIR });
  const byName = ['PATCH', { name: 'Second' }] as const;
  /** One entry for each 201 of the OpenAPI document. */
  const table = (): Readonly<Record<string, Made>> => ({
    '/api/v1/workflows': {
      method: 'POST',
      path: '/workflows',
      body: graph,
      rename: ['PUT', { name: 'Second' }],
      isDeletable: true,
    },
    '/api/v1/workflows/import': { method: 'POST', path: '/workflows/import', body: graph, isDeletable: true },
    '/api/v1/workflows/{id}/duplicate': {
      method: 'POST',
      path: `/workflows/${workflowId}/duplicate`,
      body: named,
      isDeletable: true,
    },
    '/api/v1/templates/{id}/duplicate': {
      method: 'POST',
      path: '/templates/tpl_quote-cards/duplicate',
      body: named,
      isDeletable: true,
    },
    '/api/v1/folders': { method: 'POST', path: '/folders', body: named, rename: byName, isDeletable: true },
    '/api/v1/teams': { method: 'POST', path: '/teams', body: named, rename: byName, isDeletable: true },
    '/api/v1/teams/{id}/invitations': {
      method: 'POST',
      path: `/teams/${teamId}/invitations`,
      body: () => ({ email: 'invited@example.com', role: 'VIEWER' }),
      isDeletable: true,
    },
    '/api/v1/keys': {
      method: 'POST',
      path: '/keys',
      body: () => ({ name: 'First', scopes: ['workflows:read'] }),
      rename: byName,
      isDeletable: true,
    },
    '/api/v1/workflows/{id}/schedules': {
      method: 'POST',
      path: `/workflows/${workflowId}/schedules`,
      body: () => ({ name: 'First', cron: '@daily' }),
      rename: ['PATCH', { name: 'Second' }],
      isDeletable: true,
    },
    '/api/v1/workflows/{id}/triggers': {
      method: 'POST',
      path: `/workflows/${workflowId}/triggers`,
      body: () => ({ kind: 'hook', name: 'First' }),
      rename: byName,
      isDeletable: true,
    },
    '/api/v1/credentials': {
      method: 'POST',
      path: '/credentials',
      body: () => ({
        kind: 'openai',
        name: 'First',
        owner: 'workspace',
        values: { apiKey: 'sk-nobody-0123456789' },
      }),
      rename: byName,
      isDeletable: true,
    },
    // An account is disabled instead, because its resources are kept.
    '/api/v1/admin/users': {
      method: 'POST',
      path: '/admin/users',
      body: () => ({ name: 'First', email: 'first@example.com' }),
      rename: byName,
      isDeletable: false,
    },
  });

  const getLocationPath = (response: TestResponse): string => {
    const { location = '' } = response.headers;
    assert.ok(location.startsWith(`${test.deps.settings.BASE_URL}/api/v1/`), location);
    return location.slice(test.deps.settings.BASE_URL.length);
  };

  // The content webhook has a path of its own, and tables are no JSON: tests of their own read their addresses.
  it('is covered by this test', async () => {
    const { paths } = (await test.app.inject('/openapi.json')).json<{
      paths: Record<string, { post?: { responses: object } }>;
    }>();
    const making = Object.keys(paths).filter(path => 201 in (paths[path]?.post?.responses ?? {}));
    assert.deepEqual(
      making.toSorted(),
      [...Object.keys(table()), '/api/content/webhook', '/api/v1/tables'].toSorted(),
    );
  });

  it('can be read, renamed and deleted at its Location', async () => {
    for (const [name, { method, path, body, rename, isDeletable }] of Object.entries(table())) {
      const made = await caller.request(method, path, await body());
      assert.equal(made.status, 201, `${name}: ${made.body.error}`);
      const address = getLocationPath(made);
      const found = await caller.request('GET', address);
      assert.equal(found.status, 200, `${name}: ${found.body.error}`);
      for (const key of ['id', 'userId', 'name']) assert.deepEqual(found.body[key], made.body[key], name);
      if (rename !== undefined) {
        const renamed = await caller.request(rename[0], address, rename[1]);
        assert.deepEqual([renamed.status, renamed.body.name], [200, 'Second'], name);
        assert.equal((await caller.request('GET', address)).body.name, 'Second', name);
      }
      if (!isDeletable) continue;
      assert.deepEqual((await caller.request('DELETE', address)).body, { success: true }, name);
      assert.equal((await caller.request('GET', address)).status, 404, name);
    }
  });

  it('is readable at its public URL if it is a content page', async () => {
    const payload = { slug: 'made', title: 'Made', type: 'ARTICLE', isPublished: true };
    const headers = { authorization: `Bearer ${CONTENT_SECRET}` };
    const made = await test.app.inject({ method: 'POST', url: '/api/content/webhook', headers, payload });
    const address = `${test.deps.settings.BASE_URL}/blog/made`;
    assert.deepEqual([made.statusCode, made.headers.location, made.json().url], [201, address, address]);
    assert.equal((await test.app.inject('/blog/made')).statusCode, 200);
    const changed = await test.app.inject({
      method: 'PUT',
      url: '/api/content/webhook',
      headers,
      payload: { slug: 'made' },
    });
    assert.deepEqual([changed.statusCode, changed.json().url], [200, address]);
  });
});
