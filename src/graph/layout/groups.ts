// Determines which nodes belong to which group frame: `childNodeIds`, and the children's legacy `parentId` and
// `parentNode`.
import type { Catalog } from '../catalog.ts';
import type { Graph, GraphNode } from '../types.ts';

export interface Groups {
  /** Group id → ids of its existing direct members, each in at most one group. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Member id → its group's id. */
  readonly ownerIds: ReadonlyMap<string, string>;
}

/** Frames nested deeper than this are treated as siblings. */
const MAX_NESTING = 16;

export function readGroups({ nodes }: Graph, catalog: Catalog): Groups {
  const members = new Map<string, string[]>();
  for (const node of nodes) if (isGroup(node, catalog)) members.set(node.id, []);
  const nodeIds = new Set(nodes.map(({ id }) => id));
  const ownerIds = new Map<string, string>();
  const claim = (group: string, child: string): void => {
    if (!nodeIds.has(child) || ownerIds.has(child) || isInside(group, child, ownerIds)) return;
    ownerIds.set(child, group);
    members.get(group)?.push(child);
  };
  for (const node of nodes) {
    const childIds = members.has(node.id) ? node.data.config?.childNodeIds : undefined;
    if (!Array.isArray(childIds)) continue;
    for (const child of childIds) if (typeof child === 'string') claim(node.id, child);
  }
  for (const node of nodes) {
    const parent = findLegacyParent(node);
    if (parent !== undefined && members.has(parent)) claim(parent, node.id);
  }
  return { members, ownerIds };
}

export function isGroup(node: GraphNode, catalog: Catalog): boolean {
  return getCanvasNodeType(node, catalog) === 'groupFrame';
}

export function isNote(node: GraphNode, catalog: Catalog): boolean {
  return getCanvasNodeType(node, catalog) === 'stickyNote';
}

function getCanvasNodeType(node: GraphNode, catalog: Catalog): string {
  return catalog.find(node.data.nodeType)?.customNodeType ?? node.type;
}

/** Returns the group id that older canvases stored on the child. The child's position is relative to that group. */
export function findLegacyParent(node: GraphNode): string | undefined {
  const parent = node.parentId ?? node.parentNode;
  return typeof parent === 'string' ? parent : undefined;
}

/** Returns whether `group` is `ancestor` or nested in it, or is nested too deeply. */
function isInside(group: string, ancestor: string, ownerIds: ReadonlyMap<string, string>): boolean {
  let id: string | undefined = group;
  for (let depth = 0; depth < MAX_NESTING; depth++) {
    if (id === undefined) return false;
    if (id === ancestor) return true;
    id = ownerIds.get(id);
  }
  return true;
}
