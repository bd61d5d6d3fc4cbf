// Tests the limits of results: what is shortened, in which order, and how the result reports that.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSettings } from '../../src/lib/settings.ts';
import { formatEdge, toEdge, toGraph } from '../../src/mcp/agent-graph.ts';
import { outlineGraph } from '../../src/mcp/outline.ts';
import { formatData, limitData, MAX_CHARACTERS } from '../../src/mcp/result.ts';
import { makeCatalog } from '../../src/nodes/catalog.ts';

const catalog = makeCatalog(readSettings({}));

describe('structured content', () => {
  it('is unchanged if the data fits', () => {
    const data = { id: 'a', list: [1, 2] };
    assert.equal(limitData(data, 'unused hint'), data);
  });

  it('drops the end of the longest list and says how to request less', () => {
    const items = Array.from({ length: 2000 }, (_, index) => ({ id: `item-${index}`, text: 'x'.repeat(30) }));
    const bounded = limitData({ id: 'a', few: [1, 2], items }, 'Ask for fewer.');
    assert.ok(JSON.stringify(bounded).length <= MAX_CHARACTERS);
    assert.deepEqual(bounded.few, [1, 2]);
    const { length } = bounded.items as unknown[];
    assert.ok(length > 200, `${length} are left`);
    assert.match(String(bounded.note), new RegExp(`Of items, ${length} of 2000 are listed. Ask for fewer.`));
  });

  it('has long texts truncated before a list loses items', () => {
    const bounded = limitData({ outputs: [{ text: 'x'.repeat(50_000) }, { text: 'short' }] }, 'Look there.');
    const [long, short] = bounded.outputs as { text: string }[];
    assert.match(long?.text ?? '', /… \[48500 more characters\]$/);
    assert.equal(short?.text, 'short');
  });

  it('always fits', () => {
    const nested = { deep: [{ many: Array.from({ length: 5000 }, () => 'text of some length') }] };
    const texts = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`t${index}`, 'y'.repeat(9000)]),
    );
    for (const data of [nested, texts, { list: ['z'.repeat(100_000)] }]) {
      const bounded = limitData(data, 'Ask for less.');
      assert.ok(JSON.stringify(bounded).length <= MAX_CHARACTERS);
      assert.ok(formatData(bounded).length <= MAX_CHARACTERS);
      assert.match(String(bounded.note), /Ask for less\.$/);
    }
  });

  it('is formatted as text with a line per member or item', () => {
    const text = formatData({
      id: 'wf_1',
      edges: ['a.x -> b.y'],
      nodes: [{ id: 'a', config: { k: 1 } }],
      none: [],
    });
    assert.equal(text, 'id: wf_1\nedges: a.x -> b.y\nnodes: \n- id: a · config: {"k":1}\nnone: none');
  });
});

describe('a workflow of 250 nodes', () => {
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

  it('fits into a result as an outline with every node and edge', () => {
    const outline = { id: 'wf_1', name: 'Large', version: 1, ...outlineGraph(catalog, graph) };
    assert.equal(outline.nodes.length, 250);
    assert.equal(outline.edges.length, 249);
    assert.ok(JSON.stringify(outline).length <= MAX_CHARACTERS, `${JSON.stringify(outline).length}`);
    assert.ok(formatData(outline).length <= MAX_CHARACTERS);
    assert.match(outline.note ?? '', /omitted/);
  });
});

describe('an edge in line notation', () => {
  const ids = new Set(['a', 'b', 'a.b', 'b.c.d']);

  it('is parsed and formatted without changes', () => {
    for (const line of ['a.text -> b.prompt', 'a.b.text -> b.c.d.x.0', 'a -> b'])
      assert.equal(formatEdge(toEdge(line, ids, '')), line);
  });

  it('accepts handles instead of ports, and extra spaces', () => {
    assert.equal(formatEdge(toEdge('a.out-text->b.in-prompt', ids, '')), 'a.text -> b.prompt');
  });

  it('reports its position if it is invalid', () => {
    for (const line of ['a.text', 'a -> ', 'a -> b -> c', '']) {
      assert.throws(
        () => toEdge(line, ids, '/edges/3'),
        (err: { code: string; issues: { path: string }[] }) =>
          err.code === 'invalid_graph' && err.issues[0]?.path === '/edges/3',
      );
    }
  });
});
