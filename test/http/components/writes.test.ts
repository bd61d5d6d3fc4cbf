// Tests writes of workflows that call components: every route that stores a graph stores the interface, checks access to
// the component, and refuses cycles, deep chains and large expansions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import {
  assertRefused,
  at,
  createWorkflow,
  edge,
  node,
  putWorkflow,
  readWorkflow,
  type SentNode,
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

const UPPER = {
  name: 'Upper',
  nodes: [
    node('zoom', 'input:number', { value: 2 }),
    node(
      '7',
      'input:text',
      { value: 'x' },
      { data: { label: 'Prompt', category: 'input', nodeType: 'input:text' } },
    ),
    node('out', 'output:preview', {}, at(500, 0)),
  ],
  edges: [edge('7.text > out.input')],
};
const PORTS = {
  inputs: [
    { id: 'zoom', label: 'zoom', type: 'NUMBER' },
    { id: '7', label: 'Prompt', type: 'TEXT' },
  ],
  outputs: [{ id: 'out', label: 'out', type: 'TEXT' }],
};

const createCall = (workflowId: string, config: Record<string, unknown> = {}, id = 'call'): SentNode =>
  node(id, 'component:call', { workflowId, ...config });
const createCallerGraph = (...calls: readonly SentNode[]) => ({
  name: 'Caller',
  nodes: [...calls, node('text', 'input:text', { value: 'y' })],
  edges: [],
});
const getConfig = ({ nodes }: Pick<Workflow, 'nodes'>, id = 'call') =>
  nodes.find(item => item.id === id)?.data.config as Record<string, unknown>;
const create = (user: ApiUser, body: object): Promise<TestResponse<Workflow>> =>
  user.request<Workflow>('POST', '/workflows', body);
const listCalls = async (id: string) =>
  (
    await test.deps.db.query(
      'select node_id, component_id, version from component_calls where caller_id = $1 order by node_id',
      [id],
    )
  ).rows;
/** Adds a node and thereby creates a new version. */
const addNode = async (user: ApiUser, id: string): Promise<Workflow> => {
  const { nodes, edges } = await readWorkflow(user, id);
  const { body } = await putWorkflow(user, id, {
    nodes: [...nodes, node(`n${nodes.length}`, 'input:text')],
    edges,
  });
  return body;
};

describe('a write of a workflow that calls a component', () => {
  it('stores the current version, name and ports of the component', async () => {
    const { id } = await createWorkflow(owner, UPPER);
    const sentInterface = { name: 'Mine', inputs: [{ id: 'mine', label: 'Mine', type: 'TEXT' }], outputs: 3 };
    const created = await createWorkflow(
      owner,
      createCallerGraph(createCall(id, { ...sentInterface, values: { zoom: 3 } })),
    );
    assert.deepEqual(getConfig(created), {
      workflowId: id,
      name: 'Upper',
      ...PORTS,
      values: { zoom: 3 },
      version: 1,
    });
    assert.deepEqual(await listCalls(created.id), [{ node_id: 'call', component_id: id, version: 1 }]);
  });

  it('updates ports after a change of the component only for version latest', async () => {
    const { id } = await createWorkflow(owner, UPPER);
    const latest = await createWorkflow(owner, createCallerGraph(createCall(id, { version: 'latest' })));
    const pinned = await createWorkflow(owner, createCallerGraph(createCall(id)));
    await addNode(owner, id);
    for (const [workflow, inputCount] of [
      [latest, 3],
      [pinned, 2],
    ] as const) {
      const { body } = await putWorkflow(owner, workflow.id, { nodes: workflow.nodes, edges: [] });
      assert.equal((getConfig(body).inputs as unknown[]).length, inputCount);
    }
    assert.deepEqual(await listCalls(latest.id), [{ node_id: 'call', component_id: id, version: null }]);
    assert.deepEqual(await listCalls(pinned.id), [{ node_id: 'call', component_id: id, version: 1 }]);
  });

  it('changes nothing if the client sends the stored graph', async () => {
    const { id } = await createWorkflow(owner, UPPER);
    const created = await createWorkflow(owner, createCallerGraph(createCall(id)));
    const { body } = await putWorkflow(owner, created.id, { nodes: created.nodes, edges: created.edges });
    assert.equal(body.updatedAt, created.updatedAt);
  });

  it('reports edges to unknown ports of the component', async () => {
    const { id } = await createWorkflow(owner, UPPER);
    const body = {
      ...createCallerGraph(createCall(id)),
      edges: [edge('text.text > call.7'), { ...edge('text.text > call.gone'), id: 'gone' }],
    };
    const { meta } = await createWorkflow(owner, body);
    assert.deepEqual(
      meta.issues.map(({ code }) => code),
      ['unknown_port'],
    );
  });

  it('is refused by every route if the component is unknown or not shared', async () => {
    const unsharedComponent = await createWorkflow(owner, UPPER);
    const target = await createWorkflow(stranger, { name: 'Target' });
    const otherWorkflow = await createWorkflow(stranger, { name: 'Other' });
    const writes: readonly ((graph: object) => Promise<TestResponse<object>>)[] = [
      graph => create(stranger, { name: 'New', ...graph }),
      graph => create(stranger, { id: target.id, name: 'Replaced', ...graph }),
      graph => putWorkflow(stranger, target.id, graph),
      graph => stranger.request('PUT', `/workflows/${target.id}?autosave=true`, graph),
      graph => stranger.request('POST', '/workflows/import', { name: 'Imported', ...graph }),
    ];
    for (const write of writes) {
      assertRefused(
        await write(createCallerGraph(createCall(unsharedComponent.id))),
        403,
        'component_forbidden',
      );
      const { issues } = assertRefused(
        await write(createCallerGraph(createCall('wf_unknown'))),
        400,
        'component_missing',
      );
      assert.deepEqual(
        issues?.map(({ nodeId, path }) => [nodeId, path]),
        [['call', '/nodes/0/data/config/workflowId']],
      );
      assertRefused(
        await write(createCallerGraph(createCall(otherWorkflow.id, { version: 9 }))),
        400,
        'component_missing',
      );
    }
    assert.equal((await readWorkflow(stranger, target.id)).name, 'Target');
  });

  it('is refused with the path of the cycle if the workflow would call itself', async () => {
    const a = await createWorkflow(owner, { name: 'A' });
    assertRefused(
      await putWorkflow(owner, a.id, createCallerGraph(createCall(a.id))),
      400,
      'component_circle',
    );
    const b = await createWorkflow(owner, { ...createCallerGraph(createCall(a.id)), name: 'B' });
    const c = await createWorkflow(owner, { ...createCallerGraph(createCall(b.id)), name: 'C' });
    const { error } = assertRefused(
      await putWorkflow(owner, a.id, createCallerGraph(createCall(c.id))),
      400,
      'component_circle',
    );
    assert.match(error, /"A" → "C" → "B" → "A"/);
    // The version of A that B calls has no calls, but cycles are detected by workflow.
    assertRefused(
      await putWorkflow(owner, a.id, createCallerGraph(createCall(b.id, { version: 1 }))),
      400,
      'component_circle',
    );
  });

  it('cannot create a cycle together with a concurrent write', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await createWorkflow(owner), await createWorkflow(owner)];
      const [first, second] = await Promise.all([
        putWorkflow(owner, a.id, createCallerGraph(createCall(b.id))),
        putWorkflow(owner, b.id, createCallerGraph(createCall(a.id))),
      ]);
      assert.deepEqual([first.status, second.status].toSorted(), [200, 400]);
    }
  });

  it('is refused for more than eight levels of calls', async () => {
    let { id } = await createWorkflow(owner, UPPER);
    for (let level = 1; level <= 8; level++)
      ({ id } = await createWorkflow(owner, {
        ...createCallerGraph(createCall(id)),
        name: `Level ${level}`,
      }));
    const { issues } = assertRefused(
      await create(owner, createCallerGraph(createCall(id))),
      400,
      'component_too_deep',
    );
    assert.equal(issues?.[0]?.nodeId, 'call');
  });

  it('is refused for more than 2,000 nodes including those of components', async () => {
    let { id } = await createWorkflow(owner, UPPER);
    const createTenCalls = () => Array.from({ length: 10 }, (_, index) => createCall(id, {}, `call${index}`));
    // The workflow has 3, then 31, then 311 nodes including those of components.
    for (let level = 1; level <= 2; level++)
      ({ id } = await createWorkflow(owner, {
        ...createCallerGraph(...createTenCalls()),
        name: `Level ${level}`,
      }));
    assertRefused(await create(owner, createCallerGraph(...createTenCalls())), 400, 'component_too_large');
    await createWorkflow(owner, createCallerGraph(...createTenCalls().slice(0, 6)));
  });

  it('is accepted with an issue if a call names no workflow', async () => {
    const { meta } = await createWorkflow(owner, createCallerGraph(node('call', 'component:call')));
    assert.deepEqual(
      meta.issues.map(({ code }) => code),
      ['required_field_missing'],
    );
  });
});

describe('a component that cannot run', () => {
  it('is named by node path in a warning of the caller', async () => {
    const innerWorkflow = await createWorkflow(owner, UPPER);
    const innerCall = createCall(innerWorkflow.id, {}, 'inner');
    const middle = await createWorkflow(owner, {
      ...createCallerGraph({ ...innerCall, data: { ...innerCall.data, label: 'Inner' } }),
      name: 'Middle',
    });
    assert.deepEqual((await createWorkflow(owner, createCallerGraph(createCall(middle.id)))).meta.issues, []);
    await owner.request('DELETE', `/workflows/${innerWorkflow.id}?force=true`);
    const { meta } = await createWorkflow(owner, createCallerGraph(createCall(middle.id)));
    assert.deepEqual(
      meta.issues.map(({ code, nodeId }) => [code, nodeId]),
      [['component_missing', 'call']],
    );
    assert.match(meta.warnings.join(), /The component "Inner" was deleted or does not exist/);
  });

  it('is named in a warning of the caller if an inner edge lost its port', async () => {
    const innerWorkflow = await createWorkflow(owner, UPPER);
    const middle = await createWorkflow(owner, {
      name: 'Middle',
      nodes: [
        createCall(innerWorkflow.id, { version: 'latest' }, 'inner'),
        node('text', 'input:text', { value: 'y' }),
      ],
      edges: [edge('text.text > inner.7')],
    });
    await putWorkflow(owner, innerWorkflow.id, { nodes: [node('other', 'input:text')], edges: [] });
    const { meta } = await createWorkflow(owner, createCallerGraph(createCall(middle.id)));
    assert.deepEqual(
      meta.issues.map(({ code, nodeId }) => [code, nodeId]),
      [['component_cannot_run', 'call']],
    );
    assert.match(meta.warnings.join(), /"call\/inner" cannot run/);
  });
});

describe('a stored call', () => {
  it('keeps its version if the editor of the workflow may not read the component', async () => {
    const component = await createWorkflow(owner, UPPER);
    await addNode(owner, component.id);
    const created = await createWorkflow(owner, createCallerGraph(createCall(component.id, { version: 1 })));
    const share = { userId: stranger.userId, role: 'EDIT' };
    await owner.request('PUT', `/workflows/${created.id}/permissions`, share);
    const graph = { nodes: [...created.nodes, node('more', 'input:text')], edges: [] };
    const { status, body } = await putWorkflow(stranger, created.id, graph);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(getConfig(body), getConfig(created));
    const newCall = { nodes: [createCall(component.id, { version: 2 }), ...graph.nodes.slice(1)], edges: [] };
    assertRefused(await putWorkflow(stranger, created.id, newCall), 403, 'component_forbidden');
    const { rows } = await test.deps.db.query(
      'select user_id from version_calls where caller_id = $1 order by caller_version',
      [created.id],
    );
    assert.deepEqual(rows, [{ user_id: owner.userId }, { user_id: owner.userId }]);
  });

  it('remains with a warning if the component was deleted', async () => {
    const component = await createWorkflow(owner, UPPER);
    const created = await createWorkflow(owner, createCallerGraph(createCall(component.id)));
    assert.equal((await owner.request('DELETE', `/workflows/${component.id}?force=true`)).status, 200);
    const { status, body } = await putWorkflow(owner, created.id, {
      nodes: [...created.nodes, node('more', 'input:text')],
      edges: [],
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.meta.issues.map(({ code, nodeId }) => [code, nodeId]),
      [['component_missing', 'call']],
    );
    assert.deepEqual(getConfig(body), getConfig(created));
    assertRefused(await create(owner, createCallerGraph(createCall(component.id))), 400, 'component_missing');
  });

  it('is stored again if its version of the caller is restored', async () => {
    const component = await createWorkflow(owner, UPPER);
    const created = await createWorkflow(
      owner,
      createCallerGraph(createCall(component.id, { version: 'latest' })),
    );
    await putWorkflow(owner, created.id, { nodes: created.nodes.slice(1), edges: [] });
    assert.deepEqual(await listCalls(created.id), []);
    await addNode(owner, component.id);
    const response = await owner.request<Workflow>('POST', `/workflows/${created.id}/versions/1/restore`, {});
    assert.equal(response.status, 200, JSON.stringify(response.body));
    assert.equal((getConfig(response.body).inputs as unknown[]).length, 3);
    assert.deepEqual(await listCalls(created.id), [
      { node_id: 'call', component_id: component.id, version: null },
    ]);
  });

  it('protects the called version of the component from the cleanup', async () => {
    const component = await createWorkflow(owner, UPPER);
    const autosave = async (text: string) => {
      const nodes = [...UPPER.nodes, node('more', 'input:text', { value: text })];
      const path = `/workflows/${component.id}?autosave=true`;
      assert.equal((await owner.request('PUT', path, { nodes, edges: UPPER.edges })).status, 200);
    };
    await autosave('a');
    const created = await createWorkflow(owner, createCallerGraph(createCall(component.id)));
    assert.equal(getConfig(created).version, 2);
    await autosave('b');
    await autosave('c');
    const { rows } = await test.deps.db.query(
      'select version, superseded_at is null as listed from workflow_versions where workflow_id = $1 order by version',
      [component.id],
    );
    assert.deepEqual(rows, [
      { version: 1, listed: true },
      { version: 2, listed: true },
      { version: 3, listed: false },
      { version: 4, listed: true },
    ]);
  });
});

describe('a lint of a workflow', () => {
  it('names what would fail inside its components, by the path of the call', async () => {
    const inner = await createWorkflow(owner, {
      name: 'Inner',
      nodes: [
        node('prompt', 'input:text'),
        node('pic', 'generate:fal_flux_dev', { no_such_key: 1 }),
        node('out', 'output:preview'),
      ],
      edges: [edge('pic.image > out.input')],
    });
    const outer = await createWorkflow(owner, {
      name: 'Outer',
      nodes: [createCall(inner.id, {}, 'in'), node('out', 'output:preview')],
      edges: [edge('in.out > out.input')],
    });
    const lint = async (user: ApiUser, componentId: string) => {
      const { body } = await user.request<{
        ok: boolean;
        issues: { nodeId: string; code: string; path: string }[];
      }>('POST', '/workflows/lint', createCallerGraph(createCall(componentId)));
      const inside = body.issues.filter(({ nodeId = '' }) => nodeId.includes('/'));
      return [body.ok, inside.map(({ nodeId, code, path }) => `${nodeId} ${code} ${path}`).sort()];
    };
    const faults = (path: string) =>
      ['provider_not_configured', 'required_port_unfed', 'unknown_config_key'].map(
        code => `${path}/pic ${code} /nodes/0`,
      );
    assert.deepEqual(await lint(owner, inner.id), [true, faults('call')]);
    assert.deepEqual(await lint(owner, outer.id), [true, faults('call/in')]);
    await owner.request('POST', `/workflows/${outer.id}/visibility`, { linkPermission: 'VIEW' });
    assert.deepEqual(
      await lint(stranger, outer.id),
      [true, []],
      'not of components that the user may not read',
    );
  });
});
