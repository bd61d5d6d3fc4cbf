// Determines which nodes belong to which group frame: `childNodeIds`, and the children's legacy `parentId` and
// `parentNode`.
import type { Catalog } from '../catalog.ts';
import type { Graph, GraphNode } from '../types.ts';

export interface Groups {
  /** Group id → ids of its existing direct members, each in at most one group. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Member id → its group's id. */
  readonly ownerOf: ReadonlyMap<string, string>;
}

/** Frames nested deeper than this are treated as siblings. */
const MAX_NESTING = 16;

export function readGroups({ nodes }: Graph, catalog: Catalog): Groups {
  const members = new Map<string, string[]>();
  for (const node of nodes) if (isGroup(node, catalog)) members.set(node.id, []);
  const known = new Set(nodes.map(({ id }) => id));
  const ownerOf = new Map<string, string>();
  const claim = (group: string, child: string): void => {
    if (!known.has(child) || ownerOf.has(child) || isInside(group, child, ownerOf)) return;
    ownerOf.set(child, group);
    members.get(group)?.push(child);
  };
  for (const node of nodes) {
    const listed = members.has(node.id) ? node.data.config?.childNodeIds : undefined;
    if (!Array.isArray(listed)) continue;
    for (const child of listed) if (typeof child === 'string') claim(node.id, child);
  }
  for (const node of nodes) {
    const parent = legacyParent(node);
    if (parent !== undefined && members.has(parent)) claim(parent, node.id);
  }
  return { members, ownerOf };
}

export function isGroup(node: GraphNode, catalog: Catalog): boolean {
  return shellOf(node, catalog) === 'groupFrame';
}

export function isNote(node: GraphNode, catalog: Catalog): boolean {
  return shellOf(node, catalog) === 'stickyNote';
}

function shellOf(node: GraphNode, catalog: Catalog): string {
  return catalog.find(node.data.nodeType)?.customNodeType ?? node.type;
}

/** The group that older canvases stored on the child, whose position is relative to it. */
export function legacyParent(node: GraphNode): string | undefined {
  const parent = node.parentId ?? node.parentNode;
  return typeof parent === 'string' ? parent : undefined;
}

/** Whether `group` is `other` or is nested in it; true if nested too deep to know. */
function isInside(group: string, other: string, ownerOf: ReadonlyMap<string, string>): boolean {
  let at: string | undefined = group;
  for (let depth = 0; depth < MAX_NESTING; depth++) {
    if (at === undefined) return false;
    if (at === other) return true;
    at = ownerOf.get(at);
  }
  return true;
}
