// Paints draw lists onto one surface, frame after frame, redrawing only the regions that changed.
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import type { DrawList, DrawNode, Layer, Matrix } from '../timeline/draw-list.ts';
import { scaling } from '../timeline/matrix.ts';
import { type Area, areaOfSize, expandArea, intersectAreas, isEmpty, pixelsAround, sizeOf } from './area.ts';
import { createSurface, type Surface } from './canvas.ts';
import { type PaintContext, paintNode } from './node.ts';
import { areaOf, place } from './node-area.ts';
import { changedLayers, countStill, mergeRegions } from './regions.ts';
import type { Resources } from './resources.ts';
import { type Sheet, Sheets, stamp } from './sheets.ts';

export interface Painted {
  /** JSON pointers of elements that could not be drawn so far, with reasons. */
  readonly warnings: readonly string[];
  /** Rows [from, to) of the surface that may differ from the previous frame; undefined if none do. */
  readonly rows: readonly [from: number, to: number] | undefined;
}

/** Paints frames on one drawing thread. Surfaces are kept from frame to frame. */
export interface Painter {
  /** Draws the frame onto `surface`. */
  paint(list: DrawList): Painted;
  readonly surface: Surface;
}

/** Creates a painter for frames of the given size; `scale` shrinks the output. */
export function createPainter(width: number, height: number, scale: number, resources: Resources): Painter {
  const frame = areaOfSize(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const sheet: Sheet = { surface: createSurface(frame.right, frame.bottom), area: frame };
  const outer = scaling(frame.right / width, frame.bottom / height);
  const reach = expandArea(frame, Math.min(MAX_REACH, Math.max(frame.right, frame.bottom)));
  const context: PaintContext = { resources, sheets: new Sheets(), reach, warnings: new Map() };
  const areaOfLayer = cacheAreas(sheet, outer);
  const backdrop = createBackdrop(frame, outer, context);
  let before: readonly Layer[] | undefined;
  return {
    surface: sheet.surface,
    paint({ layers }) {
      context.sheets.beginFrame();
      const regions =
        before === undefined ? [frame] : mergeRegions(changedLayers(before, layers).map(areaOfLayer), frame);
      for (const region of regions) {
        const held = before === undefined ? 0 : backdrop.hold(before, layers, region);
        const above = layers
          .slice(held)
          .filter(layer => !isEmpty(intersectAreas(areaOfLayer(layer), region)));
        paintRegion(sheet, region, () => {
          if (held > 0) stamp(sheet, backdrop.sheet());
          else blacken(sheet);
          for (const { node } of above) paintNode(sheet, node, outer, context);
        });
      }
      before = layers;
      return { warnings: [...context.warnings.values()], rows: rowsOf(regions) };
    },
  };
}

const MAX_REACH = 1024;
const MAX_AREAS = 20_000;

/** Caches the area of each layer, since it is needed in every frame. */
function cacheAreas({ surface: { brush }, area }: Sheet, outer: Matrix): (layer: Layer) => Area {
  const known = createLru<Area>(MAX_AREAS);
  return ({ hash, node }) =>
    getOrCreate(known, hash, () =>
      intersectAreas(pixelsAround(areaOf(brush, place(brush, node, outer))), area),
    );
}

function paintRegion({ surface: { brush } }: Sheet, region: Area, draw: () => void): void {
  brush.save();
  brush.resetTransform();
  brush.beginPath();
  brush.rect(region.left, region.top, region.right - region.left, region.bottom - region.top);
  brush.clip();
  draw();
  brush.restore();
}

function blacken({ surface: { brush }, area }: Sheet): void {
  brush.resetTransform();
  brush.fillStyle = '#000000';
  brush.fillRect(0, 0, area.right, area.bottom);
}

interface Backdrop {
  /** Returns how many of the lowest layers the cached picture now contains: 0 if caching does not pay. */
  hold(before: readonly Layer[], layers: readonly Layer[], region: Area): number;
  sheet(): Sheet;
}

/** Below this size, redrawing is as fast as copying. */
const MIN_SHARE = 0.1;

/** Caches the lowest layers that did not change since the previous frame as one picture. */
function createBackdrop(frame: Area, outer: Matrix, context: PaintContext): Backdrop {
  let own: Sheet | undefined;
  let held: readonly Layer[] = [];
  const sheet = (): Sheet => {
    own ??= { surface: createSurface(frame.right, frame.bottom), area: frame };
    return own;
  };
  return {
    sheet,
    hold(before, layers, region) {
      if (countStill(held, layers) < held.length) held = [];
      const still = countStill(before, layers);
      if (sizeOf(region) < MIN_SHARE * sizeOf(frame)) return held.length;
      if (still > held.length && !layers.slice(held.length, still).every(({ node }) => isPlain(node))) {
        if (held.length === 0) blacken(sheet());
        for (const { node } of layers.slice(held.length, still)) paintNode(sheet(), node, outer, context);
        held = layers.slice(0, still);
      }
      return held.length;
    },
  };
}

/** A single color fills as fast as a copy of it. */
const isPlain = ({ content }: DrawNode): boolean =>
  content.kind === 'shape' && content.fill?.type === 'color' && content.stroke === undefined;

function rowsOf(regions: readonly Area[]): Painted['rows'] {
  if (regions.length === 0) return undefined;
  return [Math.min(...regions.map(({ top }) => top)), Math.max(...regions.map(({ bottom }) => bottom))];
}
