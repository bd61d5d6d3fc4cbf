// Tests each rule of PUT /workflows/{id}. workflows-move.test.ts tests moves between folders.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
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
let owner: Caller;
let editor: Caller;
let otherUser: Caller;
let id: string;

before(async () => {
  test = await createTestApp();
  [owner, editor, otherUser] = await test.createCallers(3);
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(owner, { description: 'D', tags: ['t'], webhookId: 'h' }));
  await owner.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
});

const countVersions = async (): Promise<number> =>
  (await owner.request<{ data: object[] }>('GET', `/workflows/${id}/versions`)).body.data.length;
const publish = (body: object) => owner.request<Workflow>('POST', `/workflows/${id}/publish`, body);

describe('only the listed fields change', () => {
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
    it(`changes ${JSON.stringify(change)} and nothing else`, async () => {
      const oldWorkflow = await readWorkflow(owner, id);
      const { status, body } = await putWorkflow(owner, id, change);
      assert.equal(status, 200);
      const { meta: _, ...now } = body;
      assert.deepEqual(now, { ...oldWorkflow, ...change, updatedAt: now.updatedAt });
      assert.ok(now.updatedAt > oldWorkflow.updatedAt);
      assert.equal(await countVersions(), 1);
      assert.deepEqual(await readWorkflow(owner, id), now);
    });
  }

  it('changes nodes and edges as a whole and keeps a version', async () => {
    const nodes = [...PAIR.nodes, node('c', 'output:preview', {}, { position: { x: 900, y: 0 } })];
    const { body } = await putWorkflow(owner, id, { nodes });
    assert.deepEqual([body.nodes.length, body.edges], [3, PAIR.edges]);
    const response = await putWorkflow(owner, id, { edges: [edge('a.text > c.input')] });
    assert.deepEqual(response.body.edges, [edge('a.text > c.input')]);
    assert.equal(await countVersions(), 3);
  });

  it('strips runtime fields from input', async () => {
    const [a, b] = PAIR.nodes;
    const { body } = await putWorkflow(owner, id, {
      nodes: [{ ...a, selected: true, width: 3, dragging: false }, b],
    });
    assert.deepEqual(Object.keys(body.nodes[0] ?? {}), ['id', 'type', 'position', 'data', 'dims']);
    assert.equal(await countVersions(), 1);
  });

  it('leaves every other field unchanged if the graph is invalid', async () => {
    const oldWorkflow = await readWorkflow(owner, id);
    assertRefused(await putWorkflow(owner, id, { name: 'New', nodes: [] }), 400, 'invalid_graph');
    assertRefused(await putWorkflow(owner, id, { name: 'New', folderId: newId('folder') }), 404, 'not_found');
    assert.deepEqual(await readWorkflow(owner, id), oldWorkflow);
  });

  it('rejects an edge whose node is removed', async () => {
    const { issues } = assertRefused(
      await putWorkflow(owner, id, { nodes: [PAIR.nodes[1]] }),
      400,
      'invalid_graph',
    );
    assert.equal(issues?.[0]?.code, 'unknown_source');
  });

  it('warns of problems in a graph that it changes', async () => {
    const { body } = await putWorkflow(owner, id, {
      nodes: [node('a', 'input:text', { valeu: 1 }), PAIR.nodes[1]],
    });
    assert.ok(body.meta.issues.some(({ code }) => code === 'unknown_config_key'));
    assert.ok(body.meta.warnings.some(line => line.startsWith('a: ')));
  });
});

describe('fields owned by other endpoints are not writable', () => {
  it('accepts and ignores values that equal the stored ones', async () => {
    await publish({ isPublished: true, settings: { title: 'T', isTemplate: true } });
    const { linkPermission, isPublished, publishedSlug, publishedAt, publishSettings, updatedAt } =
      await readWorkflow(owner, id);
    const fields = { linkPermission, isPublished, publishedSlug, publishedAt, publishSettings };
    const { status, body } = await putWorkflow(owner, id, fields);
    assert.deepEqual([status, body.meta.warnings, body.updatedAt], [200, [], updatedAt]);
  });

  it('refuses changed values with 400 field_not_writable, naming every field and the endpoint that owns it', async () => {
    const { updatedAt } = await readWorkflow(owner, id);
    const changed = {
      linkPermission: 'VIEW',
      isPublished: true,
      publishedSlug: 'x-y-z',
      publishedAt: updatedAt,
      publishSettings: {},
    };
    const { error, issues } = assertRefused(
      await putWorkflow(owner, id, { ...changed, name: 'New', updatedAt }),
      400,
      'field_not_writable',
    );
    for (const key of Object.keys(changed)) assert.ok(error.includes(key), error);
    assert.match(error, /linkPermission is changed by POST \/workflows\/\{id\}\/visibility/);
    assert.match(error, /isPublished is changed by POST \/workflows\/\{id\}\/publish/);
    assert.deepEqual(
      issues?.map(({ path }) => path),
      Object.keys(changed).map(key => `/${key}`),
    );
    assert.equal((await readWorkflow(owner, id)).name, 'W');
  });
});

describe('a stale body', () => {
  for (const base of ['updatedAt', 'baseUpdatedAt']) {
    it(`is 409 stale_write if its ${base} is older and isPublished differs`, async () => {
      const oldWorkflow = await readWorkflow(owner, id);
      await publish({ isPublished: true });
      const stale = { isPublished: false, name: 'New', [base]: oldWorkflow.updatedAt };
      assertRefused(await putWorkflow(owner, id, stale), 409, 'stale_write');
      assert.equal((await readWorkflow(owner, id)).name, 'W');
    });

    it(`is 409 stale_write if its ${base} is older and folderId differs`, async () => {
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

  it('is written if neither differs', async () => {
    const { updatedAt } = await readWorkflow(owner, id);
    await putWorkflow(owner, id, { name: 'Newer' });
    const { status, body } = await putWorkflow(owner, id, { description: 'New', updatedAt });
    assert.deepEqual([status, body.name, body.description], [200, 'Newer', 'New']);
  });
});

describe('secrets', () => {
  beforeEach(async () => {
    await putWorkflow(owner, id, { secrets: { TOKEN: 'geheim' } });
  });
  const readSecrets = async (caller: Caller) => (await readWorkflow(caller, id)).secrets;

  it('are shown to the creator only', async () => {
    assert.deepEqual(await readSecrets(owner), { TOKEN: 'geheim' });
    assert.equal(await readSecrets(editor), null);
  });

  it('are cleared by null from the creator and kept when others send null', async () => {
    const { body } = await putWorkflow(editor, id, { secrets: null });
    assert.deepEqual([body.meta.warnings, await readSecrets(owner)], [[], { TOKEN: 'geheim' }]);
    assert.equal((await putWorkflow(owner, id, { secrets: null })).body.secrets, null);
    assert.equal(await readSecrets(owner), null);
  });

  it('are ignored with a warning if anyone but the creator sends them', async () => {
    const { body } = await putWorkflow(editor, id, { secrets: { TOKEN: 'other' } });
    assert.ok(body.meta.warnings.some(line => line.startsWith('Ignored: secrets.')));
    assert.deepEqual(await readSecrets(owner), { TOKEN: 'geheim' });
  });

  it('read as null with a key without workflows:read, and sending that back keeps them', async () => {
    const writer = await test.withScopes(owner, ['workflows:write']);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    await publish({ isPublished: true, settings: { title: 'T', isTemplate: true } });
    const got = await readWorkflow(writer, id);
    assert.deepEqual([got.secrets, got.userRole], [null, 'ANONYMOUS']);
    const { status, body } = await putWorkflow(writer, id, got);
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

  it('need names that a config can use and text values', async () => {
    assertRefused(await putWorkflow(owner, id, { secrets: { 'a b': 'x' } }), 400, 'invalid_request');
    assertRefused(await putWorkflow(owner, id, { secrets: { A: 1 } }), 400, 'invalid_request');
    assert.deepEqual(await readSecrets(owner), { TOKEN: 'geheim' });
  });
});

describe('other keys', () => {
  it('accepts and ignores per-reader fields, updatedAt and stored fields with the value from GET', async () => {
    const got = await readWorkflow(owner, id);
    const { body } = await putWorkflow(editor, id, {
      ...got,
      isOwner: true,
      userRole: 'X',
      canEdit: 3,
      meta: [],
      media: 1,
    });
    assert.deepEqual([body.meta.warnings, body.updatedAt], [[], got.updatedAt]);
  });

  it('ignores any other key, and a changed read-only one, and names them with every accepted key', async () => {
    const { body } = await putWorkflow(owner, id, {
      teamId: 'team_x',
      userId: 99,
      colour: 'red',
      createdAt: 'now',
    });
    const [line = '', ...more] = body.meta.warnings;
    assert.deepEqual(more, []);
    assert.ok(line.startsWith('Ignored: teamId, userId, colour, createdAt.'), line);
    for (const key of ['name', 'nodes', 'folderId', 'autoLayout', 'poster', 'updatedAt', 'canEdit']) {
      assert.ok(line.includes(key), key);
    }
    assert.match(line, /unknown_parameter/);
    assert.deepEqual([body.teamId, body.userId], [null, owner.userId]);
  });

  it('names only some of an excessive number of keys', async () => {
    const { body } = await putWorkflow(
      owner,
      id,
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1])),
    );
    assert.match(body.meta.warnings[0] ?? '', /k19 and 480 more\./);
  });
});

describe('If-Match', () => {
  const putIf = (etag: string, body: object) =>
    owner.request<Workflow>('PUT', `/workflows/${id}`, body, { 'if-match': etag });

  it('allows a write based on the current state, or with *', async () => {
    const { headers } = await owner.request('GET', `/workflows/${id}`);
    const first = await putIf(headers.etag ?? '', { name: '1' });
    assert.equal(first.status, 200);
    assert.equal((await putIf(first.headers.etag ?? '', { name: '2' })).status, 200);
    assert.equal((await putIf('*', { name: '3' })).status, 200);
    assert.equal((await putIf(`"other", ${(await putIf('*', { name: '4' })).headers.etag}`, {})).status, 200);
  });

  it('is 409 stale_write if somebody wrote since, or if the tag is weak or unknown', async () => {
    const { headers } = await owner.request('GET', `/workflows/${id}`);
    await putWorkflow(editor, id, { name: 'Mine' });
    assertRefused(await putIf(headers.etag ?? '', { name: 'Yours' }), 409, 'stale_write');
    const { headers: now } = await owner.request('GET', `/workflows/${id}`);
    assertRefused(await putIf(`W/${now.etag}`, { name: 'Yours' }), 409, 'stale_write');
    assertRefused(await putIf('"nonsense"', { name: 'Yours' }), 409, 'stale_write');
    assert.equal((await readWorkflow(owner, id)).name, 'Mine');
  });

  it('is not affected by views and heartbeats', async () => {
    const { headers } = await owner.request('GET', `/workflows/${id}`);
    await editor.request('POST', `/workflows/${id}/heartbeat`);
    assert.equal((await putIf(headers.etag ?? '', { name: 'New' })).status, 200);
  });
});

describe('access', () => {
  it('returns 404 for an unknown workflow, 403 to a non-member and a viewer, 401 to anonymous callers and without the scope', async () => {
    assertRefused(await putWorkflow(owner, newId('workflow'), { name: 'X' }), 404, 'not_found');
    assertRefused(await putWorkflow(otherUser, id, { name: 'X' }), 403, 'forbidden');
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: otherUser.userId, role: 'VIEW' });
    assertRefused(await putWorkflow(otherUser, id, { name: 'X' }), 403, 'forbidden');
    assertRefused(await putWorkflow(test.anonymous, id, { name: 'X' }), 401, 'unauthorized');
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:execute']);
    assertRefused(await putWorkflow(reader, id, { name: 'X' }), 401, 'insufficient_scope');
  });

  it('returns 400 for a body that is not an object and for fields of the wrong type', async () => {
    const wrong = [
      [],
      { name: '' },
      { name: null },
      { tags: 'x' },
      { isActive: 'true' },
      { folderId: 3 },
      { poster: 1 },
    ];
    for (const body of wrong) assertRefused(await putWorkflow(owner, id, body), 400, 'invalid_request');
    for (const body of [{ nodes: 'x' }, { nodes: null }, { edges: null }, { nodes: {} }, { nodes: [null] }]) {
      assertRefused(await putWorkflow(owner, id, body), 400, 'invalid_graph');
    }
  });
});
