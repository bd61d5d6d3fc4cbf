// Groups nodes in a frame around them, and ungroups them.
import type { Catalog } from '../../src/graph/catalog.ts';
import { getChildIds } from '../../src/graph/edit.ts';
import { getBoundingBox } from '../../src/graph/rects.ts';
import type { GraphNode } from '../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from './board.ts';
import { add, remove, replaceNodes } from './edits.ts';
import { getNodeRect } from './node-size.ts';
import { createNode } from './placement.ts';

const PADDING = 24;
const HEADER = 44;
export const GROUP_TYPE = 'utility:group';

/** Returns the ids, and the ids of all nodes inside the groups among them. */
export function expandGroups(board: Board, ids: Iterable<string>): ReadonlySet<string> {
  const all = new Set(ids);
  // The loop also visits ids added during iteration, because groups can be nested.
  for (const id of all) {
    const node = findNode(board, id);
    for (const child of node === undefined ? [] : getChildIds(node))
      if (findNode(board, child) !== undefined) all.add(child);
  }
  return all;
}

/** Wraps the nodes in a new group. If another group contained all of them, the new group becomes its member. */
export function groupNodes(
  board: Board,
  catalog: Catalog,
  ids: readonly string[],
): { readonly id: string; readonly changes: readonly Change[] } | undefined {
  const entry = catalog.find(GROUP_TYPE);
  const nestedIds = new Set(ids.flatMap(id => [...expandGroups(board, [id])].filter(other => other !== id)));
  const members = ids.filter(id => findNode(board, id) !== undefined && !nestedIds.has(id));
  const rects = [...expandGroups(board, members)].flatMap(id => {
    const node = findNode(board, id);
    return node === undefined ? [] : [getNodeRect(node, catalog)];
  });
  const bounds = getBoundingBox(rects);
  if (entry === undefined || bounds === undefined) return undefined;
  const node = createNode(board, entry);
  const frame = {
    ...node,
    position: { x: bounds.x - PADDING, y: bounds.y - HEADER - PADDING },
    style: { width: bounds.width + 2 * PADDING, height: bounds.height + HEADER + 2 * PADDING },
    data: { ...node.data, config: { childNodeIds: members } },
  } as GraphNode;
  const ownerChanges = replaceNodes(board, listGroupIds(board), owner => {
    const children = getChildIds(owner);
    const remaining = children.filter(child => !members.includes(child));
    if (remaining.length === children.length) return owner;
    const containsAll = members.every(member => children.includes(member));
    return withChildren(owner, containsAll ? [...remaining, frame.id] : remaining);
  });
  return { id: frame.id, changes: [...ownerChanges, ...add(apply(board, ownerChanges), { nodes: [frame] })] };
}

/** Removes the groups. Their nodes move to the nearest enclosing group that stays. */
export function ungroupNodes(board: Board, ids: readonly string[]): readonly Change[] {
  const groups = ids.filter(id => listGroupIds(board).includes(id));
  /** Returns what remains of the groups: their nodes, and those of removed groups inside them. */
  const listRemaining = (groupIds: readonly string[]): readonly string[] => {
    const all = new Set(groupIds);
    // The loop also visits ids added during iteration.
    for (const id of all) {
      const node = groups.includes(id) ? findNode(board, id) : undefined;
      for (const child of node === undefined ? [] : getChildIds(node)) all.add(child);
    }
    return [...all].filter(id => !groups.includes(id));
  };
  const ownerChanges = replaceNodes(board, listGroupIds(board), owner => {
    const innerGroups = getChildIds(owner).filter(child => groups.includes(child));
    if (innerGroups.length === 0) return owner;
    return withChildren(owner, [...getChildIds(owner), ...listRemaining(innerGroups)]);
  });
  return [...ownerChanges, ...remove(apply(board, ownerChanges), { nodes: groups })];
}

export const listGroupIds = ({ nodes }: Board): readonly string[] =>
  nodes.filter(({ data }) => data.nodeType === GROUP_TYPE).map(({ id }) => id);

/** Sets the members of a group. */
export const withChildren = (node: GraphNode, childNodeIds: readonly string[]): GraphNode => ({
  ...node,
  data: { ...node.data, config: { ...node.data.config, childNodeIds } },
});
