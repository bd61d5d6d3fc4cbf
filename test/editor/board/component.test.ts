// Tests how selected nodes become a component and the node that calls it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board, invert } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { type Extraction, extractComponent } from '../../../editor/board/component.ts';
import { canConnect, connectPorts } from '../../../editor/board/wiring.ts';
import { expandGraph } from '../../../src/graph/components/expand.ts';
import { getInterface } from '../../../src/graph/components/interface.ts';
import { lintGraph } from '../../../src/graph/lint/lint.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../../../src/graph/types.ts';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const catalog = createCatalog(createNodeCatalog({ SANDBOX_MODELS: true } as never).entries);

const node = (id: string, nodeType: string, config: JsonObject = {}, x = 0, y = 0): GraphNode => {
  const entry = catalog.find(nodeType);
  return {
    id,
    type: entry?.customNodeType ?? 'basedNode',
    position: { x, y },
    data: { label: id, category: entry?.category === 'input' ? 'input' : 'utility', nodeType, config },
  };
};

const edge = (from: string, to: string): GraphEdge => {
  const [source = '', output] = from.split('.');
  const [target = '', input] = to.split('.');
  return { id: `${from}->${to}`, source, target, sourceHandle: `out-${output}`, targetHandle: `in-${input}` };
};

const listWires = ({ edges }: Pick<Board, 'edges'>): readonly string[] =>
  edges.map(
    ({ source, sourceHandle, target, targetHandle }) =>
      `${source}.${sourceHandle?.slice(4)} ${target}.${targetHandle?.slice(3)}`,
  );

const listNodes = ({ nodes: list }: Pick<Board, 'nodes'>): readonly string[] =>
  list.map(({ id, data }) => `${id} ${data.nodeType} ${data.label}`);

const JOIN = 'utility:prompt_concat';
const IMAGE = 'generate:sandbox';

function extract(board: Board, ids: readonly string[]): Extraction {
  const extraction = extractComponent(board, catalog, ids);
  assert.ok(!('problem' in extraction));
  return extraction;
}

/** Replaces the nodes by a call named Look. */
function replace(board: Board, ids: readonly string[]): { readonly id: string; readonly after: Board } {
  const { id, changes } = extract(board, ids).replace('Look', { workflowId: 'wf_1', version: 1 });
  const after = apply(board, changes);
  assert.deepEqual(apply(after, invert(changes)), board, 'one undo step restores the board');
  return { id, after };
}

describe('extractComponent', () => {
  const board: Board = {
    fields: {},
    nodes: [
      node('idea', 'input:text', { value: 'a fox' }),
      node('style', 'input:text', { value: 'ink' }, 0, 200),
      node('join', JOIN, {}, 300, 0),
      node('image', IMAGE, {}, 600, 0),
      node('again', IMAGE, {}, 600, 400),
      node('shown', 'output:preview', {}, 900, 0),
      node('all', 'output:gallery', {}, 900, 400),
    ],
    edges: [
      edge('idea.text', 'join.text1'),
      edge('style.text', 'join.text2'),
      edge('join.text', 'image.prompt'),
      edge('style.text', 'again.prompt'),
      edge('again.image', 'all.input1'),
      edge('image.image', 'shown.input'),
      edge('image.image', 'all.input2'),
    ],
  };

  it('creates an input for each output that enters the selection and a preview for each that leaves it', () => {
    const { part } = extract(board, ['join', 'image', 'again']);
    assert.deepEqual(listNodes(part), [
      `join ${JOIN} join`,
      `image ${IMAGE} image`,
      `again ${IMAGE} again`,
      'idea-2 input:text idea',
      'style-2 input:text style',
      'image-2 output:preview image',
      'again-2 output:preview again',
    ]);
    assert.deepEqual(listWires(part), [
      'idea-2.text join.text1',
      'style-2.text join.text2',
      'join.text image.prompt',
      'style-2.text again.prompt',
      'image.image image-2.input',
      'again.image again-2.input',
    ]);
    assert.deepEqual(part.nodes[3]?.data.config, { value: 'a fox' }, 'the value is the default of the input');
    const { issues } = lintGraph(part, catalog);
    assert.deepEqual(
      issues.filter(({ severity }) => severity === 'error'),
      [],
    );
  });

  it('keeps the connections of the board in their order', () => {
    const { id, after } = replace(board, ['join', 'image', 'again']);
    assert.deepEqual(listNodes(after), [
      'idea input:text idea',
      'style input:text style',
      'shown output:preview shown',
      'all output:gallery all',
      `${id} component:call Look`,
    ]);
    assert.deepEqual(listWires(after), [
      `idea.text ${id}.idea-2`,
      `style.text ${id}.style-2`,
      `${id}.again-2 all.input1`,
      `${id}.image-2 shown.input`,
      `${id}.image-2 all.input2`,
    ]);
  });

  it('keeps selected inputs and previews as ports', () => {
    const { part } = extract(board, ['idea', 'join', 'image', 'shown']);
    assert.deepEqual(listNodes(part), [
      'idea input:text idea',
      `join ${JOIN} join`,
      `image ${IMAGE} image`,
      'shown output:preview shown',
      'style-2 input:text style',
    ]);
    const { id, after } = replace(board, ['idea', 'join', 'image', 'shown']);
    assert.ok(listWires(after).includes(`${id}.shown all.input2`), 'the preview inside is the output');
  });

  it('creates a preview for a last node whose result is not used', () => {
    const { part } = extract({ ...board, edges: board.edges.slice(0, 3) }, ['join', 'image']);
    assert.deepEqual(listWires(part).at(-1), 'image.image image-2.input');
  });

  it('creates a list input for a list and a typed input for an unknown type', () => {
    const lists: Board = {
      fields: {},
      nodes: [
        node('many', 'input:list', { items: ['a', 'b'], itemType: 'TEXT' }),
        node('first', 'utility:list_item'),
        node('image', IMAGE),
        node('again', IMAGE),
      ],
      edges: [
        edge('many.list', 'image.prompt'),
        edge('many.list', 'first.list'),
        edge('first.item', 'again.prompt'),
      ],
    };
    const { part } = extract(lists, ['image', 'again']);
    assert.deepEqual(listNodes(part).slice(2, 4), ['many-2 input:list many', 'prompt input:text Prompt']);
    assert.deepEqual(part.nodes[2]?.data.config, { items: ['a', 'b'], itemType: 'TEXT' });
  });

  it('returns the nodes that would connect the component to itself', () => {
    const extraction = extractComponent(board, catalog, ['style', 'image', 'idea']);
    assert.ok('problem' in extraction && extraction.problem === 'nodes between');
    assert.deepEqual(
      extraction.between.map(({ id }) => id),
      ['join'],
    );
  });

  it('refuses a selection of notes and frames', () => {
    const notes: Board = { fields: {}, nodes: [node('note', 'utility:sticky_note')], edges: [] };
    const extraction = extractComponent(notes, catalog, ['note']);
    assert.ok('problem' in extraction && extraction.problem === 'no nodes');
  });

  it('includes the members of a selected group', () => {
    const grouped: Board = {
      ...board,
      nodes: [
        ...board.nodes,
        node('inner', 'utility:group', { childNodeIds: ['image', 'again'] }),
        node('outer', 'utility:group', { childNodeIds: ['inner', 'join', 'idea'] }),
      ],
    };
    assert.deepEqual(listNodes(extract(grouped, ['inner', 'join']).part).slice(0, 4), [
      `join ${JOIN} join`,
      `image ${IMAGE} image`,
      `again ${IMAGE} again`,
      'inner utility:group inner',
    ]);
    const { id, after } = replace(grouped, ['inner', 'join']);
    assert.deepEqual(after.nodes.find(({ id: other }) => other === 'outer')?.data.config, {
      childNodeIds: ['idea', id],
    });
  });

  it('resolves edges without handles to the ports that a run uses', () => {
    const bare: Board = {
      ...board,
      nodes: board.nodes.map(node => ({ ...node, data: { ...node.data, pinnedRun: 'ex_1' } })),
      edges: board.edges.map(({ sourceHandle: _, targetHandle: __, ...edge }) => edge),
    };
    const { part } = extract(bare, ['join']);
    assert.deepEqual(listWires(part), [
      'idea-2.text join.text1',
      'style-2.text join.text2',
      'join.text join-2.input',
    ]);
    assert.ok(part.nodes.every(({ data }) => data.pinnedRun === undefined));
    const { id, after } = replace(bare, ['join']);
    assert.ok(listWires(after).includes(`${id}.join-2 image.prompt`));
  });

  it('places the call where the selected nodes were', () => {
    const { part } = extract(board, ['join', 'image']);
    assert.deepEqual(part.nodes[0]?.position, { x: 0, y: 0 });
    assert.ok((part.nodes[2]?.position.x ?? 0) < 0, 'inputs are on the left');
    const { id, after } = replace(board, ['join', 'image']);
    const { x = 0 } = after.nodes.find(({ id: other }) => other === id)?.position ?? {};
    assert.ok(x >= 300 && x <= 900);
  });

  it('keeps all connections of random boards when the component is expanded again', () => {
    const random = createSeededRandom(7);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    let componentCount = 0;
    for (let round = 0; round < 300; round++) {
      const board = makeRandomBoard(pick, 3 + Math.floor(random() * 10));
      const ids = board.nodes.filter(() => random() < 0.4).map(({ id }) => id);
      const extraction = extractComponent(board, catalog, ids);
      if ('problem' in extraction) continue;
      componentCount++;
      const { id, changes } = extraction.replace('Look', {
        workflowId: 'wf_1',
        version: 1,
        ...getInterface(extraction.part, catalog),
      } as never);
      const after = apply(board, changes);
      assert.deepEqual(apply(after, invert(changes)), board);
      const originalIds = new Set(board.nodes.map(({ id }) => id));
      const toOriginal = (path: string): string =>
        path.startsWith(`${id}/`) ? path.slice(id.length + 1) : path;
      const options = { catalog, findGraph: () => extraction.part, measure: () => 0 };
      const { graph: expanded } = expandGraph(after, options);
      const edges = expanded.edges
        .map(edge => ({ ...edge, source: toOriginal(edge.source), target: toOriginal(edge.target) }))
        .filter(({ source, target }) => originalIds.has(source) && originalIds.has(target));
      assert.deepEqual(
        sortByTarget(listWires({ edges })),
        sortByTarget(listWires(board)),
        JSON.stringify({ board, ids }),
      );
    }
    assert.ok(componentCount > 100, `${componentCount} components`);
  });
});

/** Lists take their edges in order, so the order of edges with the same target matters. */
const sortByTarget = (list: readonly string[]): readonly string[] =>
  list.toSorted((a, b) => (a.split(' ')[1] ?? '').localeCompare(b.split(' ')[1] ?? ''));

const TYPES = [
  'input:text',
  'input:list',
  JOIN,
  IMAGE,
  'utility:list_item',
  'logic:collect',
  'output:preview',
  'output:gallery',
];

function makeRandomBoard(pick: <T>(items: readonly T[]) => T, count: number): Board {
  let board: Board = {
    fields: {},
    nodes: Array.from({ length: count }, (_, index) =>
      node(`n${index}`, pick(TYPES), {}, index * 300, pick([0, 200, 400])),
    ),
    edges: [],
  };
  const ports = (side: 'inputs' | 'outputs') =>
    board.nodes.flatMap(({ id, data }) =>
      catalog
        .ports(data.nodeType, {})
        [side].filter(({ isPort }) => isPort)
        .map(port => ({ nodeId: id, handle: `${side === 'inputs' ? 'in' : 'out'}-${port.id}` })),
    );
  const [inputs, outputs] = [ports('inputs'), ports('outputs')];
  for (let tries = 0; tries < 3 * count && outputs.length > 0 && inputs.length > 0; tries++) {
    const [from, to] = [pick(outputs), pick(inputs)];
    if (canConnect(board, catalog, from, to)) board = apply(board, connectPorts(board, catalog, from, to));
  }
  return board;
}
