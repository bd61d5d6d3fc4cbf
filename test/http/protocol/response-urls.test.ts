// Tests that every 201 has a Location, that all URLs in responses are absolute, and that bodies with only optional
// properties may be absent.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Caller, Method, TestApp, TestResponse } from '../../support/app.ts';
import { createTestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow, PAIR } from '../../support/workflows.ts';

const SECRET = 'content-secret-0123456789';
const AUTHOR = { isAuthor: true };
const BASE = 'https://graphs.example';

interface Operation {
  readonly responses: Readonly<Record<string, object>>;
  readonly requestBody?: { readonly required: boolean };
}

let test: TestApp;
let caller: Caller;
let workflowId: string;
let teamId: string;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
before(async () => {
  test = await createTestApp({ env: { BASE_URL: BASE, CONTENT_WEBHOOK_SECRET: SECRET } });
  caller = await test.createCaller();
  workflowId = (await createWorkflow(caller)).id;
  teamId = String((await caller.request('POST', '/teams', { name: 'Team' })).body.id);
  await caller.request('PATCH', `/admin/users/${caller.userId}`, AUTHOR);
  ({ paths } = JSON.parse((await test.app.inject('/openapi.json')).body));
});
after(() => test.close());

const filterOperations = (matches: (operation: Operation) => boolean): string[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => matches(operation))
      .map(([method]) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
  );

const fillParameters = (path: string): string =>
  path
    .replace('/workflows/{id}', `/workflows/${workflowId}`)
    .replace('/teams/{id}', `/teams/${teamId}`)
    .replace('/templates/{id}', '/templates/tpl_quote-cards');

/** Creates a body for each route that returns 201. */
const BODIES: Readonly<Record<string, () => unknown>> = {
  'POST /workflows': () => ({ name: 'W', ...PAIR }),
  'POST /workflows/import': () => ({ format: 'graphwright-workflow', formatVersion: 1, name: 'W', ...PAIR }),
  'POST /workflows/{id}/duplicate': () => undefined,
  'POST /templates/{id}/duplicate': () => undefined,
  'POST /folders': () => ({ name: 'Folder' }),
  'POST /keys': () => ({ name: 'Key', scopes: ['workflows:read'] }),
  'POST /teams': () => ({ name: 'Another team' }),
  'POST /teams/{id}/invitations': () => ({ email: 'invited@example.com', role: 'VIEWER' }),
  'POST /admin/users': () => ({ email: 'new@example.com', name: 'New' }),
  'POST /workflows/{id}/schedules': () => ({ cron: '@daily' }),
  'POST /workflows/{id}/triggers': () => ({ kind: 'hook' }),
  'POST /credentials': () => ({
    kind: 'openai',
    name: 'Key',
    owner: 'workspace',
    values: { apiKey: 'sk-nobody-0123456789' },
  }),
  'POST /api/content/webhook': () => ({ slug: 'page', title: 'Page', type: 'TOOL', isPublished: true }),
};

async function send(route: string, body: unknown): Promise<TestResponse> {
  const [method, path = ''] = route.split(' ');
  const headers = path.startsWith('/api/content') ? { authorization: `Bearer ${SECRET}` } : {};
  return caller.request(method as Method, fillParameters(path), body, headers);
}

/** Returns the strings that look like paths of this service. */
function findRelativeUrls(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return /^\/(?:api|cdn|features|models|blog|flow)\//.test(value) ? [`${name}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => findRelativeUrls(member, `${name}/${key}`));
}

describe('POST routes that return 201', () => {
  it('are all covered by BODIES', () => {
    assert.deepEqual(
      filterOperations(({ responses }) => '201' in responses)
        // The body of this route is not JSON. The test of tables reads its Location.
        .filter(route => route !== 'POST /tables')
        .sort(),
      Object.keys(BODIES).sort(),
    );
  });

  for (const [route, createBody] of Object.entries(BODIES))
    it(`return a readable absolute Location (${route})`, async () => {
      const response = await send(route, createBody());
      assert.equal(response.status, 201, JSON.stringify(response.body));
      const location = String(response.headers.location);
      assert.ok(location.startsWith(`${BASE}/`), location);
      assert.deepEqual(findRelativeUrls(response.body), []);
      const url = location.slice(BASE.length);
      const resource = await test.app.inject({ url, headers: { authorization: `Bearer ${caller.key}` } });
      assert.equal(resource.statusCode, 200, url);
    });
});

describe('URLs in responses', () => {
  it('are absolute for runs and in lists', async () => {
    const run = await caller.request('POST', `/workflows/${workflowId}/run`);
    assert.equal(run.status, 202);
    const { urls } = run.body as unknown as { urls: Readonly<Record<string, string>> };
    assert.equal(run.headers.location, urls.self);
    for (const url of Object.values(urls)) assert.ok(url.startsWith(`${BASE}/api/v1/executions/`), url);
    for (const path of ['/executions', '/workflows', '/media', '/renderer/templates', '/templates'])
      assert.deepEqual(findRelativeUrls((await caller.request('GET', path)).body), [], path);
  });
});

describe('request bodies', () => {
  const ROUTES_WITH_OPTIONAL_BODY = [
    'POST /workflows/{id}/run',
    'POST /workflows/{id}/execute',
    'POST /workflows/{id}/estimate',
    'POST /workflows/{id}/lint',
    'POST /workflows/{id}/layout',
    'POST /workflows/{id}/duplicate',
    'POST /templates/{id}/duplicate',
    'POST /executions/{id}/resume',
    'PUT /workflows/{id}',
  ];

  it('are documented as optional if all of their properties are optional', () => {
    const optional = filterOperations(({ requestBody }) => requestBody?.required === false);
    for (const route of ROUTES_WITH_OPTIONAL_BODY) assert.ok(optional.includes(route), route);
    assert.ok(!optional.includes('POST /workflows'));
  });

  for (const route of ROUTES_WITH_OPTIONAL_BODY)
    it(`may be absent in ${route}`, async () => {
      const { status, body } = await send(route, undefined);
      const hasUnknownId = route.includes('/executions/');
      assert.ok(hasUnknownId ? status === 404 : status < 300, `${status} ${body?.error}`);
    });

  it('may be empty with content type application/json', async () => {
    const { status } = await caller.request('POST', `/workflows/${workflowId}/run`, undefined, {
      'content-type': 'application/json',
    });
    assert.equal(status, 202);
  });

  it('are required if a property is required', async () => {
    assertRefused(await caller.request('POST', '/workflows'), 400, 'invalid_request');
  });
});
