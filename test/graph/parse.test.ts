// Tests what parseGraph accepts, removes and refuses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseGraph } from '../../src/graph/parse.ts';

const NODE = {
  id: 'a',
  type: 'basedNode',
  position: { x: 10, y: -20.5 },
  data: { label: 'Text', category: 'input', nodeType: 'input:text', config: { value: 'hi' } },
};
const EDGE = { id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: null };

function listIssues(nodes: unknown, edges: unknown = []): string[] {
  const result = parseGraph(nodes, edges);
  return result.ok ? [] : result.issues.map(issue => `${issue.code} ${issue.path}`);
}

function withData(data: unknown): unknown[] {
  return [{ ...NODE, data: { ...NODE.data, ...(data as object) } }];
}

/** Creates an object that is nested `levels` deep, counting itself. */
function createNested(levels: number): unknown {
  let value: unknown = levels > 0 ? {} : 0;
  for (let level = 1; level < levels; level++) value = { in: value };
  return value;
}

describe('parseGraph', () => {
  it('keeps unknown keys of nodes and edges', () => {
    const nodes = [{ ...NODE, zIndex: 3, style: { width: 300 }, measured: { width: 301 }, '': [null, true] }];
    const result = parseGraph(nodes, [{ ...EDGE, animated: true }]);
    assert(result.ok);
    assert.deepEqual(result.graph, { nodes, edges: [{ ...EDGE, animated: true }] });
    assert.equal(result.graph.nodes[0], nodes[0]);
  });

  it('removes the runtime fields of the canvas library', () => {
    const runtime = {
      width: 1,
      height: 2,
      positionAbsolute: { x: 1, y: 2 },
      selected: true,
      dragging: false,
      dims: { width: 1, height: 2, source: 'estimated' },
    };
    const result = parseGraph([{ ...NODE, ...runtime }], [{ ...EDGE, selected: true }]);
    assert(result.ok);
    assert.deepEqual(result.graph, { nodes: [NODE], edges: [EDGE] });
  });

  it('accepts a node without position and reports its id', () => {
    const { position: _, ...node } = NODE;
    const result = parseGraph([node], []);
    assert(result.ok);
    assert.deepEqual([...result.unplaced], ['a']);
    assert.deepEqual(result.graph.nodes[0]?.position, { x: 0, y: 0 });
  });
});

describe('parseGraph for invalid input', () => {
  const CASES: readonly (readonly [string, unknown, unknown, readonly string[]])[] = [
    ['nodes and edges that are not lists', null, 'x', ['invalid_nodes /nodes', 'invalid_edges /edges']],
    [
      'items that are not objects',
      [1, [], null],
      [],
      ['/nodes/0', '/nodes/1', '/nodes/2'].map(p => `invalid_node ${p}`),
    ],
    [
      'an empty node',
      [{}],
      [],
      ['missing_node_id /nodes/0/id', 'missing_type /nodes/0/type', 'missing_data /nodes/0/data'],
    ],
    [
      'data without its required properties',
      [{ ...NODE, data: {} }],
      [],
      [
        'missing_label /nodes/0/data/label',
        'missing_category /nodes/0/data/category',
        'missing_node_type /nodes/0/data/nodeType',
      ],
    ],
    [
      'a model without its name',
      withData({ category: 'model', nodeType: '' }),
      [],
      ['missing_model /nodes/0/data/nodeType'],
    ],
    [
      'a position made of texts',
      [{ ...NODE, position: { x: '1', y: 2 } }],
      [],
      ['invalid_position /nodes/0/position'],
    ],
    [
      'a position out of range',
      [{ ...NODE, position: { x: 1e300, y: 2 } }],
      [],
      ['invalid_position /nodes/0/position'],
    ],
    [
      'config and params of other types',
      withData({ config: [], params: null }),
      [],
      ['invalid_config /nodes/0/data/config', 'invalid_params /nodes/0/data/params'],
    ],
    [
      'malformed ports',
      withData({ inputs: {}, outputs: [{ label: 'x' }] }),
      [],
      ['invalid_ports /nodes/0/data/inputs', 'invalid_port /nodes/0/data/outputs/0'],
    ],
    [
      'an empty edge',
      [NODE],
      [{}],
      ['missing_edge_id /edges/0/id', 'missing_source /edges/0/source', 'missing_target /edges/0/target'],
    ],
    [
      'a handle that is not text',
      [NODE],
      [{ ...EDGE, sourceHandle: 1 }],
      ['invalid_handle /edges/0/sourceHandle'],
    ],
    [
      '__proto__ as a key',
      [
        NODE,
        JSON.parse(
          '{"id":"b","type":"t","position":{"x":0,"y":0},"__proto__":{},"data":{"label":"l","category":"input","nodeType":"n","config":{"__proto__":{"x":1}}}}',
        ),
      ],
      [],
      ['forbidden_key /nodes/1/__proto__', 'forbidden_key /nodes/1/data/config/__proto__'],
    ],
    [
      'NUL and lone surrogates',
      withData({ label: 'a\0', config: { ok: '😀', 'k\ud800': ['\udc00'] } }),
      [],
      [
        'invalid_text /nodes/0/data/label',
        'invalid_text /nodes/0/data/config/k\ud800',
        'invalid_text /nodes/0/data/config/k\ud800/0',
      ],
    ],
    [
      'infinite numbers',
      withData({ config: JSON.parse('{"a":1e999}') }),
      [],
      ['invalid_number /nodes/0/data/config/a'],
    ],
  ];
  for (const [name, nodes, edges, expected] of CASES) {
    it(`refuses ${name}`, () => assert.deepEqual(listIssues(nodes, edges), expected));
  }

  it('refuses data nested more than 10 levels deep', () => {
    assert.deepEqual(listIssues(withData({ config: createNested(9) })), []);
    assert.match(
      listIssues(withData({ config: createNested(10) }))[0] ?? '',
      /^too_deep \/nodes\/0\/data\/config\/in/,
    );
  });

  it('refuses a scene graph nested more than 32 levels deep', () => {
    const scene = (levels: number): unknown[] =>
      withData({ config: { props: { sceneGraph: createNested(levels) } } });
    assert.deepEqual(listIssues(scene(32)), []);
    assert.match(listIssues(scene(33))[0] ?? '', /^too_deep/);
  });

  it('refuses a depth that would overflow the stack', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    assert.equal(listIssues(withData({ config: { deep } })).length, 1);
    assert.equal(listIssues([{ ...NODE, extra: deep }]).length, 1);
  });

  it('reports at most 500 issues for 100,000 invalid nodes', () => {
    assert.equal(listIssues(Array.from({ length: 100_000 }, () => ({}))).length, 500);
  });

  it('includes the id of the node in the issue', () => {
    const result = parseGraph([{ ...NODE, type: 7 }], []);
    assert(!result.ok);
    assert.equal(result.issues[0]?.nodeId, 'a');
  });
});
