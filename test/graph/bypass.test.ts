// Tests bypassed nodes: what their outputs pass on in plans, components and lint.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import { parseGraph } from '../../src/graph/parse.ts';
import { createPlan } from '../../src/graph/plan.ts';
import type { Graph } from '../../src/graph/types.ts';
import { sketchGraph } from '../support/engine/engine.ts';
import {
  call,
  catalog,
  expand,
  JOIN_COMPONENT,
  joinNode,
  listConnections,
  plan,
  preview,
  text,
} from './components/component-graphs.ts';

const bypass = (graph: Graph, ...ids: readonly string[]): Graph => ({
  ...graph,
  nodes: graph.nodes.map(node =>
    ids.includes(node.id) ? { ...node, data: { ...node.data, bypassed: true } } : node,
  ),
});
const listIds = (graph: Graph): readonly string[] => plan(graph).nodes.map(({ id }) => id);
const lint = (graph: Graph): readonly string[] =>
  lintGraph(graph, catalog)
    .issues.filter(({ severity }) => severity !== 'error')
    .map(({ code, path }) => `${code} ${path}`);

const IMAGE = { type: 'generate:sandbox', config: { prompt: 'p', maxCredits: 5 } };
const EDIT = { type: 'edit:sandbox', config: { prompt: 'p', maxCredits: 5 } };
/** A picture that is edited twice. */
const EDITED = sketchGraph({ prompt: text('p'), made: IMAGE, first: EDIT, second: EDIT, end: preview }, [
  'prompt.text > first.prompt',
  'made.image > first.image',
  'first.image > second.image',
  'second.image > end.input',
]);

describe('a bypassed node', () => {
  it('passes on the first input of the type of the output, through further bypassed nodes', () => {
    assert.deepEqual(listConnections(bypass(EDITED, 'first')), [
      'made.image > second.image',
      'second.image > end.input',
    ]);
    const both = bypass(EDITED, 'first', 'second');
    assert.deepEqual(listConnections(both), ['made.image > end.input']);
    assert.deepEqual(listIds(both), ['prompt', 'made', 'end']);
  });

  it('passes on nothing if no connected input fits', () => {
    const graph = bypass(EDITED, 'made');
    assert.deepEqual(listConnections(graph), [
      'first.image > second.image',
      'prompt.text > first.prompt',
      'second.image > end.input',
    ]);
    assert.deepEqual(lint(graph), ['required_port_unfed /nodes/2', 'bypass_blocks /edges/1/source']);
  });

  it('passes on nothing if several values feed a list', () => {
    const graph = sketchGraph(
      { a: text('a'), b: text('b'), all: { type: 'utility:list_slice' }, joined: joinNode },
      ['a.text > all.list', 'b.text > all.list', 'all.list > joined.a', 'b.text > joined.b'],
    );
    assert.deepEqual(listConnections(bypass(graph, 'all')), ['b.text > joined.b']);
    assert.deepEqual(lint(bypass(graph, 'all')), ['bypass_blocks /edges/2/source']);
  });

  it('passes on the last of several connections of a port, as a run uses it', () => {
    const graph = sketchGraph({ a: IMAGE, b: IMAGE, edited: EDIT, end: preview }, [
      'a.image > edited.image',
      'b.image > edited.image',
      'edited.image > end.input',
    ]);
    assert.deepEqual(listConnections(bypass(graph, 'edited')), ['b.image > end.input']);
  });

  it('stands for the nodes that feed it as a target, and is ignored as a pinned node', () => {
    const graph = bypass(EDITED, 'second');
    const target = createPlan(graph, catalog, ['second']);
    assert.deepEqual(target.ok && target.plan.nodes.map(({ id }) => id), ['prompt', 'made', 'first']);
    const pinned = createPlan(graph, catalog, undefined, ['second']);
    assert.deepEqual(pinned.ok && pinned.plan.nodes.map(({ id }) => id), ['prompt', 'made', 'first', 'end']);
  });

  it('may be part of a cycle of bypassed nodes, which feeds nothing', () => {
    const cycle = sketchGraph({ a: EDIT, b: EDIT, end: preview }, [
      'a.image > b.image',
      'b.image > a.image',
      'b.image > end.input',
    ]);
    assert.deepEqual(listConnections(bypass(cycle, 'a', 'b')), []);
    const half = createPlan(bypass(cycle, 'a'), catalog);
    assert.equal(!half.ok && half.code, 'cyclic_graph');
  });

  it('takes linear time in long chains', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => `n${index}`);
    const graph = sketchGraph(
      Object.fromEntries([['made', IMAGE], ...ids.map(id => [id, EDIT] as const), ['end', preview]]),
      ['made', ...ids].map(
        (id, index) => `${id}.image > ${index < ids.length ? `${ids[index]}.image` : 'end.input'}`,
      ),
    );
    assert.deepEqual(listConnections(bypass(graph, ...ids)), ['made.image > end.input']);
  });

  it('needs neither inputs nor settings', () => {
    const graph = sketchGraph({ first: { type: 'edit:sandbox', config: { maxCredits: 5 } } }, []);
    assert.notDeepEqual(lint(graph), []);
    assert.deepEqual(lint(bypass(graph, 'first')), []);
  });

  it('must say true or false', () => {
    const [node] = EDITED.nodes;
    const parsed = parseGraph([{ ...node, data: { ...node?.data, bypassed: 'yes' } }], []);
    assert.deepEqual(!parsed.ok && parsed.issues.map(({ code }) => code), ['invalid_bypassed']);
  });
});

describe('bypassed nodes of components', () => {
  const outer = sketchGraph({ start: text('S'), c: call('joiner'), end: preview }, [
    'start.text > c.a',
    'c.out > end.input',
  ]);

  it('are left out', () => {
    const graph = expand(outer, { joiner: bypass(JOIN_COMPONENT, 'joined') });
    assert.deepEqual(listConnections(graph), ['start.text > c/out.input', 'start.text > end.input']);
  });

  it('do not call their component', () => {
    const inputs = [{ id: 'a', label: 'A', type: 'TEXT' }];
    const outputs = [{ id: 'out', label: 'Out', type: 'TEXT' }];
    const graph: Graph = {
      ...outer,
      nodes: outer.nodes.map(node =>
        node.id === 'c'
          ? { ...node, data: { ...node.data, config: { ...node.data.config, inputs, outputs } } }
          : node,
      ),
    };
    assert.deepEqual(listConnections(expand(bypass(graph, 'c'), {})), ['start.text > end.input']);
  });
});
