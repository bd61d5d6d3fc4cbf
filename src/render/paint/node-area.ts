// Where on the surface a node can leave pixels: never less than it does, for regions are redrawn by it.

import type { DrawNode, Effect, Matrix, Outline, Shade } from '../timeline/draw-list.ts';
import { multiply, translation } from '../timeline/matrix.ts';
import {
  type Area,
  areaOfSize,
  common,
  EVERYWHERE,
  grown,
  mapped,
  NOWHERE,
  scaleOf,
  shifted,
  united,
} from './area.ts';
import { type Brush, createPath } from './canvas.ts';
import { textArea, textHeight } from './text.ts';

/** A node whose height is known, with the matrix from its box to the surface. */
export interface Placed {
  readonly node: DrawNode;
  readonly matrix: Matrix;
}

/** `outer` leads from what contains the node to the surface. */
export function place(brush: Brush, node: DrawNode, outer: Matrix): Placed {
  const matrix = multiply(outer, node.matrix);
  if (!Number.isNaN(node.height)) return { node, matrix };
  const height = node.content.kind === 'text' ? textHeight(brush, node.content, node.width) : 0;
  return { node: { ...node, height }, matrix: multiply(matrix, translation(0, -node.anchorY * height)) };
}

/** Everything of the node, its shadow included. */
export function areaOf(brush: Brush, placed: Placed): Area {
  const { node, matrix } = placed;
  const inner = innerArea(brush, placed);
  const area = node.shadow === undefined ? inner : united(inner, shadowArea(inner, node.shadow, matrix));
  // A matrix that has lost its numbers draws nothing whose area is known.
  return Object.values(area).every(Number.isFinite) ? area : EVERYWHERE;
}

/** The node without its shadow. */
export function innerArea(brush: Brush, { node, matrix }: Placed): Area {
  const content = grown(contentArea(brush, { node, matrix }), blurReach(node.effects, matrix));
  return node.clips.reduce((area, clip) => common(area, mapped(matrix, outlineArea(clip))), content);
}

/** Where the shadow of that falls; it is neither turned nor skewed with its node. */
export function shadowArea(area: Area, { blur, x, y }: Shade, matrix: Matrix): Area {
  const scale = scaleOf(matrix);
  return grown(shifted(area, x * scale, y * scale), BLUR_REACH * Math.min(MOST_BLUR, (blur / 2) * scale));
}

/** The largest deviation that anything is blurred by, in pixels of the surface. */
export const MOST_BLUR = 400;
/** Of a Gaussian, in standard deviations; nothing is seen of what lies further out. */
const BLUR_REACH = 3.2;

/** How far the node's blur carries colour, in pixels of the surface. */
export function blurReach(effects: readonly Effect[], matrix: Matrix): number {
  const blur = effects.reduce(
    (sum, { type, amount }) => (type === 'blur' ? sum + Math.max(0, amount) : sum),
    0,
  );
  return Math.min(MOST_BLUR * effects.length, blur * scaleOf(matrix)) * BLUR_REACH;
}

/** What is drawn inside, before clips and filters. */
export function contentArea(brush: Brush, { node, matrix }: Placed): Area {
  const { content, width, height, background, border } = node;
  const box = areaOfSize(width, height);
  const own =
    background === undefined && border === undefined
      ? NOWHERE
      : mapped(matrix, grown(box, border?.width ?? 0));
  switch (content.kind) {
    case 'group':
      return content.children.reduce(
        (area, child) => united(area, areaOf(brush, place(brush, child, matrix))),
        own,
      );
    case 'text':
      return united(own, mapped(matrix, textArea(brush, content, { width, height }, stretchOf(matrix))));
    case 'shape':
      // Square caps and round joins reach out by no more than this.
      return united(
        own,
        mapped(matrix, grown(outlineArea(content.outline, 1e-3), (content.stroke?.width ?? 0) * 0.75)),
      );
    case 'none':
      return own;
    case 'missing':
      // Nothing is drawn, but what is missing must be reported.
      return mapped(matrix, box);
    default:
      // Pictures of every kind are cut off at their box, or else by a clip of their own.
      return EVERYWHERE;
  }
}

/** An upper bound of how much longer than on the surface a length is in the box, where only the mean scale is known. */
const stretchOf = (matrix: Matrix): number =>
  Math.hypot(...matrix.slice(0, 4)) / Math.max(1e-9, scaleOf(matrix));

/** The area of an outline in its own box; `least` keeps lines without any height from being nothing. */
function outlineArea(outline: Outline, least = 0): Area {
  const padded = (left: number, top: number, right: number, bottom: number): Area => ({
    left: left - least,
    top: top - least,
    right: right + least,
    bottom: bottom + least,
  });
  switch (outline.form) {
    case 'rect':
      return padded(outline.x, outline.y, outline.x + outline.width, outline.y + outline.height);
    case 'ellipse': {
      const { x, y, rx, ry } = outline;
      return padded(x - rx, y - ry, x + rx, y + ry);
    }
    case 'points': {
      const [xs, ys] = [outline.points.map(([x]) => x), outline.points.map(([, y]) => y)];
      return padded(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
    }
    case 'path':
      return mapped(outline.matrix, padded(...createPath(outline.data).getBounds()));
    case 'many':
      return outline.parts.reduce((area, part) => united(area, outlineArea(part, least)), NOWHERE);
    default:
      return outline satisfies never;
  }
}
