// The automatic layout: nodes in columns from producer to consumer, group frames fitted, notes kept next to their nodes.
//
// 1. Group frames are taken as boxes, from the innermost out; one that the wiring leaves and comes back to is opened,
//    since no order of columns could contain it.
// 2. Each level is arranged (arrange.ts), its notes as parts of the boxes next to them.
// 3. The layout keeps the top left corner that it had, and moves down where it would cover nodes outside the scope.
import type { Catalog } from '../catalog.ts';
import { quote } from '../issues.ts';
import { around, clearDownwards, type Rect } from '../rects.ts';
import type { Graph, GraphEdge, GraphNode, Position } from '../types.ts';
import { type Arranged, arrangeBoxes, GAPS } from './arrange.ts';
import { addSpots, attachNotes, type Block, frameAround, frameBlock, leafBlock } from './block.ts';
import {
  type Board,
  closedOwner,
  isOpened,
  type LayoutOptions,
  makeBoard,
  openTornGroups,
  portY,
} from './board.ts';
import { isNote, legacyParent } from './groups.ts';
import type { Wire } from './layers.ts';

/** What POST /workflows/{id}/layout takes at most. */
export const LAYOUT_LIMITS = { nodes: 250, edges: 750 } as const;

export interface GroupBox {
  readonly id: string;
  readonly position: Position;
  readonly width: number;
  readonly height: number;
  readonly childNodeIds: readonly string[];
}

export interface Layout {
  /** Ids of the nodes that were laid out, moved or not. */
  readonly laidOut: readonly string[];
  /** Nodes that stand elsewhere than before; positions are absolute, whole pixels. */
  readonly moved: readonly { readonly id: string; readonly position: Position }[];
  readonly groups: readonly GroupBox[];
  readonly warnings: readonly string[];
}

/** Pure and deterministic: the same graph always gets the same layout, and a laid-out graph stays as it is. */
export function layoutGraph(graph: Graph, catalog: Catalog, options: LayoutOptions = {}): Layout {
  const board = makeBoard(graph, catalog, options);
  openTornGroups(board);
  const roots = [...board.inScope].filter(id => closedOwner(board, id) === undefined && !isOpened(board, id));
  const content = arrangeLevel(board, roots);
  const spots = anchor(board, content.spots);
  fitOpenFrames(board, spots);
  return present(board, spots);
}

/** The graph as the layout leaves it; sizes of frames go to `style`, `dims` is for the caller to work out anew. */
export function applyLayout(graph: Graph, layout: Layout): Graph {
  const laidOut = new Set(layout.laidOut);
  const positions = new Map(layout.moved.map(({ id, position }) => [id, position]));
  const boxes = new Map(layout.groups.map(box => [box.id, box]));
  const nodes = graph.nodes.map(node => {
    if (!laidOut.has(node.id)) return node;
    const { parentId: _, parentNode: __, extent: ___, ...kept } = node as GraphNode & Record<string, unknown>;
    const placed = { ...kept, position: positions.get(node.id) ?? node.position };
    const box = boxes.get(node.id);
    return box === undefined ? placed : resizeFrame(placed, box);
  });
  return { ...graph, nodes };
}

function resizeFrame(node: GraphNode, { width, height, childNodeIds }: GroupBox): GraphNode {
  // The box that the editor last measured is not the one that it will draw now.
  const { measured: _, ...kept } = node as GraphNode & Record<string, unknown>;
  const style = typeof node.style === 'object' ? node.style : {};
  const data = { ...node.data, config: { ...node.data.config, childNodeIds } };
  return { ...kept, style: { ...style, width, height }, data };
}

/** The blocks of these nodes and groups, arranged. */
function arrangeLevel(board: Board, ids: readonly string[]): Omit<Block, 'id'> {
  const blocks = ids.map(id => makeBlock(board, id));
  const isNoteBlock = ({ id }: Block): boolean => {
    const node = board.nodes.get(id);
    return node !== undefined && isNote(node, board.catalog);
  };
  const joined = attachNotes(
    blocks.filter(block => !isNoteBlock(block)),
    blocks.filter(isNoteBlock),
    board.before,
  );
  const { wires, edges } = wiresBetween(board, joined);
  const arranged = arrangeBoxes(joined, wires, board.direction);
  for (const index of arranged.backward) {
    const edge = edges[index];
    if (edge !== undefined)
      board.warnings.push(`${edge.target}: The edge ${quote(edge.id)} closes a circle and runs backwards.`);
  }
  return merge(joined, arranged);
}

function makeBlock(board: Board, id: string): Block {
  if (!board.closed.has(id)) return leafBlock(id, board.before(id));
  const inside = [...board.inScope].filter(
    child => closedOwner(board, child) === id && !isOpened(board, child),
  );
  return frameBlock(id, arrangeLevel(board, inside));
}

function wiresBetween(board: Board, blocks: readonly Block[]): { wires: Wire[]; edges: GraphEdge[] } {
  const home = new Map<string, number>();
  for (const [index, block] of blocks.entries()) for (const id of block.spots.keys()) home.set(id, index);
  const wires: Wire[] = [];
  const edges: GraphEdge[] = [];
  for (const edge of board.graph.edges) {
    const [from, to] = [home.get(edge.source), home.get(edge.target)];
    if (from === undefined || to === undefined || from === to) continue;
    const fromTop = blocks[from]?.spots.get(edge.source)?.y ?? 0;
    const toTop = blocks[to]?.spots.get(edge.target)?.y ?? 0;
    wires.push({
      from,
      to,
      fromY: fromTop + portY(board, edge.source, edge.sourceHandle, 'outputs'),
      toY: toTop + portY(board, edge.target, edge.targetHandle, 'inputs'),
    });
    edges.push(edge);
  }
  return { wires, edges };
}

function merge(blocks: readonly Block[], { x, y, width, height }: Arranged): Omit<Block, 'id'> {
  const spots = new Map<string, Rect>();
  for (const [index, block] of blocks.entries()) addSpots(spots, block.spots, x[index] ?? 0, y[index] ?? 0);
  return { width, height, spots };
}

/** Shifts the layout to where its nodes' top left corner was, and clear of nodes that are not laid out. */
function anchor(board: Board, spots: ReadonlyMap<string, Rect>): Map<string, Rect> {
  const leaves = [...spots].filter(([id]) => !board.closed.has(id));
  const now = around(leaves.map(([, rect]) => rect));
  const then = around(leaves.map(([id]) => board.before(id)));
  if (now === undefined || then === undefined) return new Map(spots);
  const placed = new Map<string, Rect>();
  addSpots(placed, spots, Math.round(then.x) - now.x, Math.round(then.y) - now.y);
  const fixed = [...board.nodes.keys()]
    .filter(id => !board.inScope.has(id) && !board.groups.members.has(id))
    .map(board.before);
  const shift = clearDownwards([...placed.values()], fixed, GAPS.row);
  if (shift === 0) return placed;
  const cleared = new Map<string, Rect>();
  addSpots(cleared, placed, 0, Math.ceil(shift));
  return cleared;
}

/** Frames that are not boxes of the layout go around their members wherever those stand, innermost first. */
function fitOpenFrames(board: Board, spots: Map<string, Rect>): void {
  const fit = (id: string): Rect => {
    const known = spots.get(id);
    if (known !== undefined) return known;
    const members = board.groups.members.get(id) ?? [];
    const inner = board.inScope.has(id) ? around(members.map(fit)) : undefined;
    if (inner === undefined) return board.before(id);
    const frame = frameAround(inner);
    spots.set(id, frame);
    return frame;
  };
  for (const id of board.inScope) if (isOpened(board, id)) fit(id);
}

function present(
  { nodes, groups, inScope, before, warnings }: Board,
  spots: ReadonlyMap<string, Rect>,
): Layout {
  const moved: { id: string; position: Position }[] = [];
  const boxes: GroupBox[] = [];
  for (const id of inScope) {
    const rect = spots.get(id) ?? before(id);
    const position = { x: rect.x, y: rect.y };
    const old = nodes.get(id);
    const wasRelative = old !== undefined && legacyParent(old) !== undefined;
    if (wasRelative || old?.position.x !== rect.x || old.position.y !== rect.y) moved.push({ id, position });
    const childNodeIds = groups.members.get(id);
    if (childNodeIds !== undefined)
      boxes.push({ id, position, width: rect.width, height: rect.height, childNodeIds });
  }
  return { laidOut: [...inScope], moved, groups: boxes, warnings };
}
