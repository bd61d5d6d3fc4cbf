// Tests unpackCall, which replaces a call by the nodes of its component.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unpackCall } from '../../../src/graph/components/expand.ts';
import type { Graph } from '../../../src/graph/types.ts';
import { sketchGraph } from '../../support/engine/engine.ts';
import { call, catalog, JOIN_COMPONENT, listConnections, preview, text } from './component-graphs.ts';

const unpack = (graph: Graph, inner: Graph, id = 'c'): Graph => unpackCall(graph, id, inner, catalog);

describe('unpackCall', () => {
  it('replaces the call by connected nodes with unique ids', () => {
    const graph = sketchGraph({ a: text('S'), c: call('joiner', { b: 'V' }), end: preview }, [
      'a.text > c.a',
      'c.out > end.input',
    ]);
    const unpacked = unpack(graph, JOIN_COMPONENT);
    assert.deepEqual(
      unpacked.nodes.map(({ id }) => id),
      ['a', 'b', 'joined', 'out', 'end'],
    );
    assert.deepEqual(listConnections(unpacked), [
      'a.text > joined.a',
      'b.text > joined.b',
      'joined.text > end.input',
      'joined.text > out.input',
    ]);
    assert.equal(unpacked.nodes.find(({ id }) => id === 'b')?.data.config?.value, 'V');
    assert.equal(new Set(unpacked.edges.map(({ id }) => id)).size, unpacked.edges.length);
    const twice = unpack(
      sketchGraph({ b: text(''), 'c-b': text(''), c: call('joiner') }, []),
      JOIN_COMPONENT,
    );
    assert.deepEqual(
      twice.nodes.map(({ id }) => id),
      ['b', 'c-b', 'a', 'c-b-2', 'joined', 'out'],
    );
  });

  it('keeps nested calls, other nodes, and edges with unknown ports', () => {
    const innerGraph = sketchGraph({ nested: call('other', { x: 1 }), out: preview }, [
      'nested.gone > out.input',
    ]);
    const graph = sketchGraph({ c: call('outer'), note: { type: 'utility:sticky_note' }, p: preview }, [
      'note.lost > p.input',
    ]);
    const unpacked = unpack(graph, innerGraph);
    assert.deepEqual(
      unpacked.nodes.map(({ id, data }) => [id, data.nodeType]),
      [
        ['nested', 'component:call'],
        ['out', 'output:preview'],
        ['note', 'utility:sticky_note'],
        ['p', 'output:preview'],
      ],
    );
    assert.equal(unpacked.nodes[2], graph.nodes[1]);
    assert.deepEqual(
      unpacked.edges.map(({ source, sourceHandle }) => [source, sourceHandle]),
      [
        ['nested', 'out-gone'],
        ['note', 'out-lost'],
      ],
    );
  });

  it('places the nodes at the position and in the group of the call', () => {
    const place = (
      graph: Graph,
      id: string,
      x: number,
      y: number,
      childNodeIds?: readonly string[],
    ): Graph => ({
      ...graph,
      nodes: graph.nodes.map(node =>
        node.id === id
          ? {
              ...node,
              position: { x, y },
              data: { ...node.data, config: { ...node.data.config, ...(childNodeIds && { childNodeIds }) } },
            }
          : node,
      ),
    });
    let inner = sketchGraph({ a: text(''), b: text(''), frame: { type: 'utility:group' } }, []);
    inner = place(place(place(inner, 'a', 40, 20), 'b', 100, 90), 'frame', 30, 10, ['a']);
    let graph = sketchGraph({ c: call('x'), group: { type: 'utility:group' } }, []);
    graph = place(place(graph, 'c', 1000, 500), 'group', 900, 400, ['c']);
    const { nodes } = unpack(graph, inner);
    assert.deepEqual(
      nodes.map(({ id, position: { x, y }, data }) => [id, x, y, data.config?.childNodeIds ?? null]),
      [
        ['a', 1010, 510, null],
        ['b', 1070, 580, null],
        ['frame', 1000, 500, ['a']],
        ['group', 900, 400, ['b', 'frame']],
      ],
    );
  });
});
