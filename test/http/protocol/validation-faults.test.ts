// Tests error messages for unknown values, properties, inputs and paths: what is allowed and what was probably meant.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, createTestApp, type Method, type TestApp } from '../../support/app.ts';
import { createWorkflow, edge, node } from '../../support/workflows.ts';

let test: TestApp;
let caller: Caller;
let workflow: string;
before(async () => {
  test = await createTestApp();
  caller = await test.createCaller();
  const nodes = [
    node('place', 'input:text', {}),
    node('look', 'input:text', {}),
    node('p', 'output:preview'),
  ];
  workflow = (await createWorkflow(caller, { nodes, edges: [edge('place.text > p.input')] })).id;
});
after(() => test.close());

/** Returns the error message of the request. */
async function refusal(method: Method, path: string, body?: unknown): Promise<string> {
  const response = await caller.request<{ error: string }>(method, path, body);
  assert.ok(response.status === 400 || response.status === 404, `${response.status}`);
  return response.body.error;
}
const runWith = (body: object): Promise<string> => refusal('POST', `/workflows/${workflow}/run`, body);

describe('an error message', () => {
  it('lists the values of an enum', async () =>
    assert.equal(
      await refusal('GET', '/executions?status=done'),
      'The query at /status must be one of "QUEUED", "RUNNING", "WAITING", "CANCELLING", "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", not "done".',
    ));

  it('names the types that are allowed', async () => {
    assert.equal(await refusal('PUT', `/workflows/${workflow}`, []), 'The body must be an object.');
    assert.equal(await runWith({ inputs: 7 }), 'The body at /inputs must be an object.');
    assert.equal(await runWith({ targets: {} }), 'The body at /targets must be a list.');
  });

  it('names the nearest input and lists the others', async () => {
    assert.equal(
      await runWith({ inputs: { palce: 'Oslo' } }),
      'The workflow has no input node "palce". Did you mean "place"? Its input nodes are place, look.',
    );
    assert.match(
      await runWith({ inputs: { zzzzzzzz: 1 } }),
      /"zzzzzzzz"\. Its input nodes are place, look\.$/,
    );
  });

  it('suggests the nearest property, or where the property belongs', async () => {
    assert.equal(
      await runWith({ metdata: {} }),
      'The body at /metdata is not a known property; the nearest one is metadata.',
    );
    assert.equal(
      await runWith({ secret: 'x' }),
      'The body at /secret is not a known property: it belongs at /webhook/secret.',
    );
    assert.equal(
      await runWith({ place: 'Oslo' }),
      'The body at /place is not a known property: a value for an input node belongs at /inputs/place.',
    );
    assert.match(
      await refusal('POST', '/folders', { zzzzzzzzzz: 1, name: 'F' }),
      /is not a known property; the known ones are .*name/,
    );
  });

  it('names the nearest node type, with or without its category', async () => {
    for (const [wrong, right] of [
      ['input:txt', 'input:text'],
      ['text_templte', 'utility:text_template'],
    ] as const) {
      const body = { name: 'W', nodes: [node('a', wrong)], edges: [] };
      assert.equal(
        await refusal('POST', '/workflows', body),
        `Unknown node type "${wrong}". Did you mean "${right}"?`,
      );
    }
  });

  it('suggests the path with the version', async () => {
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
