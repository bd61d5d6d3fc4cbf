// Tests the functions that agents and the editor use to edit graphs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getChildIds, withConfig, withEdge, withoutItems, withType } from '../../src/graph/edit.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { CATALOG, edge as typedEdge, node as typedNode } from './fixture.ts';

const node = (id: string, childNodeIds?: string[]) => ({
  id,
  data: childNodeIds === undefined ? {} : { config: { color: 'red', childNodeIds } },
});
const edge = (id: string, source: string, target: string) => ({ id, source, target });

describe('withoutItems', () => {
  const graph = {
    nodes: [node('a'), node('b'), node('c'), node('group', ['a', 'b']), node('other', ['c'])],
    edges: [edge('1', 'a', 'b'), edge('2', 'b', 'c'), edge('3', 'c', 'b')],
  };

  it('removes nodes with their edges and from their groups', () => {
    const { nodes, edges } = withoutItems(graph, { nodes: ['a'] });
    assert.deepEqual(
      nodes.map(({ id }) => id),
      ['b', 'c', 'group', 'other'],
    );
    assert.deepEqual(edges, graph.edges.slice(1));
    assert.deepEqual(nodes[2], node('group', ['b']));
  });

  it('removes an edge without copying unchanged items', () => {
    const { nodes, edges } = withoutItems(graph, { edges: ['2'] });
    assert.ok(nodes.every((item, index) => item === graph.nodes[index]));
    assert.deepEqual(
      edges.map(({ id }) => id),
      ['1', '3'],
    );
  });
});

describe('getChildIds', () => {
  it('returns the ids of a group and an empty list for another node', () => {
    assert.deepEqual(getChildIds(node('group', ['a'])), ['a']);
    assert.deepEqual(getChildIds(node('a')), []);
    assert.deepEqual(getChildIds({ id: 'odd', data: { config: { childNodeIds: ['a', 5] } } }), ['a']);
  });
});

const formatEdge = ({ source, sourceHandle, target, targetHandle }: GraphEdge): string =>
  `${source}${sourceHandle?.replace('out-', '.') ?? ''} > ${target}${targetHandle?.replace('in-', '.') ?? ''}`;

describe('withEdge', () => {
  const nodes = [
    typedNode('a', 'input:text'),
    typedNode('b', 'input:text'),
    typedNode('join', 'utility:join'),
    typedNode('old', 'utility:old'),
    typedNode('gather', 'utility:gather'),
  ];
  const getPorts = ({ data }: GraphNode) => CATALOG.ports(data.nodeType, {});
  const cases: readonly [name: string, edges: string[], added: string, expected: string[]][] = [
    [
      'adds an edge to a free input',
      ['a.text > join.a'],
      'b.text > join.b',
      ['a.text > join.a', 'b.text > join.b'],
    ],
    ['replaces the edge at the same input', ['a.text > join.a'], 'b.text > join.a', ['b.text > join.a']],
    [
      'keeps other edges at an input that takes a list',
      ['a.text > gather.list'],
      'b.text > gather.list',
      ['a.text > gather.list', 'b.text > gather.list'],
    ],
    [
      'connects an edge without handles to a free input of its type',
      ['a.text > join.a'],
      'b > join',
      ['a.text > join.a', 'b > join'],
    ],
    ['replaces the edge at the only input by an edge without handles', ['a > old'], 'b > old', ['b > old']],
    [
      'adds an edge whose ports do not exist, for lint to report',
      ['a > old'],
      'b.none > old.none',
      ['a > old', 'b.none > old.none'],
    ],
  ];
  for (const [name, edges, added, expected] of cases)
    it(name, () => {
      const result = withEdge({ nodes, edges: edges.map(typedEdge) }, typedEdge(added), getPorts);
      assert.deepEqual(result.map(formatEdge), expected);
    });

  it('returns the same list if the edge exists already', () => {
    const edges = [typedEdge('a.text > join.a')];
    assert.equal(withEdge({ nodes, edges }, typedEdge('a.text > join.a'), getPorts), edges);
  });

  it('assigns an id that no other edge has', () => {
    const { id: _, ...added } = typedEdge('b.text > join.b');
    const edges = [{ ...typedEdge('a.text > join.a'), id: 'b.text->join.b' }];
    assert.equal(withEdge({ nodes, edges }, added, getPorts)[1]?.id, 'b.text->join.b-2');
  });
});

describe('withConfig', () => {
  const { inputs } = CATALOG.ports('generate:image', {});
  const image = typedNode('image', 'generate:image', { width: 64, json: { x: 1 } });
  const mergeConfig = (settings: Parameters<typeof withConfig>[1]) =>
    withConfig(image, settings, inputs).data.config;

  it('merges settings and removes settings that are undefined', () => {
    assert.deepEqual(mergeConfig({ style: 'rings' }), { width: 64, json: { x: 1 }, style: 'rings' });
    assert.deepEqual(mergeConfig({ width: undefined }), { json: { x: 1 } });
  });

  it('removes a setting that is null unless the field accepts null', () => {
    assert.deepEqual(mergeConfig({ width: null, unknown: null }), { json: { x: 1 } });
    assert.deepEqual(mergeConfig({ json: null }), { width: 64, json: null });
    const nullable = inputs.map(def => ({ ...def, nullable: true }));
    assert.equal(withConfig(image, { width: null }, nullable).data.config?.width, null);
  });
});

describe('withType', () => {
  const oldNode = typedNode(
    'old',
    'utility:old',
    {},
    { data: { label: 'utility:old', note: 'mine' } as never },
  );
  const graph = {
    nodes: [typedNode('a', 'input:text'), oldNode, typedNode('out', 'output:preview')],
    edges: [typedEdge('a.text > old.text'), typedEdge('old.text > out.input')],
  };

  it('keeps edges and data of the node, without handles that the new type lacks', () => {
    const { nodes, edges } = withType(graph, oldNode, { nodeType: 'utility:join' }, CATALOG);
    assert.deepEqual(edges.map(formatEdge), ['a.text > old', 'old.text > out.input']);
    assert.equal(edges[1], graph.edges[1]);
    const { label, note, nodeType } = (nodes[1] ?? oldNode).data;
    assert.deepEqual([label, note, nodeType], ['utility:join', 'mine', 'utility:join']);
    assert.equal(nodes[0], graph.nodes[0]);
  });

  it('keeps a label that differs from the default of the type', () => {
    const named = { ...oldNode, data: { ...oldNode.data, label: 'Mine' } };
    const { nodes } = withType({ ...graph, nodes: [named] }, named, { nodeType: 'utility:join' }, CATALOG);
    assert.equal(nodes[0]?.data.label, 'Mine');
  });
});
