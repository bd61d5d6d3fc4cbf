// Fills in the parts of an untrusted graph that a client may omit: labels and categories from the catalog, ids of
// edges.
//
//   complete([{ id: 'a', data: { nodeType: 'input:text' } }], [{ source: 'a', target: 'b' }])
//   → data.label "Text", data.category "input"; the edge's id "a->b"
//
// Existing values are kept, valid or not: parseGraph reports the invalid ones.

import type { Catalog, CatalogEntry } from './catalog.ts';
import { type PortSide, toPortId } from './handles.ts';
import { isObject, type UnknownObject } from './types.ts';

/** Returns the lists with each item completed. A value that is not a list of objects is returned unchanged. */
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
  if (!isObject(node) || !isObject(node.data)) return node;
  const { data } = node;
  const { label, category, nodeType } = data;
  if (typeof nodeType !== 'string' || (label !== undefined && category !== undefined)) return node;
  const defaults = getTypeDefaults(nodeType, catalog.find(nodeType));
  return {
    ...node,
    data: { ...data, label: label ?? defaults.label, category: category ?? defaults.category },
  };
}

/**
 * Returns the values that a node gets from its type. An unknown type gets a placeholder label and category, so that only
 * the type is reported.
 */
export function getTypeDefaults(nodeType: string, entry: CatalogEntry | undefined) {
  return {
    type: entry?.customNodeType ?? 'basedNode',
    label: entry?.label ?? nodeType,
    category: entry?.category ?? 'utility',
  };
}

/** Gives each edge without an id a unique id. */
export function completeEdges(edges: readonly unknown[]): readonly unknown[] {
  const usedIds = new Set(edges.flatMap(edge => (isObject(edge) && edge.id !== undefined ? [edge.id] : [])));
  if (usedIds.size === edges.length) return edges;
  // The last suffix used for each id, so that each duplicate takes constant time.
  const counts = new Map<string, number>();
  return edges.map(edge => {
    if (!isObject(edge) || edge.id !== undefined) return edge;
    const baseId = deriveEdgeId(edge);
    let count = counts.get(baseId) ?? 1;
    let id = baseId;
    while (usedIds.has(id)) id = `${baseId}-${++count}`;
    counts.set(baseId, count);
    usedIds.add(id);
    return { ...edge, id };
  });
}

/** Derives a stable id for an edge that has none, such as `idea.text->image.prompt`. */
function deriveEdgeId({ source, sourceHandle, target, targetHandle }: UnknownObject): string {
  return `${formatEnd(source, sourceHandle, 'out')}->${formatEnd(target, targetHandle, 'in')}`;
}

function formatEnd(nodeId: unknown, handle: unknown, side: PortSide): string {
  const port = typeof handle === 'string' ? toPortId(handle, side) : '';
  return port === '' ? String(nodeId) : `${String(nodeId)}.${port}`;
}
