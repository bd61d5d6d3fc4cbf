// Tests the layout of workflows with ARRANGE_ON_WRITE off (the default) and on.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ApiUser, createTestApp, openTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  at,
  createWorkflow,
  edge,
  node,
  PAIR,
  putWorkflow,
  readWorkflow,
  type SentNode,
  type Workflow,
} from '../../support/workflows.ts';

interface LayoutResponse {
  readonly id: string;
  readonly updatedAt: string;
  readonly moved: readonly {
    readonly id: string;
    readonly position: { readonly x: number; readonly y: number };
  }[];
  readonly groups: readonly {
    readonly id: string;
    readonly width: number;
    readonly height: number;
    readonly childNodeIds: readonly string[];
  }[];
  readonly meta: { readonly warnings: readonly string[] };
}

let test: TestApp;
let arrangingApp: TestApp;
let owner: ApiUser;
let arrangingOwner: ApiUser;

before(async () => {
  test = await openTestApp();
  arrangingApp = await createTestApp({ env: { ARRANGE_ON_WRITE: 'true' } });
  owner = await test.createUser();
  arrangingOwner = await arrangingApp.createUser();
});
after(async () => {
  await test.close();
  await arrangingApp.close();
});

const listPositions = ({ nodes }: Pick<Workflow, 'nodes'>) =>
  Object.fromEntries(nodes.map(({ id, position }) => [id, position]));
const isPending = (line: string): boolean => line.startsWith('layoutPending:');
const layout = (user: ApiUser, id: string, body?: object) =>
  user.request<LayoutResponse>('POST', `/workflows/${id}/layout`, body);
const THIRD = node('c', 'output:preview', {}, at(900, 0));
const ADDITION = { nodes: [...PAIR.nodes, THIRD], edges: [...PAIR.edges, edge('a.text > c.input')] };
/** The consumer is left of the producer, and two nodes overlap. */
const UNARRANGED = {
  nodes: [
    node('b', 'output:preview'),
    node('a', 'input:text', {}, at(800, 300)),
    node('c', 'output:preview'),
  ],
  edges: [edge('a.text > b.input'), edge('a.text > c.input')],
};

describe('a structural write without ARRANGE_ON_WRITE', () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await createWorkflow(owner));
  });
  const structural: readonly (readonly [string, object])[] = [
    ['adds a node', ADDITION],
    ['removes a node', { nodes: [PAIR.nodes[0]], edges: [] }],
    ['removes the edges', { edges: [] }],
  ];
  for (const [name, body] of structural) {
    it(`reports layoutPending if the write ${name}`, async () => {
      const response = await putWorkflow(owner, id, body);
      assert.equal(response.body.meta.warnings.filter(isPending).length, 1);
      for (const { id: nodeId, position } of response.body.nodes) {
        const sentNode = [...PAIR.nodes, THIRD].find(item => item.id === nodeId);
        assert.deepEqual(position, sentNode?.position);
      }
    });
  }

  it('does not include changes of values, positions or other fields', async () => {
    const [a, b] = PAIR.nodes;
    const writes = [
      { name: 'New' },
      { nodes: [node('a', 'input:text', { value: 'new' }), b] },
      { nodes: [{ ...a, ...at(0, 5) }, b] },
    ];
    for (const body of writes) {
      const response = await putWorkflow(owner, id, body);
      assert.deepEqual(response.body.meta.warnings, []);
    }
  });

  it('reports layoutPending if the write creates a workflow', async () => {
    const { meta } = await createWorkflow(owner);
    assert.equal(meta.warnings.filter(isPending).length, 1);
  });
});

describe('a write with ARRANGE_ON_WRITE', () => {
  it('arranges producers left of consumers after a structural change', async () => {
    const { id } = await createWorkflow(arrangingOwner);
    const { body } = await putWorkflow(arrangingOwner, id, UNARRANGED);
    const { a, b, c } = listPositions(body);
    assert.ok(
      a !== undefined && b !== undefined && c !== undefined && a.x < b.x && b.x === c.x && b.y !== c.y,
    );
    const line = body.meta.warnings.find(item => item.startsWith('layout:')) ?? '';
    for (const place of [a, b, c]) assert.ok(line.includes(`(${place.x}, ${place.y})`), line);
    assert.ok(!body.meta.warnings.some(isPending));
    assert.deepEqual(listPositions(await readWorkflow(arrangingOwner, id)), { a, b, c });
  });

  it('arranges a new workflow', async () => {
    const { a, b } = listPositions(await createWorkflow(arrangingOwner, UNARRANGED));
    assert.ok(a !== undefined && b !== undefined && a.x < b.x);
  });

  it('moves no node if only values change', async () => {
    const { id } = await createWorkflow(arrangingOwner, { ...UNARRANGED, autoLayout: false });
    const nodes = UNARRANGED.nodes.map(item =>
      item.id === 'a' ? node('a', 'input:text', { value: 'new' }, at(800, 300)) : item,
    );
    const { body } = await putWorkflow(arrangingOwner, id, { nodes });
    assert.deepEqual(listPositions(body), listPositions({ nodes }));
  });

  it('moves no node while an editor has the board open', async () => {
    const { id } = await createWorkflow(arrangingOwner, { ...PAIR, autoLayout: false });
    const { body: heartbeat } = await arrangingOwner.request<{
      lastEditorHeartbeatAt: string;
      heldUntil: string;
    }>('POST', `/workflows/${id}/heartbeat`);
    assert.equal(Date.parse(heartbeat.heldUntil) - Date.parse(heartbeat.lastEditorHeartbeatAt), 30_000);
    assert.equal(
      (await readWorkflow(arrangingOwner, id)).lastEditorHeartbeatAt,
      heartbeat.lastEditorHeartbeatAt,
    );
    const { body } = await putWorkflow(arrangingOwner, id, ADDITION);
    assert.ok(body.meta.warnings.some(line => isPending(line) && line.includes('editor')));
    assert.deepEqual(listPositions(body), listPositions(ADDITION));
  });

  it('moves no node if autoLayout is false', async () => {
    const { id } = await createWorkflow(arrangingOwner, { ...PAIR, autoLayout: false });
    const { body } = await putWorkflow(arrangingOwner, id, { ...UNARRANGED, autoLayout: false });
    assert.deepEqual(listPositions(body), listPositions(UNARRANGED));
  });

  it('fits group frames around their members', async () => {
    const frame = node('g', 'utility:group', { childNodeIds: ['a', 'b'] }, at(3000, 3000));
    const { nodes } = await createWorkflow(arrangingOwner, { ...PAIR, nodes: [...PAIR.nodes, frame] });
    const [a, b, g] = nodes as readonly (SentNode & {
      position: { x: number; y: number };
      dims: { width: number; height: number };
    })[];
    assert.ok(a !== undefined && b !== undefined && g !== undefined);
    for (const member of [a, b]) {
      assert.ok(g.position.x < member.position.x && g.position.y < member.position.y);
      assert.ok(g.position.x + g.dims.width > member.position.x + member.dims.width);
      assert.ok(g.position.y + g.dims.height > member.position.y + member.dims.height);
    }
  });
});

describe('groups of nodes', () => {
  it('keep their members and cause a warning if they contradict the edges', async () => {
    const nodes = [
      node('a', 'input:text'),
      node('b', 'utility:text_replace', {}, at(400, 0)),
      node('c', 'output:preview', {}, at(800, 0)),
      node('g', 'utility:group', { childNodeIds: ['a', 'c'] }, at(0, 900)),
    ];
    const edges = [edge('a.text > b.text'), edge('b.text > c.input')];
    const { id, meta } = await createWorkflow(owner, { nodes, edges });
    assert.ok(meta.issues.some(({ code, nodeId }) => code === 'group_against_wiring' && nodeId === 'g'));
    await layout(owner, id);
    const group = (await readWorkflow(owner, id)).nodes.find(item => item.id === 'g');
    assert.deepEqual(group?.data.config, { childNodeIds: ['a', 'c'] });
  });
});

describe('a node added by PUT', () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await createWorkflow(owner));
  });
  const putWithNodes = (...newNodes: readonly SentNode[]) =>
    putWorkflow(owner, id, { nodes: [...PAIR.nodes, ...newNodes] });
  const removePosition = ({ position: _, ...rest }: SentNode): SentNode => rest;

  it('is placed beside the other nodes if it has no position', async () => {
    const { body } = await putWithNodes(removePosition(THIRD));
    const place = listPositions(body).c;
    assert.ok(
      body.meta.warnings.includes(`c: Placed at (${place?.x}, ${place?.y}).`),
      body.meta.warnings.join('\n'),
    );
    assert.notDeepEqual(place, listPositions(PAIR).a);
    assert.deepEqual(listPositions(await readWorkflow(owner, id)), listPositions(body));
  });

  it('is moved if it overlaps another node', async () => {
    for (const place of [at(0, 0), at(520, 30)]) {
      const { body } = await putWithNodes({ ...THIRD, ...place });
      assert.notDeepEqual(listPositions(body).c, place.position);
      assert.deepEqual(
        [listPositions(body).a, listPositions(body).b],
        [
          { x: 0, y: 0 },
          { x: 500, y: 0 },
        ],
      );
      assert.ok(body.meta.warnings.some(line => line.startsWith('c: Placed at')));
      await putWorkflow(owner, id, PAIR);
    }
  });

  it('keeps a free position', async () => {
    const place = at(900.5, 1200.25);
    const { body } = await putWithNodes({ ...THIRD, ...place });
    assert.deepEqual(listPositions(body).c, place.position);
    assert.ok(!body.meta.warnings.some(line => line.startsWith('c: Placed')));
  });

  it('is placed only if it has no position while autoLayout is false', async () => {
    const nodes = [...PAIR.nodes, { ...THIRD, ...at(0, 0) }, removePosition(node('d', 'output:preview'))];
    const { body } = await putWorkflow(owner, id, { nodes, autoLayout: false });
    assert.deepEqual(listPositions(body).c, { x: 0, y: 0 });
    assert.ok(body.meta.warnings.some(line => line.startsWith('d: Placed at')));
    assert.ok(!body.meta.warnings.some(line => line.startsWith('c: Placed')));
  });

  it('is placed without moving other nodes', async () => {
    const { id: overlappingId } = await createWorkflow(owner, UNARRANGED);
    const { body } = await putWorkflow(owner, overlappingId, {
      nodes: [...UNARRANGED.nodes, node('z', 'input:text', {}, at(0, 2000))],
    });
    assert.deepEqual(listPositions(body).c, { x: 0, y: 0 });
    const { issues } = assertRefused(
      await putWorkflow(owner, id, { nodes: PAIR.nodes.map(removePosition) }),
      400,
      'invalid_graph',
    );
    assert.equal(issues?.[0]?.code, 'missing_position');
  });
});

describe('POST /workflows/{id}/layout', () => {
  it('arranges the board and returns the moved nodes', async () => {
    const { id } = await createWorkflow(owner, UNARRANGED);
    await owner.request('POST', `/workflows/${id}/heartbeat`);
    const { status, body } = await layout(owner, id);
    assert.deepEqual([status, body.id], [200, id]);
    const currentWorkflow = await readWorkflow(owner, id);
    assert.equal(body.updatedAt, currentWorkflow.updatedAt);
    for (const { id: nodeId, position } of body.moved)
      assert.deepEqual(listPositions(currentWorkflow)[nodeId], position);
    const { a, b } = listPositions(currentWorkflow);
    assert.ok(a !== undefined && b !== undefined && a.x < b.x);
    const versions = await owner.request<{ data: object[] }>('GET', `/workflows/${id}/versions`);
    assert.equal(versions.body.data.length, 2);
  });

  it('changes nothing the second time', async () => {
    const { id } = await createWorkflow(owner, UNARRANGED);
    const first = await layout(owner, id);
    const second = await layout(owner, id);
    assert.deepEqual([second.body.moved, second.body.updatedAt], [[], first.body.updatedAt]);
  });

  it('keeps config, type, result and edges and removes legacy parent keys', async () => {
    const nodes = [
      node(
        'a',
        'input:text',
        { value: 'v' },
        { ...at(10, 10), parentId: 'g', extent: 'parent', result: { x: 1 } },
      ),
      node('b', 'output:preview', {}, { ...at(5, 5), parentNode: 'g' }),
      node('g', 'utility:group', {}, at(0, 0)),
    ];
    const { id } = await createWorkflow(owner, { nodes, edges: PAIR.edges });
    const { body } = await layout(owner, id);
    const currentWorkflow = await readWorkflow(owner, id);
    const [a, b, g] = currentWorkflow.nodes;
    assert.deepEqual([a?.data, a?.type, a?.result], [nodes[0]?.data, 'basedNode', { x: 1 }]);
    assert.deepEqual(currentWorkflow.edges, PAIR.edges);
    for (const key of ['parentId', 'parentNode', 'extent']) {
      assert.ok(!Object.hasOwn(a ?? {}, key) && !Object.hasOwn(b ?? {}, key), key);
    }
    assert.deepEqual(g?.data.config, { childNodeIds: ['a', 'b'] });
    const [group] = body.groups;
    assert.deepEqual([group?.id, group?.childNodeIds], ['g', ['a', 'b']]);
    const { width, height } = group ?? {};
    assert.deepEqual(g?.dims, { width, height, source: 'declared' });
  });

  it('moves only the nodes in scope', async () => {
    const { id } = await createWorkflow(owner, UNARRANGED);
    await layout(owner, id, { scope: ['b'] });
    const currentPositions = listPositions(await readWorkflow(owner, id));
    assert.deepEqual(
      [currentPositions.a, currentPositions.c],
      [
        { x: 800, y: 300 },
        { x: 0, y: 0 },
      ],
    );
  });

  it('puts producers above consumers with direction DOWN', async () => {
    const { id } = await createWorkflow(owner, UNARRANGED);
    await layout(owner, id, { direction: 'DOWN' });
    const { a, b } = listPositions(await readWorkflow(owner, id));
    assert.ok(a !== undefined && b !== undefined && a.y < b.y);
  });

  it('returns 422 board_too_large for more than 250 nodes or 750 edges', async () => {
    const nodes = Array.from({ length: 251 }, (_, i) => node(`n${i}`, 'input:text', {}, at(0, i * 300)));
    const { id: idWithManyNodes } = await createWorkflow(owner, { nodes, edges: [] });
    assertRefused(await layout(owner, idWithManyNodes), 422, 'board_too_large');
    assertRefused(await layout(owner, idWithManyNodes, { scope: ['n1'] }), 422, 'board_too_large');
    const edges = Array.from({ length: 751 }, (_, i) => ({ ...edge('a.text > b.input'), id: `e${i}` }));
    const { id: idWithManyEdges } = await createWorkflow(owner, { edges });
    assertRefused(await layout(owner, idWithManyEdges), 422, 'board_too_large');
    const { id: allowedId } = await createWorkflow(owner, { nodes: nodes.slice(1), edges: [] });
    assert.equal((await layout(owner, allowedId)).status, 200);
  });

  it('requires edit access and a valid body', async () => {
    const { id } = await createWorkflow(owner);
    const otherUser = await test.createUser();
    assertRefused(await layout(otherUser, id), 403, 'forbidden');
    assertRefused(await layout(owner, id, { direction: 'UP' }), 400, 'invalid_request');
    assertRefused(await layout(owner, id, { scope: 'a' }), 400, 'invalid_request');
  });
});
