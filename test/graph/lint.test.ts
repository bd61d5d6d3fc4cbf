// Tests the issues that lintGraph reports, with at least one case for each rule.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listWarnings } from '../../src/graph/issues.ts';
import type { LintOptions } from '../../src/graph/lint/context.ts';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { CATALOG, edge, node } from './fixture.ts';

interface Case {
  readonly nodes: readonly GraphNode[];
  readonly edges?: readonly (string | GraphEdge)[];
  readonly options?: LintOptions;
  /** `severity code path → suggestion`. */
  readonly expected: readonly string[];
}

const TEXT = node('t', 'input:text', { value: 'a' });
const IMAGE = node('g', 'generate:image');
const PROMPT_EDGE = 't.text > g.prompt';
const OLD = node('o', 'utility:old');
const data = (more: object): { data: GraphNode['data'] } => ({ data: more as GraphNode['data'] });

const CASES: Readonly<Record<string, Case>> = {
  'reports nothing for a valid graph': {
    nodes: [
      TEXT,
      node('g', 'generate:image', { width: 512, style: 'rings', prompt: 'p', maxCredits: 5 }),
      node('p', 'output:preview'),
    ],
    edges: [PROMPT_EDGE, 'g.image > p.input'],
    expected: [],
  },
  'refuses a graph without nodes': { nodes: [], expected: ['error no_nodes /nodes'] },
  'refuses a duplicate node id': { nodes: [TEXT, TEXT], expected: ['error duplicate_node_id /nodes/0/id'] },
  'refuses an invalid name of an input': {
    nodes: [
      node('t', 'input:text', {}, data({ ...TEXT.data, name: 'not valid' })),
      node('u', 'input:text', {}, data({ ...TEXT.data, name: 7 })),
      node('v', 'input:text', {}, data({ ...TEXT.data, name: 'a_1' })),
      node('p', 'output:preview', {}, data({ ...node('p', 'output:preview').data, name: 'any text' })),
    ],
    edges: ['t.text > p.input'],
    expected: ['error invalid_input_name /nodes/0/data/name', 'error invalid_input_name /nodes/1/data/name'],
  },
  'refuses a name that is the name or the id of another input': {
    nodes: [
      node('t', 'input:text', {}, data({ ...TEXT.data, name: 'same' })),
      node('u', 'input:text', {}, data({ ...TEXT.data, name: 'same' })),
      node('v', 'input:text', {}, data({ ...TEXT.data, name: 't' })),
      node('w', 'input:text', {}, data({ ...TEXT.data, name: 'w' })),
    ],
    expected: [
      'error duplicate_input_name /nodes/1/data/name',
      'error duplicate_input_name /nodes/2/data/name',
    ],
  },
  'refuses a duplicate edge id': {
    nodes: [TEXT, node('j', 'utility:join')],
    edges: [edge('t.text > j.a'), { ...edge('t.text > j.b'), id: 't.text > j.a' }],
    expected: ['error duplicate_edge_id /edges/1/id'],
  },
  'refuses a node without position': {
    nodes: [TEXT],
    options: { unplaced: new Set(['t']) },
    expected: ['error missing_position /nodes/0/position'],
  },
  'accepts an update that adds a node without position': {
    nodes: [TEXT],
    options: { unplaced: new Set(['t']), previous: { nodes: [], edges: [] } },
    expected: [],
  },
  'refuses an update that removes a position': {
    nodes: [TEXT],
    options: { unplaced: new Set(['t']), previous: { nodes: [TEXT], edges: [] } },
    expected: ['error missing_position /nodes/0/position'],
  },
  'refuses an unknown node type, and suggests the nearest one': {
    nodes: [node('x', 'input:txt'), node('y', 'nothing:like-it')],
    expected: [
      'error unknown_node_type /nodes/0/data/nodeType → input:text',
      'error unknown_node_type /nodes/1/data/nodeType',
    ],
  },
  'refuses a node whose type differs from the catalog entry': {
    nodes: [
      node('n', 'utility:sticky_note', {}, { type: 'basedNode' }),
      node('t', 'input:text', {}, { type: 'custom' }),
    ],
    expected: ['error wrong_type /nodes/0/type → stickyNote', 'error wrong_type /nodes/1/type → basedNode'],
  },
  'refuses a new node of a deprecated type': {
    nodes: [OLD],
    expected: ['error deprecated_type /nodes/0/data/nodeType'],
  },
  'accepts an existing node of a deprecated type': {
    nodes: [OLD],
    options: { previous: { nodes: [OLD], edges: [] } },
    expected: [],
  },
  'refuses a node that changes to a deprecated type': {
    nodes: [OLD],
    options: { previous: { nodes: [node('o', 'utility:join')], edges: [] } },
    expected: ['error deprecated_type /nodes/0/data/nodeType'],
  },
  'refuses edges between unknown nodes': {
    nodes: [node('text-1', 'input:text')],
    edges: ['text-2 > nowhere-at-all'],
    expected: ['error unknown_source /edges/0/source → text-1', 'error unknown_target /edges/0/target'],
  },
  'refuses more than 1,500 edges': {
    nodes: [TEXT, node('l', 'utility:gather')],
    edges: Array.from({ length: 1501 }, (_, index) => ({ ...edge('t.text > l.list'), id: `e${index}` })),
    expected: ['error too_many_edges /edges'],
  },
  'refuses to zip lists of different lengths': {
    nodes: [
      node('l1', 'input:list', { items: ['a', 'b'] }),
      node('l2', 'input:list', { items: ['a', 'b', 'c'] }),
      node('j', 'utility:join'),
      node('k', 'utility:join', { fanOut: 'product' }),
    ],
    edges: ['l1.list > j.a', 'l2.list > j.b', 'l1.list > k.a', 'l2.list > k.b'],
    expected: ['error unequal_lists /nodes/2'],
  },
  'warns of an unknown category': {
    nodes: [node('t', 'input:text', {}, data({ category: 'inputs' }))],
    expected: ['warning unknown_category /nodes/0/data/category → input'],
  },
  'warns of unknown config keys': {
    nodes: [TEXT, node('g', 'generate:image', { widht: 1, zzz: 2, __proto: 3 })],
    edges: [PROMPT_EDGE],
    expected: [
      'warning unknown_config_key /nodes/1/data/config/widht → width',
      'warning unknown_config_key /nodes/1/data/config/zzz',
      'warning unknown_config_key /nodes/1/data/config/__proto',
    ],
  },
  'warns of values outside the enum': {
    nodes: [TEXT, node('g', 'generate:image', { style: 'block' })],
    edges: [PROMPT_EDGE],
    expected: ['warning value_not_in_enum /nodes/1/data/config/style → blocks'],
  },
  'warns of values of the wrong type': {
    nodes: [
      TEXT,
      node('g', 'generate:image', { width: 'wide', style: true, refs: {}, logo: 1, any: [], json: 1 }),
    ],
    edges: [PROMPT_EDGE],
    expected: ['width', 'style', 'refs', 'logo'].map(
      key => `warning wrong_value_type /nodes/1/data/config/${key}`,
    ),
  },
  'accepts null and secrets as values of any field': {
    nodes: [
      TEXT,
      node('g', 'generate:image', { width: '{{secrets.W}}', style: '{{secrets.S}}', refs: null }),
    ],
    edges: [PROMPT_EDGE],
    expected: [],
  },
  'warns of numbers out of range': {
    nodes: [TEXT, node('g', 'generate:image', { width: 5000 })],
    edges: [PROMPT_EDGE],
    expected: ['warning value_out_of_range /nodes/1/data/config/width'],
  },
  'warns of params and of params that override config': {
    nodes: [node('t', 'input:text', { value: 'a' }, data({ params: { value: 'b', 'a/b': 1 } }))],
    expected: [
      'warning params_override_config /nodes/0/data/params/value',
      'warning params_in_use /nodes/0/data/params',
    ],
  },
  'warns of a setting in the list of ports': {
    nodes: [TEXT, node('g', 'generate:image', {}, data({ inputs: [{ id: 'prompt' }, { id: 'width' }] }))],
    edges: [PROMPT_EDGE],
    expected: ['warning stray_port /nodes/1/data/inputs/1'],
  },
  'warns of text in braces that is no token of a template': {
    nodes: [
      node('a', 'utility:text_template', { template: '{{größe}} {{secrets.KEY}} {{ user_name }} {{}}' }),
      node('b', 'utility:text_template', { template: '{{ok}} {{user name}}' }),
      node('c', 'utility:text_template', { template: '{{1x}}' }),
    ],
    expected: [
      'warning invalid_token /nodes/1/data/config/template',
      'warning invalid_token /nodes/2/data/config/template',
    ],
  },
  'warns of a required port that is not connected': {
    nodes: [IMAGE],
    expected: ['warning required_port_unfed /nodes/0'],
  },
  'accepts a config value for a required port': {
    nodes: [node('g', 'generate:image', { prompt: 'p' })],
    expected: [],
  },
  'warns of a required setting that is missing': {
    nodes: [
      node('a', 'utility:call'),
      node('b', 'utility:call', { url: '' }),
      node('c', 'utility:call', { url: 'x' }),
    ],
    expected: [0, 1].map(index => `warning required_field_missing /nodes/${index}/data/config/url`),
  },
  'warns of handles that name unknown ports': {
    nodes: [TEXT, node('g', 'generate:image', { prompt: 'p' }), node('s', 'utility:split')],
    edges: [
      't.txt > g.prompts',
      's > t.value',
      { id: 'e', source: 't', target: 's', sourceHandle: 'text', targetHandle: null },
    ],
    expected: [
      'warning unknown_port /edges/0/sourceHandle → out-text',
      'warning unknown_port /edges/0/targetHandle → in-prompt',
      'warning unknown_port /edges/1/targetHandle',
      'warning unknown_port /edges/2/sourceHandle → out-text',
      'warning cycle /nodes/0',
    ],
  },
  'resolves omitted handles like a run': {
    nodes: [
      TEXT,
      node('j', 'utility:join'),
      node('g', 'generate:image', { prompt: 'p' }),
      node('l', 'input:text'),
    ],
    edges: ['t > j', 'l > j', 'g > j'],
    expected: ['warning unknown_port /edges/2/sourceHandle'],
  },
  'warns of incompatible port types': {
    nodes: [TEXT, node('g', 'generate:image', { prompt: 'p' })],
    edges: ['t.text > g.mask', 'g.image > g.prompt'],
    expected: [
      'warning cycle /nodes/1',
      'warning incompatible_types /edges/0/targetHandle',
      'warning incompatible_types /edges/1/targetHandle',
    ],
  },
  'warns of two edges into a port unless the port accepts a list': {
    nodes: [TEXT, node('u', 'input:text'), IMAGE, node('l', 'utility:gather')],
    edges: [PROMPT_EDGE, 'u.text > g.prompt', 't.text > l.list', 'u.text > l.list'],
    expected: ['warning port_fed_twice /nodes/2'],
  },
  'warns of each cycle once': {
    nodes: ['a', 'b', 'c', 'd', 'e'].map(id => node(id, 'utility:join')),
    edges: ['a.text > b.a', 'b.text > c.a', 'c.text > a.a', 'c.text > d.a', 'e.text > e.a'],
    expected: ['warning cycle /nodes/0', 'warning cycle /nodes/4'],
  },
  'warns of more than 100 nodes': {
    nodes: Array.from({ length: 101 }, (_, index) => node(`n${index}`, 'input:text')),
    expected: ['warning too_many_nodes /nodes'],
  },
  'warns of groups with unknown members, shared members, or edges that leave and reenter': {
    nodes: [
      ...['a', 'b', 'c'].map(id => node(id, 'utility:join')),
      node('f', 'utility:group', { childNodeIds: ['a', 'c', 'gone'] }),
      node('h', 'utility:group', { childNodeIds: ['a'] }),
    ],
    edges: ['a.text > b.a', 'b.text > c.a'],
    expected: [
      'warning unknown_group_member /nodes/3/data/config/childNodeIds',
      'warning shared_group_member /nodes/4/data/config/childNodeIds',
      'warning group_against_wiring /nodes/3/data/config/childNodeIds',
    ],
  },
};

function summarize({ nodes, edges = [], options = {} }: Case): string[] {
  const graph = { nodes, edges: edges.map(item => (typeof item === 'string' ? edge(item) : item)) };
  return lintGraph(graph, CATALOG, options).issues.map(({ severity, code, path, suggestion }) => {
    const text = `${severity} ${code} ${path}`;
    return suggestion === undefined ? text : `${text} → ${suggestion}`;
  });
}

describe('lintGraph', () => {
  for (const [name, lintCase] of Object.entries(CASES)) {
    it(name, () => assert.deepEqual(summarize(lintCase).sort(), [...lintCase.expected].sort()));
  }

  it('names the port of an issue that is about one', () => {
    const edges = [edge(PROMPT_EDGE), edge('u.text > g.prompt')];
    const nodes = [TEXT, node('u', 'input:text'), IMAGE, node('h', 'generate:image')];
    assert.deepEqual(
      lintGraph({ nodes, edges }, CATALOG).issues.map(({ code, nodeId, port }) => [code, nodeId, port]),
      [
        ['required_port_unfed', 'h', 'prompt'],
        ['port_fed_twice', 'g', 'prompt'],
      ],
    );
  });

  it('reports at most 500 issues, errors first', () => {
    const unknownKeys = Array.from({ length: 600 }, (_, index) => [`bad${index}`, 1]);
    const nodes = [node('g', 'generate:image', Object.fromEntries(unknownKeys)), node('x', 'no:such')];
    const { issues, total } = lintGraph({ nodes, edges: [] }, CATALOG);
    assert.equal(issues.length, 500);
    // Both nodes have an unconnected port too.
    assert.equal(total, 602);
    assert.equal(issues[0]?.code, 'unknown_node_type');
  });

  it('reports unknown config keys that are also properties of Object.prototype', () => {
    const { issues } = lintGraph(
      { nodes: [node('t', 'input:text', { constructor: 1, toString: 2 })], edges: [] },
      CATALOG,
    );
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['unknown_config_key', 'unknown_config_key'],
    );
  });

  it('ends messages with a period or question mark', () => {
    const issues = Object.values(CASES).flatMap(
      ({ nodes, edges = [], options }) =>
        lintGraph(
          { nodes, edges: edges.map(item => (typeof item === 'string' ? edge(item) : item)) },
          CATALOG,
          options,
        ).issues,
    );
    for (const { message } of issues) assert.match(message, /^\S.*[.?]$/);
  });
});

it('names a required field by its label', () => {
  const [issue] = lintGraph({ nodes: [node('c', 'utility:call')], edges: [] }, CATALOG).issues.filter(
    ({ path }) => path === '/nodes/0/data/config/url',
  );
  assert.equal(issue?.message, '"url" must be set. Where to.');
});

describe('listWarnings', () => {
  it('returns warnings without errors, each with the id of its node', () => {
    const graph = { nodes: [IMAGE, node('x', 'no:such')], edges: [] };
    assert.deepEqual(listWarnings(lintGraph(graph, CATALOG).issues), [
      'g: The required port "prompt" is not connected. Connect an output to it.',
    ]);
  });
});
