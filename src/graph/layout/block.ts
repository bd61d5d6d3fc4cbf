// Builds blocks, which a layout moves as a unit: a node with the notes next to it, or a group frame with its contents.

import { distance, type Rect } from '../rects.ts';
import type { Box } from './layers.ts';

/** Rectangles of nodes relative to the block's top left corner. */
export interface Block extends Box {
  /** The node or group that the block is built around. */
  readonly id: string;
  readonly spots: ReadonlyMap<string, Rect>;
}

/** Padding between a frame and its contents in canvas pixels; the title takes more at the top. */
const FRAME_PADDING = 40;
const FRAME_TITLE = 48;
const NOTE_GAP = 20;

/** A block of one node, in whole pixels, so that everything placed next to it is on whole pixels. */
export function leafBlock(id: string, size: Box): Block {
  const [width, height] = [Math.ceil(size.width), Math.ceil(size.height)];
  return { id, width, height, spots: new Map([[id, { x: 0, y: 0, width, height }]]) };
}

/** The frame that fits the bounding box of its members. */
export function frameAround(inner: Rect): Rect {
  return {
    x: inner.x - FRAME_PADDING,
    y: inner.y - FRAME_PADDING - FRAME_TITLE,
    width: inner.width + 2 * FRAME_PADDING,
    height: inner.height + 2 * FRAME_PADDING + FRAME_TITLE,
  };
}

/** A group's block around its arranged content. */
export function frameBlock(id: string, content: Omit<Block, 'id'>): Block {
  const frame = frameAround({ x: 0, y: 0, width: content.width, height: content.height });
  const spots = new Map([[id, { ...frame, x: 0, y: 0 }]]);
  addSpots(spots, content.spots, -frame.x, -frame.y);
  return { id, width: frame.width, height: frame.height, spots };
}

/** Where a node was before the layout. */
type RectOf = (id: string) => Rect;

/** Attaches each note to the nearest block, above or below it as before. */
export function attachNotes(blocks: readonly Block[], notes: readonly Block[], before: RectOf): Block[] {
  if (notes.length === 0 || blocks.length === 0) return [...blocks, ...notes];
  const hosted = hostNotes(blocks, notes, before);
  return blocks.map(block => {
    const own = (hosted.get(block) ?? []).sort((a, b) => before(a.id).y - before(b.id).y);
    const middle = middleOf(before(block.id));
    const above = own.filter(note => middleOf(before(note.id)) < middle);
    return stack([...above, block, ...own.filter(note => !above.includes(note))], block.id);
  });
}

/** Nearest notes first, each to its nearest block; a note next to a note belongs to the same block. */
function hostNotes(blocks: readonly Block[], notes: readonly Block[], before: RectOf): Map<Block, Block[]> {
  const hosted = new Map<Block, Block[]>();
  const waiting = new Map(notes.map(note => [note, nearestOf(blocks, before(note.id), before)]));
  while (waiting.size > 0) {
    const [note, { host }] = [...waiting].reduce((a, b) => (b[1].far < a[1].far ? b : a));
    waiting.delete(note);
    hosted.set(host, [...(hosted.get(host) ?? []), note]);
    for (const [other, { far }] of waiting) {
      const nearer = distance(before(other.id), before(note.id));
      if (nearer < far) waiting.set(other, { host, far: nearer });
    }
  }
  return hosted;
}

function nearestOf(blocks: readonly Block[], note: Rect, before: RectOf) {
  return blocks
    .map(host => ({ host, far: distance(note, before(host.id)) }))
    .reduce((a, b) => (b.far < a.far ? b : a));
}

function middleOf({ y, height }: Rect): number {
  return y + height / 2;
}

function stack(blocks: readonly Block[], id: string): Block {
  const spots = new Map<string, Rect>();
  let width = 0;
  let height = -NOTE_GAP;
  for (const block of blocks) {
    height += NOTE_GAP;
    addSpots(spots, block.spots, 0, height);
    width = Math.max(width, block.width);
    height += block.height;
  }
  return { id, width, height, spots };
}

/** Copies rectangles, shifted. */
export function addSpots(spots: Map<string, Rect>, from: Block['spots'], dx: number, dy: number): void {
  for (const [id, rect] of from) spots.set(id, { ...rect, x: rect.x + dx, y: rect.y + dy });
}
