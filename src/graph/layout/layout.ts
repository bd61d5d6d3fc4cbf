// Lays out a graph automatically: nodes in columns from producer to consumer, group frames fitted, notes kept next to
// their nodes.
//
// 1. Group frames are treated as boxes, from the innermost outwards; a group that edges leave and re-enter is opened,
//    because no column order could contain it.
// 2. Each level is arranged (arrange.ts), with notes as parts of adjacent boxes.
// 3. The layout keeps its top left corner, and moves down if it would cover nodes outside the scope.
import type { Catalog } from '../catalog.ts';
import { quote } from '../issues.ts';
import { around, clearDownwards, type Rect } from '../rects.ts';
import type { Graph, GraphEdge, GraphNode, Position } from '../types.ts';
import { type Arranged, arrangeBoxes, GAPS } from './arrange.ts';
import { addSpots, attachNotes, type Block, frameAround, frameBlock, leafBlock } from './block.ts';
import { isNote, legacyParent } from './groups.ts';
import type { Wire } from './layers.ts';
import {
  closedOwner,
  isOpened,
  type LayoutContext,
  type LayoutOptions,
  makeContext,
  openTornGroups,
  portY,
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
  readonly moved: readonly { readonly id: string; readonly position: Position }[];
  readonly groups: readonly GroupBox[];
  readonly warnings: readonly string[];
}

/** Pure and deterministic: the same graph always gets the same layout, and a laid-out graph does not change. */
export function layoutGraph(graph: Graph, catalog: Catalog, options: LayoutOptions = {}): Layout {
  const ctx = makeContext(graph, catalog, options);
  openTornGroups(ctx);
  const roots = [...ctx.inScope].filter(id => closedOwner(ctx, id) === undefined && !isOpened(ctx, id));
  const content = arrangeLevel(ctx, roots);
  const spots = anchor(ctx, content.spots);
  fitOpenFrames(ctx, spots);
  return present(ctx, spots);
}

/** Applies the layout to the graph. Frame sizes go to `style`; the caller recomputes `dims`. */
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
  // The box that the editor last measured is outdated.
  const { measured: _, ...kept } = node as GraphNode & Record<string, unknown>;
  const style = typeof node.style === 'object' ? node.style : {};
  const data = { ...node.data, config: { ...node.data.config, childNodeIds } };
  return { ...kept, style: { ...style, width, height }, data };
}

/** The blocks of these nodes and groups, arranged. */
function arrangeLevel(ctx: LayoutContext, ids: readonly string[]): Omit<Block, 'id'> {
  const blocks = ids.map(id => makeBlock(ctx, id));
  const isNoteBlock = ({ id }: Block): boolean => {
    const node = ctx.nodes.get(id);
    return node !== undefined && isNote(node, ctx.catalog);
  };
  const joined = attachNotes(
    blocks.filter(block => !isNoteBlock(block)),
    blocks.filter(isNoteBlock),
    ctx.before,
  );
  const { wires, edges } = wiresBetween(ctx, joined);
  const arranged = arrangeBoxes(joined, wires, ctx.direction);
  for (const index of arranged.backward) {
    const edge = edges[index];
    if (edge !== undefined)
      ctx.warnings.push(`${edge.target}: The edge ${quote(edge.id)} closes a circle and runs backwards.`);
  }
  return merge(joined, arranged);
}

function makeBlock(ctx: LayoutContext, id: string): Block {
  if (!ctx.closed.has(id)) return leafBlock(id, ctx.before(id));
  const inside = [...ctx.inScope].filter(child => closedOwner(ctx, child) === id && !isOpened(ctx, child));
  return frameBlock(id, arrangeLevel(ctx, inside));
}

function wiresBetween(ctx: LayoutContext, blocks: readonly Block[]): { wires: Wire[]; edges: GraphEdge[] } {
  const home = new Map<string, number>();
  for (const [index, block] of blocks.entries()) for (const id of block.spots.keys()) home.set(id, index);
  const wires: Wire[] = [];
  const edges: GraphEdge[] = [];
  for (const edge of ctx.graph.edges) {
    const [from, to] = [home.get(edge.source), home.get(edge.target)];
    if (from === undefined || to === undefined || from === to) continue;
    const fromTop = blocks[from]?.spots.get(edge.source)?.y ?? 0;
    const toTop = blocks[to]?.spots.get(edge.target)?.y ?? 0;
    wires.push({
      from,
      to,
      fromY: fromTop + portY(ctx, edge.source, edge.sourceHandle, 'outputs'),
      toY: toTop + portY(ctx, edge.target, edge.targetHandle, 'inputs'),
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

/** Shifts the layout to the previous top left corner of its nodes, clear of nodes that are not laid out. */
function anchor(ctx: LayoutContext, spots: ReadonlyMap<string, Rect>): Map<string, Rect> {
  const leaves = [...spots].filter(([id]) => !ctx.closed.has(id));
  const now = around(leaves.map(([, rect]) => rect));
  const then = around(leaves.map(([id]) => ctx.before(id)));
  if (now === undefined || then === undefined) return new Map(spots);
  const placed = new Map<string, Rect>();
  addSpots(placed, spots, Math.round(then.x) - now.x, Math.round(then.y) - now.y);
  const fixed = [...ctx.nodes.keys()]
    .filter(id => !ctx.inScope.has(id) && !ctx.groups.members.has(id))
    .map(ctx.before);
  const shift = clearDownwards([...placed.values()], fixed, GAPS.row);
  if (shift === 0) return placed;
  const cleared = new Map<string, Rect>();
  addSpots(cleared, placed, 0, Math.ceil(shift));
  return cleared;
}

/** Fits frames that are not boxes of the layout around their members, innermost first. */
function fitOpenFrames(ctx: LayoutContext, spots: Map<string, Rect>): void {
  const fit = (id: string): Rect => {
    const known = spots.get(id);
    if (known !== undefined) return known;
    const members = ctx.groups.members.get(id) ?? [];
    const inner = ctx.inScope.has(id) ? around(members.map(fit)) : undefined;
    if (inner === undefined) return ctx.before(id);
    const frame = frameAround(inner);
    spots.set(id, frame);
    return frame;
  };
  for (const id of ctx.inScope) if (isOpened(ctx, id)) fit(id);
}

function present(
  { nodes, groups, inScope, before, warnings }: LayoutContext,
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
