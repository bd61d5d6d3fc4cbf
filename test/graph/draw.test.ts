// Tests that the SVG of drawGraph shows the whole graph and is well-formed and harmless for any graph.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SaxesParser } from 'saxes';
import { drawGraph } from '../../src/graph/draw/draw.ts';
import { breakText, truncateLine } from '../../src/graph/draw/text.ts';
import { applyLayout, layoutGraph } from '../../src/graph/layout/layout.ts';
import type { Graph, GraphNode } from '../../src/graph/types.ts';
import { CATALOG, edge, node } from './fixture.ts';

const MALICIOUS = `</text><script>alert(1)</script> " ' & ]]> \u0001\ufffe \ud800 {{x}}`;

const withLabel = (item: GraphNode, label: string): GraphNode => ({
  ...item,
  data: { ...item.data, label },
});

const GRAPH: Graph = {
  nodes: [
    withLabel(node('t', 'input:text', { value: 'a lighthouse at dusk' }), 'Words'),
    withLabel(node('g', 'generate:image', { style: 'rings', width: 512 }), 'Picture'),
    withLabel(node('p', 'output:preview'), 'Result'),
    withLabel(node('f', 'utility:group', { childNodeIds: ['t', 'g'] }), 'Frame'),
    node('s', 'utility:sticky_note', { text: 'Remember this' }),
  ],
  edges: [edge('t.text > g.prompt'), edge('g.image > p.input')],
};

/** Returns the names of all elements, and all text. Throws if the XML is not well-formed. */
function parseSvg(svg: string): { elements: string[]; text: string } {
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
    const laidOut = applyLayout(GRAPH, layoutGraph(GRAPH, CATALOG));
    const { elements, text } = parseSvg(drawGraph(laidOut, CATALOG, { title: 'Lighthouse' }));
    for (const content of [
      'Lighthouse',
      'Words',
      'Picture',
      'Result',
      'Frame',
      'Remember this',
      'a lighthouse',
      'Rings',
      'prompt',
    ]) {
      assert(text.includes(content), content);
    }
    assert(elements.filter(name => name === 'circle').length >= 5);
  });

  it('returns well-formed SVG without scripts for a malicious graph', () => {
    const nodes = [
      withLabel(node('t', 'input:text', { value: MALICIOUS }), MALICIOUS),
      withLabel(
        node(
          'x',
          'no:such',
          {},
          { data: { inputs: [{ id: MALICIOUS, label: MALICIOUS, type: MALICIOUS }] } as never },
        ),
        MALICIOUS,
      ),
      node('s', 'utility:sticky_note', { text: MALICIOUS, color: '"/><script>' }),
      withLabel(node('f', 'utility:group'), MALICIOUS),
    ];
    const { elements } = parseSvg(
      drawGraph({ nodes, edges: [edge('t.text > x'), edge('gone > t')] }, CATALOG, { title: MALICIOUS }),
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

  it('follows the color scheme of the system unless a theme is given', () => {
    assert(drawGraph(GRAPH, CATALOG).includes('prefers-color-scheme:dark'));
    assert(!drawGraph(GRAPH, CATALOG, { theme: 'dark' }).includes('prefers-color-scheme'));
  });

  it('draws an empty graph', () =>
    assert.doesNotThrow(() => parseSvg(drawGraph({ nodes: [], edges: [] }, CATALOG))));
});

describe('truncateLine and breakText', () => {
  it('end with an ellipsis after a whole character', () => {
    assert.equal(truncateLine('short', 200, 12), 'short');
    assert.match(truncateLine('😀'.repeat(50), 100, 12), /^(?:😀)+…$/u);
  });

  it('break lines at spaces and truncate the last line', () => {
    const lines = breakText('one two three four five six seven eight', 70, 12, 2);
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /…$/);
  });
});
