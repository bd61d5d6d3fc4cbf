// Tests each rule of POST /workflows.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { insertMedia } from '../../../src/store/media/media.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  edge,
  node,
  PAIR,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

let test: TestApp;
let owner: Caller;
let mate: Caller;
let otherUser: Caller;
let teamId: string;
let teamFolder: string;
let ownFolder: string;

before(async () => {
  test = await createTestApp();
  [owner, mate, otherUser] = await test.createCallers(3);
  teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
  await joinTeam(owner, teamId, mate, 'EDITOR');
  teamFolder = String((await owner.request('POST', '/folders', { name: 'F', teamId })).body.id);
  ownFolder = String((await owner.request('POST', '/folders', { name: 'Mine' })).body.id);
});
after(() => test.close());

const post = (caller: Pick<Caller, 'request'>, body: object) =>
  caller.request<Workflow>('POST', '/workflows', { name: 'W', ...PAIR, ...body });

async function addMedia(caller: Caller, workspace = `user:${caller.userId}`): Promise<string> {
  const id = newId('media');
  await insertMedia(test.deps.db, [
    {
      id,
      user_id: caller.userId,
      workspace,
      name: 'a.png',
      content_type: 'image/png',
      bytes: 3,
      sha256: 'x',
      width: 2,
      height: 1,
      duration: null,
      origin: 'upload',
      execution_id: null,
      prompt: null,
      poster_id: null,
    },
  ]);
  return id;
}

const countWorkflows = async (caller: Caller): Promise<number> =>
  (await caller.request<Workflow[]>('GET', '/workflows?limit=1000')).body.length;

describe('a successful request', () => {
  it('returns a workflow that is active, private and personal by default', async () => {
    const { status, headers, body } = await post(owner, { description: 'D', tags: ['t'], webhookId: 'h' });
    assert.equal(status, 201);
    assert.equal(headers.location, `${test.deps.settings.BASE_URL}/api/v1/workflows/${body.id}`);
    assert.match(body.id, /^wf_/);
    const { nodes, edges, meta: _, createdAt, updatedAt, id, ...fields } = body;
    assert.deepEqual(fields, {
      userId: owner.userId,
      teamId: null,
      folderId: null,
      name: 'W',
      description: 'D',
      tags: ['t'],
      isActive: true,
      webhookId: 'h',
      webhookUrl: null,
      linkPermission: 'PRIVATE',
      isPublished: false,
      publishedSlug: null,
      publishedAt: null,
      publishSettings: null,
      poster: null,
      media: null,
      secrets: null,
      views: 0,
      dailyCreditBudget: null,
      executionEngine: 'standard',
      lastEditorHeartbeatAt: null,
      isOwner: true,
      canEdit: true,
      canDuplicate: true,
      userRole: 'OWNER',
    });
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(edges, PAIR.edges);
    assert.deepEqual(
      nodes.map(({ dims: _, ...rest }) => rest),
      PAIR.nodes,
    );
    const got = await owner.request('GET', `/workflows/${id}`);
    assert.equal(got.headers.etag, headers.etag);
  });

  it('warns of unknown config keys and invalid enum values in meta.warnings, starting with the node id', async () => {
    const { body } = await post(owner, {
      nodes: [node('g', 'generate:sandbox', { prompt: 'p', widht: 3, style: 'neon' })],
      edges: [],
    });
    assert.deepEqual(body.meta.issues.map(({ code }) => code).sort(), [
      'unknown_config_key',
      'value_not_in_enum',
    ]);
    assert.ok(body.meta.warnings.some(line => line.startsWith('g: ') && line.includes('width')));
    assert.ok(body.meta.warnings.some(line => line.startsWith('g: ') && line.includes('neon')));
  });

  it('corrects numbers written as text and the case of enum values, and reports it', async () => {
    const { body } = await post(owner, {
      nodes: [node('g', 'generate:sandbox', { prompt: 'p', width: '512', style: 'Rings' })],
      edges: [],
    });
    assert.deepEqual(body.nodes[0]?.data.config, { prompt: 'p', width: 512, style: 'rings' });
    assert.equal(body.meta.issues.filter(({ code }) => code === 'config_normalized').length, 2);
  });

  it('strips runtime fields and gives each node its dims', async () => {
    const runtime = { width: 1, height: 1, positionAbsolute: {}, selected: true, dragging: true };
    const { body } = await post(owner, {
      nodes: [
        node('a', 'input:text', {}, runtime),
        node('m', 'input:text', {}, { measured: { width: 99, height: 88 } }),
        node('d', 'utility:sticky_note', {}, { style: { width: 77, height: 66 } }),
      ],
      edges: [],
    });
    const [plain, measured, declared] = body.nodes;
    assert.deepEqual(Object.keys(plain ?? {}), ['id', 'type', 'position', 'data', 'dims']);
    assert.match(JSON.stringify(plain?.dims), /"source":"estimated"/);
    assert.deepEqual(measured?.dims, { width: 99, height: 88, source: 'measured' });
    assert.deepEqual(declared?.dims, { width: 77, height: 66, source: 'declared' });
  });

  it('only warns of more than 100 nodes', async () => {
    const nodes = Array.from({ length: 101 }, (_, i) => node(`n${i}`, 'input:text'));
    const { status, body } = await post(owner, { nodes, edges: [] });
    assert.equal(status, 201);
    assert.ok(body.meta.issues.some(({ code }) => code === 'too_many_nodes'));
  });

  it('names unknown keys in meta.warnings with every accepted key', async () => {
    const { body } = await post(owner, { color: 'red', views: 3 });
    const line = body.meta.warnings.find(item => item.startsWith('Ignored: color, views.'));
    assert.match(line ?? '', /accepts name, .*mediaId/);
  });

  it('creates a personal workflow even if a team is the active workspace', async () => {
    await owner.request('PUT', '/me/workspace', { teamId });
    assert.equal((await createWorkflow(owner)).teamId, null);
    await owner.request('PUT', '/me/workspace', { teamId: null });
  });

  it('accepts a personal folder', async () => {
    assert.equal((await createWorkflow(owner, { folderId: ownFolder })).folderId, ownFolder);
  });
});

describe('mediaId', () => {
  it("accepts the caller's own media and a team's, and returns it as media", async () => {
    const ownMediaId = await addMedia(owner);
    const { body } = await post(owner, { mediaId: ownMediaId });
    assert.deepEqual(body.media, {
      url: `${test.deps.settings.CDN_URL}/${ownMediaId}/a.png`,
      mediaId: ownMediaId,
      contentType: 'image/png',
      width: 2,
      height: 1,
      duration: null,
      bytes: 3,
    });
    assert.equal((await post(mate, { mediaId: await addMedia(owner, teamId) })).status, 201);
  });

  it("refuses another user's media like an unknown one, and saves nothing", async () => {
    const before = await countWorkflows(otherUser);
    const foreign = assertRefused(
      await post(otherUser, { mediaId: await addMedia(owner) }),
      403,
      'forbidden',
    );
    const absent = assertRefused(await post(otherUser, { mediaId: newId('media') }), 403, 'forbidden');
    assert.equal(foreign.error, absent.error);
    assert.equal(await countWorkflows(otherUser), before);
  });
});

describe('id with folderId', () => {
  it('moves the workflow to another folder of its workspace and saves the other fields', async () => {
    const { id } = await createWorkflow(owner);
    const { status, body } = await post(owner, { id, folderId: ownFolder, name: 'New' });
    assert.deepEqual([status, body.id, body.folderId, body.name], [201, id, ownFolder, 'New']);
    assert.equal((await readWorkflow(owner, id)).folderId, ownFolder);
  });

  it('refuses a folder in another workspace with 400 folder_workspace_mismatch', async () => {
    const { id } = await createWorkflow(owner);
    assertRefused(
      await post(owner, { id, folderId: teamFolder, name: 'New' }),
      400,
      'folder_workspace_mismatch',
    );
    const { folderId, name } = await readWorkflow(owner, id);
    assert.deepEqual([folderId, name], [null, 'W']);
  });

  it("refuses another user's folder with 403 and an unknown one with 404", async () => {
    const { id } = await createWorkflow(otherUser);
    assertRefused(await post(otherUser, { id, folderId: ownFolder }), 403, 'forbidden');
    assertRefused(await post(otherUser, { id, folderId: newId('folder') }), 404, 'not_found');
  });

  it("refuses another user's workflow with 403 and an unknown one with 404", async () => {
    const { id } = await createWorkflow(owner);
    assertRefused(await post(otherUser, { id }), 403, 'forbidden');
    assertRefused(await post(owner, { id: newId('workflow') }), 404, 'not_found');
  });

  it('does not let an editor link media of their own, which would make them an owner', async () => {
    const { id } = await createWorkflow(owner);
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: mate.userId, role: 'EDIT' });
    assertRefused(await post(mate, { id, mediaId: await addMedia(mate) }), 403, 'forbidden');
  });
});

describe('an invalid request', () => {
  const cases: readonly [name: string, body: object, code: string, issue?: string][] = [
    ['a missing name', { name: undefined }, 'invalid_request'],
    ['missing nodes', { nodes: undefined }, 'invalid_request'],
    ['missing edges', { edges: undefined }, 'invalid_request'],
    ['0 nodes and 0 edges', { nodes: [], edges: [] }, 'invalid_graph', 'no_nodes'],
    [
      'a node without id',
      { nodes: [{ ...node('a', 'input:text'), id: undefined }], edges: [] },
      'invalid_graph',
      'missing_node_id',
    ],
    [
      'a node without type',
      { nodes: [{ ...node('a', 'input:text'), type: undefined }], edges: [] },
      'invalid_graph',
      'missing_type',
    ],
    [
      'a node without position',
      { nodes: [{ ...node('a', 'input:text'), position: undefined }], edges: [] },
      'invalid_graph',
      'missing_position',
    ],
    [
      'a node without data',
      { nodes: [{ ...node('a', 'input:text'), data: undefined }], edges: [] },
      'invalid_graph',
      'missing_data',
    ],
    [
      'a node missing its model name',
      { nodes: [{ ...node('a', 'x:y'), data: { label: 'M', category: 'model' } }], edges: [] },
      'invalid_graph',
      'missing_model',
    ],
    [
      'an unknown node type',
      { nodes: [node('a', 'input:txet')], edges: [] },
      'invalid_graph',
      'unknown_node_type',
    ],
    [
      'the wrong type for a sticky note',
      { nodes: [node('a', 'utility:sticky_note', {}, { type: 'basedNode' })], edges: [] },
      'invalid_graph',
      'wrong_type',
    ],
    [
      'two nodes with one id',
      { nodes: [node('a', 'input:text'), node('a', 'input:text')], edges: [] },
      'invalid_graph',
      'duplicate_node_id',
    ],
    ['an edge to nowhere', { edges: [edge('a.text > z.input')] }, 'invalid_graph', 'unknown_target'],
    [
      'over 1500 edges',
      { edges: Array.from({ length: 1501 }, (_, i) => ({ ...edge('a.text > b.input'), id: `e${i}` })) },
      'invalid_graph',
      'too_many_edges',
    ],
  ];
  for (const [name, body, code, issue] of cases) {
    it(`returns 400 and saves nothing for ${name}`, async () => {
      const before = await countWorkflows(owner);
      const { issues } = assertRefused(await post(owner, body), 400, code);
      if (issue !== undefined)
        assert.ok(
          issues?.some(item => item.code === issue),
          JSON.stringify(issues),
        );
      assert.equal(await countWorkflows(owner), before);
    });
  }

  it('allows 10 levels of nested node data, counting data, but not 11', async () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { deeper: nested(levels - 1) });
    // data and config are two of the levels; the innermost object is one.
    const graph = (levels: number) => ({
      nodes: [node('a', 'input:text', { value: nested(levels - 3) })],
      edges: [],
    });
    assert.equal((await post(owner, graph(10))).status, 201);
    const { issues } = assertRefused(await post(owner, graph(11)), 400, 'invalid_graph');
    assert.equal(issues?.[0]?.code, 'too_deep');
  });

  it('reports every error at once', async () => {
    const body = { nodes: [node('a', 'no:such'), node('b', 'nor:this')], edges: [] };
    const { issues } = assertRefused(await post(owner, body), 400, 'invalid_graph');
    assert.deepEqual(
      issues?.map(({ nodeId }) => nodeId),
      ['a', 'b'],
    );
  });
});

describe('an unauthenticated request', () => {
  it('returns 401 without a key, and with one that lacks workflows:write', async () => {
    assertRefused(await post(test.anonymous, {}), 401, 'unauthorized');
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:execute']);
    assertRefused(await post(reader, {}), 401, 'insufficient_scope');
  });
});

describe('a large request', () => {
  it('returns 413 over 4 MB', async () => {
    const nodes = [node('a', 'input:text', { value: 'x'.repeat(4_194_304) })];
    assertRefused(await post(owner, { nodes, edges: [] }), 413, 'payload_too_large');
  });
});
