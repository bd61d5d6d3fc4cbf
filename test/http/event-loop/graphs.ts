// Creates the largest graphs that fit in a body of 4 MB, each large in a different way.

/** Maximum size of a body. */
export const MAX_BYTES = 4_194_304;
const GRAPH_BYTES = MAX_BYTES - 100_000;

const createItems = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index));

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
/** Creates as many items of the first item's size as fit into this share of GRAPH_BYTES. */
const createFittingItems = <T>(create: (index: number) => T, share = 1): T[] =>
  createItems(Math.floor((GRAPH_BYTES * share) / (JSON.stringify(create(0)).length + 6)), create);

export interface Graph {
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
}

const createChain = (count: number) =>
  createItems(count, index => ({
    id: `e${index}`,
    source: `n${index}`,
    target: `n${index + 1}`,
    sourceHandle: 'out-text',
    targetHandle: 'in-text1',
  }));

/** Graphs that can be stored. */
export const STORABLE_GRAPHS: Readonly<Record<string, () => Graph>> = {
  'many nodes': () => ({
    nodes: createFittingItems(index => makeNode(`n${index}`), 0.9),
    edges: createChain(1500),
  }),
  'one config of many keys': () => ({
    nodes: [
      makeNode(
        'n0',
        'utility:prompt_concat',
        Object.fromEntries(createItems(49_000, index => [`key${index}`, 'a'.repeat(60)])),
      ),
    ],
    edges: [],
  }),
  'a long list': () => ({
    nodes: [makeNode('n0', 'input:json', { value: createItems(GRAPH_BYTES / 2, () => 1) })],
    edges: [],
  }),
  'many objects': () => ({
    nodes: [makeNode('n0', 'input:json', { value: createItems(390_000, () => ({ a: 1 })) })],
    edges: [],
  }),
  'a long text': () => ({
    nodes: [makeNode('n0', 'input:text', { value: 'a\n'.repeat(GRAPH_BYTES / 3) })],
    edges: [],
  }),
  'many tokens': () => ({
    nodes: createItems(1000, index =>
      makeNode(`n${index}`, 'utility:text_template', {
        template: createItems(400, token => `{{a${token}}}`).join(''),
      }),
    ),
    edges: [],
  }),
  'unknown media': () => ({
    nodes: createFittingItems(index =>
      makeNode(`n${index}`, 'input:image', { mediaId: `med_${index.toString().padStart(26, '0')}` }),
    ),
    edges: [],
  }),
  'the largest graph for the layout': () => ({
    nodes: createItems(250, index =>
      makeNode(`n${index}`, 'utility:prompt_concat', {}, { label: 'a'.repeat(10_000) }),
    ),
    edges: createItems(750, index => ({
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
    nodes: createItems(16_000, index => makeNode(longName(index))),
    edges: createItems(100, index => ({
      id: `e${index}`,
      source: `x${longName(index)}`,
      target: `y${longName(index)}`,
    })),
  }),
  'edges without ends': () => ({
    nodes: createItems(2000, index => makeNode(longName(index))),
    edges: createFittingItems(
      index => ({ id: `e${index}`, source: longName(index + 9), target: longName(index + 8) }),
      0.8,
    ),
  }),
  'nodes of unknown types': () => ({
    nodes: createFittingItems(index => makeNode(`n${index}`, 'utility:prompt_concot')),
    edges: [],
  }),
  'empty nodes': () => ({ nodes: createItems(390_000, () => ({})), edges: [] }),
  'empty edges': () => ({ nodes: [makeNode('n0')], edges: createItems(390_000, () => ({})) }),
  'nodes with the same id': () => ({ nodes: createFittingItems(() => makeNode('n0')), edges: [] }),
};

/** Creates a graph with more values than a body may have. */
export const createTooLargeGraph = (): Graph => ({ nodes: createItems(1_300_000, () => ({})), edges: [] });
