// Tests exports of workflows with their components, and imports, which create each component once.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { type ApiUser, createTestApp, openTestApp, type TestApp } from '../../support/app.ts';
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
let owner: ApiUser;
let otherUser: ApiUser;
let otherAppUser: ApiUser;
before(async () => {
  app = await openTestApp();
  otherApp = await createTestApp({ env: { BASE_URL: 'https://there.test' } });
  [owner, otherUser, otherAppUser] = [
    await app.createUser(),
    await app.createUser(),
    await otherApp.createUser(),
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
/** A workflow that calls the component and shows the output of the call. */
const createCallerGraph = (name: string, workflowId: string, version?: number | 'latest') => ({
  name,
  nodes: [
    node('in', 'input:text', { value: 'y' }),
    call('c', workflowId, version),
    node('out', 'output:preview'),
  ],
  edges: [edge('in.text > c.in'), edge('c.out > out.input')],
});

const exportWorkflow = async (user: ApiUser, id: string): Promise<File> => {
  const { status, body } = await user.request<File>('GET', `/workflows/${id}/export`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const sendImport = (user: ApiUser, file: object) => user.request<Workflow>('POST', '/workflows/import', file);
const importFile = async (user: ApiUser, file: object): Promise<Workflow> => {
  const { status, body } = await sendImport(user, file);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
};
const getCallConfig = ({ nodes }: Pick<Workflow, 'nodes'>, id = 'c') =>
  nodes.find(item => item.id === id)?.data.config as {
    readonly workflowId: string;
    readonly version: number | 'latest';
    readonly name: string;
  };
const countWorkflows = async (user: ApiUser): Promise<number> =>
  (await user.request<object[]>('GET', '/workflows?limit=1000')).body.length;

describe('GET /workflows/{id}/export', () => {
  it('contains each called component once per version', async () => {
    const leaf = await createWorkflow(owner, LEAF);
    await owner.request('PUT', `/workflows/${leaf.id}`, {
      nodes: [...LEAF.nodes, node('more', 'input:text')],
      edges: LEAF.edges,
    });
    const middle = await createWorkflow(owner, createCallerGraph('Middle', leaf.id));
    const top = await createWorkflow(owner, {
      name: 'Top',
      nodes: [call('a', middle.id), call('b', middle.id), call('c', leaf.id, 'latest')],
      edges: [],
    });
    const { components = [] } = await exportWorkflow(owner, top.id);
    assert.deepEqual(
      components.map(({ id, name, version, isLatest, nodes }) => [id, name, version, isLatest, nodes.length]),
      [
        [middle.id, 'Middle', 1, false, 3],
        [leaf.id, 'Leaf', 2, true, 3],
        [leaf.id, 'Leaf', 1, false, 2],
      ],
    );
    assert.equal((await exportWorkflow(owner, leaf.id)).components, undefined);
  });

  it('contains only components that the user may duplicate', async () => {
    const leaf = await createWorkflow(owner, LEAF);
    const top = await createWorkflow(owner, createCallerGraph('Top', leaf.id));
    await owner.request('POST', `/workflows/${top.id}/visibility`, { linkPermission: 'DUPLICATE' });
    const fileWithoutAccess = await exportWorkflow(otherUser, top.id);
    assert.deepEqual(
      [fileWithoutAccess.components, getCallConfig(fileWithoutAccess).workflowId],
      [undefined, undefined],
    );
    assert.equal(getCallConfig(await importFile(otherUser, fileWithoutAccess)).workflowId, undefined);
    const { components: _, ...fileWithoutComponents } = await exportWorkflow(owner, top.id);
    assertRefused(await sendImport(otherUser, fileWithoutComponents), 403, 'component_forbidden');
    await owner.request('POST', `/workflows/${leaf.id}/visibility`, { linkPermission: 'VIEW' });
    const fileWithAccess = await exportWorkflow(otherUser, top.id);
    assert.equal(fileWithAccess.components, undefined);
    assert.equal(getCallConfig(await importFile(otherUser, fileWithAccess)).workflowId, leaf.id);
    await owner.request('POST', `/workflows/${leaf.id}/visibility`, { linkPermission: 'DUPLICATE' });
    assert.deepEqual(
      (await exportWorkflow(otherUser, top.id)).components?.map(({ id }) => id),
      [leaf.id],
    );
  });
});

describe('POST /workflows/import', () => {
  it('creates the components of the file on this and another service', async () => {
    const leaf = await createWorkflow(owner, LEAF);
    const middle = await createWorkflow(owner, createCallerGraph('Middle', leaf.id));
    const file = await exportWorkflow(
      owner,
      (await createWorkflow(owner, createCallerGraph('Top', middle.id, 'latest'))).id,
    );
    for (const user of [otherUser, otherAppUser]) {
      const top = await importFile(user, file);
      assert.deepEqual(top.meta.warnings, []);
      const { workflowId, version, name } = getCallConfig(await readWorkflow(user, top.id));
      assert.deepEqual([version, name], ['latest', 'Middle']);
      const newMiddle = await readWorkflow(user, workflowId);
      assert.deepEqual([newMiddle.name, newMiddle.userId, newMiddle.isOwner], ['Middle', user.userId, true]);
      const newLeaf = await readWorkflow(user, getCallConfig(newMiddle).workflowId);
      assert.deepEqual([newLeaf.name, getCallConfig(newMiddle).version], ['Leaf', 1]);
      assert.notEqual(newLeaf.id, leaf.id);
      const { body } = await user.request<{ data: { workflowId: string }[] }>(
        'GET',
        `/workflows/${newLeaf.id}/callers`,
      );
      assert.deepEqual(
        body.data.map(item => item.workflowId),
        [newMiddle.id],
      );
    }
  });

  it('reuses a component that was imported before', async () => {
    const picture = await uploadPicture(owner, 7);
    const leaf = await createWorkflow(owner, {
      ...LEAF,
      name: 'Once',
      nodes: [...LEAF.nodes, node('picture', 'input:image', { mediaId: picture.mediaId, url: picture.url })],
    });
    const file = await exportWorkflow(
      owner,
      (await createWorkflow(owner, createCallerGraph('Top', leaf.id))).id,
    );
    const first = await importFile(otherUser, file);
    const countBefore = await countWorkflows(otherUser);
    const second = await importFile(otherUser, file);
    assert.equal(await countWorkflows(otherUser), countBefore + 1);
    assert.deepEqual(getCallConfig(second), getCallConfig(first));
    const otherAppsCopy = await importFile(otherAppUser, file);
    const returnedCopy = await importFile(otherUser, await exportWorkflow(otherAppUser, otherAppsCopy.id));
    assert.equal(getCallConfig(returnedCopy).workflowId, getCallConfig(first).workflowId);
    const changedFile = {
      ...file,
      components: file.components?.map(component => ({ ...component, name: 'Another' })),
    };
    assert.notEqual(
      getCallConfig(await importFile(otherUser, changedFile)).workflowId,
      getCallConfig(first).workflowId,
    );
    await otherUser.request('DELETE', `/workflows/${getCallConfig(first).workflowId}?force=true`);
    assert.notEqual(
      getCallConfig(await importFile(otherUser, file)).workflowId,
      getCallConfig(first).workflowId,
    );
  });

  it('calls the imported version of a component that changed since the first import', async () => {
    const leaf = await createWorkflow(owner, { ...LEAF, name: 'Followed' });
    const file = await exportWorkflow(
      owner,
      (await createWorkflow(owner, createCallerGraph('Top', leaf.id, 'latest'))).id,
    );
    const first = getCallConfig(await importFile(otherUser, file));
    assert.equal(first.version, 'latest');
    await otherUser.request('PUT', `/workflows/${first.workflowId}`, {
      nodes: [node('a', 'input:text')],
      edges: [],
    });
    const second = getCallConfig(await importFile(otherUser, file));
    assert.deepEqual([second.workflowId, second.version], [first.workflowId, 1]);
  });

  it('copies the media of components', async () => {
    const picture = await uploadPicture(owner, 9);
    const leaf = await createWorkflow(owner, {
      name: 'Picture',
      nodes: [node('in', 'input:image', { mediaId: picture.mediaId }), node('out', 'output:preview')],
      edges: [edge('in.image > out.input')],
    });
    const top = await createWorkflow(owner, { name: 'T', nodes: [call('c', leaf.id)], edges: [] });
    const copy = await importFile(otherAppUser, await exportWorkflow(owner, top.id));
    const { nodes } = await readWorkflow(otherAppUser, getCallConfig(copy).workflowId);
    const { mediaId } = (nodes[0]?.data.config ?? {}) as { mediaId?: string };
    assert.notEqual(mediaId, picture.mediaId);
    assert.equal((await otherAppUser.request<{ width: number }>('GET', `/media/${mediaId}`)).body.width, 9);
  });

  it('ignores components that the workflow does not call', async () => {
    const countBefore = await countWorkflows(otherUser);
    const component = { ...LEAF, id: newId('workflow'), version: 1 };
    await importFile(otherUser, { ...LEAF, components: [component] });
    assert.equal(await countWorkflows(otherUser), countBefore + 1);
  });

  it('refuses invalid components without storing anything', async () => {
    const [a, b] = [newId('workflow'), newId('workflow')];
    const createComponent = (id: string, graph: object) => ({ id, version: 1, ...graph });
    const countBefore = await countWorkflows(otherUser);
    const top = createCallerGraph('Top', a);
    const cycle = [
      createComponent(a, createCallerGraph('A', b)),
      createComponent(b, createCallerGraph('B', a)),
    ];
    assertRefused(await sendImport(otherUser, { ...top, components: cycle }), 400, 'component_circle');
    const broken = createComponent(a, { ...LEAF, nodes: [node('in', 'input:txt')], edges: [] });
    const { error } = assertRefused(
      await sendImport(otherUser, { ...top, components: [broken] }),
      400,
      'invalid_graph',
    );
    assert.match(error, /^The component “Leaf” of the file: /);
    assertRefused(await sendImport(otherUser, top), 400, 'component_missing');
    const chain = Array.from({ length: 9 }, () => newId('workflow'));
    const components = chain.map((id, index) =>
      createComponent(id, index === 8 ? LEAF : createCallerGraph(`C${index}`, chain[index + 1] ?? '')),
    );
    assertRefused(
      await sendImport(otherUser, { ...createCallerGraph('Top', chain[0] ?? ''), components }),
      400,
      'component_too_deep',
    );
    for (const invalidField of [{ id: 'x' }, { version: 0 }, { name: '' }])
      assertRefused(
        await sendImport(otherUser, {
          ...top,
          components: [{ ...createComponent(a, LEAF), ...invalidField }],
        }),
        400,
        'invalid_request',
      );
    const largeGraph = { nodes: [node('in', 'input:text', { value: 'x'.repeat(3_000_000) })], edges: [] };
    const largeComponents = [a, b, newId('workflow')].map(id =>
      createComponent(id, { ...LEAF, ...largeGraph }),
    );
    assertRefused(
      await sendImport(otherUser, { ...top, components: largeComponents }),
      413,
      'payload_too_large',
    );
    const tooManyComponents = Array.from({ length: 201 }, () => createComponent(a, LEAF));
    assertRefused(
      await sendImport(otherUser, { ...top, components: tooManyComponents }),
      400,
      'invalid_request',
    );
    assert.equal(await countWorkflows(otherUser), countBefore);
  });
});
