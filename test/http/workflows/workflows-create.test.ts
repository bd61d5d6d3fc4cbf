// Tests each rule of POST /workflows.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { insertMedia } from '../../../src/store/media/media.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
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
let owner: ApiUser;
let teammate: ApiUser;
let otherUser: ApiUser;
let teamId: string;
let teamFolder: string;
let ownFolder: string;

before(async () => {
  test = await openTestApp();
  [owner, teammate, otherUser] = await test.createUsers(3);
  teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
  await joinTeam(owner, teamId, teammate, 'EDITOR');
  teamFolder = String((await owner.request('POST', '/folders', { name: 'F', teamId })).body.id);
  ownFolder = String((await owner.request('POST', '/folders', { name: 'Mine' })).body.id);
});
after(() => test.close());

const post = (user: Pick<ApiUser, 'request'>, body: object) =>
  user.request<Workflow>('POST', '/workflows', { name: 'W', ...PAIR, ...body });

async function addMedia(user: ApiUser, workspace = `user:${user.userId}`): Promise<string> {
  const id = newId('media');
  await insertMedia(test.deps.db, [
    {
      id,
      user_id: user.userId,
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
      node_type: null,
      seed: null,
    },
  ]);
  return id;
}

const countWorkflows = async (user: ApiUser): Promise<number> =>
  (await user.request<Workflow[]>('GET', '/workflows?limit=1000')).body.length;

describe('POST /workflows', () => {
  it('creates an active, private and personal workflow', async () => {
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
    const response = await owner.request('GET', `/workflows/${id}`);
    assert.equal(response.headers.etag, headers.etag);
  });

  it('warns about unknown config keys and enum values', async () => {
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

  it('normalizes config values and reports config_normalized', async () => {
    const { body } = await post(owner, {
      nodes: [node('g', 'generate:sandbox', { prompt: 'p', width: '512', style: 'Rings' })],
      edges: [],
    });
    assert.deepEqual(body.nodes[0]?.data.config, { prompt: 'p', width: 512, style: 'rings' });
    assert.equal(body.meta.issues.filter(({ code }) => code === 'config_normalized').length, 2);
  });

  it('removes runtime fields and adds dims to each node', async () => {
    const runtime = { width: 1, height: 1, positionAbsolute: {}, selected: true, dragging: true };
    const { body } = await post(owner, {
      nodes: [
        node('a', 'input:text', {}, runtime),
        node('m', 'input:text', {}, { measured: { width: 99, height: 88 } }),
        node('d', 'utility:sticky_note', {}, { style: { width: 77, height: 66 } }),
      ],
      edges: [],
    });
    const [plainNode, measuredNode, declaredNode] = body.nodes;
    assert.deepEqual(Object.keys(plainNode ?? {}), ['id', 'type', 'position', 'data', 'dims']);
    assert.match(JSON.stringify(plainNode?.dims), /"source":"estimated"/);
    assert.deepEqual(measuredNode?.dims, { width: 99, height: 88, source: 'measured' });
    assert.deepEqual(declaredNode?.dims, { width: 77, height: 66, source: 'declared' });
  });

  it('accepts more than 100 nodes with a warning', async () => {
    const nodes = Array.from({ length: 101 }, (_, i) => node(`n${i}`, 'input:text'));
    const { status, body } = await post(owner, { nodes, edges: [] });
    assert.equal(status, 201);
    assert.ok(body.meta.issues.some(({ code }) => code === 'too_many_nodes'));
  });

  it('warns about unknown keys with every accepted key', async () => {
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

describe('POST /workflows with mediaId', () => {
  it("accepts media of the user and of the user's teams", async () => {
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
    assert.equal((await post(teammate, { mediaId: await addMedia(owner, teamId) })).status, 201);
  });

  it('returns the same 403 for unknown media and for media of another user', async () => {
    const countBefore = await countWorkflows(otherUser);
    const refusalForOtherUsersMedia = assertRefused(
      await post(otherUser, { mediaId: await addMedia(owner) }),
      403,
      'forbidden',
    );
    const refusalForUnknownMedia = assertRefused(
      await post(otherUser, { mediaId: newId('media') }),
      403,
      'forbidden',
    );
    assert.equal(refusalForOtherUsersMedia.error, refusalForUnknownMedia.error);
    assert.equal(await countWorkflows(otherUser), countBefore);
  });
});

describe('POST /workflows with id', () => {
  it('changes fields and folder of the workflow', async () => {
    const { id } = await createWorkflow(owner);
    const { status, body } = await post(owner, { id, folderId: ownFolder, name: 'New' });
    assert.deepEqual([status, body.id, body.folderId, body.name], [201, id, ownFolder, 'New']);
    assert.equal((await readWorkflow(owner, id)).folderId, ownFolder);
  });

  it('returns 400 folder_workspace_mismatch for a folder in another workspace', async () => {
    const { id } = await createWorkflow(owner);
    assertRefused(
      await post(owner, { id, folderId: teamFolder, name: 'New' }),
      400,
      'folder_workspace_mismatch',
    );
    const { folderId, name } = await readWorkflow(owner, id);
    assert.deepEqual([folderId, name], [null, 'W']);
  });

  it("returns 403 for another user's folder and 404 for an unknown folder", async () => {
    const { id } = await createWorkflow(otherUser);
    assertRefused(await post(otherUser, { id, folderId: ownFolder }), 403, 'forbidden');
    assertRefused(await post(otherUser, { id, folderId: newId('folder') }), 404, 'not_found');
  });

  it("returns 403 for another user's workflow and 404 for an unknown workflow", async () => {
    const { id } = await createWorkflow(owner);
    assertRefused(await post(otherUser, { id }), 403, 'forbidden');
    assertRefused(await post(owner, { id: newId('workflow') }), 404, 'not_found');
  });

  it('refuses mediaId from an editor', async () => {
    const { id } = await createWorkflow(owner);
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: teammate.userId, role: 'EDIT' });
    assertRefused(await post(teammate, { id, mediaId: await addMedia(teammate) }), 403, 'forbidden');
  });
});

describe('POST /workflows with an invalid body', () => {
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
      const countBefore = await countWorkflows(owner);
      const { issues } = assertRefused(await post(owner, body), 400, code);
      if (issue !== undefined)
        assert.ok(
          issues?.some(item => item.code === issue),
          JSON.stringify(issues),
        );
      assert.equal(await countWorkflows(owner), countBefore);
    });
  }

  it('returns 400 too_deep for 11 levels of node data', async () => {
    const createNested = (levels: number): object =>
      levels === 0 ? {} : { deeper: createNested(levels - 1) };
    // Three of the levels are data, config and the innermost object.
    const createGraph = (levels: number) => ({
      nodes: [node('a', 'input:text', { value: createNested(levels - 3) })],
      edges: [],
    });
    assert.equal((await post(owner, createGraph(10))).status, 201);
    const { issues } = assertRefused(await post(owner, createGraph(11)), 400, 'invalid_graph');
    assert.equal(issues?.[0]?.code, 'too_deep');
  });

  it('reports every error', async () => {
    const body = { nodes: [node('a', 'no:such'), node('b', 'nor:this')], edges: [] };
    const { issues } = assertRefused(await post(owner, body), 400, 'invalid_graph');
    assert.deepEqual(
      issues?.map(({ nodeId }) => nodeId),
      ['a', 'b'],
    );
  });
});

describe('POST /workflows without access', () => {
  it('returns 401 without a key or without workflows:write', async () => {
    assertRefused(await post(test.anonymous, {}), 401, 'unauthorized');
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:execute']);
    assertRefused(await post(reader, {}), 401, 'insufficient_scope');
  });
});

describe('a large POST /workflows', () => {
  it('returns 413 for more than 4 MB', async () => {
    const nodes = [node('a', 'input:text', { value: 'x'.repeat(4_194_304) })];
    assertRefused(await post(owner, { nodes, edges: [] }), 413, 'payload_too_large');
  });
});
