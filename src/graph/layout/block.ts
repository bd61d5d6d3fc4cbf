// Builds blocks, which a layout moves as a unit: a node with the notes next to it, or a group frame with its contents.

import { getDistance, type Rect } from '../rects.ts';
import type { Box } from './layers.ts';

/** A unit of the layout: one or more nodes, with rectangles relative to the block's top left corner. */
export interface Block extends Box {
  /** The node or group that the block is built around. */
  readonly id: string;
  readonly rects: ReadonlyMap<string, Rect>;
}

/** Padding between a frame and its contents in canvas pixels; the title takes more at the top. */
const FRAME_PADDING = 40;
const FRAME_TITLE = 48;
const NOTE_GAP = 20;

/** Creates the block of one node in whole pixels, so that everything placed next to it is on whole pixels. */
export function createLeafBlock(id: string, size: Box): Block {
  const [width, height] = [Math.ceil(size.width), Math.ceil(size.height)];
  return { id, width, height, rects: new Map([[id, { x: 0, y: 0, width, height }]]) };
}

/** Returns the frame that fits the bounding box of its members. */
export function getFrameAround(inner: Rect): Rect {
  return {
    x: inner.x - FRAME_PADDING,
    y: inner.y - FRAME_PADDING - FRAME_TITLE,
    width: inner.width + 2 * FRAME_PADDING,
    height: inner.height + 2 * FRAME_PADDING + FRAME_TITLE,
  };
}

/** Returns a group's block around its arranged content. */
export function createFrameBlock(id: string, content: Omit<Block, 'id'>): Block {
  const frame = getFrameAround({ x: 0, y: 0, width: content.width, height: content.height });
  const rects = new Map([[id, { ...frame, x: 0, y: 0 }]]);
  copyShifted(rects, content.rects, -frame.x, -frame.y);
  return { id, width: frame.width, height: frame.height, rects };
}

/** Returns the rectangle of a node before the layout. */
type GetRect = (id: string) => Rect;

/** Attaches each note to the nearest block: above the block if the note was above it before, else below. */
export function attachNotes(
  blocks: readonly Block[],
  notes: readonly Block[],
  getPreviousRect: GetRect,
): Block[] {
  if (notes.length === 0 || blocks.length === 0) return [...blocks, ...notes];
  const notesByBlock = assignNotes(blocks, notes, getPreviousRect);
  return blocks.map(block => {
    const ownNotes = (notesByBlock.get(block) ?? []).sort(
      (a, b) => getPreviousRect(a.id).y - getPreviousRect(b.id).y,
    );
    const middle = getCenterY(getPreviousRect(block.id));
    const above = ownNotes.filter(note => getCenterY(getPreviousRect(note.id)) < middle);
    return stack([...above, block, ...ownNotes.filter(note => !above.includes(note))], block.id);
  });
}

/**
 * Assigns each note to its nearest block, starting with the closest pairs. A note next to an assigned note joins the
 * same block.
 */
function assignNotes(
  blocks: readonly Block[],
  notes: readonly Block[],
  getPreviousRect: GetRect,
): Map<Block, Block[]> {
  const notesByBlock = new Map<Block, Block[]>();
  const unassigned = new Map(
    notes.map(note => [note, findNearest(blocks, getPreviousRect(note.id), getPreviousRect)]),
  );
  while (unassigned.size > 0) {
    const [note, { host }] = [...unassigned].reduce((a, b) => (b[1].gap < a[1].gap ? b : a));
    unassigned.delete(note);
    notesByBlock.set(host, [...(notesByBlock.get(host) ?? []), note]);
    for (const [otherNote, { gap }] of unassigned) {
      const nearer = getDistance(getPreviousRect(otherNote.id), getPreviousRect(note.id));
      if (nearer < gap) unassigned.set(otherNote, { host, gap: nearer });
    }
  }
  return notesByBlock;
}

function findNearest(blocks: readonly Block[], note: Rect, getPreviousRect: GetRect) {
  return blocks
    .map(host => ({ host, gap: getDistance(note, getPreviousRect(host.id)) }))
    .reduce((a, b) => (b.gap < a.gap ? b : a));
}

function getCenterY({ y, height }: Rect): number {
  return y + height / 2;
}

function stack(blocks: readonly Block[], id: string): Block {
  const rects = new Map<string, Rect>();
  let width = 0;
  let height = -NOTE_GAP;
  for (const block of blocks) {
    height += NOTE_GAP;
    copyShifted(rects, block.rects, 0, height);
    width = Math.max(width, block.width);
    height += block.height;
  }
  return { id, width, height, rects };
}

/** Copies rectangles from `source` to `target`, shifted. */
export function copyShifted(target: Map<string, Rect>, source: Block['rects'], dx: number, dy: number): void {
  for (const [id, rect] of source) target.set(id, { ...rect, x: rect.x + dx, y: rect.y + dy });
}
