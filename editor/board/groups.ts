// Groups nodes in a frame that fits them, and treats a group as one.
import type { Catalog } from '../../src/graph/catalog.ts';
import { readChildIds } from '../../src/graph/edit.ts';
import { boundingBox } from '../../src/graph/rects.ts';
import type { GraphNode } from '../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from './board.ts';
import { add, remove, replaceNodes } from './edits.ts';
import { getNodeRect } from './node-size.ts';
import { toNode } from './placement.ts';

const PADDING = 24;
const HEADER = 44;
export const GROUP_TYPE = 'utility:group';

/** Returns the ids with all nodes inside of their groups. */
export function withMembers(board: Board, ids: Iterable<string>): ReadonlySet<string> {
  const all = new Set(ids);
  // The loop also visits ids added during iteration, because groups can be nested.
  for (const id of all) {
    const node = findNode(board, id);
    for (const child of node === undefined ? [] : readChildIds(node))
      if (findNode(board, child) !== undefined) all.add(child);
  }
  return all;
}

/** Wraps the nodes in a new group. A group that had all of them gets the new one instead. */
export function group(
  board: Board,
  catalog: Catalog,
  ids: readonly string[],
): { readonly id: string; readonly changes: readonly Change[] } | undefined {
  const entry = catalog.find(GROUP_TYPE);
  const isInside = new Set(ids.flatMap(id => [...withMembers(board, [id])].filter(other => other !== id)));
  const members = ids.filter(id => findNode(board, id) !== undefined && !isInside.has(id));
  const rects = [...withMembers(board, members)].flatMap(id => {
    const node = findNode(board, id);
    return node === undefined ? [] : [getNodeRect(node, catalog)];
  });
  const bounds = boundingBox(rects);
  if (entry === undefined || bounds === undefined) return undefined;
  const node = toNode(board, entry);
  const frame = {
    ...node,
    position: { x: bounds.x - PADDING, y: bounds.y - HEADER - PADDING },
    style: { width: bounds.width + 2 * PADDING, height: bounds.height + HEADER + 2 * PADDING },
    data: { ...node.data, config: { childNodeIds: members } },
  } as GraphNode;
  const released = replaceNodes(board, groupIdsOf(board), owner => {
    const children = readChildIds(owner);
    const rest = children.filter(child => !members.includes(child));
    if (rest.length === children.length) return owner;
    const hadAll = members.every(member => children.includes(member));
    return withChildren(owner, hadAll ? [...rest, frame.id] : rest);
  });
  return { id: frame.id, changes: [...released, ...add(apply(board, released), { nodes: [frame] })] };
}

/** Removes the groups and keeps their nodes, which go to the group outside of it. */
export function ungroup(board: Board, ids: readonly string[]): readonly Change[] {
  const groups = ids.filter(id => groupIdsOf(board).includes(id));
  const handed = replaceNodes(board, groupIdsOf(board), owner => {
    const inner = readChildIds(owner).filter(child => groups.includes(child));
    if (inner.length === 0) return owner;
    const children = inner.flatMap(id => readChildIds(findNode(board, id) ?? owner));
    return withChildren(owner, [...readChildIds(owner), ...children]);
  });
  return [...handed, ...remove(apply(board, handed), { nodes: groups })];
}

const groupIdsOf = ({ nodes }: Board): readonly string[] =>
  nodes.filter(({ data }) => data.nodeType === GROUP_TYPE).map(({ id }) => id);

const withChildren = (node: GraphNode, childNodeIds: readonly string[]): GraphNode => ({
  ...node,
  data: { ...node.data, config: { ...node.data.config, childNodeIds } },
});
