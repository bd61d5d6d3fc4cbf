// Tests which nodes are the inputs and outputs of a component.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getInterface } from '../../../src/graph/components/interface.ts';
import { sketchGraph } from '../../support/engine/engine.ts';
import { catalog, JOIN_COMPONENT, preview, text } from './component-graphs.ts';

describe('getInterface', () => {
  it('lists input and output nodes in the order of the graph', () => {
    assert.deepEqual(getInterface(JOIN_COMPONENT, catalog), {
      inputs: [
        { id: 'a', label: 'Node a', type: 'TEXT' },
        { id: 'b', label: 'Node b', type: 'TEXT' },
      ],
      outputs: [{ id: 'out', label: 'Node out', type: 'TEXT' }],
    });
  });

  it('returns the type of each input and output', () => {
    const graph = sketchGraph(
      {
        image: { type: 'input:image' },
        list: { type: 'input:list' },
        json: { type: 'input:json' },
        shown: preview,
        all: { type: 'output:gallery' },
        empty: preview,
      },
      ['image > shown', 'list.list > all.input1'],
    );
    const { inputs, outputs } = getInterface(graph, catalog);
    assert.deepEqual(
      [...inputs, ...outputs].map(({ id, type }) => [id, type]),
      [
        ['image', 'IMAGE'],
        ['list', 'LIST'],
        ['json', 'JSON'],
        ['shown', 'IMAGE'],
        ['all', 'LIST'],
        ['empty', 'ANY'],
      ],
    );
  });

  it('leaves out input nodes with an incoming edge', () => {
    const graph = sketchGraph({ a: text('x'), b: text('y') }, ['a > b']);
    assert.deepEqual(
      getInterface(graph, catalog).inputs.map(({ id }) => id),
      ['a'],
    );
  });
});
