// Graphs as agents write and read them: nodes without places and ports, edges as "a.text -> b.prompt".
import type { Catalog } from '../graph/catalog.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { RENDERER } from './renderer-rule.ts';

export interface NodeForm {
  readonly id: string;
  readonly nodeType: string;
  readonly label?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** A node as it is sent to a write, which places it. */
export interface SentNode {
  readonly id: string;
  readonly type: string;
  readonly data: GraphNode['data'];
  readonly position?: GraphNode['position'];
  readonly [key: string]: unknown;
}

/** What a node of this form is in a graph; an unknown node type is left for the lint to name. */
export function toNode(catalog: Catalog, { id, nodeType, label, config }: NodeForm): SentNode {
  const entry = catalog.find(nodeType);
  return {
    id,
    type: entry?.customNodeType ?? 'basedNode',
    data: {
      label: label ?? entry?.label ?? id,
      category: entry?.category ?? 'utility',
      nodeType,
      config: (config ?? {}) as JsonObject,
    },
  };
}

/** Places for a complete board, to be arranged: far enough apart that a board too large for that can be read. */
function placeInRows(nodes: readonly SentNode[]): readonly GraphNode[] {
  const row = Math.max(8, Math.ceil(Math.sqrt(nodes.length)));
  return nodes.map((node, index) => ({
    ...node,
    position: { x: (index % row) * 420, y: Math.floor(index / row) * 320 },
  }));
}

interface End {
  readonly nodeId: string;
  readonly port?: string | undefined;
}

/** The edge that a line names. Throws 400 where it is no line of that form. */
export function toEdge(line: string, nodeIds: ReadonlySet<string>, path: string): GraphEdge {
  const ends = line.split('->').map(end => end.trim());
  const [from, to] = ends;
  if (ends.length !== 2 || from === undefined || to === undefined || from === '' || to === '') {
    const message = 'must read "node.port -> node.port", such as "idea.text -> picture.prompt"';
    throw new AppError('invalid_graph', `The edge ${JSON.stringify(line)} ${message}.`, {
      issues: [{ path, code: 'invalid_edge', message }],
    });
  }
  const source = toEnd(from, nodeIds);
  const target = toEnd(to, nodeIds);
  return {
    id: edgeId(source, target),
    source: source.nodeId,
    target: target.nodeId,
    // The lint names handles, so those will do as well.
    ...(source.port === undefined ? {} : { sourceHandle: `out-${source.port.replace(/^out-/, '')}` }),
    ...(target.port === undefined ? {} : { targetHandle: `in-${target.port.replace(/^in-/, '')}` }),
  };
}

/** Node ids may contain dots, and so may ports: the longest node id that is there decides. */
function toEnd(text: string, nodeIds: ReadonlySet<string>): End {
  if (nodeIds.has(text)) return { nodeId: text };
  for (let dot = text.lastIndexOf('.'); dot > 0; dot = text.lastIndexOf('.', dot - 1)) {
    const nodeId = text.slice(0, dot);
    if (nodeIds.has(nodeId)) return { nodeId, port: text.slice(dot + 1) };
  }
  const dot = text.lastIndexOf('.');
  return dot > 0 ? { nodeId: text.slice(0, dot), port: text.slice(dot + 1) } : { nodeId: text };
}

const endText = ({ nodeId, port }: End): string => (port === undefined ? nodeId : `${nodeId}.${port}`);
const edgeId = (source: End, target: End): string => `${endText(source)}->${endText(target)}`;

/** The line of an edge. */
export function edgeLine({ source, target, sourceHandle, targetHandle }: GraphEdge): string {
  const from = { nodeId: source, port: sourceHandle?.replace(/^out-/, '') };
  const to = { nodeId: target, port: targetHandle?.replace(/^in-/, '') };
  return `${endText(from)} -> ${endText(to)}`;
}

/** A complete graph of that form, refused where it has what cannot be made here. */
export function toGraph(
  { catalog }: Pick<RunDeps, 'catalog'>,
  forms: readonly NodeForm[],
  lines: readonly string[],
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  forms.forEach(({ nodeType }, index) => {
    if (nodeType === RENDERER.nodeType) throw RENDERER.refusal(`/nodes/${index}/nodeType`);
  });
  const ids = new Set(forms.map(({ id }) => id));
  return {
    nodes: placeInRows(forms.map(form => toNode(catalog, form))),
    edges: lines.map((line, index) => toEdge(line, ids, `/edges/${index}`)),
  };
}
