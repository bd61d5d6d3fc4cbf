// Generates random boards from a seed.
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';

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
const PICTURE: NodeTemplate = {
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
/** The nodes of a board repeat this list. */
const TEMPLATES = [TEXT, CONCAT, CONCAT, PICTURE, CONCAT, TEXT, CONCAT, PICTURE, PREVIEW, CONCAT];

const COLUMN_PX = 420;
const ROW_PX = 520;
/** The maximum distance of connected nodes in the list. A node's sources are usually created shortly before the node. */
const MAX_DISTANCE = 40;

/** Creates a valid board: each input has one edge, from an earlier node only. */
export function makeBoard(nodeCount: number, edgeCount: number, seed: number): BenchBoard {
  const random = createSeededRandom(seed);
  const randomBelow = (limit: number): number => Math.floor(random() * limit);
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
        x: Math.floor(index / rows) * COLUMN_PX + randomBelow(60),
        y: (index % rows) * ROW_PX + randomBelow(40),
      },
      data: { label: `${label} ${index}`, category, nodeType, config },
    }),
  );
  const inputPorts = templates.flatMap(({ inputs }, index) => inputs.map(port => ({ index, port })));
  const edges = inputPorts.flatMap(({ index, port }): GraphEdge[] => {
    const firstIndex = Math.max(0, index - MAX_DISTANCE);
    const inputType = templates[index] === PREVIEW ? undefined : 'text';
    const sources = templates
      .slice(firstIndex, index)
      .flatMap(({ outputType }, offset) =>
        outputType !== undefined && (inputType === undefined || outputType === inputType)
          ? [firstIndex + offset]
          : [],
      );
    const source = sources[randomBelow(sources.length)];
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
  return { nodes, edges: removeOptionalEdges(edges, edgeCount, randomBelow) };
}

// Removes only edges of optional inputs, which are those of the text tools.
function removeOptionalEdges(
  edges: readonly GraphEdge[],
  count: number,
  randomBelow: (limit: number) => number,
): GraphEdge[] {
  const remainingEdges = [...edges];
  const isOptional = ({ targetHandle }: GraphEdge): boolean => /text[2-4]/.test(targetHandle ?? '');
  for (let tries = 0; remainingEdges.length > count && tries < edges.length * 20; tries++) {
    const index = randomBelow(remainingEdges.length);
    const edge = remainingEdges[index];
    if (edge !== undefined && isOptional(edge)) remainingEdges.splice(index, 1);
  }
  return remainingEdges;
}
