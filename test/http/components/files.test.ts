// Tests exports of workflows that call components: the file contains the components, and an import creates each once.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import {
  assertRefused,
  createWorkflow,
  edge,
  node,
  readWorkflow,
  type SentNode,
  type Workflow,
} from '../../support/workflows.ts';

interface File extends Workflow {
  readonly components?: readonly (Workflow & { readonly version: number; readonly isLatest: boolean })[];
}

let app: TestApp;
let otherApp: TestApp;
let owner: Caller;
let otherUser: Caller;
let otherAppUser: Caller;
before(async () => {
  app = await createTestApp();
  otherApp = await createTestApp({ env: { BASE_URL: 'https://there.test' } });
  [owner, otherUser, otherAppUser] = [
    await app.createCaller(),
    await app.createCaller(),
    await otherApp.createCaller(),
  ];
});
after(async () => {
  await app.close();
  await otherApp.close();
});

const call = (id: string, workflowId: string, version: number | 'latest' = 1): SentNode =>
  node(id, 'component:call', { workflowId, version });
const LEAF = {
  name: 'Leaf',
  nodes: [node('in', 'input:text', { value: 'x' }), node('out', 'output:preview')],
  edges: [edge('in.text > out.input')],
};
/** Calls the component and shows its output. */
const calling = (name: string, workflowId: string, version?: number | 'latest') => ({
  name,
  nodes: [
    node('in', 'input:text', { value: 'y' }),
    call('c', workflowId, version),
    node('out', 'output:preview'),
  ],
  edges: [edge('in.text > c.in'), edge('c.out > out.input')],
});

const exported = async (caller: Caller, id: string): Promise<File> => {
  const { status, body } = await caller.request<File>('GET', `/workflows/${id}/export`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const sendImport = (caller: Caller, file: object) =>
  caller.request<Workflow>('POST', '/workflows/import', file);
const imported = async (caller: Caller, file: object): Promise<Workflow> => {
  const { status, body } = await sendImport(caller, file);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
};
const callIn = ({ nodes }: Pick<Workflow, 'nodes'>, id = 'c') =>
  nodes.find(it => it.id === id)?.data.config as {
    readonly workflowId: string;
    readonly version: number | 'latest';
    readonly name: string;
  };
const countWorkflows = async (caller: Caller): Promise<number> =>
  (await caller.request<object[]>('GET', '/workflows?limit=1000')).body.length;

describe('an export', () => {
  it('contains each component that the workflow calls, once for each version', async () => {
    const leaf = await createWorkflow(owner, LEAF);
    await owner.request('PUT', `/workflows/${leaf.id}`, {
      nodes: [...LEAF.nodes, node('more', 'input:text')],
      edges: LEAF.edges,
    });
    const middle = await createWorkflow(owner, calling('Middle', leaf.id));
    const top = await createWorkflow(owner, {
      name: 'Top',
      nodes: [call('a', middle.id), call('b', middle.id), call('c', leaf.id, 'latest')],
      edges: [],
    });
    const { components = [] } = await exported(owner, top.id);
    assert.deepEqual(
      components.map(({ id, name, version, isLatest, nodes }) => [id, name, version, isLatest, nodes.length]),
      [
        [middle.id, 'Middle', 1, false, 3],
        [leaf.id, 'Leaf', 2, true, 3],
        [leaf.id, 'Leaf', 1, false, 2],
      ],
    );
    assert.equal((await exported(owner, leaf.id)).components, undefined);
  });

  it('contains only components that the reader may duplicate', async () => {
    const leaf = await createWorkflow(owner, LEAF);
    const top = await createWorkflow(owner, calling('Top', leaf.id));
    await owner.request('POST', `/workflows/${top.id}/visibility`, { linkPermission: 'DUPLICATE' });
    const hidden = await exported(otherUser, top.id);
    assert.deepEqual([hidden.components, callIn(hidden).workflowId], [undefined, undefined]);
    assert.equal(callIn(await imported(otherUser, hidden)).workflowId, undefined);
    const { components: _, ...stripped } = await exported(owner, top.id);
    assertRefused(await sendImport(otherUser, stripped), 403, 'component_forbidden');
    await owner.request('POST', `/workflows/${leaf.id}/visibility`, { linkPermission: 'VIEW' });
    const shown = await exported(otherUser, top.id);
    assert.equal(shown.components, undefined);
    assert.equal(callIn(await imported(otherUser, shown)).workflowId, leaf.id);
    await owner.request('POST', `/workflows/${leaf.id}/visibility`, { linkPermission: 'DUPLICATE' });
    assert.deepEqual(
      (await exported(otherUser, top.id)).components?.map(({ id }) => id),
      [leaf.id],
    );
  });
});

describe('an import', () => {
  it('creates the components in the workspace of the importer, on this or another service', async () => {
    const leaf = await createWorkflow(owner, LEAF);
    const middle = await createWorkflow(owner, calling('Middle', leaf.id));
    const file = await exported(owner, (await createWorkflow(owner, calling('Top', middle.id, 'latest'))).id);
    for (const caller of [otherUser, otherAppUser]) {
      const top = await imported(caller, file);
      assert.deepEqual(top.meta.warnings, []);
      const { workflowId, version, name } = callIn(await readWorkflow(caller, top.id));
      assert.deepEqual([version, name], ['latest', 'Middle']);
      const newMiddle = await readWorkflow(caller, workflowId);
      assert.deepEqual(
        [newMiddle.name, newMiddle.userId, newMiddle.isOwner],
        ['Middle', caller.userId, true],
      );
      const newLeaf = await readWorkflow(caller, callIn(newMiddle).workflowId);
      assert.deepEqual([newLeaf.name, callIn(newMiddle).version], ['Leaf', 1]);
      assert.notEqual(newLeaf.id, leaf.id);
      const { body } = await caller.request<{ data: { workflowId: string }[] }>(
        'GET',
        `/workflows/${newLeaf.id}/callers`,
      );
      assert.deepEqual(
        body.data.map(it => it.workflowId),
        [newMiddle.id],
      );
    }
  });

  it('uses a component again that was imported before, also from another service', async () => {
    const picture = await uploadPicture(owner, 7);
    const leaf = await createWorkflow(owner, {
      ...LEAF,
      name: 'Once',
      nodes: [...LEAF.nodes, node('picture', 'input:image', { mediaId: picture.mediaId, url: picture.url })],
    });
    const file = await exported(owner, (await createWorkflow(owner, calling('Top', leaf.id))).id);
    const first = await imported(otherUser, file);
    const before = await countWorkflows(otherUser);
    const second = await imported(otherUser, file);
    assert.equal(await countWorkflows(otherUser), before + 1);
    assert.deepEqual(callIn(second), callIn(first));
    const abroad = await imported(otherAppUser, file);
    const back = await imported(otherUser, await exported(otherAppUser, abroad.id));
    assert.equal(callIn(back).workflowId, callIn(first).workflowId);
    const changed = {
      ...file,
      components: file.components?.map(component => ({ ...component, name: 'Another' })),
    };
    assert.notEqual(callIn(await imported(otherUser, changed)).workflowId, callIn(first).workflowId);
    await otherUser.request('DELETE', `/workflows/${callIn(first).workflowId}?force=true`);
    assert.notEqual(callIn(await imported(otherUser, file)).workflowId, callIn(first).workflowId);
  });

  it('calls the imported version if the component was changed since its first import', async () => {
    const leaf = await createWorkflow(owner, { ...LEAF, name: 'Followed' });
    const file = await exported(owner, (await createWorkflow(owner, calling('Top', leaf.id, 'latest'))).id);
    const first = callIn(await imported(otherUser, file));
    assert.equal(first.version, 'latest');
    await otherUser.request('PUT', `/workflows/${first.workflowId}`, {
      nodes: [node('a', 'input:text')],
      edges: [],
    });
    const second = callIn(await imported(otherUser, file));
    assert.deepEqual([second.workflowId, second.version], [first.workflowId, 1]);
  });

  it('brings the media of components', async () => {
    const picture = await uploadPicture(owner, 9);
    const leaf = await createWorkflow(owner, {
      name: 'Picture',
      nodes: [node('in', 'input:image', { mediaId: picture.mediaId }), node('out', 'output:preview')],
      edges: [edge('in.image > out.input')],
    });
    const top = await createWorkflow(owner, { name: 'T', nodes: [call('c', leaf.id)], edges: [] });
    const copy = await imported(otherAppUser, await exported(owner, top.id));
    const { nodes } = await readWorkflow(otherAppUser, callIn(copy).workflowId);
    const { mediaId } = (nodes[0]?.data.config ?? {}) as { mediaId?: string };
    assert.notEqual(mediaId, picture.mediaId);
    assert.equal((await otherAppUser.request<{ width: number }>('GET', `/media/${mediaId}`)).body.width, 9);
  });

  it('ignores components that nothing calls', async () => {
    const before = await countWorkflows(otherUser);
    const component = { ...LEAF, id: newId('workflow'), version: 1 };
    await imported(otherUser, { ...LEAF, components: [component] });
    assert.equal(await countWorkflows(otherUser), before + 1);
  });

  it('refuses components that are invalid or call each other, and stores nothing', async () => {
    const [a, b] = [newId('workflow'), newId('workflow')];
    const component = (id: string, graph: object) => ({ id, version: 1, ...graph });
    const before = await countWorkflows(otherUser);
    const top = calling('Top', a);
    const circle = [component(a, calling('A', b)), component(b, calling('B', a))];
    assertRefused(await sendImport(otherUser, { ...top, components: circle }), 400, 'component_circle');
    const broken = component(a, { ...LEAF, nodes: [node('in', 'input:txt')], edges: [] });
    const { error } = assertRefused(
      await sendImport(otherUser, { ...top, components: [broken] }),
      400,
      'invalid_graph',
    );
    assert.match(error, /^The component “Leaf” of the file: /);
    assertRefused(await sendImport(otherUser, top), 400, 'component_missing');
    const chain = Array.from({ length: 9 }, () => newId('workflow'));
    const components = chain.map((id, index) =>
      component(id, index === 8 ? LEAF : calling(`C${index}`, chain[index + 1] ?? '')),
    );
    assertRefused(
      await sendImport(otherUser, { ...calling('Top', chain[0] ?? ''), components }),
      400,
      'component_too_deep',
    );
    for (const bad of [{ id: 'x' }, { version: 0 }, { name: '' }])
      assertRefused(
        await sendImport(otherUser, { ...top, components: [{ ...component(a, LEAF), ...bad }] }),
        400,
        'invalid_request',
      );
    const long = { nodes: [node('in', 'input:text', { value: 'x'.repeat(3_000_000) })], edges: [] };
    const large = [a, b, newId('workflow')].map(id => component(id, { ...LEAF, ...long }));
    assertRefused(await sendImport(otherUser, { ...top, components: large }), 413, 'payload_too_large');
    const many = Array.from({ length: 201 }, () => component(a, LEAF));
    assertRefused(await sendImport(otherUser, { ...top, components: many }), 400, 'invalid_request');
    assert.equal(await countWorkflows(otherUser), before);
  });
});
