// Tests that all lists of the API have the same parameters and reject invalid limits, cursors, times and filters.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: { readonly enum?: readonly string[]; readonly anyOf?: readonly object[] };
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses: { readonly 200?: { readonly content?: Record<string, { readonly schema: Schema }> } };
}
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const encode = (text: string): string => Buffer.from(text).toString('base64url');

const INVALID_CURSORS = [
  '',
  'garbage',
  encode(''),
  encode('-1'),
  encode('1e9'),
  encode('99999999999999999'),
  encode("' or 1=1"),
];
const INVALID_TIMES = [
  '1',
  '2026',
  'yesterday',
  '2026-02-30',
  '2026-02-30T00:00:00Z',
  '2025-02-29',
  '2026-13-01',
  '2026-00-10',
  '0000-01-01',
  '2026-01-01T24:00:00Z',
  '2026-01-01T12:60:00Z',
  '2026-01-01T12:00:00',
  '2026-01-01T12:00:00+24:00',
  '+275761-01-01T00:00:00Z',
];

/** Returns invalid values of the parameter. */
function listInvalidValues({ name, schema }: Parameter): readonly string[] {
  if (name === 'cursor') return INVALID_CURSORS;
  if (name === 'limit') return ['0', '-1', '1.5', 'x', '1001', '1e99', ''];
  if (/^created/.test(name)) return INVALID_TIMES;
  if (schema.enum !== undefined || schema.anyOf !== undefined) return ['', 'nothing-of-the-kind'];
  return [];
}

/** Lists without pages, because they are always short, or sum up what they leave out. */
const UNPAGED_LISTS = [
  '/api/v1/renderer/templates',
  '/api/v1/executions/{id}/deliveries',
  '/api/v1/auth/passkeys',
  '/api/v1/admin/groups',
  '/api/v1/admin/spending',
];

describe('every list of the API', () => {
  let test: TestApp;
  let user: ApiUser;
  let operations: readonly (readonly [string, Operation])[];
  let schemas: Readonly<Record<string, Schema>>;
  const ids: Record<string, string> = {};

  before(async () => {
    test = await openTestApp();
    user = await test.createUser();
    const { paths, components } = (await test.app.inject('/openapi.json')).json<{
      paths: Record<string, { get?: Operation }>;
      components: { schemas: Record<string, Schema> };
    }>();
    schemas = components.schemas;
    operations = Object.entries(paths).flatMap(([path, { get }]) =>
      get !== undefined && path.startsWith('/api/') ? [[path, get] as const] : [],
    );
    ids.workflows = (await createWorkflow(user)).id;
    ids.teams = (await user.request<{ id: string }>('POST', '/teams', { name: 'T' })).body.id;
    const run = await user.request<{ executionId: string }>('POST', `/workflows/${ids.workflows}/run`, {});
    ids.executions = run.body.executionId;
    ids.media = (await uploadPicture(user)).mediaId;
    const rows = [{ inputs: {} }];
    const batch = await user.request<{ batchId: string }>('POST', `/workflows/${ids.workflows}/batches`, {
      rows,
    });
    ids.batches = batch.body.batchId;
    const triggers = `/workflows/${ids.workflows}/triggers`;
    ids.triggers = (await user.request<{ id: string }>('POST', triggers, { kind: 'hook' })).body.id;
    const app = { slug: 'listed', title: 'W', inputs: [], outputs: ['b'], showsGallery: true };
    await user.request('PUT', `/workflows/${ids.workflows}/app`, app);
    const schedules = `/workflows/${ids.workflows}/schedules`;
    ids.schedules = (await user.request<{ id: string }>('POST', schedules, { cron: '@yearly' })).body.id;
  });
  after(() => test.close());

  const isList = ([, { responses }]: readonly [string, Operation]): boolean => {
    const reference = responses[200]?.content?.['application/json']?.schema;
    const schema = schemas[reference?.$ref?.split('/').at(-1) ?? ''] ?? reference;
    return (
      schema?.type === 'array' ||
      schema?.properties?.nextCursor !== undefined ||
      schema?.properties?.data?.type === 'array'
    );
  };
  const toPath = (path: string): string =>
    path
      .replace(/\/(\w+)\/\{(?:id|teamId)\}/, (_, noun: string) => `/${noun}/${ids[noun]}`)
      .replace('/apps/{slug}', '/apps/listed');

  it('documents the parameters limit and cursor', () => {
    const lists = operations.filter(isList).filter(([path]) => !UNPAGED_LISTS.includes(path));
    assert.ok(lists.length >= 12, `${lists.length}`);
    for (const [path, { parameters = [] }] of lists) {
      const names = parameters.map(({ name }) => name);
      assert.ok(names.includes('limit') && names.includes('cursor'), path);
    }
  });

  it('rejects an invalid query value with the name of the parameter', async () => {
    let requestCount = 0;
    for (const [path, { parameters = [] }] of operations) {
      for (const parameter of parameters.filter(({ in: location }) => location === 'query')) {
        for (const value of listInvalidValues(parameter)) {
          const query = `${parameter.name}=${encodeURIComponent(value)}`;
          const response = await user.request('GET', `${toPath(path)}?${query}`);
          assert.deepEqual([path, query, response.status], [path, query, 400], response.body.error);
          const { issues } = assertRefused(response, 400, 'invalid_request');
          assert.equal(issues?.[0]?.path, `/${parameter.name}`, `${path}?${query}`);
          requestCount++;
        }
      }
    }
    assert.ok(requestCount > 150, `${requestCount}`);
  });

  it('accepts a limit and the returned cursor', async () => {
    // An API key cannot read passkeys.
    const readable = operations.filter(isList).filter(([path]) => path !== '/api/v1/auth/passkeys');
    for (const [path, { parameters = [] }] of readable) {
      const query = parameters.some(({ name }) => name === 'limit') ? '?limit=1' : '';
      const { status, body } = await user.request('GET', toPath(path) + query);
      assert.equal(status, 200, `${path}: ${body.error}`);
      const cursor = (body as { nextCursor?: string | null }).nextCursor;
      if (typeof cursor !== 'string') continue;
      const next = await user.request('GET', `${toPath(path)}?limit=1&cursor=${cursor}`);
      assert.equal(next.status, 200, path);
    }
  });
});
