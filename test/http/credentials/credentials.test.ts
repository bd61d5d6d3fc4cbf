// Tests credentials over HTTP: storing, testing, listing and deleting them, the required roles, and that no response
// contains secret values.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createModelSeconds } from '../../../src/services/catalog.ts';
import { recordDurations } from '../../../src/store/call-slots.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { type FalDouble, startFal } from '../../support/providers/fal.ts';
import { assertRefused, node } from '../../support/workflows.ts';

interface Credential {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly owner: string;
  readonly teamId: string | null;
  readonly isDefault: boolean;
  readonly dailyUsdLimit: number | null;
  readonly status: string;
  readonly error: string | null;
  readonly lastTestedAt: string | null;
  readonly hint: string | null;
  readonly source: string;
  readonly createdBy: number | null;
}

const SECRET = 'fal-secret-value-1234';

let fal: FalDouble;
let test: TestApp;
let admin: ApiUser;
let owner: ApiUser;

before(async () => {
  fal = await startFal(await plainImage(8, 8, '#336699'));
  fal.apiKeys.add(SECRET);
  test = await createTestApp({
    env: { FAL_BASE_URL: fal.url, CREDENTIALS_BASE_URLS: 'instance', REPLICATE_API_TOKEN: 'r8-environment' },
    timing: { modelSecondsMs: 0 },
  });
  admin = await test.createUser();
  owner = await test.createUser({ scopes: ['workflows:execute', 'workflows:write', 'account:admin'] });
});
after(async () => {
  await fal.close();
  await test.close();
});

const createInput = (overrides: object = {}) => ({
  kind: 'fal',
  name: 'Our fal key',
  owner: 'workspace',
  values: { apiKey: SECRET },
  ...overrides,
});
const store = (user: Pick<ApiUser, 'request'>, overrides: object = {}): Promise<TestResponse<Credential>> =>
  user.request<Credential>('POST', '/credentials', createInput(overrides));
const list = async (user: Pick<ApiUser, 'request'>, query = ''): Promise<readonly Credential[]> => {
  const { status, body } = await user.request<{ data: Credential[] }>('GET', `/credentials${query}`);
  assert.equal(status, 200);
  return body.data;
};

async function createTeam(...members: readonly (readonly [ApiUser, string])[]): Promise<string> {
  const { body } = await owner.request<{ id: string }>('POST', '/teams', { name: 'Studio' });
  for (const [member, role] of members) await joinTeam(owner, body.id, member, role);
  return body.id;
}

describe('POST /credentials', () => {
  it('encrypts the values and does not return them', async () => {
    const { status, headers, body } = await store(owner);
    assert.equal(status, 201);
    assert.match(headers.location ?? '', /\/api\/v1\/credentials\/cred_/);
    const { id, ...rest } = body;
    assert.match(id, /^cred_/);
    assert.deepEqual(
      { ...rest, createdAt: null, updatedAt: null },
      {
        kind: 'fal',
        name: 'Our fal key',
        owner: 'workspace',
        teamId: null,
        isDefault: true,
        dailyUsdLimit: null,
        status: 'untested',
        error: null,
        lastTestedAt: null,
        lastUsedAt: null,
        hint: '1234',
        source: 'stored',
        server: null,
        serves: null,
        createdAt: null,
        updatedAt: null,
        createdBy: owner.userId,
      },
    );
    assert.deepEqual((await owner.request('GET', `/credentials/${id}`)).body, body);
    const { rows } = await test.deps.db.query<{ text: string }>(
      `select encode(encrypted, 'escape') as text from credential_values where credential_id = $1`,
      [id],
    );
    assert.equal(rows.length, 1);
    assert.ok(!rows[0]?.text.includes(SECRET));
  });

  it('makes the first credential of a kind the default', async () => {
    const user = await test.createUser();
    const [first, second] = [(await store(user)).body, (await store(user)).body];
    assert.deepEqual([first.isDefault, second.isDefault], [true, false]);
    await user.request('PATCH', `/credentials/${second.id}`, { isDefault: true });
    assert.deepEqual(
      (await list(user)).map(({ isDefault }) => isDefault),
      [false, true],
    );
  });

  it('returns 400 for invalid values', async () => {
    for (const [kind, values, path] of [
      ['fal', {}, '/values/apiKey'],
      ['fal', { apiKey: 'two\r\nlines' }, '/values/apiKey'],
      ['comfyui', { apiKey: 'x' }, '/values/baseUrl'],
      ['openai', { baseUrl: 'ftp://example.com' }, '/values/baseUrl'],
      ['openai', { baseUrl: 'https://user:hunter2@example.com' }, '/values/baseUrl'],
    ] as const) {
      const { status, body } = await store(owner, { kind, values });
      assert.equal(status, 400);
      assert.deepEqual((body as unknown as { issues: { path: string }[] }).issues[0]?.path, path);
      assert.ok(!JSON.stringify(body).includes('hunter2'));
    }
    assert.equal((await store(owner, { kind: 'speech' })).status, 400);
    assert.equal((await store(owner, { dailyUsdLimit: -1 })).status, 400);
  });
});

describe('access to credentials', () => {
  it('requires an administrator for credentials of the instance', async () => {
    assertRefused(await store(owner, { owner: 'instance' }), 401, 'insufficient_scope');
    const { status, body } = await store(admin, { owner: 'instance' });
    assert.equal(status, 201);
    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      assertRefused(
        await owner.request(method, `/credentials/${body.id}`, method === 'PATCH' ? {} : undefined),
        404,
        'not_found',
      );
    assertRefused(await owner.request('GET', '/credentials?owner=instance'), 401, 'insufficient_scope');
    assert.deepEqual(
      (await list(admin, '?owner=instance')).map(({ id }) => id),
      ['cred_environment_replicate', body.id],
    );
    assert.equal((await admin.request('DELETE', `/credentials/${body.id}`)).status, 200);
  });

  it('shows credentials from environment variables without allowing changes', async () => {
    const path = '/credentials/cred_environment_replicate';
    const { body } = await admin.request<Credential>('GET', path);
    assert.deepEqual([body.source, body.isDefault, body.hint], ['environment', true, null]);
    assertRefused(await admin.request('PATCH', path, { name: 'Mine' }), 403, 'forbidden');
    assertRefused(await admin.request('DELETE', path), 403, 'forbidden');
    assertRefused(await owner.request('GET', path), 401, 'insufficient_scope');
    assertRefused(await admin.request('GET', '/credentials/cred_environment_fal'), 404, 'not_found');
  });

  it('allows team members to read names and team owners to make changes', async () => {
    const [editor, otherUser] = await test.createUsers(2);
    const teamId = await createTeam([editor, 'EDITOR']);
    const { body } = await store(owner, { teamId });
    assert.equal(body.teamId, teamId);
    const [credential] = await list(await test.withScopes(editor, ['workflows:read']), `?teamId=${teamId}`);
    assert.deepEqual([credential?.name, credential?.hint], ['Our fal key', null]);
    assertRefused(await store(editor, { teamId }), 403, 'forbidden');
    assertRefused(await editor.request('DELETE', `/credentials/${body.id}`), 403, 'forbidden');
    assertRefused(await editor.request('POST', `/credentials/${body.id}/test`), 403, 'forbidden');
    assertRefused(await otherUser.request('GET', `/credentials/${body.id}`), 404, 'not_found');
    assertRefused(await otherUser.request('GET', `/credentials?teamId=${teamId}`), 404, 'not_found');
    const reader = await test.withScopes(owner, ['workflows:read']);
    assertRefused(await store(reader, { teamId }), 401, 'insufficient_scope');
  });

  it('deletes the credentials of a deleted team', async () => {
    const teamId = await createTeam();
    const { body } = await store(owner, { teamId });
    assert.equal((await owner.request('DELETE', `/teams/${teamId}`)).status, 200);
    const { rows } = await test.deps.db.query<{ value_id: string | null }>(
      'select value_id from credentials where id = $1',
      [body.id],
    );
    assert.deepEqual(rows, [{ value_id: null }]);
  });
});

describe('PATCH and DELETE /credentials/{id}', () => {
  it('PATCH replaces the value and resets the test result', async () => {
    const user = await test.createUser();
    const { id } = (await store(user)).body;
    await user.request('POST', `/credentials/${id}/test`);
    const { status, body } = await user.request<Credential>('PATCH', `/credentials/${id}`, {
      name: 'New',
      values: { apiKey: 'another-secret-9876' },
      dailyUsdLimit: 2.5,
    });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.id, body.name, body.hint, body.dailyUsdLimit, body.status, body.lastTestedAt],
      [id, 'New', '9876', 2.5, 'untested', null],
    );
  });

  it('DELETE removes a credential', async () => {
    const user = await test.createUser();
    const { id } = (await store(user)).body;
    assert.equal((await user.request('DELETE', `/credentials/${id}`)).status, 200);
    assertRefused(await user.request('GET', `/credentials/${id}`), 404, 'not_found');
    assertRefused(await user.request('DELETE', `/credentials/${id}`), 404, 'not_found');
    assert.deepEqual(await list(user), []);
  });
});

describe('tests of credentials', () => {
  interface TestResult {
    readonly ok: boolean;
    readonly latencyMs: number;
    readonly error?: string;
  }
  const testValues = (user: ApiUser, apiKey: string) =>
    user.request<TestResult>('POST', '/credentials/test', { kind: 'fal', values: { apiKey } });

  it('distinguish valid from invalid keys without submitting a task', async () => {
    const user = await test.createUser();
    const validResult = await testValues(user, SECRET);
    assert.equal(validResult.status, 200);
    assert.deepEqual([validResult.body.ok, validResult.body.error], [true, undefined]);
    const invalidResult = await testValues(user, 'wrong-key-of-somebody');
    assert.deepEqual(
      [invalidResult.body.ok, invalidResult.body.error],
      [false, 'The key was rejected (401).'],
    );
    assert.deepEqual(fal.accepted, []);
  });

  it('store the result in a stored credential', async () => {
    const user = await test.createUser();
    const { id } = (await store(user, { values: { apiKey: 'wrong-key-of-somebody' } })).body;
    const { body } = await user.request<TestResult>('POST', `/credentials/${id}/test`);
    assert.equal(body.ok, false);
    const failed = (await user.request<Credential>('GET', `/credentials/${id}`)).body;
    assert.deepEqual([failed.status, failed.error], ['failed', 'The key was rejected (401).']);
    assert.ok(failed.lastTestedAt !== null);
    await user.request('PATCH', `/credentials/${id}`, { values: { apiKey: SECRET } });
    await user.request('POST', `/credentials/${id}/test`);
    const repaired = (await user.request<Credential>('GET', `/credentials/${id}`)).body;
    assert.deepEqual([repaired.status, repaired.error], ['ok', null]);
  });

  it('are limited to ten per minute', async () => {
    const user = await test.createUser();
    const responses = await Promise.all(Array.from({ length: 11 }, () => testValues(user, SECRET)));
    // Two rounds, because a new minute may start during the first.
    const refusals = responses.filter(({ status }) => status === 429).length;
    const moreResponses = await Promise.all(Array.from({ length: 11 }, () => testValues(user, SECRET)));
    assert.ok(refusals + moreResponses.filter(({ status }) => status === 429).length >= 1);
  });

  it('do not connect to private addresses from credentials of a workspace', async () => {
    const user = await test.createUser();
    const { body } = await user.request<TestResult>('POST', '/credentials/test', {
      kind: 'fal',
      values: { apiKey: SECRET, baseUrl: fal.url },
    });
    assert.equal(body.ok, false);
    assert.match(body.error ?? '', /address/);
    const trusted = await admin.request<TestResult>('POST', '/credentials/test', {
      kind: 'fal',
      owner: 'instance',
      values: { apiKey: SECRET, baseUrl: fal.url },
    });
    assert.equal(trusted.body.ok, true);
  });
});

describe('CREDENTIALS=off', () => {
  it('returns 403 credentials_off to every write', async () => {
    const testApp = await createTestApp({
      env: { CREDENTIALS: 'off', FAL_KEY: 'fal-key', FAL_BASE_URL: fal.url },
    });
    try {
      const user = await testApp.createUser();
      assertRefused(await store(user), 403, 'credentials_off');
      assertRefused(await user.request('PATCH', '/credentials/cred_x', {}), 403, 'credentials_off');
      assertRefused(await user.request('DELETE', '/credentials/cred_x'), 403, 'credentials_off');
      const values = { kind: 'fal', values: { apiKey: SECRET } };
      assertRefused(await user.request('POST', '/credentials/test', values), 403, 'credentials_off');
      const graph = { nodes: [node('m', 'generate:fal_seedream', { prompt: 'a fox' })], edges: [] };
      const workflow = await user.request<{ id: string }>('POST', '/workflows', { name: 'Fox', ...graph });
      const choices = `/workflows/${workflow.body.id}/credentials`;
      for (const fal of ['cred_x', null])
        assertRefused(await user.request('PUT', choices, { fal }), 403, 'credentials_off');
      assert.equal((await user.request<{ fal: unknown }>('GET', choices)).body.fal, null);
      assert.equal((await list(user, '?owner=instance')).length, 1);
      const result = await user.request<{ ok: boolean }>('POST', '/credentials/cred_environment_fal/test');
      assert.deepEqual([result.status, result.body.ok], [200, true]);
    } finally {
      await testApp.close();
    }
  });
});

/** Creates and replaces a workflow, and returns the codes of the issues that each write returned. */
async function writeGraphs(user: ApiUser, graph: object): Promise<Record<string, readonly string[]>> {
  const read = ({ body }: TestResponse<{ id: string; meta: { issues: { code: string }[] } }>) =>
    body.meta.issues.map(({ code }) => code);
  const created = await user.request<never>('POST', '/workflows', { name: 'Fox', ...graph });
  const { id } = created.body as { id: string };
  const changed = { nodes: [node('m', 'generate:fal_seedream', { prompt: 'an owl' })], edges: [] };
  const replaced = await user.request<never>('PUT', `/workflows/${id}`, changed);
  const restored = await user.request<never>('POST', `/workflows/${id}/versions/1/restore`);
  return { created: read(created), replaced: read(replaced), restored: read(restored) };
}

describe('GET /nodes', () => {
  it('includes models of providers for which the workspace has a credential', async () => {
    const [user, otherUser] = await test.createUsers(2);
    const listNodes = async (user: Pick<ApiUser, 'request'>, headers = {}) => {
      const response = await user.request<{ nodes: { nodeType: string }[] }>(
        'GET',
        '/nodes',
        undefined,
        headers,
      );
      return {
        ...response,
        hasFalNode: response.body?.nodes?.some(({ nodeType }) => nodeType === 'generate:fal_seedream'),
      };
    };
    const nodesBefore = await listNodes(user);
    assert.deepEqual(
      [nodesBefore.hasFalNode, nodesBefore.headers['cache-control']],
      [false, 'private, no-cache'],
    );
    const { id } = (await store(user)).body;
    const nodesAfter = await listNodes(user);
    assert.equal(nodesAfter.hasFalNode, true);
    assert.notEqual(nodesAfter.headers.etag, nodesBefore.headers.etag);
    assert.match(nodesAfter.headers.vary ?? '', /Authorization/);
    assert.equal((await listNodes(user, { 'if-none-match': nodesAfter.headers.etag ?? '' })).status, 304);
    assert.equal((await listNodes(user, { 'if-none-match': nodesBefore.headers.etag ?? '' })).status, 200);
    for (const user of [otherUser, test.anonymous]) assert.equal((await listNodes(user)).hasFalNode, false);
    const graph = { nodes: [node('m', 'generate:fal_seedream', { prompt: 'a fox' })], edges: [] };
    const isProviderMissing = async (user: ApiUser) => {
      const { body } = await user.request<{ issues: { code: string }[] }>('POST', '/workflows/lint', graph);
      return body.issues.map(({ code }) => code).includes('provider_not_configured');
    };
    assert.deepEqual([await isProviderMissing(user), await isProviderMissing(otherUser)], [false, true]);
    for (const [writer, isMissing] of [
      [user, false],
      [otherUser, true],
    ] as const)
      for (const [action, codes] of Object.entries(await writeGraphs(writer, graph)))
        assert.equal(codes.includes('provider_not_configured'), isMissing, action);
    await user.request('DELETE', `/credentials/${id}`);
    assert.equal((await listNodes(user)).hasFalNode, false);
  });

  it('says how long the recent calls of a model took', async () => {
    const user = await test.createUser();
    const read = async (nodeType: string) => {
      const { body, headers } = await user.request<{
        models: { nodeType: string; medianSeconds: unknown }[];
      }>('GET', '/models?includeHidden=1');
      const model = body.models.find(model => model.nodeType === nodeType);
      return { seconds: model?.medianSeconds, etag: headers.etag };
    };
    const before = await read('generate:fal_flux_dev');
    assert.equal(before.seconds, null);
    await recordDurations(test.deps.db, [{ provider: 'fal', model: 'fal-ai/flux-1/dev', usual_ms: 4_321 }]);
    const after = await read('generate:fal_flux_dev');
    assert.equal(after.seconds, 4.3);
    assert.notEqual(after.etag, before.etag);
    assert.equal((await read('generate:fal_flux_schnell')).seconds, null);
  });

  it('reads the durations of models once in a while, even if many requests arrive', async () => {
    let nowMs = 0;
    const { db } = test.deps;
    const timing = { ...test.deps.timing, modelSecondsMs: 1000 };
    const read = createModelSeconds({ db, timing, now: () => nowMs });
    const [first, second] = await Promise.all([read(), read()]);
    assert.equal(first, second);
    nowMs = 999;
    assert.equal(await read(), first);
    nowMs = 1000;
    assert.notEqual(await read(), first);
  });
});
