// layoutGraph: properties over generated graphs, and the rules for groups, notes, scope and cycles.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateDims } from '../../src/graph/dims.ts';
import { applyLayout, layoutGraph } from '../../src/graph/layout/layout.ts';
import type { LayoutOptions } from '../../src/graph/layout/layout-context.ts';
import { isNear, type Rect } from '../../src/graph/rects.ts';
import type { Graph, GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { seededRandom } from '../../src/lib/seeded-random.ts';
import { CATALOG, edge, node } from './fixture.ts';

/** An acyclic graph with free nodes, notes and groups of consecutive nodes. */
function generate(seed: number): Graph {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const types = ['utility:join', 'utility:split', 'generate:image', 'utility:gather'];
  const position = (): GraphNode['position'] => ({ x: below(3000) - 1000, y: below(3000) - 500.5 });
  const sizeOf = (index: number): Partial<GraphNode> =>
    index % 5 === 0 ? { measured: { width: 200.25 + below(200), height: 90.5 + below(300) } } : {};
  const count = 2 + below(40);
  const nodes = Array.from({ length: count }, (_, index) =>
    node(`n${index}`, types[below(types.length)] ?? '', {}, { position: position(), ...sizeOf(index) }),
  );
  const edges = Array.from({ length: below(2 * count) }, (_, index) => {
    const target = 1 + below(count - 1);
    return { ...edge(`n${below(target)}.text > n${target}.a`), id: `e${index}` };
  });
  const size = 1 + below(5);
  const groups = Array.from({ length: below(4) }, (_, index) =>
    node(`g${index}`, 'utility:group', {
      childNodeIds: Array.from({ length: size }, (_, place) => `n${index * size + place}`),
    }),
  );
  const notes = Array.from({ length: below(4) }, (_, index) =>
    node(`s${index}`, 'utility:sticky_note', {}, { position: position() }),
  );
  return { nodes: [...notes, ...nodes, ...groups], edges };
}

function layOut(graph: Graph, options: LayoutOptions = {}): Graph {
  return applyLayout(graph, layoutGraph(graph, CATALOG, options));
}

function rectOf(it: GraphNode): Rect {
  const { width, height } = estimateDims(it, CATALOG);
  return { ...it.position, width, height };
}

function rectsOf({ nodes }: Graph): Map<string, Rect> {
  return new Map(nodes.map(item => [item.id, rectOf(item)]));
}

function overlaps(graph: Graph): string[] {
  const leaves = graph.nodes.filter(({ type }) => type !== 'groupFrame');
  return leaves.flatMap((a, index) =>
    leaves.slice(index + 1).flatMap(b => (isNear(rectOf(a), rectOf(b), 0) ? [`${a.id} covers ${b.id}`] : [])),
  );
}

function backwardEdges(graph: Graph, direction: 'RIGHT' | 'DOWN' = 'RIGHT'): string[] {
  const rects = rectsOf(graph);
  return graph.edges.flatMap(({ source, target }) => {
    const [from, to] = [rects.get(source), rects.get(target)];
    if (from === undefined || to === undefined) return [];
    const isForward = direction === 'RIGHT' ? to.x >= from.x + from.width : to.y >= from.y + from.height;
    return isForward ? [] : [`${source} > ${target}`];
  });
}

function place(graph: Graph, id: string): Rect {
  const rect = rectsOf(graph).get(id);
  assert(rect);
  return rect;
}

function graphOf(nodes: readonly GraphNode[], ...wires: readonly string[]): Graph {
  return { nodes, edges: wires.map((wire): GraphEdge => edge(wire)) };
}

const join = (id: string, x = 0, y = 0): GraphNode => node(id, 'utility:join', {}, { position: { x, y } });
const group = (id: string, ...childNodeIds: string[]): GraphNode =>
  node(id, 'utility:group', { childNodeIds });

describe('layoutGraph over generated graphs', () => {
  for (let seed = 1; seed <= 60; seed++) {
    it(`keeps every layout rule for seed ${seed}`, () => {
      const graph = generate(seed);
      const once = layOut(graph);
      assert.deepEqual(overlaps(once), []);
      assert.deepEqual(backwardEdges(once), []);
      assert(once.nodes.every(({ position: { x, y } }) => Number.isInteger(x) && Number.isInteger(y)));
      assert.deepEqual(layoutGraph(once, CATALOG).moves, [], 'a laid-out graph stays as it is');
      assert.deepEqual(layOut(structuredClone(graph)), once, 'the same graph gets the same layout');
      const down = layOut(graph, { direction: 'DOWN' });
      assert.deepEqual([...overlaps(down), ...backwardEdges(down, 'DOWN')], []);
    });
  }
});

describe('layoutGraph', () => {
  it('aligns a chain horizontally, with 120 px between columns, keeping its corner', () => {
    const graph = graphOf([join('b', 5, 900), join('a', 700, 100)], 'a.text > b.a');
    const laid = layOut(graph);
    assert.deepEqual([place(laid, 'a').x, place(laid, 'a').y], [5, 100]);
    assert.deepEqual([place(laid, 'b').x, place(laid, 'b').y], [5 + 260 + 120, 100]);
  });

  it('keeps producers in the order of the ports they feed', () => {
    const graph = graphOf(
      [join('c'), join('b'), join('a'), join('to')],
      'a.text > to.a',
      'b.text > to.b',
      'c.text > to.c',
    );
    const laid = layOut(graph);
    assert(place(laid, 'a').y < place(laid, 'b').y && place(laid, 'b').y < place(laid, 'c').y);
  });

  it('breaks a cycle and reports which edge runs backwards', () => {
    const graph = graphOf([join('a'), join('b'), join('c')], 'a.text > b.a', 'b.text > c.a', 'c.text > a.a');
    const { warnings } = layoutGraph(graph, CATALOG);
    assert.deepEqual(warnings, ['a: The edge "c.text > a.a" closes a cycle and runs backwards.']);
    assert.deepEqual(backwardEdges(layOut(graph)), ['c > a']);
  });

  it('fits a frame to its members with one gap on all sides, and keeps other nodes out', () => {
    const graph = graphOf(
      [join('a'), join('b'), join('c'), join('x'), join('y'), group('f', 'b', 'c')],
      'a.text > b.a',
      'b.text > c.a',
      'c.text > y.a',
      'a.text > x.a',
    );
    const layout = layoutGraph(graph, CATALOG);
    const laid = applyLayout(graph, layout);
    const [frame, b, c] = ['f', 'b', 'c'].map(id => place(laid, id));
    assert(frame && b && c);
    assert.deepEqual([b.x - frame.x, frame.x + frame.width - c.x - c.width], [40, 40]);
    assert.equal(frame.y + frame.height - Math.max(b.y + b.height, c.y + c.height), 40);
    for (const id of ['a', 'x', 'y']) assert(!isNear(frame, place(laid, id), 0), id);
    assert.deepEqual(layout.groups, [
      {
        id: 'f',
        position: { x: frame.x, y: frame.y },
        width: frame.width,
        height: frame.height,
        childNodeIds: ['b', 'c'],
      },
    ]);
  });

  it('nests frames inside frames', () => {
    const graph = graphOf(
      [join('a'), join('b'), group('inner', 'a'), group('outer', 'inner', 'b')],
      'a.text > b.a',
    );
    const laid = layOut(graph);
    const [outer, inner] = [place(laid, 'outer'), place(laid, 'inner')];
    assert(inner.x > outer.x && inner.y > outer.y && inner.x + inner.width < outer.x + outer.width);
  });

  it('leaves out a group that the edges leave and reenter, and reports it', () => {
    const graph = graphOf(
      [join('a'), join('b'), join('c'), group('f', 'a', 'c')],
      'a.text > b.a',
      'b.text > c.a',
    );
    const layout = layoutGraph(graph, CATALOG);
    assert.match(layout.warnings[0] ?? '', /^f: Connections leave this group and return to it/);
    const laid = applyLayout(graph, layout);
    assert.deepEqual([...backwardEdges(laid), ...overlaps(laid)], []);
    assert.equal(layoutGraph(laid, CATALOG).moves.length, 0);
  });

  it('treats legacy children as members, converts their relative positions, and drops the legacy keys', () => {
    const child = { ...join('a', 30, 40), parentId: 'f', parentNode: 'f', extent: 'parent', zIndex: 5 };
    const graph = graphOf([node('f', 'utility:group', {}, { position: { x: 1000, y: 1000 } }), child]);
    const laid = layOut(graph);
    assert.deepEqual(laid.nodes[0]?.data.config, { childNodeIds: ['a'] });
    assert.deepEqual(laid.nodes[1], { ...join('a', 1030, 1040), zIndex: 5 });
  });

  it('keeps notes next to what they annotate', () => {
    const note = node('note', 'utility:sticky_note', {}, { position: { x: 900, y: 880 } });
    const graph = graphOf([note, join('a', 0, 0), join('b', 900, 1060)], 'a.text > b.a');
    const laid = layOut(graph);
    const [b, noted] = [place(laid, 'b'), place(laid, 'note')];
    assert.deepEqual([noted.x, noted.y + noted.height + 20], [b.x, b.y]);
  });

  it('moves nothing outside its scope, and covers none of it', () => {
    const graph = graphOf([join('a', 0, 0), join('b', 0, 0), join('x', 300, 0)], 'a.text > b.a');
    const layout = layoutGraph(graph, CATALOG, { scope: ['b', 'a', 'gone'] });
    const laid = applyLayout(graph, layout);
    assert.deepEqual(layout.laidOut, ['a', 'b']);
    assert.deepEqual(place(laid, 'x'), place(graph, 'x'));
    assert.deepEqual([...overlaps(laid), ...backwardEdges(laid)], []);
    assert.match(layout.warnings[0] ?? '', /"gone"/);
  });

  it('handles empty graphs, nodes connected to themselves and groups without members', () => {
    assert.deepEqual(layoutGraph({ nodes: [], edges: [] }, CATALOG).moves, []);
    const graph = graphOf([join('a'), group('f')], 'a.text > a.a', 'a.text > nowhere.a');
    assert.deepEqual(overlaps(layOut(graph)), []);
  });
});
