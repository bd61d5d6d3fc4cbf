// Surfaces for what is blended as a whole: lent out by size, and those that are drawn again and again kept by content.
import { createLru } from '../lib/lru.ts';
import { type Area, sizeOf } from './area.ts';
import { createSurface, type Surface } from './paint.ts';

/** A surface that stands for a part of the frame, in whole pixels: what is at `area.left` there is at 0 here. */
export interface Sheet {
  readonly surface: Surface;
  readonly area: Area;
}

/** Of all sheets that are lent at once: a quarter of a gigabyte. */
const MAX_LENT_PIXELS = 64_000_000;
/** Of those kept for the frames to come, 80 MB, and of those that wait to be lent again, half of that. */
const MAX_KEPT_PIXELS = 20_000_000;
const MAX_SPARE_PIXELS = 10_000_000;
const GRAIN = 128;

export interface Sheets {
  /** Whether sheets of groups within groups leave room for three more of that size. */
  hasRoom(area: Area): boolean;
  /** A clear sheet whose brush draws within the area alone. */
  borrow(area: Area): Sheet;
  give(sheet: Sheet): void;
  kept(key: string): Sheet | undefined;
  /** Instead of giving it back. */
  keep(key: string, sheet: Sheet): void;
  /** Whether the key was asked about lately: what comes twice is likely to come again. */
  sawBefore(key: string): boolean;
}

export function createSheets(): Sheets {
  const spare: Surface[] = [];
  const kept = createLru<Sheet>(MAX_KEPT_PIXELS);
  const seen = createLru<true>(500);
  let [lent, waiting] = [0, 0];
  const take = (width: number, height: number): Surface => {
    const at = spare.findIndex(({ canvas }) => canvas.width === width && canvas.height === height);
    const [found] = at < 0 ? [] : spare.splice(at, 1);
    if (found === undefined) return createSurface(width, height);
    waiting -= width * height;
    found.brush.reset();
    return found;
  };
  return {
    hasRoom: area => lent + 3 * sizeOf(area) <= MAX_LENT_PIXELS,
    borrow(area) {
      const [width, height] = [area.right - area.left, area.bottom - area.top];
      // Few sizes, so that what is given back fits the next one.
      const surface = take(Math.ceil(width / GRAIN) * GRAIN, Math.ceil(height / GRAIN) * GRAIN);
      lent += sizeOf(area);
      surface.brush.beginPath();
      surface.brush.rect(0, 0, width, height);
      surface.brush.clip();
      return { surface, area };
    },
    give({ surface, area }) {
      lent -= sizeOf(area);
      spare.push(surface);
      waiting += surface.canvas.width * surface.canvas.height;
      while (waiting > MAX_SPARE_PIXELS) {
        const oldest = spare.shift();
        if (oldest === undefined) break;
        waiting -= oldest.canvas.width * oldest.canvas.height;
      }
    },
    kept: key => kept.get(key),
    keep(key, sheet) {
      lent -= sizeOf(sheet.area);
      kept.set(key, sheet, sheet.surface.canvas.width * sheet.surface.canvas.height);
    },
    sawBefore(key) {
      const isKnown = seen.get(key) === true;
      if (!isKnown) seen.set(key, true, 1);
      return isKnown;
    },
  };
}

/** Draws one sheet onto another, pixel on pixel, with the alpha, blend, filter and shadow that its brush is set to. */
export function stamp({ surface: { brush }, area: onto }: Sheet, { surface, area }: Sheet): void {
  const [width, height] = [area.right - area.left, area.bottom - area.top];
  brush.resetTransform();
  brush.imageSmoothingEnabled = false;
  brush.drawImage(
    surface.canvas,
    0,
    0,
    width,
    height,
    area.left - onto.left,
    area.top - onto.top,
    width,
    height,
  );
}
