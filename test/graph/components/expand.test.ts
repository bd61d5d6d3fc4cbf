// Tests the expansion of calls into a plain graph.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ComponentError } from '../../../src/graph/components/component-error.ts';
import { expandGraph } from '../../../src/graph/components/expand.ts';
import type { Graph, JsonObject } from '../../../src/graph/types.ts';
import { type NodeSketch, sketchGraph } from '../../support/engine/engine.ts';
import {
  call,
  catalog,
  createGraphFinder,
  expand,
  JOIN_COMPONENT,
  joinNode,
  type Library,
  listConnections,
  measure,
  plan,
  preview,
  text,
} from './component-graphs.ts';

const listIds = (graph: Graph): readonly string[] => graph.nodes.map(({ id }) => id);
const getConfig = (graph: Graph, id: string): JsonObject | undefined =>
  graph.nodes.find(node => node.id === id)?.data.config;

function catchError(run: () => unknown): ComponentError {
  try {
    run();
  } catch (err) {
    if (err instanceof ComponentError) return err;
    throw err;
  }
  return assert.fail('nothing was thrown');
}

describe('expandGraph', () => {
  it('returns a graph without calls unchanged', () => {
    assert.equal(expand(JOIN_COMPONENT, {}), JOIN_COMPONENT);
  });

  it('prefixes the nodes of a component with the path of its call', () => {
    const outer = sketchGraph({ start: text('S'), c: call('joiner'), end: preview }, [
      'start.text > c.a',
      'c.out > end.input',
    ]);
    const graph = expand(outer, { joiner: JOIN_COMPONENT });
    assert.deepEqual(listIds(graph), ['start', 'c/b', 'c/joined', 'c/out', 'end']);
    assert.deepEqual(listConnections(graph), [
      'c/b.text > c/joined.b',
      'c/joined.text > c/out.input',
      'c/joined.text > end.input',
      'start.text > c/joined.a',
    ]);
  });

  it('chooses ports of a call for edges without handles', () => {
    const outer = sketchGraph({ one: text('1'), two: text('2'), c: call('joiner'), end: preview }, [
      'one > c',
      'two > c',
      'c > end',
    ]);
    assert.deepEqual(
      listConnections(expand(outer, { joiner: JOIN_COMPONENT })).filter(wire => !wire.startsWith('c/')),
      ['one.text > c/joined.a', 'two.text > c/joined.b'],
    );
  });

  it('uses the values of the call for inputs without an edge', () => {
    const library = {
      many: sketchGraph(
        {
          text: text(''),
          number: { type: 'input:number' },
          json: { type: 'input:json' },
          image: { type: 'input:image' },
          list: { type: 'input:list' },
          texts: text(''),
          kept: text('own'),
        },
        [],
      ),
    };
    const values = {
      text: 'T',
      number: '4',
      json: null,
      image: 'https://a.example/i.png',
      list: ['a'],
      texts: ['x', 'y'],
      kept: null,
      unknown: 1,
    };
    const graph = expand(sketchGraph({ c: call('many', values) }, []), library);
    assert.deepEqual(Object.fromEntries(listIds(graph).map(id => [id, getConfig(graph, id)])), {
      'c/text': { value: 'T', items: null },
      'c/number': { value: 4, items: null },
      'c/json': { value: null },
      'c/image': { url: 'https://a.example/i.png', mediaId: '', items: null },
      'c/list': { items: ['a'] },
      'c/texts': { value: '', items: ['x', 'y'] },
      'c/kept': { value: 'own' },
    });
  });

  it('reports a value of the wrong type with the path of its node', () => {
    const library: Library = {
      outer: sketchGraph({ inner: call('joiner', { a: true }) }, []),
      joiner: JOIN_COMPONENT,
    };
    const error = catchError(() => expand(sketchGraph({ c: call('outer') }, []), library));
    assert.equal(error.code, 'invalid_inputs');
    assert.equal(error.issues[0]?.nodeId, 'c/inner/a');
    assert.match(error.message, /"c\/inner\/a".*must be text, not a value of type boolean/);
  });

  it('connects the source and target of calls that forward their input', () => {
    const library: Library = {
      pass: sketchGraph({ in: text('P'), out: preview }, ['in.text > out.input']),
      twice: sketchGraph({ in: text('T'), one: call('pass'), two: call('pass'), out: preview }, [
        'in.text > one.in',
        'one.out > two.in',
        'two.out > out.input',
      ]),
    };
    const outer = sketchGraph({ s: text('S'), x: call('twice'), y: call('twice'), end: preview }, [
      's.text > x.in',
      'x.out > y.in',
      'y.out > end.input',
    ]);
    const graph = expand(outer, library);
    assert.deepEqual(listConnections(graph), [
      ...['end', 'x/one/out', 'x/out', 'x/two/out', 'y/one/out', 'y/out', 'y/two/out'].map(
        id => `s.text > ${id}.input`,
      ),
    ]);
    const withoutSource = expand(
      sketchGraph({ x: call('twice', { in: 'V' }), end: preview }, ['x.out > end.input']),
      library,
    );
    assert.ok(listConnections(withoutSource).includes('x/in.text > end.input'));
    assert.equal(getConfig(withoutSource, 'x/in')?.value, 'V');
  });

  it('joins several edges at a list input in order', () => {
    const library: Library = {
      lists: sketchGraph(
        { list: { type: 'input:list' }, slice: { type: 'utility:list_slice' }, joined: joinNode },
        ['list.list > slice.list', 'list.list > joined.a'],
      ),
    };
    const sources = { one: text('1'), two: text('2'), three: { type: 'input:list' } };
    const several = sketchGraph({ ...sources, c: call('lists') }, [
      'two.text > c.list',
      'three.list > c.list',
      'one.text > c.list',
    ]);
    const graph = expand(several, library);
    const gather = plan(graph).nodes.find(({ id }) => id === 'c/list');
    assert.equal(gather?.nodeType, 'utility:list_slice');
    assert.deepEqual(
      gather?.inputs.map(({ sourceIndex }) => plan(graph).nodes[sourceIndex]?.id),
      ['two', 'three', 'one'],
    );
    const single = expand(sketchGraph({ ...sources, c: call('lists') }, ['three.list > c.list']), library);
    assert.deepEqual(listConnections(single), ['three.list > c/joined.a', 'three.list > c/slice.list']);
  });

  it('turns a gallery into a list if the output of the call is used', () => {
    const library: Library = {
      show: sketchGraph({ a: text('A'), b: text('B'), all: { type: 'output:gallery' } }, [
        'a.text > all.input1',
        'b.text > all.input2',
      ]),
    };
    const nodes: Record<string, NodeSketch> = { c: call('show'), first: { type: 'utility:list_item' } };
    const graph = expand(sketchGraph(nodes, ['c.all > first.list']), library);
    assert.deepEqual(listConnections(graph), [
      'c/a.text > c/all.input1',
      'c/all.list > first.list',
      'c/b.text > c/all.input2',
    ]);
    assert.equal(plan(graph).nodes.find(({ id }) => id === 'c/all')?.nodeType, 'logic:collect');
    const unused = expand(sketchGraph(nodes, []), library);
    assert.equal(plan(unused).nodes.find(({ id }) => id === 'c/all')?.nodeType, 'output:gallery');
  });

  it('leaves out the notes and groups of components', () => {
    const library: Library = {
      noted: sketchGraph(
        { a: text(''), note: { type: 'utility:sticky_note' }, group: { type: 'utility:group' } },
        [],
      ),
    };
    const outer = sketchGraph({ c: call('noted'), mine: { type: 'utility:sticky_note' } }, []);
    assert.deepEqual(listIds(expand(outer, library)), ['c/a', 'mine']);
  });

  it('reports an edge to a port that the component does not have', () => {
    const error = catchError(() =>
      expand(sketchGraph({ s: text(''), c: call('joiner') }, ['s.text > c.gone']), {
        joiner: JOIN_COMPONENT,
      }),
    );
    assert.deepEqual(error.issues, [
      {
        nodeId: 'c',
        edgeId: 'e0',
        code: 'unknown_port',
        message: 'The component of "c" has no input "gone". Reconnect or remove the connection.',
      },
    ]);
    const inner: Library = {
      outer: sketchGraph({ x: call('joiner'), p: preview }, ['x.old > p.input']),
      joiner: JOIN_COMPONENT,
    };
    const nested = catchError(() => expand(sketchGraph({ c: call('outer') }, []), inner));
    assert.equal(nested.issues[0]?.nodeId, 'c/x');
    assert.match(nested.message, /no output "old"/);
  });

  it('refuses a node id that equals the path of an inner node', () => {
    const outer = sketchGraph({ a: call('joiner'), 'a/joined': text('') }, []);
    const error = catchError(() => expand(outer, { joiner: JOIN_COMPONENT }));
    assert.equal(error.code, 'invalid_graph');
    assert.match(error.message, /"a\/joined"/);
  });

  it('refuses a cycle of calls that only forward a value', () => {
    const pass = sketchGraph({ in: text(''), out: preview }, ['in.text > out.input']);
    const outer = sketchGraph({ x: call('pass'), y: call('pass'), end: preview }, [
      'x.out > y.in',
      'y.out > x.in',
      'x.out > end.input',
    ]);
    assert.equal(catchError(() => expand(outer, { pass })).code, 'cyclic_graph');
  });
});

describe('the limits of expandGraph', () => {
  const createNested = (levels: number): Library =>
    Object.fromEntries(
      Array.from({ length: levels }, (_, level) => [
        `w${level}`,
        level === 0 ? JOIN_COMPONENT : sketchGraph({ c: call(`w${level - 1}`) }, []),
      ]),
    );

  it('are 8 levels of calls', () => {
    const graph = expand(sketchGraph({ c: call('w7') }, []), createNested(8));
    assert.ok(listIds(graph).includes('c/c/c/c/c/c/c/c/joined'));
    const error = catchError(() => expand(sketchGraph({ c: call('w8') }, []), createNested(9)));
    assert.equal(error.code, 'component_too_deep');
    assert.equal(error.issues[0]?.nodeId, 'c/c/c/c/c/c/c/c/c');
  });

  it('are 8 levels even if a component was expanded at a lower level before', () => {
    const outer = sketchGraph({ shallow: call('w7'), deep: call('w8') }, []);
    assert.equal(catchError(() => expand(outer, createNested(9))).code, 'component_too_deep');
  });

  it('are 2,000 nodes, not counting calls', () => {
    const calls = (count: number): Graph =>
      sketchGraph(
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, call('joiner')])),
        [],
      );
    assert.equal(expand(calls(500), { joiner: JOIN_COMPONENT }).nodes.length, 2000);
    const error = catchError(() => expand(calls(501), { joiner: JOIN_COMPONENT }));
    assert.equal(error.code, 'component_too_large');
  });

  it('are 32 MB of JSON, counted for each call before anything is built', () => {
    const library = {
      leaf: JOIN_COMPONENT,
      middle: sketchGraph({ one: call('leaf'), two: call('leaf') }, []),
    };
    const outer = sketchGraph({ a: call('middle'), b: call('middle'), c: call('leaf') }, []);
    const expandMeasured = (leafCharacters: number) => {
      const findGraph = createGraphFinder(library);
      const sizes = new Map([[library.leaf, leafCharacters]]);
      return expandGraph(outer, { catalog, findGraph, measure: graph => sizes.get(graph) ?? 10 });
    };
    const { characters } = expandMeasured(6_000_000);
    assert.ok(characters > 30_000_000 && characters < 30_010_000, `${characters}`);
    const error = catchError(() => expandMeasured(7_000_000));
    assert.equal(error.code, 'component_too_large');
    assert.match(error.message, /more than 32 MB of JSON\. Shorten the values/);
  });

  it('count the ids of calls, which precede the ids of their nodes and edges', () => {
    const expandLongCalls = (idLength: number): Graph =>
      expand(
        sketchGraph(
          Object.fromEntries(['a', 'b'].map(letter => [letter.repeat(idLength), call('joiner')])),
          [],
        ),
        { joiner: JOIN_COMPONENT },
      );
    assert.equal(expandLongCalls(1_000_000).nodes.length, 8);
    // Each component has four nodes and three edges.
    assert.equal(catchError(() => expandLongCalls(1_600_000)).code, 'component_too_large');
  });

  it('refuse edges that multiply with long ids', () => {
    const sources = Array.from({ length: 20 }, (_, index) => `s${index}${'x'.repeat(4000)}`);
    const many = sketchGraph(
      { ...Object.fromEntries(sources.map(id => [id, text('')])), out: preview },
      sources.map(id => `${id}.text > out.input`),
    );
    const expandReaders = (count: number): Graph => {
      const readers = Array.from({ length: count }, (_, index) => `r${index}`);
      return expand(
        sketchGraph(
          { c: call('many'), ...Object.fromEntries(readers.map(id => [id, preview])) },
          readers.map(id => `c.out > ${id}.input`),
        ),
        { many },
      );
    };
    assert.equal(expandReaders(100).edges.length, 2020);
    assert.equal(catchError(() => expandReaders(300)).code, 'component_too_large');
  });

  it('refuse calls that multiply at every level', () => {
    for (const leaf of [JOIN_COMPONENT, { nodes: [], edges: [] }]) {
      const library: Record<string, Graph> = { w0: leaf };
      for (let level = 1; level < 8; level++)
        library[`w${level}`] = sketchGraph(
          Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, call(`w${level - 1}`)])),
          [],
        );
      let reads = 0;
      const findGraph = (ref: Parameters<ReturnType<typeof createGraphFinder>>[0]): Graph => {
        reads++;
        return createGraphFinder(library)(ref);
      };
      const outer = sketchGraph({ c: call('w7') }, []);
      const error = catchError(() => expandGraph(outer, { catalog, findGraph, measure }));
      assert.equal(error.code, 'component_too_large');
      assert.ok(reads <= 8, `${reads} reads`);
    }
  });

  it('refuse edges that multiply along a chain of calls', () => {
    const doubled = sketchGraph({ in: text(''), out: preview }, [
      'in.text > out.input',
      'in.text > out.input',
    ]);
    const chain = Array.from({ length: 900 }, (_, index) => index);
    const outer = sketchGraph(
      {
        s: text(''),
        ...Object.fromEntries(chain.map(index => [`c${index}`, call('doubled')])),
        end: preview,
      },
      [
        's.text > c0.in',
        ...chain.slice(1).map(index => `c${index - 1}.out > c${index}.in`),
        'c899.out > end.input',
      ],
    );
    assert.equal(catchError(() => expand(outer, { doubled })).code, 'component_too_large');
  });

  it('allow a chain of 990 calls', () => {
    const pass = sketchGraph({ in: text(''), out: preview }, ['in.text > out.input']);
    const chain = Array.from({ length: 990 }, (_, index) => index);
    const outer = sketchGraph(
      {
        s: text(''),
        ...Object.fromEntries(chain.map(index => [`c${index}`, call('pass')])),
        end: preview,
      },
      // In reverse order, the worst case.
      [
        'c989.out > end.input',
        ...chain.slice(1).map(index => `c${990 - index - 1}.out > c${990 - index}.in`),
        's.text > c0.in',
      ],
    );
    assert.ok(listConnections(expand(outer, { pass })).includes('s.text > end.input'));
  });

  it('refuse a cycle of components and name its workflows', () => {
    const library: Library = {
      a: sketchGraph({ toB: call('b') }, []),
      b: sketchGraph({ toA: call('a') }, []),
    };
    const error = catchError(() => expand(sketchGraph({ c: call('a') }, []), library));
    assert.equal(error.code, 'component_circle');
    assert.deepEqual(error.cycle, ['a', 'b', 'a']);
    assert.equal(error.issues[0]?.nodeId, 'c/toB/toA');
    const selfCallError = catchError(() => expand(sketchGraph({ c: call('b') }, []), library, 'a'));
    assert.deepEqual(selfCallError.cycle, ['a', 'b', 'a']);
  });

  it('refuse a cycle through different versions of a component', () => {
    const callVersion = (workflowId: string, version: number): NodeSketch => {
      const { type, config } = call(workflowId);
      return { type, config: { ...config, version } };
    };
    const versions: Readonly<Record<string, Graph>> = {
      'x@1': sketchGraph({ m: callVersion('m', 1) }, []),
      'x@2': JOIN_COMPONENT,
      'm@1': sketchGraph({ x: callVersion('x', 2) }, []),
    };
    const outer = sketchGraph({ m: callVersion('m', 1), x: callVersion('x', 1) }, []);
    const error = catchError(() =>
      expandGraph(outer, {
        catalog,
        findGraph: ({ workflowId, version }) => versions[`${workflowId}@${version}`] ?? JOIN_COMPONENT,
        measure,
      }),
    );
    assert.deepEqual(error.cycle, ['x', 'm', 'x']);
  });
});
