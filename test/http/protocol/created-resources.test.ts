// Tests that every created resource can be read, renamed and deleted at an absolute Location, and that responses
// contain only absolute URLs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { createWorkflow, PAIR } from '../../support/workflows.ts';

const CONTENT_SECRET = 'content-secret-of-this-test';

interface Creation {
  readonly path: string;
  readonly body: object;
  /** Renames the resource. Absent if the resource has no name of its own or cannot be renamed. */
  readonly rename?: readonly [method: 'PUT' | 'PATCH', body: object];
  readonly isDeletable: boolean;
}

/** Returns the strings that look like paths of this service. */
function findRelativeUrls(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return /^\/(?:api|cdn|features|models|blog|flow)\//.test(value) ? [`${name}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => findRelativeUrls(member, `${name}/${key}`));
}

describe('a created resource', () => {
  let test: TestApp;
  let user: ApiUser;
  let teamId: string;
  let workflowId: string;

  before(async () => {
    test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: CONTENT_SECRET } });
    user = await test.createUser();
    teamId = String((await user.request('POST', '/teams', { name: 'T' })).body.id);
    workflowId = (await createWorkflow(user)).id;
    await test.deps.db.query('update users set is_author = true where id = $1', [user.userId]);
  });
  after(() => test.close());

  const namedBody = { name: 'First' };
  const graph = { name: 'First', ...PAIR };
  const patchName = ['PATCH', { name: 'Second' }] as const;
  /** Returns a creation for each operation of the OpenAPI document that returns 201. */
  const listCreations = (): Readonly<Record<string, Creation>> => ({
    '/api/v1/workflows': {
      path: '/workflows',
      body: graph,
      rename: ['PUT', { name: 'Second' }],
      isDeletable: true,
    },
    '/api/v1/workflows/import': { path: '/workflows/import', body: graph, isDeletable: true },
    '/api/v1/workflows/{id}/duplicate': {
      path: `/workflows/${workflowId}/duplicate`,
      body: namedBody,
      isDeletable: true,
    },
    '/api/v1/templates/{id}/duplicate': {
      path: '/templates/tpl_quote-cards/duplicate',
      body: namedBody,
      isDeletable: true,
    },
    '/api/v1/folders': { path: '/folders', body: namedBody, rename: patchName, isDeletable: true },
    '/api/v1/collections': { path: '/collections', body: namedBody, rename: patchName, isDeletable: true },
    '/api/v1/teams': { path: '/teams', body: namedBody, rename: patchName, isDeletable: true },
    '/api/v1/teams/{id}/invitations': {
      path: `/teams/${teamId}/invitations`,
      body: { email: 'invited@example.com', role: 'VIEWER' },
      isDeletable: true,
    },
    '/api/v1/keys': {
      path: '/keys',
      body: { name: 'First', scopes: ['workflows:read'] },
      rename: patchName,
      isDeletable: true,
    },
    '/api/v1/workflows/{id}/schedules': {
      path: `/workflows/${workflowId}/schedules`,
      body: { name: 'First', cron: '@daily' },
      rename: ['PATCH', { name: 'Second' }],
      isDeletable: true,
    },
    '/api/v1/workflows/{id}/triggers': {
      path: `/workflows/${workflowId}/triggers`,
      body: { kind: 'hook', name: 'First' },
      rename: patchName,
      isDeletable: true,
    },
    '/api/v1/credentials': {
      path: '/credentials',
      body: {
        kind: 'openai',
        name: 'First',
        owner: 'workspace',
        values: { apiKey: 'sk-nobody-0123456789' },
      },
      rename: patchName,
      isDeletable: true,
    },
    '/api/v1/admin/scim-token': { path: '/admin/scim-token', body: {}, isDeletable: false },
    // Accounts cannot be deleted, only disabled.
    '/api/v1/admin/users': {
      path: '/admin/users',
      body: { name: 'First', email: 'first@example.com' },
      rename: patchName,
      isDeletable: false,
    },
  });

  const getLocationPath = (response: TestResponse): string => {
    const { location = '' } = response.headers;
    assert.ok(location.startsWith(`${test.deps.settings.BASE_URL}/api/v1/`), location);
    return location.slice(test.deps.settings.BASE_URL.length);
  };

  // The test below reads the Location of a content page, and the tests of tables read that of a table. Passkeys have none.
  it('is covered by this file for every POST that returns 201', async () => {
    const { paths } = (await test.app.inject('/openapi.json')).json<{
      paths: Record<string, { post?: { responses: object } }>;
    }>();
    const creatingPaths = Object.keys(paths).filter(path => 201 in (paths[path]?.post?.responses ?? {}));
    assert.deepEqual(
      creatingPaths.toSorted(),
      [
        ...Object.keys(listCreations()),
        '/api/content/webhook',
        '/api/v1/tables',
        '/api/v1/auth/passkeys',
      ].toSorted(),
    );
  });

  it('can be read, renamed and deleted at its Location', async () => {
    for (const [name, { path, body, rename, isDeletable }] of Object.entries(listCreations())) {
      const created = await user.request('POST', path, body);
      assert.equal(created.status, 201, `${name}: ${created.body.error}`);
      assert.deepEqual(findRelativeUrls(created.body), [], name);
      const location = getLocationPath(created);
      const resource = await user.request('GET', location);
      assert.equal(resource.status, 200, `${name}: ${resource.body.error}`);
      for (const key of ['id', 'userId', 'name'])
        assert.deepEqual(resource.body[key], created.body[key], name);
      if (rename !== undefined) {
        const renameResponse = await user.request(rename[0], location, rename[1]);
        assert.deepEqual([renameResponse.status, renameResponse.body.name], [200, 'Second'], name);
        assert.equal((await user.request('GET', location)).body.name, 'Second', name);
      }
      if (!isDeletable) continue;
      assert.deepEqual((await user.request('DELETE', location)).body, { success: true }, name);
      assert.equal((await user.request('GET', location)).status, 404, name);
    }
  });

  it('has its public URL as Location if the resource is a content page', async () => {
    const payload = { slug: 'made', title: 'Made', type: 'ARTICLE', isPublished: true };
    const headers = { authorization: `Bearer ${CONTENT_SECRET}` };
    const created = await test.app.inject({ method: 'POST', url: '/api/content/webhook', headers, payload });
    const url = `${test.deps.settings.BASE_URL}/blog/made`;
    assert.deepEqual([created.statusCode, created.headers.location, created.json().url], [201, url, url]);
    assert.deepEqual(findRelativeUrls(created.json()), []);
    assert.equal((await test.app.inject('/blog/made')).statusCode, 200);
    const changeResponse = await test.app.inject({
      method: 'PUT',
      url: '/api/content/webhook',
      headers,
      payload: { slug: 'made' },
    });
    assert.deepEqual([changeResponse.statusCode, changeResponse.json().url], [200, url]);
  });

  it('has absolute URLs in runs and lists', async () => {
    const run = await user.request('POST', `/workflows/${workflowId}/run`);
    assert.equal(run.status, 202);
    const { urls } = run.body as unknown as { urls: Readonly<Record<string, string>> };
    assert.equal(run.headers.location, urls.self);
    const prefix = `${test.deps.settings.BASE_URL}/api/v1/executions/`;
    for (const url of Object.values(urls)) assert.ok(url.startsWith(prefix), url);
    for (const path of ['/executions', '/workflows', '/media', '/renderer/templates', '/templates'])
      assert.deepEqual(findRelativeUrls((await user.request('GET', path)).body), [], path);
  });
});
