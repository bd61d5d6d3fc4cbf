// Paints draw lists onto one surface, frame after frame, redrawing only the regions that changed.
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import type { DrawList, DrawNode, Layer, Matrix } from '../timeline/draw-list.ts';
import { scaling } from '../timeline/matrix.ts';
import {
  type Area,
  expandArea,
  getPixelCount,
  intersectAreas,
  isEmpty,
  roundOutwards,
  toArea,
} from './area.ts';
import { createSurface, type Surface } from './canvas.ts';
import { type PaintContext, paintNode } from './node.ts';
import { getNodeArea, toPlacedNode } from './node-area.ts';
import { countUnchanged, findChangedLayers, mergeRegions } from './regions.ts';
import type { Resources } from './resources.ts';
import { composite, type OffscreenSurface, SurfacePool } from './surface-pool.ts';

export interface PaintResult {
  /** A JSON pointer and a reason for each element that could not be drawn in the frames so far. */
  readonly warnings: readonly string[];
  /** Rows [from, to) of the surface that may differ from the previous frame; undefined if none do. */
  readonly rows: readonly [from: number, to: number] | undefined;
}

/** Paints the frames of one drawing thread, and reuses surfaces for them. */
export interface Painter {
  /** Draws a frame to `surface`. */
  paint(list: DrawList): PaintResult;
  readonly surface: Surface;
}

/** Creates a painter for frames of the given size; `scale` shrinks the output. */
export function createPainter(width: number, height: number, scale: number, resources: Resources): Painter {
  const frame = toArea(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const target: OffscreenSurface = { surface: createSurface(frame.right, frame.bottom), area: frame };
  const outerMatrix = scaling(frame.right / width, frame.bottom / height);
  const paddedFrame = expandArea(frame, Math.min(MAX_PADDING, Math.max(frame.right, frame.bottom)));
  const context: PaintContext = {
    resources,
    surfaces: new SurfacePool(),
    paddedFrame,
    warnings: new Map(),
  };
  const getLayerArea = createLayerAreaLookup(target, outerMatrix);
  const backdrop = createBackdrop(frame, outerMatrix, context);
  let previousLayers: readonly Layer[] | undefined;
  return {
    surface: target.surface,
    paint({ layers }) {
      context.surfaces.beginFrame();
      const regions =
        previousLayers === undefined
          ? [frame]
          : mergeRegions(findChangedLayers(previousLayers, layers).map(getLayerArea), frame);
      for (const region of regions) {
        const cachedCount =
          previousLayers === undefined ? 0 : backdrop.update(previousLayers, layers, region);
        const layersAbove = layers
          .slice(cachedCount)
          .filter(layer => !isEmpty(intersectAreas(getLayerArea(layer), region)));
        paintRegion(target, region, () => {
          if (cachedCount > 0) composite(target, backdrop.getSurface());
          else fillBlack(target);
          for (const { node } of layersAbove) paintNode(target, node, outerMatrix, context);
        });
      }
      previousLayers = layers;
      return { warnings: [...context.warnings.values()], rows: getRowRange(regions) };
    },
  };
}

const MAX_PADDING = 1024;
const MAX_AREAS = 20_000;

/** Returns a function that returns the area of a layer. Areas are cached, because every frame needs them. */
function createLayerAreaLookup(
  { surface: { ctx }, area }: OffscreenSurface,
  outerMatrix: Matrix,
): (layer: Layer) => Area {
  const areas = createLru<Area>(MAX_AREAS);
  return ({ hash, node }) =>
    getOrCreate(areas, hash, () =>
      intersectAreas(roundOutwards(getNodeArea(ctx, toPlacedNode(ctx, node, outerMatrix))), area),
    );
}

function paintRegion({ surface: { ctx } }: OffscreenSurface, region: Area, draw: () => void): void {
  ctx.save();
  ctx.resetTransform();
  ctx.beginPath();
  ctx.rect(region.left, region.top, region.right - region.left, region.bottom - region.top);
  ctx.clip();
  draw();
  ctx.restore();
}

function fillBlack({ surface: { ctx }, area }: OffscreenSurface): void {
  ctx.resetTransform();
  ctx.fillStyle = '#000000';
  ctx.fillRect(0, 0, area.right, area.bottom);
}

interface Backdrop {
  /** Returns how many of the lowest layers the cached surface contains; 0 if caching is not worthwhile. */
  update(previousLayers: readonly Layer[], layers: readonly Layer[], region: Area): number;
  getSurface(): OffscreenSurface;
}

/** Below this share of the frame, redrawing a region is as fast as copying it. */
const MIN_REGION_SHARE = 0.1;

/** Caches the lowest layers, below the first that changed since the previous frame, as one surface. */
function createBackdrop(frame: Area, outerMatrix: Matrix, context: PaintContext): Backdrop {
  let cached: OffscreenSurface | undefined;
  let cachedLayers: readonly Layer[] = [];
  const getSurface = (): OffscreenSurface => {
    cached ??= { surface: createSurface(frame.right, frame.bottom), area: frame };
    return cached;
  };
  return {
    getSurface,
    update(previousLayers, layers, region) {
      if (countUnchanged(cachedLayers, layers) < cachedLayers.length) cachedLayers = [];
      const unchangedCount = countUnchanged(previousLayers, layers);
      if (getPixelCount(region) < MIN_REGION_SHARE * getPixelCount(frame)) return cachedLayers.length;
      if (
        unchangedCount > cachedLayers.length &&
        !layers.slice(cachedLayers.length, unchangedCount).every(({ node }) => isSingleColor(node))
      ) {
        if (cachedLayers.length === 0) fillBlack(getSurface());
        for (const { node } of layers.slice(cachedLayers.length, unchangedCount))
          paintNode(getSurface(), node, outerMatrix, context);
        cachedLayers = layers.slice(0, unchangedCount);
      }
      return cachedLayers.length;
    },
  };
}

/** Returns whether the node only fills a shape with one color, which is as fast as copying. */
const isSingleColor = ({ content }: DrawNode): boolean =>
  content.kind === 'shape' && content.fill?.type === 'color' && content.stroke === undefined;

function getRowRange(regions: readonly Area[]): PaintResult['rows'] {
  if (regions.length === 0) return undefined;
  return [Math.min(...regions.map(({ top }) => top)), Math.max(...regions.map(({ bottom }) => bottom))];
}
