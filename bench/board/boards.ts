// Generates boards from a seed, at the maximum size of a workflow and at a quarter of it.
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { seededRandom } from '../../src/lib/seeded-random.ts';

export interface BenchBoard {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

interface NodeTemplate {
  readonly label: string;
  readonly nodeType: string;
  readonly category: GraphNode['data']['category'];
  readonly inputs: readonly string[];
  readonly output?: string;
  readonly outputType?: 'text' | 'image';
  readonly config: NonNullable<GraphNode['data']['config']>;
}

const TEXT: NodeTemplate = {
  label: 'Text',
  nodeType: 'input:text',
  category: 'input',
  inputs: [],
  output: 'text',
  outputType: 'text',
  config: { value: 'A lighthouse on a cliff above a stormy sea, seen from the air' },
};
const CONCAT: NodeTemplate = {
  label: 'Prompt',
  nodeType: 'utility:prompt_concat',
  category: 'utility',
  inputs: ['text1', 'text2', 'text3', 'text4'],
  output: 'text',
  outputType: 'text',
  config: { separator: ', ' },
};
const IMAGE_NODE: NodeTemplate = {
  label: 'Picture',
  nodeType: 'generate:sandbox',
  category: 'model',
  inputs: ['prompt'],
  output: 'image',
  outputType: 'image',
  config: { seed: 7, width: 64, height: 64 },
};
const PREVIEW: NodeTemplate = {
  label: 'Preview',
  nodeType: 'output:preview',
  category: 'output',
  inputs: ['input'],
  config: {},
};
/** Repeated over all nodes: a column starts with texts and ends with previews of pictures. */
const TEMPLATES = [TEXT, CONCAT, CONCAT, IMAGE_NODE, CONCAT, TEXT, CONCAT, IMAGE_NODE, PREVIEW, CONCAT];

const COLUMN_PX = 420;
const ROW_PX = 520;
/** The maximum distance of connected nodes in the list. A node's sources are usually created shortly before the node. */
const MAX_DISTANCE = 40;

/** Creates a valid board: each input has one edge, from an earlier node only. */
export function makeBoard(nodeCount: number, edgeCount: number, seed: number): BenchBoard {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const rows = Math.ceil(Math.sqrt(nodeCount / 1.6));
  const templates = Array.from(
    { length: nodeCount },
    (_, index) => TEMPLATES[index % TEMPLATES.length] ?? TEXT,
  );
  const nodes = templates.map(
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
  const slots = templates.flatMap(({ inputs }, index) => inputs.map(port => ({ index, port })));
  const edges = slots.flatMap(({ index, port }): GraphEdge[] => {
    const from = Math.max(0, index - MAX_DISTANCE);
    const inputType = templates[index] === PREVIEW ? undefined : 'text';
    const sources = templates
      .slice(from, index)
      .flatMap(({ outputType }, offset) =>
        outputType !== undefined && (inputType === undefined || outputType === inputType)
          ? [from + offset]
          : [],
      );
    const source = sources[below(sources.length)];
    if (source === undefined) return [];
    return [
      {
        id: `edge-${index}-${port}`,
        source: `node-${source}`,
        target: `node-${index}`,
        sourceHandle: `out-${templates[source]?.output}`,
        targetHandle: `in-${port}`,
      },
    ];
  });
  return { nodes, edges: removeSpareEdges(edges, edgeCount, below) };
}

// Required inputs keep their edge. Only the inputs of the text tools may have none.
function removeSpareEdges(
  edges: readonly GraphEdge[],
  count: number,
  below: (limit: number) => number,
): GraphEdge[] {
  const keptEdges = [...edges];
  const isSpare = ({ targetHandle }: GraphEdge): boolean => /text[2-4]/.test(targetHandle ?? '');
  for (let tries = 0; keptEdges.length > count && tries < edges.length * 20; tries++) {
    const index = below(keptEdges.length);
    const edge = keptEdges[index];
    if (edge !== undefined && isSpare(edge)) keptEdges.splice(index, 1);
  }
  return keptEdges;
}
