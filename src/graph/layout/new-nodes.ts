// Places nodes that an update adds without a position, or on top of another node.
import type { Catalog } from '../catalog.ts';
import { getDims } from '../dims.ts';
import { computeDownwardShift, getBoundingBox, isNear, type Rect } from '../rects.ts';
import type { Graph, Position } from '../types.ts';
import { GAPS } from './arrange.ts';
import { getFrameAround } from './block.ts';
import { readGroups } from './groups.ts';

export interface NewNodeOptions {
  /** Ids of nodes without a position, as parseGraph reports them. */
  readonly unplaced?: ReadonlySet<string> | undefined;
  /** `autoLayout: false`: nodes with a position keep it, even if they cover others. */
  readonly keepsPositions?: boolean | undefined;
}

export interface PlacedGraph {
  readonly graph: Graph;
  readonly moves: readonly { readonly id: string; readonly position: Position }[];
}

/** More new nodes than this are placed in rows, because searching free space for each node takes quadratic time. */
const MAX_FITTED = 250;
const ROW_LENGTH = 20;

/** Moves nodes that are not in `previous` next to the nodes they are connected to, then down to free space. */
export function placeNewNodes(
  previous: Graph,
  graph: Graph,
  catalog: Catalog,
  options: NewNodeOptions = {},
): PlacedGraph {
  const { unplaced = new Set<string>(), keepsPositions = false } = options;
  const oldIds = new Set(previous.nodes.map(({ id }) => id));
  const groups = readGroups(graph, catalog).members;
  const rects = new Map(graph.nodes.map(node => [node.id, { ...node.position, ...readSize(node, catalog) }]));
  const isMovable = (id: string): boolean => !oldIds.has(id) && (unplaced.has(id) || !keepsPositions);
  const movableIds = new Set(graph.nodes.map(({ id }) => id).filter(id => isMovable(id) && !groups.has(id)));
  const fixed = new Map([...rects].filter(([id]) => !groups.has(id) && !movableIds.has(id)));
  const placedIds = [...movableIds].filter(id => !unplaced.has(id));
  const unplacedIds = [...movableIds].filter(id => unplaced.has(id));
  if (movableIds.size > MAX_FITTED) placeInRows(unplacedIds, rects, fixed);
  else {
    for (const id of placedIds) placeFreely(id, rects, fixed, rects.get(id));
    for (const id of orderByConnection(unplacedIds, graph, fixed))
      placeFreely(id, rects, fixed, getPreferredRect(id, graph, rects, fixed));
  }
  for (const [id, members] of groups) {
    if (!oldIds.has(id) && unplaced.has(id)) fitFrame(id, members, rects);
  }
  return toPlacedGraph(graph, rects);
}

function readSize(node: Graph['nodes'][number], catalog: Catalog): Pick<Rect, 'width' | 'height'> {
  const { width, height } = getDims(node, catalog);
  return { width, height };
}

type RectsById = Map<string, Rect>;

/** Places the node at the preferred position, or directly below it where there is free space. */
function placeFreely(id: string, rects: RectsById, fixed: RectsById, preferred: Rect | undefined): void {
  if (preferred === undefined) return;
  const fixedRects = [...fixed.values()];
  const isFree = fixedRects.every(other => !isNear(preferred, other, 0));
  const y = isFree
    ? preferred.y
    : Math.round(preferred.y + computeDownwardShift([preferred], fixedRects, GAPS.row));
  const rect = { ...preferred, y };
  rects.set(id, rect);
  fixed.set(id, rect);
}

/**
 * Returns the position right of the node's rightmost source, else left of its leftmost target, else below everything.
 */
function getPreferredRect(
  id: string,
  { edges }: Graph,
  rects: RectsById,
  fixed: RectsById,
): Rect | undefined {
  const rect = rects.get(id);
  if (rect === undefined) return undefined;
  const sources = edges.flatMap(({ source, target }) => (target === id ? (fixed.get(source) ?? []) : []));
  if (sources.length > 0) {
    const rightmost = sources.reduce((a, b) => (b.x + b.width > a.x + a.width ? b : a));
    return { ...rect, x: rightmost.x + rightmost.width + GAPS.column, y: rightmost.y };
  }
  const targets = edges.flatMap(({ source, target }) => (source === id ? (fixed.get(target) ?? []) : []));
  if (targets.length > 0) {
    const leftmost = targets.reduce((a, b) => (b.x < a.x ? b : a));
    return { ...rect, x: leftmost.x - rect.width - GAPS.column, y: leftmost.y };
  }
  const bounds = getBoundingBox([...fixed.values()]);
  return bounds === undefined ? rect : { ...rect, x: bounds.x, y: bounds.y + bounds.height + GAPS.row };
}

/** Yields the nodes in placement order: the next one is connected to a placed node, if there is one. */
function* orderByConnection(ids: readonly string[], { edges }: Graph, fixed: RectsById): Iterable<string> {
  const remaining = new Set(ids);
  while (remaining.size > 0) {
    const connected = new Set(
      edges.flatMap(({ source, target }) => [
        ...(fixed.has(source) ? [target] : []),
        ...(fixed.has(target) ? [source] : []),
      ]),
    );
    const [first] = remaining;
    const next = [...remaining].find(id => connected.has(id)) ?? first;
    if (next === undefined) return;
    remaining.delete(next);
    yield next;
  }
}

function placeInRows(ids: readonly string[], rects: RectsById, fixed: RectsById): void {
  const bounds = getBoundingBox([...fixed.values()]) ?? { x: 0, y: 0, width: 0, height: -GAPS.row };
  let [x, y, rowHeight] = [bounds.x, bounds.y + bounds.height + GAPS.row, 0];
  for (const [index, id] of ids.entries()) {
    const rect = rects.get(id);
    if (rect === undefined) continue;
    if (index > 0 && index % ROW_LENGTH === 0) {
      y += rowHeight + GAPS.row;
      [x, rowHeight] = [bounds.x, 0];
    }
    rects.set(id, { ...rect, x, y });
    x += rect.width + GAPS.row;
    rowHeight = Math.max(rowHeight, rect.height);
  }
}

function fitFrame(id: string, members: readonly string[], rects: RectsById): void {
  const memberBounds = getBoundingBox(members.flatMap(member => rects.get(member) ?? []));
  const frame = rects.get(id);
  if (memberBounds === undefined || frame === undefined) return;
  const { x, y } = getFrameAround(memberBounds);
  rects.set(id, { ...frame, x, y });
}

function toPlacedGraph(graph: Graph, rects: RectsById): PlacedGraph {
  const moves: { id: string; position: Position }[] = [];
  const nodes = graph.nodes.map(node => {
    const { x = node.position.x, y = node.position.y } = rects.get(node.id) ?? {};
    if (x === node.position.x && y === node.position.y) return node;
    const position = { x, y };
    moves.push({ id: node.id, position });
    return { ...node, position };
  });
  return { graph: moves.length === 0 ? graph : { ...graph, nodes }, moves };
}
