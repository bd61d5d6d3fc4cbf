// Tests how workflows are deactivated, deleted and restored. Also tests the routes for lint, heartbeats and budgets, and
// concurrent writes.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  node,
  PAIR,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

interface LintReport {
  readonly ok: boolean;
  readonly issues: readonly {
    readonly code: string;
    readonly severity: string;
    readonly suggestion?: string;
  }[];
}

let test: TestApp;
let owner: ApiUser;
let editor: ApiUser;
let otherUser: ApiUser;
let id: string;

before(async () => {
  test = await openTestApp();
  [owner, editor, otherUser] = await test.createUsers(3);
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(owner));
  await owner.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
});

describe('isActive: false', () => {
  it('makes requests to start a run fail with workflow_inactive', async () => {
    assert.equal((await putWorkflow(editor, id, { isActive: false })).body.isActive, false);
    assertRefused(await owner.request('POST', `/workflows/${id}/run`, {}), 400, 'workflow_inactive');
    await putWorkflow(editor, id, { isActive: true });
    assert.equal((await owner.request('POST', `/workflows/${id}/run`, {})).status, 202);
  });
});

describe('DELETE /workflows/{id}', () => {
  it('hides the workflow from every route', async () => {
    const { body } = await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    const response = await owner.request('DELETE', `/workflows/${id}`);
    assert.deepEqual([response.status, response.body], [200, { success: true }]);
    for (const path of ['', '/versions', '/export', '/executions']) {
      assertRefused(await owner.request('GET', `/workflows/${id}${path}`), 404, 'not_found');
    }
    assertRefused(await putWorkflow(owner, id, { name: 'X' }), 404, 'not_found');
    assertRefused(await owner.request('POST', `/workflows/${id}/run`, {}), 404, 'not_found');
    assertRefused(await owner.request('DELETE', `/workflows/${id}`), 404, 'not_found');
    assertRefused(await owner.request('GET', `/published/${body.publishedSlug}`), 404, 'not_found');
    const { body: list } = await owner.request<Workflow[]>('GET', '/workflows?limit=1000');
    assert.ok(!list.some(item => item.id === id));
  });

  it('is allowed only for owners', async () => {
    assertRefused(await editor.request('DELETE', `/workflows/${id}`), 403, 'forbidden');
    assertRefused(await otherUser.request('DELETE', `/workflows/${id}`), 403, 'forbidden');
    assertRefused(await test.anonymous.request('DELETE', `/workflows/${id}`), 401, 'unauthorized');
    const teamId = (await owner.request('POST', '/teams', { name: 'T' })).body.id;
    await joinTeam(owner, String(teamId), otherUser, 'EDITOR');
    const { body: folder } = await owner.request('POST', '/folders', { name: 'F', teamId });
    await putWorkflow(owner, id, { folderId: folder.id });
    assertRefused(await otherUser.request('DELETE', `/workflows/${id}`), 403, 'forbidden');
    await owner.request('PATCH', `/teams/${teamId}/members/${otherUser.userId}`, { role: 'OWNER' });
    assert.equal((await otherUser.request('DELETE', `/workflows/${id}`)).status, 200);
  });
});

describe('POST /admin/workflows/{id}/restore', () => {
  const restore = (user: Pick<ApiUser, 'request'>, workflowId = id) =>
    user.request('POST', `/admin/workflows/${workflowId}/restore`);

  it('restores a deleted workflow as disabled', async () => {
    const { updatedAt: updatedAtBefore, ...deletedWorkflow } = await readWorkflow(owner, id);
    await owner.request('DELETE', `/workflows/${id}`);
    const admin = await test.createUser({ scopes: ['instance:admin'] });
    const { status, body } = await restore(admin);
    assert.deepEqual([status, body], [200, { id, name: 'W', userId: owner.userId, restored: true }]);
    const { updatedAt, ...restoredWorkflow } = await readWorkflow(owner, id);
    assert.ok(updatedAt > updatedAtBefore);
    assert.deepEqual(restoredWorkflow, { ...deletedWorkflow, isActive: false });
  });

  it('requires instance:admin and a known id', async () => {
    const callerWithoutAdmin = await test.withScopes(owner, [
      'workflows:read',
      'workflows:write',
      'account:admin',
    ]);
    assertRefused(await restore(callerWithoutAdmin), 401, 'insufficient_scope');
    assertRefused(await restore(owner, newId('workflow')), 404, 'not_found');
  });
});

describe('POST /workflows/lint and POST /workflows/{id}/lint', () => {
  const lint = (user: Pick<ApiUser, 'request'>, path: string, body?: object) =>
    user.request<LintReport>('POST', path, body);
  const INVALID_GRAPH = { nodes: [node('a', 'input:txet')], edges: [] };

  it('report errors and suggestions for a sent graph', async () => {
    const { status, body } = await lint(owner, '/workflows/lint', INVALID_GRAPH);
    assert.deepEqual([status, body.ok], [200, false]);
    assert.deepEqual(
      body.issues.map(({ severity, code, suggestion }) => [severity, code, suggestion]),
      [['error', 'unknown_node_type', 'input:text']],
    );
    assert.equal((await lint(owner, '/workflows/lint', PAIR)).body.ok, true);
    assert.equal((await lint(owner, '/workflows/lint', { nodes: 1, edges: 2 })).body.ok, false);
    assertRefused(await lint(owner, '/workflows/lint', { nodes: [] }), 400, 'invalid_request');
  });

  it('report issues of the stored graph without a sent graph', async () => {
    await putWorkflow(owner, id, { nodes: [node('a', 'input:text', { valeu: 1 })], edges: [] });
    const response = await lint(owner, `/workflows/${id}/lint`);
    assert.deepEqual([response.body.ok, response.body.issues[0]?.code], [true, 'unknown_config_key']);
    assert.equal((await lint(owner, `/workflows/${id}/lint`, INVALID_GRAPH)).body.ok, false);
    assertRefused(await lint(otherUser, `/workflows/${id}/lint`), 403, 'forbidden');
  });

  it('require workflows:read', async () => {
    assertRefused(await lint(test.anonymous, '/workflows/lint', PAIR), 401, 'unauthorized');
    const writer = await test.withScopes(owner, ['workflows:write']);
    assertRefused(await lint(writer, '/workflows/lint', PAIR), 401, 'insufficient_scope');
  });
});

describe('POST /workflows/{id}/heartbeat', () => {
  it('changes only lastEditorHeartbeatAt', async () => {
    const workflow = await readWorkflow(owner, id);
    const { status, body } = await editor.request('POST', `/workflows/${id}/heartbeat`);
    assert.equal(status, 200);
    assert.deepEqual(await readWorkflow(owner, id), {
      ...workflow,
      lastEditorHeartbeatAt: body.lastEditorHeartbeatAt,
    });
    assertRefused(await otherUser.request('POST', `/workflows/${id}/heartbeat`), 403, 'forbidden');
  });
});

describe('PUT /workflows/{id}/budget', () => {
  const putBudget = (user: Pick<ApiUser, 'request'>, dailyCreditBudget: unknown) =>
    user.request<Workflow>('PUT', `/workflows/${id}/budget`, { dailyCreditBudget });

  it('sets and clears dailyCreditBudget', async () => {
    assert.equal((await putBudget(owner, 25)).body.dailyCreditBudget, 25);
    const { body } = await putWorkflow(owner, id, { dailyCreditBudget: 99 });
    assert.equal(body.dailyCreditBudget, 25);
    assert.match(body.meta.warnings[0] ?? '', /^Ignored: dailyCreditBudget\./);
    assert.equal((await putBudget(owner, null)).body.dailyCreditBudget, null);
  });

  it('accepts integers from 0 only from owners', async () => {
    assertRefused(await putBudget(editor, 1), 403, 'forbidden');
    for (const invalidBudget of [-1, 1.5, '3', undefined])
      assertRefused(await putBudget(owner, invalidBudget), 400, 'invalid_request');
  });
});

describe('concurrent PUTs of a workflow', () => {
  const WRITERS = 8;

  it('are refused except one if they have the same If-Match', async () => {
    for (let round = 0; round < 5; round++) {
      const { headers } = await owner.request('GET', `/workflows/${id}`);
      const responses = await Promise.all(
        Array.from({ length: WRITERS }, (_, i) =>
          (i % 2 === 0 ? owner : editor).request<Workflow>(
            'PUT',
            `/workflows/${id}`,
            toBody(`${round}-${i}`),
            { 'if-match': headers.etag ?? '' },
          ),
        ),
      );
      const [accepted, ...otherAccepted] = responses.filter(({ status }) => status === 200);
      assert.ok(accepted !== undefined && otherAccepted.length === 0);
      for (const response of responses)
        if (response !== accepted) assertRefused(response, 409, 'stale_write');
      const current = await readWorkflow(owner, id);
      assert.deepEqual([current.name, current.updatedAt], [accepted.body.name, accepted.body.updatedAt]);
      assert.deepEqual(
        [current.description, current.nodes[0]?.data.config],
        [current.name, { value: current.name }],
      );
    }
  });

  it('each create a version without If-Match', async () => {
    const responses = await Promise.all(
      Array.from({ length: WRITERS }, (_, i) => putWorkflow(owner, id, toBody(`w${i}`))),
    );
    for (const { status, body } of responses) {
      assert.equal(status, 200);
      assert.deepEqual([body.description, body.nodes[0]?.data.config], [body.name, { value: body.name }]);
    }
    assert.equal(new Set(responses.map(({ body }) => body.updatedAt)).size, WRITERS);
    const { body } = await owner.request<{ data: { version: number }[] }>('GET', `/workflows/${id}/versions`);
    assert.deepEqual(
      body.data.map(({ version }) => version),
      Array.from({ length: WRITERS + 1 }, (_, i) => WRITERS + 1 - i),
    );
  });

  it('are refused if the body was read before a publication', async () => {
    const base = await readWorkflow(owner, id);
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    assertRefused(await putWorkflow(owner, id, { ...base, name: 'Mine' }), 409, 'stale_write');
  });

  const toBody = (value: string) => ({
    name: value,
    description: value,
    nodes: [node('a', 'input:text', { value })],
    edges: [],
  });
});
