// Creates the largest graphs that fit in a body of 4 MB, each large in a different way.

/** Maximum size of a body. */
export const MAX_BYTES = 4_194_304;
const GRAPH_BYTES = MAX_BYTES - 100_000;

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const makeNode = (
  id: string,
  nodeType = 'utility:prompt_concat',
  config: object = {},
  data: object = {},
) => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: 'a', category: 'utility', nodeType, config, ...data },
});

const longName = (index: number): string => `${index}${'abcdefghijklmnopqrstuvwxyz'.repeat(3)}`.slice(0, 70);
/** Returns as many items as fit into a share of the graph's bytes, judged by the size of the first item. */
const fill = <T>(make: (index: number) => T, share = 1): T[] =>
  list(Math.floor((GRAPH_BYTES * share) / (JSON.stringify(make(0)).length + 6)), make);

export interface Graph {
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
}

const createChain = (count: number) =>
  list(count, index => ({
    id: `e${index}`,
    source: `n${index}`,
    target: `n${index + 1}`,
    sourceHandle: 'out-text',
    targetHandle: 'in-text1',
  }));

/** Graphs that can be stored. */
export const STORABLE_GRAPHS: Readonly<Record<string, () => Graph>> = {
  'many nodes': () => ({ nodes: fill(index => makeNode(`n${index}`), 0.9), edges: createChain(1500) }),
  'one config of many keys': () => ({
    nodes: [
      makeNode(
        'n0',
        'utility:prompt_concat',
        Object.fromEntries(list(49_000, index => [`key${index}`, 'a'.repeat(60)])),
      ),
    ],
    edges: [],
  }),
  'a long list': () => ({
    nodes: [makeNode('n0', 'input:json', { value: list(GRAPH_BYTES / 2, () => 1) })],
    edges: [],
  }),
  'many objects': () => ({
    nodes: [makeNode('n0', 'input:json', { value: list(390_000, () => ({ a: 1 })) })],
    edges: [],
  }),
  'a long text': () => ({
    nodes: [makeNode('n0', 'input:text', { value: 'a\n'.repeat(GRAPH_BYTES / 3) })],
    edges: [],
  }),
  'many tokens': () => ({
    nodes: list(1000, index =>
      makeNode(`n${index}`, 'utility:text_template', {
        template: list(400, token => `{{a${token}}}`).join(''),
      }),
    ),
    edges: [],
  }),
  'unknown media': () => ({
    nodes: fill(index =>
      makeNode(`n${index}`, 'input:image', { mediaId: `med_${index.toString().padStart(26, '0')}` }),
    ),
    edges: [],
  }),
  'the largest graph for the layout': () => ({
    nodes: list(250, index =>
      makeNode(`n${index}`, 'utility:prompt_concat', {}, { label: 'a'.repeat(10_000) }),
    ),
    edges: list(750, index => ({
      id: `e${index}`,
      source: `n${(index * 7) % 125}`,
      target: `n${125 + ((index * 13) % 125)}`,
      sourceHandle: 'out-text',
      targetHandle: `in-text${(index % 4) + 1}`,
    })),
  }),
};

/** Graphs that are rejected with many issues. */
export const REJECTED_GRAPHS: Readonly<Record<string, () => Graph>> = {
  'names that are nearly right': () => ({
    nodes: list(16_000, index => makeNode(longName(index))),
    edges: list(100, index => ({
      id: `e${index}`,
      source: `x${longName(index)}`,
      target: `y${longName(index)}`,
    })),
  }),
  'edges without ends': () => ({
    nodes: list(2000, index => makeNode(longName(index))),
    edges: fill(
      index => ({ id: `e${index}`, source: longName(index + 9), target: longName(index + 8) }),
      0.8,
    ),
  }),
  'nodes of unknown types': () => ({
    nodes: fill(index => makeNode(`n${index}`, 'utility:prompt_concot')),
    edges: [],
  }),
  'empty nodes': () => ({ nodes: list(390_000, () => ({})), edges: [] }),
  'empty edges': () => ({ nodes: [makeNode('n0')], edges: list(390_000, () => ({})) }),
  'nodes with the same id': () => ({ nodes: fill(() => makeNode('n0')), edges: [] }),
};

/** Creates a graph with more values than a body may have. */
export const createTooLargeGraph = (): Graph => ({ nodes: list(1_300_000, () => ({})), edges: [] });
