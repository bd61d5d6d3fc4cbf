// Tests layoutGraph with generated graphs, and its rules for groups, notes, scope and cycles.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getDims } from '../../src/graph/dims.ts';
import { applyLayout, layoutGraph } from '../../src/graph/layout/layout.ts';
import type { LayoutOptions } from '../../src/graph/layout/layout-context.ts';
import { isNear, type Rect } from '../../src/graph/rects.ts';
import type { Graph, GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { isNightly } from '../support/tier.ts';
import { CATALOG, edge, node } from './fixture.ts';

/** Generates an acyclic graph with free nodes, notes and groups of consecutive nodes. */
function generateGraph(seed: number): Graph {
  const random = createSeededRandom(seed);
  const randomBelow = (limit: number): number => Math.floor(random() * limit);
  const types = ['utility:join', 'utility:split', 'generate:image', 'utility:gather'];
  const position = (): GraphNode['position'] => ({
    x: randomBelow(3000) - 1000,
    y: randomBelow(3000) - 500.5,
  });
  const createSize = (index: number): Partial<GraphNode> =>
    index % 5 === 0
      ? { measured: { width: 200.25 + randomBelow(200), height: 90.5 + randomBelow(300) } }
      : {};
  const count = 2 + randomBelow(40);
  const nodes = Array.from({ length: count }, (_, index) =>
    node(
      `n${index}`,
      types[randomBelow(types.length)] ?? '',
      {},
      { position: position(), ...createSize(index) },
    ),
  );
  const edges = Array.from({ length: randomBelow(2 * count) }, (_, index) => {
    const target = 1 + randomBelow(count - 1);
    return { ...edge(`n${randomBelow(target)}.text > n${target}.a`), id: `e${index}` };
  });
  const size = 1 + randomBelow(5);
  const groups = Array.from({ length: randomBelow(4) }, (_, index) =>
    node(`g${index}`, 'utility:group', {
      childNodeIds: Array.from({ length: size }, (_, member) => `n${index * size + member}`),
    }),
  );
  const notes = Array.from({ length: randomBelow(4) }, (_, index) =>
    node(`s${index}`, 'utility:sticky_note', {}, { position: position() }),
  );
  return { nodes: [...notes, ...nodes, ...groups], edges };
}

function runLayout(graph: Graph, options: LayoutOptions = {}): Graph {
  return applyLayout(graph, layoutGraph(graph, CATALOG, options));
}

function getRect(item: GraphNode): Rect {
  const { width, height } = getDims(item, CATALOG);
  return { ...item.position, width, height };
}

function getRects({ nodes }: Graph): Map<string, Rect> {
  return new Map(nodes.map(item => [item.id, getRect(item)]));
}

const overlap = (a: Rect, b: Rect): boolean => isNear(a, b, 0);

function listOverlaps(graph: Graph): string[] {
  const leaves = graph.nodes.filter(({ type }) => type !== 'groupFrame');
  return leaves.flatMap((a, index) =>
    leaves.slice(index + 1).flatMap(b => (overlap(getRect(a), getRect(b)) ? [`${a.id} covers ${b.id}`] : [])),
  );
}

function listBackwardEdges(graph: Graph, direction: 'RIGHT' | 'DOWN' = 'RIGHT'): string[] {
  const rects = getRects(graph);
  return graph.edges.flatMap(({ source, target }) => {
    const [from, to] = [rects.get(source), rects.get(target)];
    if (from === undefined || to === undefined) return [];
    const isForward = direction === 'RIGHT' ? to.x >= from.x + from.width : to.y >= from.y + from.height;
    return isForward ? [] : [`${source} > ${target}`];
  });
}

function getNodeRect(graph: Graph, id: string): Rect {
  const rect = getRects(graph).get(id);
  assert(rect);
  return rect;
}

function createGraph(nodes: readonly GraphNode[], ...edges: readonly string[]): Graph {
  return { nodes, edges: edges.map((text): GraphEdge => edge(text)) };
}

const join = (id: string, x = 0, y = 0): GraphNode => node(id, 'utility:join', {}, { position: { x, y } });
const group = (id: string, ...childNodeIds: string[]): GraphNode =>
  node(id, 'utility:group', { childNodeIds });

describe('layoutGraph over generated graphs', () => {
  for (let seed = 1; seed <= (isNightly ? 60 : 6); seed++) {
    it(`follows every layout rule for seed ${seed}`, () => {
      const graph = generateGraph(seed);
      const arrangedGraph = runLayout(graph);
      assert.deepEqual(listOverlaps(arrangedGraph), []);
      assert.deepEqual(listBackwardEdges(arrangedGraph), []);
      assert(
        arrangedGraph.nodes.every(({ position: { x, y } }) => Number.isInteger(x) && Number.isInteger(y)),
      );
      assert.deepEqual(layoutGraph(arrangedGraph, CATALOG).moves, [], 'a second layout moves nothing');
      assert.deepEqual(
        runLayout(structuredClone(graph)),
        arrangedGraph,
        'the same graph gets the same layout',
      );
      const downwardLayout = runLayout(graph, { direction: 'DOWN' });
      assert.deepEqual([...listOverlaps(downwardLayout), ...listBackwardEdges(downwardLayout, 'DOWN')], []);
    });
  }
});

describe('layoutGraph', () => {
  it('aligns a chain horizontally with 120 px between columns', () => {
    const graph = createGraph([join('b', 5, 900), join('a', 700, 100)], 'a.text > b.a');
    const arrangedGraph = runLayout(graph);
    assert.deepEqual([getNodeRect(arrangedGraph, 'a').x, getNodeRect(arrangedGraph, 'a').y], [5, 100]);
    assert.deepEqual(
      [getNodeRect(arrangedGraph, 'b').x, getNodeRect(arrangedGraph, 'b').y],
      [5 + 260 + 120, 100],
    );
  });

  it('keeps producers in the order of the ports they feed', () => {
    const graph = createGraph(
      [join('c'), join('b'), join('a'), join('to')],
      'a.text > to.a',
      'b.text > to.b',
      'c.text > to.c',
    );
    const arrangedGraph = runLayout(graph);
    assert(
      getNodeRect(arrangedGraph, 'a').y < getNodeRect(arrangedGraph, 'b').y &&
        getNodeRect(arrangedGraph, 'b').y < getNodeRect(arrangedGraph, 'c').y,
    );
  });

  it('keeps nodes that are alike in their given order, with those that they feed', () => {
    const numbers = [1, 2, 3, 4, 5];
    const graph = createGraph(
      [
        node('idea', 'input:text'),
        ...numbers.map(number =>
          node(`picture${number}`, 'generate:image', {}, { position: { x: 0, y: 900 - number } }),
        ),
        ...numbers.toReversed().map(number => node(`shown${number}`, 'output:preview')),
      ],
      ...numbers.flatMap(number => [
        `idea.text > picture${number}.prompt`,
        `picture${number}.image > shown${number}.input`,
      ]),
    );
    const arrangedGraph = runLayout(graph);
    const byHeight = (prefix: string): readonly number[] =>
      numbers.toSorted(
        (a, b) => getNodeRect(arrangedGraph, prefix + a).y - getNodeRect(arrangedGraph, prefix + b).y,
      );
    assert.deepEqual([byHeight('picture'), byHeight('shown')], [numbers, numbers]);
  });

  it('breaks a cycle and reports the edge that runs backwards', () => {
    const graph = createGraph(
      [join('a'), join('b'), join('c')],
      'a.text > b.a',
      'b.text > c.a',
      'c.text > a.a',
    );
    const { warnings } = layoutGraph(graph, CATALOG);
    assert.deepEqual(warnings, ['a: The edge "c.text > a.a" closes a cycle and runs backwards.']);
    assert.deepEqual(listBackwardEdges(runLayout(graph)), ['c > a']);
  });

  it('fits a group around its members only, with the same gap on all sides', () => {
    const graph = createGraph(
      [join('a'), join('b'), join('c'), join('x'), join('y'), group('f', 'b', 'c')],
      'a.text > b.a',
      'b.text > c.a',
      'c.text > y.a',
      'a.text > x.a',
    );
    const layout = layoutGraph(graph, CATALOG);
    const arrangedGraph = applyLayout(graph, layout);
    const [outline, b, c] = ['f', 'b', 'c'].map(id => getNodeRect(arrangedGraph, id));
    assert(outline && b && c);
    assert.deepEqual([b.x - outline.x, outline.x + outline.width - c.x - c.width], [40, 40]);
    assert.equal(outline.y + outline.height - Math.max(b.y + b.height, c.y + c.height), 40);
    for (const id of ['a', 'x', 'y']) assert(!overlap(outline, getNodeRect(arrangedGraph, id)), id);
    assert.deepEqual(layout.groups, [
      {
        id: 'f',
        position: { x: outline.x, y: outline.y },
        width: outline.width,
        height: outline.height,
        childNodeIds: ['b', 'c'],
      },
    ]);
  });

  it('nests groups inside groups', () => {
    const graph = createGraph(
      [join('a'), join('b'), group('inner', 'a'), group('outer', 'inner', 'b')],
      'a.text > b.a',
    );
    const arrangedGraph = runLayout(graph);
    const [outer, inner] = [getNodeRect(arrangedGraph, 'outer'), getNodeRect(arrangedGraph, 'inner')];
    assert(inner.x > outer.x && inner.y > outer.y && inner.x + inner.width < outer.x + outer.width);
  });

  it('does not fit a group that edges leave and reenter, and warns about it', () => {
    const graph = createGraph(
      [join('a'), join('b'), join('c'), group('f', 'a', 'c')],
      'a.text > b.a',
      'b.text > c.a',
    );
    const layout = layoutGraph(graph, CATALOG);
    assert.match(layout.warnings[0] ?? '', /^f: Connections leave this group and return to it/);
    const arrangedGraph = applyLayout(graph, layout);
    assert.deepEqual([...listBackwardEdges(arrangedGraph), ...listOverlaps(arrangedGraph)], []);
    assert.equal(layoutGraph(arrangedGraph, CATALOG).moves.length, 0);
  });

  it('converts legacy child nodes to members of their group', () => {
    const child = { ...join('a', 30, 40), parentId: 'f', parentNode: 'f', extent: 'parent', zIndex: 5 };
    const graph = createGraph([node('f', 'utility:group', {}, { position: { x: 1000, y: 1000 } }), child]);
    const arrangedGraph = runLayout(graph);
    assert.deepEqual(arrangedGraph.nodes[0]?.data.config, { childNodeIds: ['a'] });
    assert.deepEqual(arrangedGraph.nodes[1], { ...join('a', 1030, 1040), zIndex: 5 });
  });

  it('keeps notes next to the nodes that they annotate', () => {
    const note = node('note', 'utility:sticky_note', {}, { position: { x: 900, y: 880 } });
    const graph = createGraph([note, join('a', 0, 0), join('b', 900, 1060)], 'a.text > b.a');
    const arrangedGraph = runLayout(graph);
    const [b, noteRect] = [getNodeRect(arrangedGraph, 'b'), getNodeRect(arrangedGraph, 'note')];
    assert.deepEqual([noteRect.x, noteRect.y + noteRect.height + 20], [b.x, b.y]);
  });

  it('neither moves nor covers nodes outside the scope', () => {
    const graph = createGraph([join('a', 0, 0), join('b', 0, 0), join('x', 300, 0)], 'a.text > b.a');
    const layout = layoutGraph(graph, CATALOG, { scope: ['b', 'a', 'gone'] });
    const arrangedGraph = applyLayout(graph, layout);
    assert.deepEqual(layout.laidOut, ['a', 'b']);
    assert.deepEqual(getNodeRect(arrangedGraph, 'x'), getNodeRect(graph, 'x'));
    assert.deepEqual([...listOverlaps(arrangedGraph), ...listBackwardEdges(arrangedGraph)], []);
    assert.match(layout.warnings[0] ?? '', /"gone"/);
  });

  it('accepts empty graphs, nodes connected to themselves and groups without members', () => {
    assert.deepEqual(layoutGraph({ nodes: [], edges: [] }, CATALOG).moves, []);
    const graph = createGraph([join('a'), group('f')], 'a.text > a.a', 'a.text > nowhere.a');
    assert.deepEqual(listOverlaps(runLayout(graph)), []);
  });
});
