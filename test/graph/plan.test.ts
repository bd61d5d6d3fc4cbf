// Tests the plans of graphs: order, targets, cycles, handles and settings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPlan } from '../../src/graph/plan.ts';
import { any, defineNode, image, json, list, number, text } from '../../src/nodes/define.ts';
import { createCatalog, planGraph, sketchGraph } from '../support/engine/engine.ts';

const source = defineNode({
  nodeType: 't:source',
  label: 'Source',
  category: 'input',
  inputs: {},
  config: { value: text('Value') },
  outputs: { text: text('Text'), image: image('Image') },
  run: () => ({}),
});
const join = defineNode({
  nodeType: 't:join',
  label: 'Join',
  category: 'utility',
  inputs: { text1: text('Text 1'), text2: text('Text 2'), picture: image('Picture') },
  config: { separator: text('Separator') },
  outputs: { text: text('Text') },
  run: () => ({}),
});
const dynamic = defineNode({
  nodeType: 't:dynamic',
  label: 'Dynamic',
  category: 'utility',
  inputs: {},
  config: { port: text('Port') },
  outputs: {},
  dynamicPorts: {
    note: 'One port, named by config.port.',
    resolve: config => ({ inputs: { [String(config.port)]: json('In') }, outputs: { out: any('Out') } }),
  },
  run: () => ({}),
});
const total = defineNode({
  nodeType: 't:total',
  label: 'Total',
  category: 'utility',
  inputs: { items: list('Items') },
  config: {},
  outputs: { number: number('Number') },
  run: () => ({}),
});
const note = defineNode({
  nodeType: 't:note',
  label: 'Note',
  category: 'utility',
  source: 'registry-shell',
  inputs: {},
  config: {},
  outputs: {},
  run: () => ({}),
});

const NODES = [source, join, dynamic, total, note];
const listIds = (plan: { readonly nodes: readonly { readonly id: string }[] }): string[] =>
  plan.nodes.map(node => node.id);
const listInputs = (graph: Parameters<typeof planGraph>[1], id: string) => {
  const { nodes } = planGraph(NODES, graph);
  const node = nodes.find(candidate => candidate.id === id);
  return node?.inputs.map(input => `${nodes[input.sourceIndex]?.id}.${input.sourcePort} > ${input.port}`);
};

describe('the order of a plan', () => {
  it('is the order of the graph if all sources come before their targets', () => {
    const graph = sketchGraph(
      { a: { type: 't:source' }, b: { type: 't:join' }, c: { type: 't:source' }, d: { type: 't:join' } },
      ['a.text > b.text1', 'a.text > d.text1', 'c.text > d.text2'],
    );
    assert.deepEqual(listIds(planGraph(NODES, graph)), ['a', 'b', 'c', 'd']);
  });

  it('puts every node after its sources', () => {
    const graph = sketchGraph(
      { d: { type: 't:join' }, b: { type: 't:join' }, c: { type: 't:join' }, a: { type: 't:source' } },
      ['b.text > d.text1', 'c.text > d.text2', 'a.text > b.text1', 'a.text > c.text1'],
    );
    assert.deepEqual(listIds(planGraph(NODES, graph)), ['a', 'b', 'c', 'd']);
  });

  it('is correct for 10,000 nodes that are listed in reverse order', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `n${9999 - index}`);
    const graph = sketchGraph(
      Object.fromEntries(ids.map(id => [id, { type: 't:join' }])),
      Array.from({ length: 9999 }, (_, index) => `n${index}.text > n${index + 1}.text1`),
    );
    assert.deepEqual(listIds(planGraph(NODES, graph)), ids.toReversed());
  });

  it('has each source and each dependent once if two edges connect the same nodes', () => {
    const graph = sketchGraph({ a: { type: 't:source' }, b: { type: 't:join' } }, [
      'a.text > b.text1',
      'a.text > b.text2',
    ]);
    const [a, b] = planGraph(NODES, graph).nodes;
    assert.deepEqual(a?.dependents, [1]);
    assert.equal(b?.sourceCount, 1);
    assert.equal(b?.inputs.length, 2);
  });
});

describe('targets', () => {
  const graph = sketchGraph(
    { a: { type: 't:source' }, b: { type: 't:join' }, c: { type: 't:join' }, d: { type: 't:join' } },
    ['a.text > b.text1', 'b.text > c.text1', 'a.text > d.text1'],
  );

  it('limit the plan to the nodes that the targets need', () => {
    assert.deepEqual(listIds(planGraph(NODES, graph, ['b'])), ['a', 'b']);
    assert.deepEqual(planGraph(NODES, graph, ['b']).nodes[0]?.dependents, [1]);
  });

  it('are refused if no node has the id or the node cannot run', () => {
    const withNote = {
      ...graph,
      nodes: [...graph.nodes, ...sketchGraph({ n: { type: 't:note' } }, []).nodes],
    };
    for (const nodeId of ['x', 'n']) {
      assert.deepEqual(createPlan(withNote, createCatalog(NODES), ['b', nodeId]), {
        ok: false,
        code: 'unknown_node',
        nodeId,
      });
    }
  });

  it('ignore cycles of nodes that the targets do not need', () => {
    const cyclic = sketchGraph({ a: { type: 't:source' }, b: { type: 't:join' } }, ['b.text > b.text1']);
    assert.deepEqual(listIds(planGraph(NODES, cyclic, ['a'])), ['a']);
  });
});

describe('a cycle', () => {
  it('is refused with its nodes in order', () => {
    const graph = sketchGraph(
      { z: { type: 't:join' }, a: { type: 't:join' }, b: { type: 't:join' }, c: { type: 't:join' } },
      ['a.text > b.text1', 'b.text > c.text1', 'c.text > a.text1', 'c.text > z.text1'],
    );
    assert.deepEqual(createPlan(graph, createCatalog(NODES)), {
      ok: false,
      code: 'cyclic_graph',
      cycle: ['a', 'b', 'c'],
    });
  });

  it('is refused if a node is connected to itself', () => {
    const graph = sketchGraph({ a: { type: 't:join' } }, ['a.text > a.text1']);
    assert.deepEqual(createPlan(graph, createCatalog(NODES)), {
      ok: false,
      code: 'cyclic_graph',
      cycle: ['a'],
    });
  });
});

describe('handles', () => {
  const nodes = {
    a: { type: 't:source' },
    b: { type: 't:source' },
    j: { type: 't:join' },
    n: { type: 't:note' },
    t: { type: 't:total' },
  };

  it('determine the ports of an edge', () => {
    assert.deepEqual(listInputs(sketchGraph(nodes, ['a.image > j.picture']), 'j'), ['a.image > picture']);
  });

  it('default to the first free port of the same type', () => {
    assert.deepEqual(listInputs(sketchGraph(nodes, ['a > j', 'b > j', 'b.image > j', 'a > j']), 'j'), [
      'a.text > text1',
      'b.text > text2',
      'b.image > picture',
      'a.text > text1',
    ]);
  });

  it('remove the edge if they name no port of a node that can run', () => {
    const edges = ['a.nope > j.text1', 'a.text > j.nope', 'a.text > j.separator', 'x > j', 'n > j', 'a > n'];
    assert.deepEqual(listInputs(sketchGraph(nodes, edges), 'j'), []);
  });

  it('keep an edge between different types for the run to report', () => {
    assert.deepEqual(listInputs(sketchGraph(nodes, ['a.text > j.picture']), 'j'), ['a.text > picture']);
  });
});

describe('the planned config of a node', () => {
  it('is its config, overridden by its params', () => {
    const graph = sketchGraph(
      { a: { type: 't:source', config: { value: 'c', other: 1 }, params: { value: 'p' } } },
      [],
    );
    assert.deepEqual(planGraph(NODES, graph).nodes[0]?.config, { value: 'p', other: 1 });
  });

  it('determines the dynamic ports of the node', () => {
    const graph = sketchGraph(
      { a: { type: 't:source' }, d: { type: 't:dynamic', config: { port: 'name' } } },
      ['a.text > d.name'],
    );
    assert.deepEqual(listInputs(graph, 'd'), ['a.text > name']);
  });
});

describe('a node of an unknown type', () => {
  it('stays in the plan for the run to report', () => {
    assert.deepEqual(listIds(planGraph(NODES, sketchGraph({ u: { type: 't:unknown' } }, []))), ['u']);
  });
});
