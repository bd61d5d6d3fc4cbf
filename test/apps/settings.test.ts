// Tests the settings of apps over HTTP: validation by field, versions, and writes that would break an app.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../support/app.ts';
import { assertRefused, createWorkflow, edge, node } from '../support/workflows.ts';

const GRAPH = {
  nodes: [
    node('topic', 'input:text', { value: 'a fox' }),
    node('amount', 'input:number', { value: 2 }),
    node('picture', 'input:image'),
    node('note', 'utility:sticky_note'),
    node('out', 'output:preview'),
  ],
  edges: [edge('topic.text > out.input')],
};

let test: TestApp;
let owner: ApiUser;
let workflowId: string;
let slugCount = 0;
before(async () => {
  test = await createTestApp();
  owner = await test.createUser();
});
after(() => test.close());
beforeEach(async () => {
  workflowId = (await createWorkflow(owner, GRAPH)).id;
});

const createSettings = (overrides: object = {}) => ({
  slug: `poster-${++slugCount}`,
  title: 'Poster maker',
  inputs: [{ nodeId: 'topic', label: 'What to draw', isRequired: true }],
  outputs: ['out'],
  ...overrides,
});
const save = (body: object, user = owner): Promise<TestResponse> =>
  user.request('PUT', `/workflows/${workflowId}/app`, body);
const listIssuePaths = async (overrides: object): Promise<readonly (string | undefined)[]> => {
  const { issues = [] } = assertRefused(await save(createSettings(overrides)), 400, 'invalid_request');
  return issues.map(({ path }) => path);
};

describe('/workflows/{id}/app', () => {
  it('saves, returns, replaces and deletes the app', async () => {
    const body = createSettings({ description: 'Draws posters', embedOrigins: ['https://example.com/'] });
    const saved = await save(body);
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    assert.deepEqual(saved.body, (await owner.request('GET', `/workflows/${workflowId}/app`)).body);
    const { id, url, version, audience, payer, isEnabled, embedOrigins, issues, userId } = saved.body;
    assert.deepEqual(
      [version, audience, payer, isEnabled, embedOrigins, issues, userId],
      ['current', 'workspace', 'owner', true, ['https://example.com'], [], owner.userId],
    );
    assert.equal(url, `${test.deps.settings.BASE_URL}/a/${body.slug}`);
    const replaced = await save({ ...body, title: 'Posters' });
    assert.deepEqual([replaced.body.id, replaced.body.title], [id, 'Posters']);
    assert.equal((await owner.request('DELETE', `/workflows/${workflowId}/app`)).status, 200);
    assertRefused(await owner.request('GET', `/workflows/${workflowId}/app`), 404, 'not_found');
    assertRefused(await owner.request('DELETE', `/workflows/${workflowId}/app`), 404, 'not_found');
  });

  it('refuses every method to users who are not owners of the workflow', async () => {
    const editor = await test.createUser();
    await owner.request('PUT', `/workflows/${workflowId}/permissions`, {
      userId: editor.userId,
      role: 'EDIT',
    });
    assertRefused(await save(createSettings(), editor), 403, 'forbidden');
    assert.equal((await save(createSettings())).status, 200);
    assertRefused(await editor.request('GET', `/workflows/${workflowId}/app`), 403, 'forbidden');
    assertRefused(await editor.request('DELETE', `/workflows/${workflowId}/app`), 403, 'forbidden');
    assertRefused(await editor.request('POST', `/workflows/${workflowId}/app/embed-key`), 403, 'forbidden');
    const { body } = await editor.request<{ data: { workflowId: string; canEdit: boolean }[] }>(
      'GET',
      '/apps',
    );
    assert.deepEqual(
      body.data.map(app => [app.workflowId, app.canEdit]),
      [[workflowId, true]],
    );
  });

  it('GET /apps?workflowId lists the app for users who may open it', async () => {
    const otherUser = await test.createUser();
    const find = async (user: ApiUser, id = workflowId): Promise<readonly string[]> => {
      const { status, body } = await user.request<{ data: { slug: string }[] }>(
        'GET',
        `/apps?workflowId=${id}`,
      );
      assert.equal(status, 200);
      return body.data.map(({ slug }) => slug);
    };
    assert.deepEqual(await find(owner), []);
    const body = createSettings();
    await save(body);
    assert.deepEqual(await find(owner), [body.slug]);
    assert.deepEqual(await find(otherUser), []);
    await save({ ...body, audience: 'signed_in' });
    assert.deepEqual(await find(otherUser), [body.slug]);
    await save({ ...body, audience: 'signed_in', isEnabled: false });
    assert.deepEqual([await find(owner), await find(otherUser)], [[body.slug], []]);
    assert.deepEqual(await find(owner, 'wf_none'), []);
  });

  it('returns an issue for each invalid field', async () => {
    assert.deepEqual(await listIssuePaths({ inputs: [{ nodeId: 'nobody' }] }), ['/inputs/0/nodeId']);
    assert.deepEqual(await listIssuePaths({ inputs: [{ nodeId: 'out' }] }), ['/inputs/0/nodeId']);
    assert.deepEqual(await listIssuePaths({ inputs: [{ nodeId: 'topic' }, { nodeId: 'topic' }] }), [
      '/inputs/1/nodeId',
    ]);
    assert.deepEqual(await listIssuePaths({ inputs: [{ nodeId: 'topic', control: 'slider' }] }), [
      '/inputs/0/control',
      '/inputs/0/min',
    ]);
    assert.deepEqual(await listIssuePaths({ inputs: [{ nodeId: 'topic', control: 'choice' }] }), [
      '/inputs/0/choices',
    ]);
    assert.deepEqual(
      await listIssuePaths({ inputs: [{ nodeId: 'amount', control: 'choice', choices: ['a'] }] }),
      ['/inputs/0/choices'],
    );
    assert.deepEqual(await listIssuePaths({ inputs: [{ nodeId: 'amount', min: 5, max: 5 }] }), [
      '/inputs/0/max',
    ]);
    assert.deepEqual(await listIssuePaths({ inputs: [{ nodeId: 'picture', control: 'text' }] }), [
      '/inputs/0/control',
    ]);
    assert.deepEqual(await listIssuePaths({ outputs: ['nobody'] }), ['/outputs/0', '/outputs/0']);
    assert.deepEqual(await listIssuePaths({ outputs: ['note'] }), ['/outputs/0']);
    assert.deepEqual(await listIssuePaths({ outputs: ['out', 'out'] }), ['/outputs/1']);
    assert.deepEqual(await listIssuePaths({ outputLabels: { out: 'Poster', 'a/b': 'Other' } }), [
      '/outputLabels/a~1b',
    ]);
    assert.deepEqual(await listIssuePaths({ version: 99 }), ['/version']);
    assert.deepEqual(await listIssuePaths({ examples: ['ex_none'] }), ['/examples/0']);
    assert.deepEqual(
      await listIssuePaths({ embedOrigins: ['https://a.example/page', 'https://*.example'] }),
      ['/embedOrigins/0', '/embedOrigins/1'],
    );
    assert.deepEqual(await listIssuePaths({ audience: 'anyone', runsPerVisitor: null }), ['/runsPerVisitor']);
    const inputs = [{ nodeId: 'topic' }, { nodeId: 'amount', min: 1, max: 9, control: 'slider' }];
    assert.equal((await save(createSettings({ inputs }))).status, 200);
  });

  it('labels outputs by type unless outputLabels names them', async () => {
    const listLabels = async (outputLabels?: object): Promise<readonly string[]> => {
      const body = createSettings({ outputs: ['out', 'topic'], ...(outputLabels && { outputLabels }) });
      assert.equal((await save(body)).status, 200);
      const view = await owner.request<{ outputs: { label: string }[] }>('GET', `/apps/${body.slug}`);
      return view.body.outputs.map(({ label }) => label);
    };
    assert.deepEqual(await listLabels(), ['Text 1', 'Text 2']);
    assert.deepEqual(await listLabels({ topic: 'Subject' }), ['Text 1', 'Subject']);
  });

  it('returns 409 slug_taken for the slug of another app', async () => {
    const body = createSettings();
    assert.equal((await save(body)).status, 200);
    workflowId = (await createWorkflow(owner, GRAPH)).id;
    const { issues } = assertRefused(await save(body), 409, 'slug_taken');
    assert.equal(issues?.[0]?.path, '/slug');
  });

  it("requires credit limits if anyone can spend the owner's credits", async () => {
    const model = node('model', 'generate:image', { prompt: 'a fox', model: 'fal:flux-schnell' });
    const paidType = test.deps.catalog.entries.find(entry => entry.executionCost === 'paid')?.nodeType ?? '';
    const graph = {
      ...GRAPH,
      nodes: [...GRAPH.nodes, { ...model, data: { ...model.data, nodeType: paidType } }],
    };
    const response = await owner.request('PUT', `/workflows/${workflowId}`, graph);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    assert.deepEqual(await listIssuePaths({ audience: 'anyone' }), ['/dailyCredits', '/maxCreditsPerRun']);
    assert.deepEqual(await listIssuePaths({ audience: 'anyone', dailyCredits: 0, maxCreditsPerRun: 0 }), [
      '/dailyCredits',
      '/maxCreditsPerRun',
    ]);
    const saved = await save(createSettings({ audience: 'anyone', dailyCredits: 40, maxCreditsPerRun: 5 }));
    assert.deepEqual([saved.status, saved.body.runsPerVisitor], [200, 3]);
  });

  it('returns each new embed key only once', async () => {
    await save(createSettings());
    const create = () => owner.request<{ key: string }>('POST', `/workflows/${workflowId}/app/embed-key`);
    const first = await create();
    const second = await create();
    assert.match(first.body.key, /^[\w-]{43}$/);
    assert.notEqual(first.body.key, second.body.key);
    const { body } = await owner.request('GET', `/workflows/${workflowId}/app`);
    assert.equal(body.hasEmbedKey, true);
    assert.ok(!JSON.stringify(body).includes(second.body.key));
  });
});

describe('a write of a workflow with an app', () => {
  const removeNode = (id: string) => ({
    nodes: GRAPH.nodes.filter(each => each.id !== id),
    edges: GRAPH.edges.filter(({ source, target }) => source !== id && target !== id),
  });
  const write = (body: object, query = '') => owner.request('PUT', `/workflows/${workflowId}${query}`, body);

  it('returns 409 app_would_break if an input of the app would disappear', async () => {
    await write(removeNode('topic'));
    await write(GRAPH);
    assert.equal((await save(createSettings())).status, 200);
    const { issues } = assertRefused(await write(removeNode('topic')), 409, 'app_would_break');
    assert.deepEqual(
      issues?.map(({ path, nodeId }) => [path, nodeId]),
      [['/inputs/0/nodeId', 'topic']],
    );
    const versions = `/workflows/${workflowId}/versions`;
    assertRefused(await owner.request('POST', `${versions}/2/restore`), 409, 'app_would_break');
    assert.equal((await write(removeNode('picture'))).status, 200);
    assert.equal((await write({ name: 'Renamed' })).status, 200);
    assert.equal((await owner.request('POST', `${versions}/2/restore?breakApp=true`)).status, 200);
    const { body } = await owner.request<{ issues: { path: string }[] }>(
      'GET',
      `/workflows/${workflowId}/app`,
    );
    assert.deepEqual(
      body.issues.map(({ path }) => path),
      ['/inputs/0/nodeId'],
    );
  });

  it('succeeds if the app is pinned to a version or disabled', async () => {
    assert.equal((await save(createSettings({ version: 1 }))).status, 200);
    assert.equal((await write(removeNode('topic'))).status, 200);
    const { body } = await owner.request<{ issues: unknown[] }>('GET', `/workflows/${workflowId}/app`);
    assert.deepEqual(body.issues, []);
    await write(GRAPH);
    assert.equal((await save(createSettings({ isEnabled: false }))).status, 200);
    assert.equal((await write(removeNode('topic'))).status, 200);
  });
});
