// Tests how tool results are limited and formatted, and the notation of edges.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSettings } from '../../src/lib/settings.ts';
import { toGraph } from '../../src/mcp/agent-graph.ts';
import { outlineGraph } from '../../src/mcp/outline.ts';
import { formatData, limitData, MAX_CHARACTERS } from '../../src/mcp/result.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';
import { formatEdge, parseEdgeText } from '../../src/services/workflows/graph-text.ts';

const catalog = createNodeCatalog(readSettings({}));

describe('limitData', () => {
  it('returns data that fits unchanged', () => {
    const data = { id: 'a', list: [1, 2] };
    assert.equal(limitData(data, 'unused hint'), data);
  });

  it('shortens the longest list and notes how to request less', () => {
    const items = Array.from({ length: 2000 }, (_, index) => ({ id: `item-${index}`, text: 'x'.repeat(30) }));
    const limited = limitData({ id: 'a', few: [1, 2], items }, 'Ask for fewer.');
    assert.ok(JSON.stringify(limited).length <= MAX_CHARACTERS);
    assert.deepEqual(limited.few, [1, 2]);
    const { length } = limited.items as unknown[];
    assert.ok(length > 200, `${length} items`);
    assert.match(String(limited.note), new RegExp(`Showing ${length} of 2000 items. Ask for fewer.`));
  });

  it('truncates long texts before it shortens lists', () => {
    const limited = limitData({ outputs: [{ text: 'x'.repeat(50_000) }, { text: 'short' }] }, 'Look there.');
    const [long, short] = limited.outputs as { text: string }[];
    assert.match(long?.text ?? '', /… \[48500 more characters\]$/);
    assert.equal(short?.text, 'short');
  });

  it('returns at most MAX_CHARACTERS for any data', () => {
    const nested = { deep: [{ many: Array.from({ length: 5000 }, () => 'text of some length') }] };
    const texts = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`t${index}`, 'y'.repeat(9000)]),
    );
    for (const data of [nested, texts, { list: ['z'.repeat(100_000)] }]) {
      const limited = limitData(data, 'Ask for less.');
      assert.ok(JSON.stringify(limited).length <= MAX_CHARACTERS);
      assert.ok(formatData(limited).length <= MAX_CHARACTERS);
      assert.match(String(limited.note), /Ask for less\.$/);
    }
  });

  it('formatData writes a line for each member or item', () => {
    const text = formatData({
      id: 'wf_1',
      edges: ['a.x -> b.y'],
      nodes: [{ id: 'a', config: { k: 1 } }],
      none: [],
    });
    assert.equal(text, 'id: wf_1\nedges: a.x -> b.y\nnodes: \n- id: a · config: {"k":1}\nnone: none');
  });
});

describe('outlineGraph', () => {
  const nodes = Array.from({ length: 250 }, (_, index) => ({
    id: `node-${index}`,
    nodeType: index % 5 === 0 ? 'input:text' : 'utility:prompt_concat',
    label: `Step number ${index}`,
    config:
      index % 5 === 0 ? { value: `a long prompt of the step ${index} `.repeat(4) } : { separator: ', ' },
  }));
  const edges = nodes
    .slice(1)
    .map((_, index) => `node-${index}.text -> node-${index + 1}.text${(index % 4) + 1}`);
  const graph = toGraph({ catalog }, nodes, edges) as Parameters<typeof outlineGraph>[1];

  it('returns every node and edge of a workflow with 250 nodes within the limit', () => {
    const outline = { id: 'wf_1', name: 'Large', version: 1, ...outlineGraph(catalog, graph, new Map()) };
    assert.equal(outline.nodes.length, 250);
    assert.equal(outline.edges.length, 249);
    assert.ok(JSON.stringify(outline).length <= MAX_CHARACTERS, `${JSON.stringify(outline).length}`);
    assert.ok(formatData(outline).length <= MAX_CHARACTERS);
    assert.match(outline.note ?? '', /omitted/);
  });
});

describe('parseEdgeText', () => {
  const ids = new Set(['a', 'b', 'a.b', 'b.c.d']);

  it('parses the lines that formatEdge writes', () => {
    for (const line of ['a.text -> b.prompt', 'a.b.text -> b.c.d.x.0', 'a -> b'])
      assert.equal(formatEdge(parseEdgeText(line, ids, '')), line);
  });

  it('accepts handles instead of ports, with or without spaces', () => {
    assert.equal(formatEdge(parseEdgeText('a.out-text->b.in-prompt', ids, '')), 'a.text -> b.prompt');
  });

  it('reports the path of an invalid line', () => {
    for (const line of ['a.text', 'a -> ', 'a -> b -> c', '']) {
      assert.throws(
        () => parseEdgeText(line, ids, '/edges/3'),
        (err: { code: string; issues: { path: string }[] }) =>
          err.code === 'invalid_graph' && err.issues[0]?.path === '/edges/3',
      );
    }
  });
});
