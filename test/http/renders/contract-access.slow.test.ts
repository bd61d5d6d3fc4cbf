// Tests who may read the templates and the scene-graph contract of the video renderer, and what they contain.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SCOPES } from '../../../src/services/accounts/actor.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

interface Template {
  readonly id: string;
  readonly inputMappings: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

let test: TestApp;
let user: ApiUser;
before(async () => {
  test = await openTestApp();
  user = await test.createUser();
});
after(() => test.close());

const PATHS = ['/renderer/templates', '/renderer/templates/quote-card', '/renderer/scene-graph'];
const TOKEN = { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln' };

for (const path of PATHS)
  describe(`GET ${path}`, () => {
    it('requires workflows:read or workflows:execute', async () => {
      for (const scope of SCOPES) {
        const response = await (await test.withScopes(user, [scope])).request('GET', path);
        const isAllowed = scope === 'workflows:read' || scope === 'workflows:execute';
        if (isAllowed) assert.equal(response.status, 200, scope);
        else assertRefused(response, 401, 'insufficient_scope');
      }
    });

    it('rejects requests without a key and with other tokens', async () => {
      assertRefused(await test.anonymous.request('GET', path), 401, 'unauthorized');
      assertRefused(await test.anonymous.request('GET', path, undefined, TOKEN), 401, 'invalid_api_key');
    });
  });

describe('video templates', () => {
  it('have fields and input mappings of the documented types', async () => {
    const { body } = await user.request<{ data: readonly Template[] }>('GET', '/renderer/templates');
    for (const template of body.data) {
      for (const name of ['id', 'label', 'category', 'compositionId'])
        assert.equal(typeof template[name], 'string', `${template.id}: ${name}`);
      for (const name of ['fps', 'width', 'height', 'durationInFrames'])
        assert.ok(Number.isInteger(template[name]), `${template.id}: ${name}`);
      for (const { propPath, portId, portLabel, portType, required } of template.inputMappings) {
        assert.deepEqual(
          [typeof propPath, typeof portLabel, typeof required],
          ['string', 'string', 'boolean'],
        );
        assert.match(String(portId), /^[A-Za-z0-9_.-]+$/);
        assert.match(String(portType), /^(?:TEXT|IMAGE|VIDEO|AUDIO|JSON|NUMBER)$/);
      }
    }
  });

  it('are 404 not_found for an unknown id', async () => {
    assertRefused(await user.request('GET', '/renderer/templates/nothing'), 404, 'not_found');
  });
});

describe('the scene-graph contract', () => {
  it('contains notes and a schema of draft 2020-12', async () => {
    const { body } = await user.request<{ data: Record<string, unknown> }>('GET', '/renderer/scene-graph');
    const { doc, jsonSchema, readerNote, scopeNote, ...rest } = body.data;
    assert.deepEqual(Object.keys(rest).sort(), ['configPath', 'mode', 'nodeType']);
    for (const note of [readerNote, scopeNote]) assert.ok(typeof note === 'string' && note.length > 0);
    const schema = jsonSchema as Record<string, unknown>;
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
    for (const name of ['background', 'tracks', 'overlays', 'captionTrack', 'audioTrack'])
      assert.ok(name in (schema.properties as object), name);
    const kilobytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) / 1024;
    assert.ok(kilobytes(doc) < 30 && kilobytes(schema) < 65, `${kilobytes(doc)}, ${kilobytes(schema)}`);
  });

  it('is returned only for include=doc, schema or all', async () => {
    for (const include of ['doc', 'schema', 'all'])
      assert.equal((await user.request('GET', `/renderer/scene-graph?include=${include}`)).status, 200);
    assertRefused(await user.request('GET', '/renderer/scene-graph?include=half'), 400, 'invalid_request');
  });
});
