// Tests that readers of a workflow see only the name and ports of components that they may not read.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  edge,
  node,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let stranger: ApiUser;
before(async () => {
  test = await openTestApp();
  [owner, stranger] = await test.createUsers(2);
});
after(() => test.close());

const COMPONENT = {
  name: 'Grade',
  nodes: [
    node('look', 'input:text', { value: 'cold secret-of-the-component' }),
    node('out', 'output:preview', {}, { position: { x: 500, y: 0 } }),
  ],
  edges: [edge('look.text > out.input')],
};
const toCallerWorkflow = ({ id }: Pick<Workflow, 'id'>, config: object = {}) => ({
  name: 'Caller',
  nodes: [node('call', 'component:call', { workflowId: id, values: { look: 'warm' }, ...config })],
  edges: [],
});
const getConfig = ({ nodes }: Pick<Workflow, 'nodes'>) => nodes[0]?.data.config as Record<string, unknown>;
const publish = async (id: string, settings: object = {}): Promise<string> => {
  const { status, body } = await owner.request<Workflow>('POST', `/workflows/${id}/publish`, {
    isPublished: true,
    settings,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.publishedSlug);
};
const create = (user: ApiUser, body: object): Promise<TestResponse<Workflow>> =>
  user.request<Workflow>('POST', '/workflows', body);

describe('a user who may read a workflow but not its component', () => {
  it('sees only the name and ports of the component in every response', async () => {
    const component = await createWorkflow(owner, COMPONENT);
    const { id } = await createWorkflow(owner, toCallerWorkflow(component));
    const slug = await publish(id, { allowDuplicate: true });
    const redacted = await readWorkflow(stranger, id);
    assert.deepEqual(getConfig(redacted), {
      name: 'Grade',
      inputs: [{ id: 'look', label: 'look', type: 'TEXT' }],
      outputs: [{ id: 'out', label: 'out', type: 'TEXT' }],
      values: { look: 'warm' },
    });
    const request = async (path: string, method: 'GET' | 'POST' = 'GET'): Promise<string> => {
      const { status, body } = await stranger.request(method, path, method === 'GET' ? undefined : {});
      assert.equal(status, 200, path);
      return JSON.stringify(body);
    };
    const visit = async (url: string): Promise<string> => {
      const { statusCode, body } = await test.app.inject({ method: 'GET', url });
      assert.ok(statusCode === 200 || statusCode === 302, `${url}: ${statusCode}`);
      return body;
    };
    const texts = [
      await request(`/workflows/${id}`),
      await request(`/workflows/${id}/export`),
      await request(`/workflows/${id}/lint`, 'POST'),
      await visit(`/api/v1/workflows/${id}`),
      await visit(`/api/v1/published/${slug}`),
      await visit(`/p/${slug}`),
      await visit(`/flow/${id}/preview.svg`),
    ];
    for (const [index, text] of texts.entries()) {
      assert.ok(text.length > 20, `${index}: ${text}`);
      assert.equal(text.includes(component.id), false, `${index}: ${text}`);
      assert.equal(text.includes('secret-of-the-component'), false, `${index}`);
    }
  });

  it('can neither call the component nor see its ports in lint results', async () => {
    const component = await createWorkflow(owner, COMPONENT);
    const refusal = await create(stranger, toCallerWorkflow(component));
    assertRefused(refusal, 403, 'component_forbidden');
    const lint = await stranger.request<{ ok: boolean; issues: readonly { code: string }[] }>(
      'POST',
      '/workflows/lint',
      toCallerWorkflow(component),
    );
    assert.deepEqual(
      [lint.body.ok, lint.body.issues.map(({ code }) => code)],
      [false, ['component_forbidden']],
    );
    for (const { body } of [refusal, lint])
      assert.doesNotMatch(JSON.stringify(body), /Grade|"look"|secret-of/);
  });

  it('duplicates the workflow without the call, with a warning', async () => {
    const component = await createWorkflow(owner, COMPONENT);
    const { id } = await createWorkflow(owner, toCallerWorkflow(component));
    await publish(id, { allowDuplicate: true });
    const { status, body } = await stranger.request<Workflow>('POST', `/workflows/${id}/duplicate`, {});
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(getConfig(body).workflowId, undefined);
    assert.match(body.meta.warnings.join(), /call: The component "Grade" is not shared with you/);
  });

  it('sees no id or content of the component on the app page', async () => {
    const component = await createWorkflow(owner, COMPONENT);
    const caller = toCallerWorkflow(component);
    const { id } = await createWorkflow(owner, {
      nodes: [...caller.nodes, node('shown', 'output:preview', {}, { position: { x: 500, y: 0 } })],
      edges: [edge('call.out > shown.input')],
    });
    const app = {
      slug: 'graded',
      title: 'Graded',
      audience: 'anyone',
      inputs: [],
      outputs: ['shown'],
      showsGraph: true,
    };
    const saved = await owner.request('PUT', `/workflows/${id}/app`, app);
    assert.ok(saved.status < 300, JSON.stringify(saved.body));
    const { statusCode, body } = await test.app.inject({ method: 'GET', url: '/a/graded' });
    assert.equal(statusCode, 200);
    assert.doesNotMatch(body, new RegExp(`${component.id}|secret-of-the-component`));
  });

  it('duplicates the workflow without the call even as an editor', async () => {
    const component = await createWorkflow(owner, COMPONENT);
    const { id } = await createWorkflow(owner, toCallerWorkflow(component));
    const sharing = { userId: stranger.userId, role: 'EDIT' };
    await owner.request('PUT', `/workflows/${id}/permissions`, sharing);
    assert.equal(getConfig(await readWorkflow(stranger, id)).workflowId, component.id);
    const { body } = await stranger.request<Workflow>('POST', `/workflows/${id}/duplicate`, {});
    assert.equal(getConfig(body).workflowId, undefined);
  });
});

describe('a user who may read a workflow and its component', () => {
  it('sees the id of the component and duplicates the call', async () => {
    const component = await createWorkflow(owner, COMPONENT);
    const { id } = await createWorkflow(owner, toCallerWorkflow(component));
    await publish(id, { allowDuplicate: true });
    const workflowBeforeSharing = await readWorkflow(stranger, id);
    await owner.request('POST', `/workflows/${component.id}/visibility`, { linkPermission: 'VIEW' });
    assert.equal(getConfig(workflowBeforeSharing).workflowId, undefined);
    assert.equal(getConfig(await readWorkflow(stranger, id)).workflowId, component.id);
    const { body } = await stranger.request<Workflow>('POST', `/workflows/${id}/duplicate`, {});
    assert.deepEqual([getConfig(body).workflowId, body.meta.warnings], [component.id, []]);
  });

  it('can call only the published version of a published component', async () => {
    const component = await createWorkflow(owner, COMPONENT);
    await publish(component.id);
    await putWorkflow(owner, component.id, {
      nodes: [...COMPONENT.nodes, node('more', 'input:text')],
      edges: [],
    });
    const { body } = await create(stranger, toCallerWorkflow(component));
    assert.equal(getConfig(body).version, 1);
    for (const version of [2, 'latest'])
      assertRefused(
        await create(stranger, toCallerWorkflow(component, { version })),
        403,
        'component_forbidden',
      );
  });
});
