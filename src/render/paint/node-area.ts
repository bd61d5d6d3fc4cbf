// Computes where a node can draw pixels. The area may be too large, never too small, because regions are redrawn by it.

import type { DrawNode, Effect, Matrix, Outline, Shade } from '../timeline/draw-list.ts';
import { multiply, translation } from '../timeline/matrix.ts';
import {
  type Area,
  areaOfSize,
  EMPTY_AREA,
  expandArea,
  INFINITE_AREA,
  intersectAreas,
  scaleOf,
  transformArea,
  translateArea,
  uniteAreas,
} from './area.ts';
import { type Brush, createPath } from './canvas.ts';
import { textArea, textHeight } from './text.ts';

/** A node whose height is known, with the matrix from its box to the surface. */
export interface Placed {
  readonly node: DrawNode;
  readonly matrix: Matrix;
}

/** `outer` maps from the node's container to the surface. */
export function place(brush: Brush, node: DrawNode, outer: Matrix): Placed {
  const matrix = multiply(outer, node.matrix);
  if (!Number.isNaN(node.height)) return { node, matrix };
  const height = node.content.kind === 'text' ? textHeight(brush, node.content, node.width) : 0;
  return { node: { ...node, height }, matrix: multiply(matrix, translation(0, -node.anchorY * height)) };
}

/** The area of the node including its shadow. */
export function areaOf(brush: Brush, placed: Placed): Area {
  const { node, matrix } = placed;
  const inner = innerArea(brush, placed);
  const area = node.shadow === undefined ? inner : uniteAreas(inner, shadowArea(inner, node.shadow, matrix));
  // A matrix with NaN draws nothing, so there is no area to compute.
  return Object.values(area).every(Number.isFinite) ? area : INFINITE_AREA;
}

/** The area of the node without its shadow. */
export function innerArea(brush: Brush, { node, matrix }: Placed): Area {
  const content = expandArea(contentArea(brush, { node, matrix }), blurReach(node.effects, matrix));
  return node.clips.reduce(
    (area, clip) => intersectAreas(area, transformArea(matrix, outlineArea(clip))),
    content,
  );
}

/** The area of the shadow. Shadows are not rotated or skewed with their node. */
export function shadowArea(area: Area, { blur, x, y }: Shade, matrix: Matrix): Area {
  const scale = scaleOf(matrix);
  return expandArea(
    translateArea(area, x * scale, y * scale),
    BLUR_REACH * Math.min(MAX_BLUR, (blur / 2) * scale),
  );
}

/** The largest blur deviation in pixels of the surface. */
export const MAX_BLUR = 400;
/** Standard deviations of a Gaussian that are visible; farther out nothing can be seen. */
const BLUR_REACH = 3.2;

/** How far the node's blur spreads color, in pixels of the surface. */
export function blurReach(effects: readonly Effect[], matrix: Matrix): number {
  const blur = effects.reduce(
    (sum, { type, amount }) => (type === 'blur' ? sum + Math.max(0, amount) : sum),
    0,
  );
  return Math.min(MAX_BLUR * effects.length, blur * scaleOf(matrix)) * BLUR_REACH;
}

/** The area of the content before clips and filters. */
export function contentArea(brush: Brush, { node, matrix }: Placed): Area {
  const { content, width, height, background, border } = node;
  const box = areaOfSize(width, height);
  const own =
    background === undefined && border === undefined
      ? EMPTY_AREA
      : transformArea(matrix, expandArea(box, border?.width ?? 0));
  switch (content.kind) {
    case 'group':
      return content.children.reduce(
        (area, child) => uniteAreas(area, areaOf(brush, place(brush, child, matrix))),
        own,
      );
    case 'text':
      return uniteAreas(
        own,
        transformArea(matrix, textArea(brush, content, { width, height }, stretchOf(matrix))),
      );
    case 'shape':
      // Square caps and round joins extend no farther than this.
      return uniteAreas(
        own,
        transformArea(
          matrix,
          expandArea(outlineArea(content.outline, 1e-3), (content.stroke?.width ?? 0) * 0.75),
        ),
      );
    case 'none':
      return own;
    case 'missing':
      // Draws nothing, but the missing content must be reported.
      return transformArea(matrix, box);
    default:
      // Images of every kind are clipped to their box or have a clip of their own.
      return INFINITE_AREA;
  }
}

/** An upper bound for how much longer a length is in the box than on the surface when only the mean scale is known. */
const stretchOf = (matrix: Matrix): number =>
  Math.hypot(...matrix.slice(0, 4)) / Math.max(1e-9, scaleOf(matrix));

/** The area of an outline in its own box; `least` keeps a line without height from having an empty area. */
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
      return transformArea(outline.matrix, padded(...createPath(outline.data).getBounds()));
    case 'many':
      return outline.parts.reduce((area, part) => uniteAreas(area, outlineArea(part, least)), EMPTY_AREA);
    default:
      return outline satisfies never;
  }
}
