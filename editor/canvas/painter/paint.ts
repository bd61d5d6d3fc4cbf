// Paints the board on one 2D canvas: all edges, and the nodes that are not mounted.

import type { Rect } from '../../../src/graph/rects.ts';
import { toTypeName } from '../colors.ts';
import { paintCards } from './paint-cards.ts';
import { paintBoxes, paintFrames, paintNotes, paintOutlines, paintResults } from './paint-nodes.ts';
import { FAR_ZOOM, getVisibleRect, type PaintInput } from './painting.ts';
import { type Bezier, grow, intersects, type SceneEdge, type SceneNode, toBezier } from './scene.ts';
import type { Context } from './shapes.ts';

export function paint(ctx: Context, painting: PaintInput): void {
  const { viewport, size, ratio } = painting;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, size.width, size.height);
  ctx.setTransform(
    ratio * viewport.zoom,
    0,
    0,
    ratio * viewport.zoom,
    ratio * viewport.x,
    ratio * viewport.y,
  );
  const view = getVisibleRect(viewport, size);
  const isFar = viewport.zoom < FAR_ZOOM;
  const visible = findVisibleNodes(painting, view);
  const nodes = isFar ? visible : visible.filter(({ id }) => !painting.mounted.has(id));
  const { group = [], note = [], card = [] } = Object.groupBy(nodes, node => node.card.type ?? 'card');
  paintFrames(ctx, painting, group);
  paintEdges(ctx, painting, view);
  paintNotes(ctx, painting, note);
  (isFar ? paintBoxes : paintCards)(ctx, painting, card);
  paintResults(ctx, painting, nodes);
  paintOutlines(ctx, painting, visible);
}

/** How far marks extend beyond the box of a node, in pixels. */
const MARK_PX = 12;

function findVisibleNodes({ scene, positions }: PaintInput, view: Rect): readonly SceneNode[] {
  const area = grow(view, MARK_PX);
  return scene.nodes.flatMap(node => {
    const position = positions.get(node.id);
    const current = position === undefined ? node : { ...node, ...position };
    return intersects(current, area) ? [current] : [];
  });
}

/** Below this zoom, curves are drawn as straight lines. */
const STRAIGHT_ZOOM = 0.14;
const WIDTH_PX = 2;
const MIN_WIDTH_SCREEN_PX = 0.7;

function paintEdges(ctx: Context, painting: PaintInput, view: Rect): void {
  const { scene, positions, selection, highlighted, colors, viewport, getPaintedState } = painting;
  const width = Math.max(WIDTH_PX, MIN_WIDTH_SCREEN_PX / viewport.zoom);
  const beziersByType = new Map<string, Bezier[]>();
  const emphasized: [edge: SceneEdge, bezier: Bezier][] = [];
  for (const edge of scene.edges) {
    const bezier = toBezier(edge, positions);
    if (!isVisible(bezier, view)) continue;
    const isFlowing = getPaintedState(edge.source.id)?.status === 'RUNNING';
    if (selection.has(edge.id) || highlighted.has(edge.id) || isFlowing) emphasized.push([edge, bezier]);
    else {
      const type = toTypeName(edge.resolvedEdge.type);
      const beziers = beziersByType.get(type);
      if (beziers === undefined) beziersByType.set(type, [bezier]);
      else beziers.push(bezier);
    }
  }
  ctx.lineWidth = width;
  ctx.globalAlpha = viewport.zoom < STRAIGHT_ZOOM ? 0.45 : 0.75;
  for (const [type, beziers] of beziersByType) {
    ctx.strokeStyle = colors.types.get(type) ?? colors.muted;
    strokeBeziers(ctx, beziers, viewport.zoom);
  }
  ctx.globalAlpha = 1;
  ctx.lineWidth = width * 1.6;
  for (const [edge, bezier] of emphasized) {
    const isHighlighted = selection.has(edge.id) || highlighted.has(edge.id);
    ctx.strokeStyle = isHighlighted
      ? colors.accent
      : (colors.types.get(toTypeName(edge.resolvedEdge.type)) ?? colors.muted);
    strokeBeziers(ctx, [bezier], viewport.zoom);
  }
}

const isVisible = ({ x1, y1, x2, y2, controlOffset }: Bezier, view: Rect): boolean =>
  Math.min(x1, x2 - controlOffset) < view.x + view.width &&
  Math.max(x2, x1 + controlOffset) > view.x &&
  Math.min(y1, y2) < view.y + view.height &&
  Math.max(y1, y2) > view.y;

function strokeBeziers(ctx: Context, beziers: readonly Bezier[], zoom: number): void {
  ctx.beginPath();
  for (const { x1, y1, x2, y2, controlOffset } of beziers) {
    ctx.moveTo(x1, y1);
    if (zoom < STRAIGHT_ZOOM) ctx.lineTo(x2, y2);
    else ctx.bezierCurveTo(x1 + controlOffset, y1, x2 - controlOffset, y2, x2, y2);
  }
  ctx.stroke();
}
