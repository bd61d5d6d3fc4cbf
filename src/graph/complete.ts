// Fills in what a client may leave out of an untrusted graph: labels and categories from the catalog, ids of edges.
//
//   complete([{ id: 'a', data: { nodeType: 'input:text' } }], [{ source: 'a', target: 'b' }])
//   → data.label "Text", data.category "input"; the edge's id "a->b"
//
// Anything that is there stays as it is, valid or not: parseGraph reports what is wrong.
import type { Catalog } from './catalog.ts';
import { type Fields, isFields } from './types.ts';

/** The lists as they were sent, each item completed; what is not a list of objects is returned as it is. */
export function completeGraph(
  catalog: Pick<Catalog, 'find'>,
  nodes: unknown,
  edges: unknown,
): { readonly nodes: unknown; readonly edges: unknown } {
  return {
    nodes: Array.isArray(nodes) ? nodes.map(node => completeNode(catalog, node)) : nodes,
    edges: Array.isArray(edges) ? completeEdges(edges) : edges,
  };
}

function completeNode(catalog: Pick<Catalog, 'find'>, node: unknown): unknown {
  if (!isFields(node) || !isFields(node.data)) return node;
  const { data } = node;
  const { label, category, nodeType } = data;
  if (typeof nodeType !== 'string' || (label !== undefined && category !== undefined)) return node;
  const entry = catalog.find(nodeType);
  // Of an unknown type, lint reports the type: it is no use to ask for the rest first.
  const filled = { label: entry?.label ?? nodeType, category: entry?.category ?? 'utility' };
  return {
    ...node,
    data: { ...data, label: label ?? filled.label, category: category ?? filled.category },
  };
}

function completeEdges(edges: readonly unknown[]): readonly unknown[] {
  const taken = new Set(edges.flatMap(edge => (isFields(edge) && edge.id !== undefined ? [edge.id] : [])));
  if (taken.size === edges.length) return edges;
  // The next number of each id, so that equal edges cost one step each.
  const counts = new Map<string, number>();
  return edges.map(edge => {
    if (!isFields(edge) || edge.id !== undefined) return edge;
    const wanted = edgeIdOf(edge);
    let count = counts.get(wanted) ?? 1;
    let id = wanted;
    while (taken.has(id)) id = `${wanted}-${++count}`;
    counts.set(wanted, count);
    taken.add(id);
    return { ...edge, id };
  });
}

/** The id of an edge that came without one, such as `idea.text->picture.prompt`: the same each time. */
export function edgeIdOf({ source, sourceHandle, target, targetHandle }: Fields): string {
  return `${endOf(source, sourceHandle, /^out-/)}->${endOf(target, targetHandle, /^in-/)}`;
}

function endOf(nodeId: unknown, handle: unknown, prefix: RegExp): string {
  const port = typeof handle === 'string' ? handle.replace(prefix, '') : '';
  return port === '' ? String(nodeId) : `${String(nodeId)}.${port}`;
}
