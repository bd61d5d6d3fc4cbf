// Tests that error messages for unknown values, properties, inputs and paths say what is allowed and probably meant.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SCOPES } from '../../../src/services/accounts/actor.ts';
import { type ApiUser, type Method, openTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow, edge, node } from '../../support/workflows.ts';

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: {
          readonly parameters?: readonly {
            readonly in: string;
            readonly name: string;
            readonly schema: { readonly enum?: readonly string[] };
          }[];
        };
      }
    >
  >;
}

/** The number of values that a message names. */
const MAX_LISTED = 20;

let test: TestApp;
let user: ApiUser;
let workflow: string;
before(async () => {
  test = await openTestApp();
  user = await test.createUser();
  const nodes = [
    node('place', 'input:text', {}),
    node('look', 'input:text', {}),
    node('p', 'output:preview'),
  ];
  workflow = (await createWorkflow(user, { nodes, edges: [edge('place.text > p.input')] })).id;
});
after(() => test.close());

/** Sends an invalid request and returns the error message. */
async function getError(method: Method, path: string, body?: unknown): Promise<string> {
  const response = await user.request<{ error: string }>(method, path, body);
  assert.ok([400, 404, 414].includes(response.status), `${response.status}`);
  return response.body.error;
}
const getRunError = (body: object): Promise<string> => getError('POST', `/workflows/${workflow}/run`, body);

describe('an error message', () => {
  it('lists the allowed values', async () =>
    assert.equal(
      await getError('GET', '/executions?status=done'),
      'The query at /status must be one of "QUEUED", "RUNNING", "WAITING", "CANCELLING", "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", not "done".',
    ));

  it('lists the allowed values of every query parameter that has such values', async () => {
    const admin = await test.createUser({ scopes: SCOPES });
    const document = (await test.app.inject('/openapi.json')).json() as OpenApi;
    const parameters = Object.entries(document.paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? [])
        .filter(parameter => parameter.in === 'query' && parameter.schema.enum !== undefined)
        .map(({ name, schema }) => ({ path, name, values: schema.enum ?? [] })),
    );
    assert.ok(parameters.length >= 20, String(parameters.length));
    for (const { path, name, values } of parameters) {
      const url = `${path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, 'x')}?${name}=nope`;
      const { body } = await admin.request<{ error: string }>('GET', url);
      const listed = values
        .slice(0, MAX_LISTED)
        .map(value => JSON.stringify(value))
        .join(', ');
      const allowed =
        values.length > MAX_LISTED ? `${listed} and ${values.length - MAX_LISTED} more` : listed;
      assert.equal(body.error, `The query at /${name} must be one of ${allowed}, not "nope".`, url);
    }
  });

  it('names a missing property', async () =>
    assert.equal(await getError('POST', '/folders', {}), 'The body at /name is missing.'));

  it('names the allowed type', async () => {
    assert.equal(await getError('PUT', `/workflows/${workflow}`, []), 'The body must be an object.');
    assert.equal(await getRunError({ inputs: 7 }), 'The body at /inputs must be an object.');
    assert.equal(await getRunError({ targets: {} }), 'The body at /targets must be a list.');
  });

  it('names the nearest input and lists all inputs', async () => {
    assert.equal(
      await getRunError({ inputs: { palce: 'Oslo' } }),
      'The workflow has no input "palce". Did you mean "place"? Its inputs are place, look.',
    );
    assert.match(
      await getRunError({ inputs: { zzzzzzzz: 1 } }),
      /"zzzzzzzz"\. Its inputs are place, look\.$/,
    );
  });

  it('suggests the nearest property or the path where the property belongs', async () => {
    assert.equal(
      await getRunError({ metdata: {} }),
      'The body at /metdata is not a known property; the nearest one is metadata.',
    );
    assert.equal(
      await getRunError({ secret: 'x' }),
      'The body at /secret is not a known property: it belongs at /webhook/secret.',
    );
    assert.equal(
      await getRunError({ place: 'Oslo' }),
      'The body at /place is not a known property: a value for an input node belongs at /inputs/place.',
    );
    assert.match(
      await getError('POST', '/folders', { zzzzzzzzzz: 1, name: 'F' }),
      /is not a known property; the known ones are .*name/,
    );
  });

  it('names the nearest node type, with or without its category', async () => {
    for (const [unknownType, nearestType] of [
      ['input:txt', 'input:text'],
      ['text_templte', 'utility:text_template'],
    ] as const) {
      const body = { name: 'W', nodes: [node('a', unknownType)], edges: [] };
      assert.equal(
        await getError('POST', '/workflows', body),
        `Unknown node type "${unknownType}". Did you mean "${nearestType}"?`,
      );
    }
  });

  it('names the maximum length of a path segment', async () =>
    assert.equal(
      await getError('GET', `/workflows/${'a'.repeat(1001)}`),
      'A segment of the path is longer than 1000 characters.',
    ));

  it('suggests the path with the API version', async () => {
    for (const path of ['/api/workflows', '/v1/workflows']) {
      const response = await test.app.inject({ url: path });
      assert.equal(response.json().error, `Route GET ${path} not found. Did you mean /api/v1/workflows?`);
    }
    assert.equal(
      (await test.app.inject({ url: '/api/nope' })).json().error,
      'Route GET /api/nope not found.',
    );
  });
});
