// Defines an example workflow that needs no provider and no credits.
import type { GraphEdge, GraphNode } from '../../../../src/graph/types.ts';

export const EXAMPLE_TYPES = ['input:text', 'generate:sandbox', 'output:preview'] as const;
const [TEXT, IMAGE, PREVIEW] = EXAMPLE_TYPES;

export const EXAMPLE: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } = {
  nodes: [
    node(
      'idea',
      { label: 'Idea', category: 'input', nodeType: TEXT, config: { value: 'A lighthouse at dawn' } },
      0,
    ),
    node('picture', { label: 'Picture', category: 'model', nodeType: IMAGE, config: { seed: 7 } }, 340),
    node('preview', { label: 'Preview', category: 'output', nodeType: PREVIEW, config: {} }, 740),
  ],
  edges: [
    {
      id: 'idea-picture',
      source: 'idea',
      target: 'picture',
      sourceHandle: 'out-text',
      targetHandle: 'in-prompt',
    },
    {
      id: 'picture-preview',
      source: 'picture',
      target: 'preview',
      sourceHandle: 'out-image',
      targetHandle: 'in-input',
    },
  ],
};

function node(id: string, data: GraphNode['data'], x: number): GraphNode {
  return { id, type: 'basedNode', position: { x, y: 260 }, data };
}
