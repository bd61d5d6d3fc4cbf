// Tests each rule of PUT /workflows/{id}. workflows-move.test.ts tests moves between folders.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  edge,
  node,
  PAIR,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

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
  ({ id } = await createWorkflow(owner, { description: 'D', tags: ['t'], webhookId: 'h' }));
  await owner.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
});

const countVersions = async (): Promise<number> =>
  (await owner.request<{ data: object[] }>('GET', `/workflows/${id}/versions`)).body.data.length;
const publish = (body: object) => owner.request<Workflow>('POST', `/workflows/${id}/publish`, body);

describe('PUT /workflows/{id}', () => {
  const changes: readonly Readonly<Record<string, unknown>>[] = [
    { name: 'New' },
    { description: null },
    { description: 'New' },
    { tags: [] },
    { isActive: false },
    { webhookId: null },
    { webhookUrl: 'https://example.com/hook' },
  ];
  for (const change of changes) {
    it(`changes only ${JSON.stringify(change)}`, async () => {
      const oldWorkflow = await readWorkflow(owner, id);
      const { status, body } = await putWorkflow(owner, id, change);
      assert.equal(status, 200);
      const { meta: _, ...newWorkflow } = body;
      assert.deepEqual(newWorkflow, { ...oldWorkflow, ...change, updatedAt: newWorkflow.updatedAt });
      assert.ok(newWorkflow.updatedAt > oldWorkflow.updatedAt);
      assert.equal(await countVersions(), 1);
      assert.deepEqual(await readWorkflow(owner, id), newWorkflow);
    });
  }

  it('replaces nodes or edges and stores a version', async () => {
    const nodes = [...PAIR.nodes, node('c', 'output:preview', {}, { position: { x: 900, y: 0 } })];
    const { body } = await putWorkflow(owner, id, { nodes });
    assert.deepEqual([body.nodes.length, body.edges], [3, PAIR.edges]);
    const response = await putWorkflow(owner, id, { edges: [edge('a.text > c.input')] });
    assert.deepEqual(response.body.edges, [edge('a.text > c.input')]);
    assert.equal(await countVersions(), 3);
  });

  it('removes runtime fields of nodes', async () => {
    const [a, b] = PAIR.nodes;
    const { body } = await putWorkflow(owner, id, {
      nodes: [{ ...a, selected: true, width: 3, dragging: false }, b],
    });
    assert.deepEqual(Object.keys(body.nodes[0] ?? {}), ['id', 'type', 'position', 'data', 'dims']);
    assert.equal(await countVersions(), 1);
  });

  it('changes no field if the graph or folder is invalid', async () => {
    const oldWorkflow = await readWorkflow(owner, id);
    assertRefused(await putWorkflow(owner, id, { name: 'New', nodes: [] }), 400, 'invalid_graph');
    assertRefused(await putWorkflow(owner, id, { name: 'New', folderId: newId('folder') }), 404, 'not_found');
    assert.deepEqual(await readWorkflow(owner, id), oldWorkflow);
  });

  it('refuses an edge to a removed node', async () => {
    const { issues } = assertRefused(
      await putWorkflow(owner, id, { nodes: [PAIR.nodes[1]] }),
      400,
      'invalid_graph',
    );
    assert.equal(issues?.[0]?.code, 'unknown_source');
  });

  it('warns about problems in the graph', async () => {
    const { body } = await putWorkflow(owner, id, {
      nodes: [node('a', 'input:text', { valeu: 1 }), PAIR.nodes[1]],
    });
    assert.ok(body.meta.issues.some(({ code }) => code === 'unknown_config_key'));
    assert.ok(body.meta.warnings.some(line => line.startsWith('a: ')));
  });
});

describe('PUT of fields that other routes change', () => {
  it('ignores values that equal the stored values', async () => {
    await publish({ isPublished: true, settings: { title: 'T', isTemplate: true } });
    const { linkPermission, isPublished, publishedSlug, publishedAt, publishSettings, updatedAt } =
      await readWorkflow(owner, id);
    const fields = { linkPermission, isPublished, publishedSlug, publishedAt, publishSettings };
    const { status, body } = await putWorkflow(owner, id, fields);
    assert.deepEqual([status, body.meta.warnings, body.updatedAt], [200, [], updatedAt]);
  });

  it('returns 400 field_not_writable with every field and its route', async () => {
    const { updatedAt } = await readWorkflow(owner, id);
    const changedFields = {
      linkPermission: 'VIEW',
      isPublished: true,
      publishedSlug: 'x-y-z',
      publishedAt: updatedAt,
      publishSettings: {},
    };
    const { error, issues } = assertRefused(
      await putWorkflow(owner, id, { ...changedFields, name: 'New', updatedAt }),
      400,
      'field_not_writable',
    );
    for (const key of Object.keys(changedFields)) assert.ok(error.includes(key), error);
    assert.match(error, /linkPermission is changed by POST \/workflows\/\{id\}\/visibility/);
    assert.match(error, /isPublished is changed by POST \/workflows\/\{id\}\/publish/);
    assert.deepEqual(
      issues?.map(({ path }) => path),
      Object.keys(changedFields).map(key => `/${key}`),
    );
    assert.equal((await readWorkflow(owner, id)).name, 'W');
  });
});

describe('PUT with an older updatedAt', () => {
  for (const base of ['updatedAt', 'baseUpdatedAt']) {
    it(`returns 409 stale_write if ${base} is older and isPublished differs`, async () => {
      const oldWorkflow = await readWorkflow(owner, id);
      await publish({ isPublished: true });
      const staleBody = { isPublished: false, name: 'New', [base]: oldWorkflow.updatedAt };
      assertRefused(await putWorkflow(owner, id, staleBody), 409, 'stale_write');
      assert.equal((await readWorkflow(owner, id)).name, 'W');
    });

    it(`returns 409 stale_write if ${base} is older and folderId differs`, async () => {
      const oldWorkflow = await readWorkflow(owner, id);
      const folder = await owner.request('POST', '/folders', { name: 'F' });
      await putWorkflow(owner, id, { folderId: folder.body.id });
      assertRefused(
        await putWorkflow(owner, id, { folderId: null, [base]: oldWorkflow.updatedAt }),
        409,
        'stale_write',
      );
    });
  }

  it('succeeds if isPublished and folderId do not differ', async () => {
    const { updatedAt } = await readWorkflow(owner, id);
    await putWorkflow(owner, id, { name: 'Newer' });
    const { status, body } = await putWorkflow(owner, id, { description: 'New', updatedAt });
    assert.deepEqual([status, body.name, body.description], [200, 'Newer', 'New']);
  });
});

describe('secrets of a workflow', () => {
  beforeEach(async () => {
    await putWorkflow(owner, id, { secrets: { TOKEN: 'geheim' } });
  });
  const readSecrets = async (user: ApiUser) => (await readWorkflow(user, id)).secrets;

  it('are shown only to the creator', async () => {
    assert.deepEqual(await readSecrets(owner), { TOKEN: 'geheim' });
    assert.equal(await readSecrets(editor), null);
  });

  it('are deleted only by null from the creator', async () => {
    const { body } = await putWorkflow(editor, id, { secrets: null });
    assert.deepEqual([body.meta.warnings, await readSecrets(owner)], [[], { TOKEN: 'geheim' }]);
    assert.equal((await putWorkflow(owner, id, { secrets: null })).body.secrets, null);
    assert.equal(await readSecrets(owner), null);
  });

  it('are ignored with a warning if another user sends secrets', async () => {
    const { body } = await putWorkflow(editor, id, { secrets: { TOKEN: 'other' } });
    assert.ok(body.meta.warnings.some(line => line.startsWith('Ignored: secrets.')));
    assert.deepEqual(await readSecrets(owner), { TOKEN: 'geheim' });
  });

  it('are null for a key without workflows:read and kept if the key sends null', async () => {
    const writer = await test.withScopes(owner, ['workflows:write']);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    await publish({ isPublished: true, settings: { title: 'T', isTemplate: true } });
    const workflow = await readWorkflow(writer, id);
    assert.deepEqual([workflow.secrets, workflow.userRole], [null, 'ANONYMOUS']);
    const { status, body } = await putWorkflow(writer, id, workflow);
    assert.deepEqual([status, body.secrets], [200, null]);
    assert.deepEqual(await readSecrets(owner), { TOKEN: 'geheim' });
  });

  it('are encrypted at rest', async () => {
    const { rows } = await test.deps.db.query<{ row: string }>(
      `select row_to_json(w)::text || encode(w.secrets, 'escape') as row from workflows w where id = $1`,
      [id],
    );
    assert.ok(rows[0]?.row.includes('"id"') && !/geheim|TOKEN/.test(rows[0].row));
  });

  it('must have valid names and text values', async () => {
    assertRefused(await putWorkflow(owner, id, { secrets: { 'a b': 'x' } }), 400, 'invalid_request');
    assertRefused(await putWorkflow(owner, id, { secrets: { A: 1 } }), 400, 'invalid_request');
    assert.deepEqual(await readSecrets(owner), { TOKEN: 'geheim' });
  });
});

describe('PUT of unknown and read-only keys', () => {
  it('ignores fields that GET returned', async () => {
    const workflow = await readWorkflow(owner, id);
    const { body } = await putWorkflow(editor, id, {
      ...workflow,
      isOwner: true,
      userRole: 'X',
      canEdit: 3,
      meta: [],
      media: 1,
    });
    assert.deepEqual([body.meta.warnings, body.updatedAt], [[], workflow.updatedAt]);
  });

  it('warns about unknown and changed read-only keys', async () => {
    const { body } = await putWorkflow(owner, id, {
      teamId: 'team_x',
      userId: 99,
      colour: 'red',
      createdAt: 'now',
    });
    const [line = '', ...otherWarnings] = body.meta.warnings;
    assert.deepEqual(otherWarnings, []);
    assert.ok(line.startsWith('Ignored: teamId, userId, colour, createdAt.'), line);
    for (const key of ['name', 'nodes', 'folderId', 'autoLayout', 'poster', 'updatedAt', 'canEdit']) {
      assert.ok(line.includes(key), key);
    }
    assert.match(line, /unknown_parameter/);
    assert.deepEqual([body.teamId, body.userId], [null, owner.userId]);
  });

  it('names at most 20 keys in the warning', async () => {
    const { body } = await putWorkflow(
      owner,
      id,
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1])),
    );
    assert.match(body.meta.warnings[0] ?? '', /k19 and 480 more\./);
  });
});

describe('PUT with If-Match', () => {
  const putIfMatch = (etag: string, body: object) =>
    owner.request<Workflow>('PUT', `/workflows/${id}`, body, { 'if-match': etag });

  it('accepts the current ETag and *', async () => {
    const { headers } = await owner.request('GET', `/workflows/${id}`);
    const first = await putIfMatch(headers.etag ?? '', { name: '1' });
    assert.equal(first.status, 200);
    assert.equal((await putIfMatch(first.headers.etag ?? '', { name: '2' })).status, 200);
    assert.equal((await putIfMatch('*', { name: '3' })).status, 200);
    assert.equal(
      (await putIfMatch(`"other", ${(await putIfMatch('*', { name: '4' })).headers.etag}`, {})).status,
      200,
    );
  });

  it('returns 409 stale_write for an older, weak or unknown ETag', async () => {
    const { headers } = await owner.request('GET', `/workflows/${id}`);
    await putWorkflow(editor, id, { name: 'Mine' });
    assertRefused(await putIfMatch(headers.etag ?? '', { name: 'Yours' }), 409, 'stale_write');
    const { headers: currentHeaders } = await owner.request('GET', `/workflows/${id}`);
    assertRefused(await putIfMatch(`W/${currentHeaders.etag}`, { name: 'Yours' }), 409, 'stale_write');
    assertRefused(await putIfMatch('"nonsense"', { name: 'Yours' }), 409, 'stale_write');
    assert.equal((await readWorkflow(owner, id)).name, 'Mine');
  });

  it('accepts the ETag from before views and heartbeats', async () => {
    const { headers } = await owner.request('GET', `/workflows/${id}`);
    await editor.request('POST', `/workflows/${id}/heartbeat`);
    assert.equal((await putIfMatch(headers.etag ?? '', { name: 'New' })).status, 200);
  });
});

describe('errors of PUT /workflows/{id}', () => {
  it('include 401, 403 and 404 without access', async () => {
    assertRefused(await putWorkflow(owner, newId('workflow'), { name: 'X' }), 404, 'not_found');
    assertRefused(await putWorkflow(otherUser, id, { name: 'X' }), 403, 'forbidden');
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: otherUser.userId, role: 'VIEW' });
    assertRefused(await putWorkflow(otherUser, id, { name: 'X' }), 403, 'forbidden');
    assertRefused(await putWorkflow(test.anonymous, id, { name: 'X' }), 401, 'unauthorized');
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:execute']);
    assertRefused(await putWorkflow(reader, id, { name: 'X' }), 401, 'insufficient_scope');
  });

  it('include 400 for invalid bodies and fields', async () => {
    const invalidBodies = [
      [],
      { name: '' },
      { name: null },
      { tags: 'x' },
      { isActive: 'true' },
      { folderId: 3 },
      { poster: 1 },
    ];
    for (const body of invalidBodies)
      assertRefused(await putWorkflow(owner, id, body), 400, 'invalid_request');
    for (const body of [{ nodes: 'x' }, { nodes: null }, { edges: null }, { nodes: {} }, { nodes: [null] }]) {
      assertRefused(await putWorkflow(owner, id, body), 400, 'invalid_graph');
    }
  });
});
