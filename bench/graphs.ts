// Defines the graphs that the benchmarks store.

/** Three free nodes: text → template → preview. */
export const THREE_NODES = {
  name: 'three free nodes',
  nodes: [
    {
      id: 'text',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'Text', category: 'input', nodeType: 'input:text', config: { value: 'a lighthouse' } },
    },
    {
      id: 'concat',
      type: 'basedNode',
      position: { x: 300, y: 0 },
      data: {
        label: 'Prompt',
        category: 'utility',
        nodeType: 'utility:prompt_concat',
        config: { separator: ' at ' },
      },
    },
    {
      id: 'preview',
      type: 'basedNode',
      position: { x: 600, y: 0 },
      data: { label: 'Preview', category: 'output', nodeType: 'output:preview' },
    },
  ],
  edges: [
    { id: 'e1', source: 'text', target: 'concat', sourceHandle: 'out-text', targetHandle: 'in-text1' },
    { id: 'e2', source: 'concat', target: 'preview', sourceHandle: 'out-text', targetHandle: 'in-input' },
  ],
};

/** Creates a graph of typical size: a chain of `count` nodes of about 300 bytes each. */
export function createChain(count: number) {
  const ids = Array.from({ length: count }, (_, index) => `node-${index}`);
  return {
    name: `chain of ${count}`,
    nodes: ids.map((id, index) => ({
      id,
      type: 'basedNode',
      position: { x: 300 * index, y: 0 },
      data: {
        label: `Step ${index}`,
        category: index === 0 ? 'input' : 'utility',
        nodeType: index === 0 ? 'input:text' : 'utility:prompt_concat',
        config:
          index === 0
            ? { value: 'a lighthouse on a cliff above a stormy sea' }
            : { separator: `, detail ${index}, ` },
      },
    })),
    edges: ids.slice(1).map((id, index) => ({
      id: `e${index}`,
      source: `node-${index}`,
      target: id,
      sourceHandle: 'out-text',
      targetHandle: 'in-text1',
    })),
  };
}
