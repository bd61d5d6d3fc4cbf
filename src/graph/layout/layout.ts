// Lays out a graph automatically: nodes in columns from producer to consumer, group frames fitted, notes kept next to
// their nodes.
//
// 1. Group frames are treated as boxes, from the innermost outwards. A group that edges leave and re-enter cannot be a
//    box, because it would need a place both before and after the nodes in between.
// 2. Each level is arranged (arrange.ts), with notes as parts of adjacent boxes.
// 3. The result keeps its previous top left corner, and moves down if it would cover nodes outside the scope.
import type { Catalog } from '../catalog.ts';
import { quote } from '../issues.ts';
import { computeDownwardShift, getBoundingBox, type Rect } from '../rects.ts';
import type { Graph, GraphEdge, GraphNode, Position } from '../types.ts';
import { type Arrangement, arrangeBoxes, GAPS } from './arrange.ts';
import {
  attachNotes,
  type Block,
  copyShifted,
  createFrameBlock,
  createLeafBlock,
  getFrameAround,
} from './block.ts';
import { findLegacyParent, isNote } from './groups.ts';
import type { Wire } from './layers.ts';
import {
  createContext,
  findBoxedOwner,
  getPortY,
  isUnboxedGroup,
  type LayoutContext,
  type LayoutOptions,
  unboxCyclicGroups,
} from './layout-context.ts';

/** The limits of POST /workflows/{id}/layout. */
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
  /** Nodes whose position changed; positions are absolute, in whole pixels. */
  readonly moves: readonly { readonly id: string; readonly position: Position }[];
  readonly groups: readonly GroupBox[];
  readonly warnings: readonly string[];
}

/**
 * Computes a layout. The computation is deterministic: the same graph always gets the same layout, and a laid-out graph
 * does not change.
 */
export function layoutGraph(graph: Graph, catalog: Catalog, options: LayoutOptions = {}): Layout {
  const ctx = createContext(graph, catalog, options);
  unboxCyclicGroups(ctx);
  const roots = [...ctx.inScope].filter(
    id => findBoxedOwner(ctx, id) === undefined && !isUnboxedGroup(ctx, id),
  );
  const content = arrangeLevel(ctx, roots);
  const rects = shiftToPreviousPosition(ctx, content.rects);
  fitUnboxedFrames(ctx, rects);
  return toLayout(ctx, rects);
}

/** Applies the layout to the graph. Frame sizes go to `style`; the caller recomputes `dims`. */
export function applyLayout(graph: Graph, layout: Layout): Graph {
  const laidOut = new Set(layout.laidOut);
  const positions = new Map(layout.moves.map(({ id, position }) => [id, position]));
  const boxes = new Map(layout.groups.map(box => [box.id, box]));
  const nodes = graph.nodes.map(node => {
    if (!laidOut.has(node.id)) return node;
    const { parentId: _, parentNode: __, extent: ___, ...rest } = node as GraphNode & Record<string, unknown>;
    const placedNode = { ...rest, position: positions.get(node.id) ?? node.position };
    const box = boxes.get(node.id);
    return box === undefined ? placedNode : resizeFrame(placedNode, box);
  });
  return { ...graph, nodes };
}

function resizeFrame(node: GraphNode, { width, height, childNodeIds }: GroupBox): GraphNode {
  // The box that the editor last measured is outdated.
  const { measured: _, ...rest } = node as GraphNode & Record<string, unknown>;
  const style = typeof node.style === 'object' ? node.style : {};
  const data = { ...node.data, config: { ...node.data.config, childNodeIds } };
  return { ...rest, style: { ...style, width, height }, data };
}

/** Arranges the blocks of these nodes and groups. */
function arrangeLevel(ctx: LayoutContext, ids: readonly string[]): Omit<Block, 'id'> {
  const blocks = ids.map(id => createBlock(ctx, id));
  const isNoteBlock = ({ id }: Block): boolean => {
    const node = ctx.nodes.get(id);
    return node !== undefined && isNote(node, ctx.catalog);
  };
  const blocksWithNotes = attachNotes(
    blocks.filter(block => !isNoteBlock(block)),
    blocks.filter(isNoteBlock),
    ctx.getPreviousRect,
  );
  const { wires, edges } = findWires(ctx, blocksWithNotes);
  const arrangement = arrangeBoxes(blocksWithNotes, wires, ctx.direction);
  for (const index of arrangement.backward) {
    const edge = edges[index];
    if (edge !== undefined)
      ctx.warnings.push(`${edge.target}: The edge ${quote(edge.id)} closes a cycle and runs backwards.`);
  }
  return mergeBlocks(blocksWithNotes, arrangement);
}

function createBlock(ctx: LayoutContext, id: string): Block {
  if (!ctx.boxedGroups.has(id)) return createLeafBlock(id, ctx.getPreviousRect(id));
  const innerIds = [...ctx.inScope].filter(
    child => findBoxedOwner(ctx, child) === id && !isUnboxedGroup(ctx, child),
  );
  return createFrameBlock(id, arrangeLevel(ctx, innerIds));
}

function findWires(ctx: LayoutContext, blocks: readonly Block[]): { wires: Wire[]; edges: GraphEdge[] } {
  const blockIndexes = new Map<string, number>();
  for (const [index, block] of blocks.entries())
    for (const id of block.rects.keys()) blockIndexes.set(id, index);
  const wires: Wire[] = [];
  const edges: GraphEdge[] = [];
  for (const edge of ctx.graph.edges) {
    const [from, to] = [blockIndexes.get(edge.source), blockIndexes.get(edge.target)];
    if (from === undefined || to === undefined || from === to) continue;
    const fromTop = blocks[from]?.rects.get(edge.source)?.y ?? 0;
    const toTop = blocks[to]?.rects.get(edge.target)?.y ?? 0;
    wires.push({
      from,
      to,
      fromY: fromTop + getPortY(ctx, edge.source, edge.sourceHandle, 'outputs'),
      toY: toTop + getPortY(ctx, edge.target, edge.targetHandle, 'inputs'),
    });
    edges.push(edge);
  }
  return { wires, edges };
}

function mergeBlocks(blocks: readonly Block[], { x, y, width, height }: Arrangement): Omit<Block, 'id'> {
  const rects = new Map<string, Rect>();
  for (const [index, block] of blocks.entries())
    copyShifted(rects, block.rects, x[index] ?? 0, y[index] ?? 0);
  return { width, height, rects };
}

/** Shifts the layout to the previous top left corner of its nodes, clear of nodes that are not laid out. */
function shiftToPreviousPosition(ctx: LayoutContext, rects: ReadonlyMap<string, Rect>): Map<string, Rect> {
  const leaves = [...rects].filter(([id]) => !ctx.boxedGroups.has(id));
  const newBounds = getBoundingBox(leaves.map(([, rect]) => rect));
  const oldBounds = getBoundingBox(leaves.map(([id]) => ctx.getPreviousRect(id)));
  if (newBounds === undefined || oldBounds === undefined) return new Map(rects);
  const shiftedRects = new Map<string, Rect>();
  copyShifted(
    shiftedRects,
    rects,
    Math.round(oldBounds.x) - newBounds.x,
    Math.round(oldBounds.y) - newBounds.y,
  );
  const fixedRects = [...ctx.nodes.keys()]
    .filter(id => !ctx.inScope.has(id) && !ctx.groups.members.has(id))
    .map(ctx.getPreviousRect);
  const shift = computeDownwardShift([...shiftedRects.values()], fixedRects, GAPS.row);
  if (shift === 0) return shiftedRects;
  const clearRects = new Map<string, Rect>();
  copyShifted(clearRects, shiftedRects, 0, Math.ceil(shift));
  return clearRects;
}

/** Fits frames that are not boxes of the layout around their members, innermost first. */
function fitUnboxedFrames(ctx: LayoutContext, rects: Map<string, Rect>): void {
  const fit = (id: string): Rect => {
    const knownRect = rects.get(id);
    if (knownRect !== undefined) return knownRect;
    const members = ctx.groups.members.get(id) ?? [];
    const memberBounds = ctx.inScope.has(id) ? getBoundingBox(members.map(fit)) : undefined;
    if (memberBounds === undefined) return ctx.getPreviousRect(id);
    const frame = getFrameAround(memberBounds);
    rects.set(id, frame);
    return frame;
  };
  for (const id of ctx.inScope) if (isUnboxedGroup(ctx, id)) fit(id);
}

function toLayout(
  { nodes, groups, inScope, getPreviousRect, warnings }: LayoutContext,
  rects: ReadonlyMap<string, Rect>,
): Layout {
  const moves: { id: string; position: Position }[] = [];
  const boxes: GroupBox[] = [];
  for (const id of inScope) {
    const rect = rects.get(id) ?? getPreviousRect(id);
    const position = { x: rect.x, y: rect.y };
    const node = nodes.get(id);
    const wasRelative = node !== undefined && findLegacyParent(node) !== undefined;
    if (wasRelative || node?.position.x !== rect.x || node.position.y !== rect.y)
      moves.push({ id, position });
    const childNodeIds = groups.members.get(id);
    if (childNodeIds !== undefined)
      boxes.push({ id, position, width: rect.width, height: rect.height, childNodeIds });
  }
  return { laidOut: [...inScope], moves, groups: boxes, warnings };
}
