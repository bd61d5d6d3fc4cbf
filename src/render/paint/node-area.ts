// Computes where a node can draw pixels. An area may be too large but never too small, because only changed areas are
// redrawn.

import type { DrawNode, Effect, Matrix, Outline, ResolvedShadow } from '../timeline/draw-list.ts';
import { multiply, translation } from '../timeline/matrix.ts';
import {
  type Area,
  EMPTY_AREA,
  expandArea,
  getMeanScale,
  INFINITE_AREA,
  intersectAreas,
  toArea,
  transformArea,
  translateArea,
  uniteAreas,
} from './area.ts';
import { type CanvasContext, createPath } from './canvas.ts';
import { getTextArea, measureTextHeight } from './text.ts';

/** A node with a known height, and the matrix from its box to the surface. */
export interface PlacedNode {
  readonly node: DrawNode;
  readonly matrix: Matrix;
}

/** Places the node. `outerMatrix` maps from its container to the surface. */
export function toPlacedNode(ctx: CanvasContext, node: DrawNode, outerMatrix: Matrix): PlacedNode {
  const matrix = multiply(outerMatrix, node.matrix);
  if (!Number.isNaN(node.height)) return { node, matrix };
  const height = node.content.kind === 'text' ? measureTextHeight(ctx, node.content, node.width) : 0;
  return { node: { ...node, height }, matrix: multiply(matrix, translation(0, -node.anchorY * height)) };
}

/** Returns the area of the node including its shadow. */
export function getNodeArea(ctx: CanvasContext, placed: PlacedNode): Area {
  const { node, matrix } = placed;
  const innerArea = getInnerArea(ctx, placed);
  const area =
    node.shadow === undefined
      ? innerArea
      : uniteAreas(innerArea, getShadowArea(innerArea, node.shadow, matrix));
  // With NaN in the matrix, nothing is drawn. Any area is large enough then.
  return Object.values(area).every(Number.isFinite) ? area : INFINITE_AREA;
}

/** Returns the area of the node without its shadow. */
export function getInnerArea(ctx: CanvasContext, { node, matrix }: PlacedNode): Area {
  const content = expandArea(getContentArea(ctx, { node, matrix }), getBlurReach(node.effects, matrix));
  return node.clips.reduce(
    (area, clip) => intersectAreas(area, transformArea(matrix, getOutlineArea(clip))),
    content,
  );
}

/** Returns the area of the shadow. Shadows are not rotated or skewed with their node. */
export function getShadowArea(area: Area, { blur, x, y }: ResolvedShadow, matrix: Matrix): Area {
  const scale = getMeanScale(matrix);
  return expandArea(
    translateArea(area, x * scale, y * scale),
    BLUR_REACH * Math.min(MAX_BLUR, (blur / 2) * scale),
  );
}

/** The largest blur deviation in pixels of the surface. */
export const MAX_BLUR = 400;
/** Visible extent of a Gaussian blur, in standard deviations. */
const BLUR_REACH = 3.2;

/** Returns how far the node's blur spreads color, in pixels of the surface. */
export function getBlurReach(effects: readonly Effect[], matrix: Matrix): number {
  const blur = effects.reduce(
    (sum, { type, amount }) => (type === 'blur' ? sum + Math.max(0, amount) : sum),
    0,
  );
  return Math.min(MAX_BLUR * effects.length, blur * getMeanScale(matrix)) * BLUR_REACH;
}

/** Returns the area of the content before clips and filters. */
export function getContentArea(ctx: CanvasContext, { node, matrix }: PlacedNode): Area {
  const { content, width, height, background, border } = node;
  const box = toArea(width, height);
  const boxArea =
    background === undefined && border === undefined
      ? EMPTY_AREA
      : transformArea(matrix, expandArea(box, border?.width ?? 0));
  switch (content.kind) {
    case 'group':
      return content.children.reduce(
        (area, child) => uniteAreas(area, getNodeArea(ctx, toPlacedNode(ctx, child, matrix))),
        boxArea,
      );
    case 'text':
      return uniteAreas(
        boxArea,
        transformArea(matrix, getTextArea(ctx, content, { width, height }, getMaxStretch(matrix))),
      );
    case 'shape':
      // Includes square caps and round joins.
      return uniteAreas(
        boxArea,
        transformArea(
          matrix,
          expandArea(getOutlineArea(content.outline, 1e-3), (content.stroke?.width ?? 0) * 0.75),
        ),
      );
    case 'none':
      return boxArea;
    case 'missing':
      // Draws nothing, but painting must report the missing content.
      return transformArea(matrix, box);
    default:
      // Other content is limited by the clips of the node.
      return INFINITE_AREA;
  }
}

/**
 * Returns an upper bound for the ratio of the mean scale to the smallest scale. Shadows use the mean scale, so they can
 * reach this many times farther in the box.
 */
const getMaxStretch = (matrix: Matrix): number =>
  Math.hypot(...matrix.slice(0, 4)) / Math.max(1e-9, getMeanScale(matrix));

/** Returns the area of an outline in its box. `minSize` keeps the area of a line without height from being empty. */
function getOutlineArea(outline: Outline, minSize = 0): Area {
  const padArea = (left: number, top: number, right: number, bottom: number): Area => ({
    left: left - minSize,
    top: top - minSize,
    right: right + minSize,
    bottom: bottom + minSize,
  });
  switch (outline.form) {
    case 'rect':
      return padArea(outline.x, outline.y, outline.x + outline.width, outline.y + outline.height);
    case 'ellipse': {
      const { x, y, rx, ry } = outline;
      return padArea(x - rx, y - ry, x + rx, y + ry);
    }
    case 'points': {
      const [xs, ys] = [outline.points.map(([x]) => x), outline.points.map(([, y]) => y)];
      return padArea(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
    }
    case 'path':
      return transformArea(outline.matrix, padArea(...createPath(outline.data).getBounds()));
    case 'many':
      return outline.parts.reduce(
        (area, part) => uniteAreas(area, getOutlineArea(part, minSize)),
        EMPTY_AREA,
      );
    default:
      return outline satisfies never;
  }
}
