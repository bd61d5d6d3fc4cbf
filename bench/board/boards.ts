// Generates boards from a seed, at the maximum size of a workflow and at a quarter of it.
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { seededRandom } from '../../src/lib/seeded-random.ts';

export interface BenchBoard {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

interface Kind {
  readonly label: string;
  readonly nodeType: string;
  readonly category: GraphNode['data']['category'];
  readonly inputs: readonly string[];
  readonly output?: string;
  readonly outputType?: 'text' | 'image';
  readonly config: NonNullable<GraphNode['data']['config']>;
}

const TEXT: Kind = {
  label: 'Text',
  nodeType: 'input:text',
  category: 'input',
  inputs: [],
  output: 'text',
  outputType: 'text',
  config: { value: 'A lighthouse on a cliff above a stormy sea, seen from the air' },
};
const CONCAT: Kind = {
  label: 'Prompt',
  nodeType: 'utility:prompt_concat',
  category: 'utility',
  inputs: ['text1', 'text2', 'text3', 'text4'],
  output: 'text',
  outputType: 'text',
  config: { separator: ', ' },
};
const IMAGE_NODE: Kind = {
  label: 'Picture',
  nodeType: 'generate:sandbox',
  category: 'model',
  inputs: ['prompt'],
  output: 'image',
  outputType: 'image',
  config: { seed: 7, width: 64, height: 64 },
};
const PREVIEW: Kind = {
  label: 'Preview',
  nodeType: 'output:preview',
  category: 'output',
  inputs: ['input'],
  config: {},
};
/** The kinds in turn: a column starts with texts and ends with previews of pictures. */
const TURN = [TEXT, CONCAT, CONCAT, IMAGE_NODE, CONCAT, TEXT, CONCAT, IMAGE_NODE, PREVIEW, CONCAT];

const COLUMN_PX = 420;
const ROW_PX = 520;
/** Edges of real boards are mostly short: a node's sources were usually created shortly before it. */
const WINDOW = 40;

/** Creates a valid board: each input has one edge, from an earlier node only. */
export function makeBoard(nodeCount: number, edgeCount: number, seed: number): BenchBoard {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const rows = Math.ceil(Math.sqrt(nodeCount / 1.6));
  const kinds = Array.from({ length: nodeCount }, (_, index) => TURN[index % TURN.length] ?? TEXT);
  const nodes = kinds.map(
    ({ label, nodeType, category, config }, index): GraphNode => ({
      id: `node-${index}`,
      type: 'basedNode',
      position: {
        x: Math.floor(index / rows) * COLUMN_PX + below(60),
        y: (index % rows) * ROW_PX + below(40),
      },
      data: { label: `${label} ${index}`, category, nodeType, config },
    }),
  );
  const slots = kinds.flatMap(({ inputs }, index) => inputs.map(port => ({ index, port })));
  const edges = slots.flatMap(({ index, port }): GraphEdge[] => {
    const from = Math.max(0, index - WINDOW);
    const inputType = kinds[index] === PREVIEW ? undefined : 'text';
    const sources = kinds
      .slice(from, index)
      .flatMap(({ outputType: gives }, place) =>
        gives !== undefined && (inputType === undefined || gives === inputType) ? [from + place] : [],
      );
    const source = sources[below(sources.length)];
    if (source === undefined) return [];
    return [
      {
        id: `edge-${index}-${port}`,
        source: `node-${source}`,
        target: `node-${index}`,
        sourceHandle: `out-${kinds[source]?.output}`,
        targetHandle: `in-${port}`,
      },
    ];
  });
  return { nodes, edges: thin(edges, edgeCount, below) };
}

// Required inputs keep their edge: only those of the text tools may be empty.
function thin(edges: readonly GraphEdge[], count: number, below: (limit: number) => number): GraphEdge[] {
  const keptEdges = [...edges];
  const isSpare = ({ targetHandle }: GraphEdge): boolean => /text[2-4]/.test(targetHandle ?? '');
  for (let tries = 0; keptEdges.length > count && tries < edges.length * 20; tries++) {
    const place = below(keptEdges.length);
    const edge = keptEdges[place];
    if (edge !== undefined && isSpare(edge)) keptEdges.splice(place, 1);
  }
  return keptEdges;
}
