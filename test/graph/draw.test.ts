// drawGraph: output is well-formed and inert for any graph, and shows everything in it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SaxesParser } from 'saxes';
import { drawGraph } from '../../src/graph/draw/draw.ts';
import { shorten, wrapText } from '../../src/graph/draw/text.ts';
import { applyLayout, layoutGraph } from '../../src/graph/layout/layout.ts';
import type { Graph, GraphNode } from '../../src/graph/types.ts';
import { CATALOG, edge, node } from './fixture.ts';

const EVIL = `</text><script>alert(1)</script> " ' & ]]> \u0001\ufffe \ud800 {{x}}`;

const named = (it: GraphNode, label: string): GraphNode => ({ ...it, data: { ...it.data, label } });

const GRAPH: Graph = {
  nodes: [
    named(node('t', 'input:text', { value: 'a lighthouse at dusk' }), 'Words'),
    named(node('g', 'generate:image', { style: 'rings', width: 512 }), 'Picture'),
    named(node('p', 'output:preview'), 'Result'),
    named(node('f', 'utility:group', { childNodeIds: ['t', 'g'] }), 'Frame'),
    node('s', 'utility:sticky_note', { text: 'Remember this' }),
  ],
  edges: [edge('t.text > g.prompt'), edge('g.image > p.input')],
};

/** The names of all elements, and all text. Throws if the XML is not well-formed. */
function read(svg: string): { elements: string[]; text: string } {
  const elements: string[] = [];
  let text = '';
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', tag => elements.push(tag.name));
  parser.on('text', piece => {
    text += piece;
  });
  parser.write(svg).close();
  return { elements, text };
}

describe('drawGraph', () => {
  it('shows every label, setting, port, note and edge', () => {
    const laid = applyLayout(GRAPH, layoutGraph(GRAPH, CATALOG));
    const { elements, text } = read(drawGraph(laid, CATALOG, { title: 'Lighthouse' }));
    for (const shown of [
      'Lighthouse',
      'Words',
      'Picture',
      'Result',
      'Frame',
      'Remember this',
      'a lighthouse',
      'rings',
      'prompt',
    ]) {
      assert(text.includes(shown), shown);
    }
    assert.equal(elements.filter(name => name === 'circle').length >= 5, true);
  });

  it('stays inert and well-formed whatever the graph contains', () => {
    const nodes = [
      named(node('t', 'input:text', { value: EVIL }), EVIL),
      named(
        node('x', 'no:such', {}, { data: { inputs: [{ id: EVIL, label: EVIL, type: EVIL }] } as never }),
        EVIL,
      ),
      node('s', 'utility:sticky_note', { text: EVIL, color: '"/><script>' }),
      named(node('f', 'utility:group'), EVIL),
    ];
    const { elements } = read(
      drawGraph({ nodes, edges: [edge('t.text > x'), edge('gone > t')] }, CATALOG, { title: EVIL }),
    );
    assert(!elements.includes('script'));
  });

  it('hides the value of a setting whose name denotes a secret', () => {
    const entry = {
      ...CATALOG.entries[0],
      nodeType: 'x:y',
      inputs: [{ id: 'apiKey', label: 'Key', type: 'TEXT', isPort: false }],
    };
    const catalog = { ...CATALOG, find: () => entry, ports: () => entry } as unknown as typeof CATALOG;
    assert(
      !drawGraph({ nodes: [node('n', 'x:y', { apiKey: 'hunter2' })], edges: [] }, catalog).includes(
        'hunter2',
      ),
    );
  });

  it('follows the system in auto, and uses one palette otherwise', () => {
    assert(drawGraph(GRAPH, CATALOG).includes('prefers-color-scheme:dark'));
    assert(!drawGraph(GRAPH, CATALOG, { theme: 'dark' }).includes('prefers-color-scheme'));
  });

  it('draws an empty graph', () =>
    assert.doesNotThrow(() => read(drawGraph({ nodes: [], edges: [] }, CATALOG))));
});

describe('shorten and wrapText', () => {
  it('cut with an ellipsis between whole characters', () => {
    assert.equal(shorten('short', 200, 12), 'short');
    assert.match(shorten('😀'.repeat(50), 100, 12), /^(?:😀)+…$/u);
  });

  it('break lines at spaces and cut the last one', () => {
    const lines = wrapText('one two three four five six seven eight', 70, 12, 2);
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /…$/);
  });
});
