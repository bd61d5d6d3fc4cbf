// Places nodes that an update adds without a position, or on top of another node.
import type { Catalog } from '../catalog.ts';
import { estimateDims } from '../dims.ts';
import { around, clearDownwards, isNear, type Rect } from '../rects.ts';
import type { Graph, Position } from '../types.ts';
import { GAPS } from './arrange.ts';
import { frameAround } from './block.ts';
import { readGroups } from './groups.ts';

export interface NewNodeOptions {
  /** Ids of nodes without a position, as parseGraph reports them. */
  readonly unplaced?: ReadonlySet<string> | undefined;
  /** `autoLayout: false`: given coordinates are kept, whatever they cover. */
  readonly keepGiven?: boolean | undefined;
}

export interface PlacedGraph {
  readonly graph: Graph;
  readonly moves: readonly { readonly id: string; readonly position: Position }[];
}

/** Above this number, new nodes are placed in rows: searching free space for each would take quadratic time. */
const MAX_FITTED = 250;
const ROW_LENGTH = 20;

/** Moves only nodes that are not in `previous`: next to connected nodes, then down to free space. */
export function placeNewNodes(
  previous: Graph,
  next: Graph,
  catalog: Catalog,
  options: NewNodeOptions = {},
): PlacedGraph {
  const { unplaced = new Set<string>(), keepGiven = false } = options;
  const old = new Set(previous.nodes.map(({ id }) => id));
  const groups = readGroups(next, catalog).members;
  const rects = new Map(next.nodes.map(node => [node.id, { ...node.position, ...sizeOf(node, catalog) }]));
  const isMovable = (id: string): boolean => !old.has(id) && (unplaced.has(id) || !keepGiven);
  const movable = next.nodes.map(({ id }) => id).filter(id => isMovable(id) && !groups.has(id));
  const fixed = new Map([...rects].filter(([id]) => !groups.has(id) && !movable.includes(id)));
  const given = movable.filter(id => !unplaced.has(id));
  const lost = movable.filter(id => unplaced.has(id));
  if (movable.length > MAX_FITTED) placeInRows(lost, rects, fixed);
  else {
    for (const id of given) settle(id, rects, fixed, rects.get(id));
    for (const id of wiredFirst(lost, next, fixed)) settle(id, rects, fixed, wishOf(id, next, rects, fixed));
  }
  for (const [id, members] of groups) {
    if (!old.has(id) && unplaced.has(id)) fitFrame(id, members, rects);
  }
  return present(next, rects);
}

function sizeOf(node: Graph['nodes'][number], catalog: Catalog): Pick<Rect, 'width' | 'height'> {
  const { width, height } = estimateDims(node, catalog);
  return { width, height };
}

/** Positions of nodes by id. */
type Rects = Map<string, Rect>;

/** Places the node at the preferred position, or straight below it where it covers nothing. */
function settle(id: string, rects: Rects, fixed: Rects, wish: Rect | undefined): void {
  if (wish === undefined) return;
  const others = [...fixed.values()];
  const isFree = others.every(other => !isNear(wish, other, 0));
  const y = isFree ? wish.y : Math.round(wish.y + clearDownwards([wish], others, GAPS.row));
  const rect = { ...wish, y };
  rects.set(id, rect);
  fixed.set(id, rect);
}

/** Right of the rightmost node that feeds it, else left of the leftmost that it feeds, else below everything. */
function wishOf(id: string, { edges }: Graph, rects: Rects, fixed: Rects): Rect | undefined {
  const own = rects.get(id);
  if (own === undefined) return undefined;
  const feeding = edges.flatMap(({ source, target }) => (target === id ? (fixed.get(source) ?? []) : []));
  if (feeding.length > 0) {
    const last = feeding.reduce((a, b) => (b.x + b.width > a.x + a.width ? b : a));
    return { ...own, x: last.x + last.width + GAPS.column, y: last.y };
  }
  const fed = edges.flatMap(({ source, target }) => (source === id ? (fixed.get(target) ?? []) : []));
  if (fed.length > 0) {
    const first = fed.reduce((a, b) => (b.x < a.x ? b : a));
    return { ...own, x: first.x - own.width - GAPS.column, y: first.y };
  }
  const drawing = around([...fixed.values()]);
  return drawing === undefined ? own : { ...own, x: drawing.x, y: drawing.y + drawing.height + GAPS.row };
}

/** Each time the first node that is connected to a placed one; the first of all if there is none. */
function* wiredFirst(ids: readonly string[], { edges }: Graph, fixed: Rects): Iterable<string> {
  const waiting = new Set(ids);
  while (waiting.size > 0) {
    const wired = new Set(
      edges.flatMap(({ source, target }) => [
        ...(fixed.has(source) ? [target] : []),
        ...(fixed.has(target) ? [source] : []),
      ]),
    );
    const [first] = waiting;
    const next = [...waiting].find(id => wired.has(id)) ?? first;
    if (next === undefined) return;
    waiting.delete(next);
    yield next;
  }
}

function placeInRows(ids: readonly string[], rects: Rects, fixed: Rects): void {
  const drawing = around([...fixed.values()]) ?? { x: 0, y: 0, width: 0, height: -GAPS.row };
  let [x, y, rowHeight] = [drawing.x, drawing.y + drawing.height + GAPS.row, 0];
  for (const [index, id] of ids.entries()) {
    const rect = rects.get(id);
    if (rect === undefined) continue;
    if (index > 0 && index % ROW_LENGTH === 0) {
      y += rowHeight + GAPS.row;
      [x, rowHeight] = [drawing.x, 0];
    }
    rects.set(id, { ...rect, x, y });
    x += rect.width + GAPS.row;
    rowHeight = Math.max(rowHeight, rect.height);
  }
}

function fitFrame(id: string, members: readonly string[], rects: Rects): void {
  const inner = around(members.flatMap(member => rects.get(member) ?? []));
  const own = rects.get(id);
  if (inner === undefined || own === undefined) return;
  const { x, y } = frameAround(inner);
  rects.set(id, { ...own, x, y });
}

function present(graph: Graph, rects: Rects): PlacedGraph {
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
