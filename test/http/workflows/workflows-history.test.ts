// Tests how versions of a workflow are listed and restored, and how workflows are duplicated, exported and imported.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  node,
  PAIR,
  putWorkflow,
  randomGraph,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

interface Version {
  readonly version: number;
  readonly userId: number;
  readonly isCurrent: boolean;
  readonly isPublished: boolean;
}
interface VersionPage {
  readonly data: readonly Version[];
  readonly nextCursor: string | null;
}

let test: TestApp;
let owner: ApiUser;
let editor: ApiUser;
let viewer: ApiUser;
let otherUser: ApiUser;
let id: string;

before(async () => {
  test = await openTestApp();
  [owner, editor, viewer, otherUser] = await test.createUsers(4);
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(owner));
  await owner.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
  await owner.request('PUT', `/workflows/${id}/permissions`, { userId: viewer.userId, role: 'VIEW' });
});

const createGraph = (value: string) => ({ nodes: [node('a', 'input:text', { value })], edges: [] });
const requestVersions = (user: Pick<ApiUser, 'request'>, query = '') =>
  user.request<VersionPage>('GET', `/workflows/${id}/versions${query}`);
const restore = (user: Pick<ApiUser, 'request'>, version: number) =>
  user.request<Workflow>('POST', `/workflows/${id}/versions/${version}/restore`);

describe('/workflows/{id}/versions', () => {
  it('lists a version for each change of the graph, newest first', async () => {
    await putWorkflow(owner, id, { name: 'no graph' });
    await putWorkflow(editor, id, createGraph('2'));
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    await putWorkflow(owner, id, createGraph('3'));
    const { body } = await requestVersions(owner);
    assert.deepEqual(
      body.data.map(({ version, userId, isCurrent, isPublished }) => [
        version,
        userId,
        isCurrent,
        isPublished,
      ]),
      [
        [3, owner.userId, true, false],
        [2, editor.userId, false, true],
        [1, owner.userId, false, false],
      ],
    );
    const first = await requestVersions(owner, '?limit=2');
    const lastPage = await requestVersions(owner, `?limit=2&cursor=${first.body.nextCursor}`);
    assert.deepEqual(
      [...first.body.data, ...lastPage.body.data].map(({ version }) => version),
      [3, 2, 1],
    );
    assert.equal(lastPage.body.nextCursor, null);
  });

  it('returns a version with its graph', async () => {
    const { nodes, edges } = await readWorkflow(owner, id);
    await putWorkflow(owner, id, createGraph('2'));
    const { body } = await owner.request<Workflow>('GET', `/workflows/${id}/versions/1`);
    assert.deepEqual([body.nodes, body.edges], [nodes, edges]);
    assertRefused(await owner.request('GET', `/workflows/${id}/versions/3`), 404, 'not_found');
    assertRefused(await owner.request('GET', `/workflows/${id}/versions/x`), 400, 'invalid_request');
  });

  it('restores a version as a new version', async () => {
    const oldWorkflow = await readWorkflow(owner, id);
    await putWorkflow(owner, id, createGraph('2'));
    const { status, body } = await restore(editor, 1);
    assert.deepEqual([status, body.nodes, body.edges], [200, oldWorkflow.nodes, oldWorkflow.edges]);
    const { body: page } = await requestVersions(owner);
    assert.deepEqual(
      page.data.map(({ version }) => version),
      [3, 2, 1],
    );
    assert.deepEqual((await readWorkflow(owner, id)).nodes, oldWorkflow.nodes);
  });

  it('creates no version if the restored graph equals the current graph', async () => {
    const { updatedAt } = await readWorkflow(owner, id);
    assert.equal((await restore(owner, 1)).body.updatedAt, updatedAt);
    assert.equal((await requestVersions(owner)).body.data.length, 1);
    assertRefused(await restore(owner, 9), 404, 'not_found');
  });

  it('requires edit access', async () => {
    for (const user of [viewer, otherUser]) {
      assertRefused(await requestVersions(user), 403, 'forbidden');
      assertRefused(await restore(user, 1), 403, 'forbidden');
    }
    assertRefused(await requestVersions(test.anonymous), 401, 'unauthorized');
  });
});

describe('POST /workflows/{id}/duplicate', () => {
  const duplicate = (user: Pick<ApiUser, 'request'>, body?: object) =>
    user.request<Workflow>('POST', `/workflows/${id}/duplicate`, body);

  it('creates a personal, private copy without secrets or publication', async () => {
    await putWorkflow(owner, id, { secrets: { A: 'b' }, description: 'D', tags: ['t'], webhookId: 'h' });
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    const { status, headers, body } = await duplicate(editor);
    assert.equal(status, 201);
    assert.equal(headers.location, `${test.deps.settings.BASE_URL}/api/v1/workflows/${body.id}`);
    assert.notEqual(body.id, id);
    assert.deepEqual(
      [
        body.name,
        body.userId,
        body.teamId,
        body.secrets,
        body.isPublished,
        body.publishedSlug,
        body.webhookId,
      ],
      ['W (copy)', editor.userId, null, null, false, null, null],
    );
    assert.deepEqual([body.description, body.tags, body.linkPermission], ['D', ['t'], 'PRIVATE']);
    const { nodes, edges } = await readWorkflow(owner, id);
    assert.deepEqual([body.nodes, body.edges], [nodes, edges]);
  });

  it('accepts a name and a personal folder', async () => {
    const { body: folder } = await owner.request('POST', '/folders', { name: 'F' });
    const { body } = await duplicate(owner, { name: 'N', folderId: folder.id });
    assert.deepEqual([body.name, body.folderId], ['N', folder.id]);
    assertRefused(await duplicate(editor, { folderId: folder.id }), 403, 'forbidden');
  });

  it('allows readers to copy what they can see if duplicating is allowed', async () => {
    assertRefused(await duplicate(otherUser), 403, 'forbidden');
    assertRefused(await duplicate(viewer), 403, 'forbidden');
    await putWorkflow(owner, id, {
      nodes: [node('a', 'input:text', { value: 'v', apiKey: 'k' })],
      edges: [],
    });
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'DUPLICATE' });
    for (const user of [viewer, otherUser]) {
      assert.deepEqual((await duplicate(user)).body.nodes[0]?.data.config, { value: 'v' });
    }
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'PRIVATE' });
    const settings = { allowDuplicate: true };
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true, settings });
    await putWorkflow(owner, id, createGraph('later'));
    assert.deepEqual((await duplicate(otherUser)).body.nodes[0]?.data.config, { value: 'v' });
    assertRefused(await duplicate(test.anonymous), 401, 'unauthorized');
  });

  it('creates a workflow that a PUT of its GET body does not change', async () => {
    const { id: source } = await createWorkflow(owner, randomGraph(21));
    const { body } = await owner.request<Workflow>('POST', `/workflows/${source}/duplicate`);
    const copy = await readWorkflow(owner, body.id);
    const response = await putWorkflow(owner, body.id, copy);
    assert.deepEqual([response.body.meta.warnings, response.body.updatedAt], [[], copy.updatedAt]);
  });
});

describe('export and import of workflows', () => {
  const exportWorkflow = (user: Pick<ApiUser, 'request'>, workflowId = id) =>
    user.request<Workflow>('GET', `/workflows/${workflowId}/export`);
  const importFile = (user: Pick<ApiUser, 'request'>, body: object) =>
    user.request<Workflow>('POST', '/workflows/import', body);

  it('transfer a complete graph without secrets to another account', async () => {
    const source = await createWorkflow(owner, {
      ...randomGraph(33),
      name: 'Grüße / "x"',
      description: 'D',
      tags: ['t'],
      secrets: { A: 'geheim' },
    });
    const file = await exportWorkflow(owner, source.id);
    assert.equal(file.headers['content-disposition'], 'attachment; filename="Gr-e-x.json"');
    assert.ok(!JSON.stringify(file.body).includes('geheim'));
    const { status, body } = await importFile(otherUser, file.body);
    assert.equal(status, 201);
    assert.deepEqual([body.name, body.description, body.tags], [source.name, 'D', ['t']]);
    assert.deepEqual([body.nodes, body.edges, body.userId], [source.nodes, source.edges, otherUser.userId]);
  });

  it('accept a workflow without a format and refuse unknown formats', async () => {
    assert.equal((await importFile(owner, { name: 'N', ...PAIR })).status, 201);
    assertRefused(await importFile(owner, { name: 'N', ...PAIR, format: 'other' }), 400, 'invalid_request');
    assertRefused(await importFile(owner, { name: 'N', nodes: [], edges: [] }), 400, 'invalid_graph');
    assertRefused(await importFile(test.anonymous, { name: 'N', ...PAIR }), 401, 'unauthorized');
  });

  it('are allowed to readers if duplicating is allowed', async () => {
    assertRefused(await exportWorkflow(viewer), 403, 'forbidden');
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'DUPLICATE' });
    assert.equal((await exportWorkflow(viewer)).status, 200);
    assert.equal((await exportWorkflow(test.anonymous)).status, 200);
  });
});
