// Tests that request bodies with only optional properties may be absent.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, type Method, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

let test: TestApp;
let user: ApiUser;
let workflowId: string;
before(async () => {
  test = await openTestApp();
  user = await test.createUser();
  workflowId = (await createWorkflow(user)).id;
});
after(() => test.close());

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

  it('are documented as optional if all of their properties are optional', async () => {
    const { paths } = (await test.app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, { requestBody?: { required: boolean } }>>;
    }>();
    const isOptional = (route: string): boolean => {
      const [method = '', path] = route.split(' ');
      return paths[`/api/v1${path}`]?.[method.toLowerCase()]?.requestBody?.required === false;
    };
    for (const route of ROUTES_WITH_OPTIONAL_BODY) assert.ok(isOptional(route), route);
    assert.ok(!isOptional('POST /workflows'));
  });

  for (const route of ROUTES_WITH_OPTIONAL_BODY)
    it(`may be absent in ${route}`, async () => {
      const [method, path = ''] = route.split(' ');
      const url = path
        .replace('/workflows/{id}', `/workflows/${workflowId}`)
        .replace('/templates/{id}', '/templates/tpl_quote-cards');
      const { status, body } = await user.request(method as Method, url);
      const hasUnknownId = route.includes('/executions/');
      assert.ok(hasUnknownId ? status === 404 : status < 300, `${status} ${body?.error}`);
    });

  it('are objects and not null', async () => {
    for (const route of ROUTES_WITH_OPTIONAL_BODY) {
      const [method, path = ''] = route.split(' ');
      const url = path
        .replace('/workflows/{id}', `/workflows/${workflowId}`)
        .replace('/templates/{id}', '/templates/tpl_quote-cards');
      const response = await test.app.inject({
        method: method as 'POST',
        url: `/api/v1${url}`,
        headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
        payload: 'null',
      });
      assert.equal(response.statusCode, 400, route);
      assert.match(response.body, /must be an object/, route);
    }
  });

  it('may be empty with content type application/json', async () => {
    const { status } = await user.request('POST', `/workflows/${workflowId}/run`, undefined, {
      'content-type': 'application/json',
    });
    assert.equal(status, 202);
  });

  it('are required if a property is required', async () => {
    assertRefused(await user.request('POST', '/workflows'), 400, 'invalid_request');
  });
});
