// Surfaces for what is blended as a whole: lent out by size, and those that are drawn again and again kept by content.
import { createLru } from '../../lib/lru.ts';
import { type Area, sizeOf } from './area.ts';
import { createSurface, type Surface } from './canvas.ts';

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
  /** Instead of giving it back; false where all that is kept was used in this frame or the one before. */
  keep(key: string, sheet: Sheet): boolean;
  /** Whether the key was asked about lately: what comes twice is likely to come again. */
  sawBefore(key: string): boolean;
  /** Told at the start of each frame. */
  beginFrame(): void;
}

const pixelsOf = ({ canvas }: Surface): number => canvas.width * canvas.height;

export function createSheets(): Sheets {
  const spare: Surface[] = [];
  // A Map iterates in insertion order; re-inserting on each use keeps the oldest use first.
  const kept = new Map<string, { readonly sheet: Sheet; readonly frame: number }>();
  const seen = createLru<true>(500);
  let [lent, waiting, keeping, frame] = [0, 0, 0, 0];
  const take = (width: number, height: number): Surface => {
    const at = spare.findIndex(({ canvas }) => canvas.width === width && canvas.height === height);
    const [found] = at < 0 ? [] : spare.splice(at, 1);
    if (found === undefined) return createSurface(width, height);
    waiting -= pixelsOf(found);
    found.brush.reset();
    return found;
  };
  const lay = (surface: Surface): void => {
    spare.push(surface);
    waiting += pixelsOf(surface);
    while (waiting > MAX_SPARE_PIXELS) {
      const oldest = spare.shift();
      if (oldest === undefined) break;
      waiting -= pixelsOf(oldest);
    }
  };
  /** Forgets what was not used for longest until there is room for so many pixels. */
  const makeRoom = (pixels: number): boolean => {
    for (const [key, { sheet, frame: used }] of kept) {
      if (keeping + pixels <= MAX_KEPT_PIXELS) break;
      if (used >= frame - 1) return false;
      kept.delete(key);
      keeping -= pixelsOf(sheet.surface);
      lay(sheet.surface);
    }
    return keeping + pixels <= MAX_KEPT_PIXELS;
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
      lay(surface);
    },
    kept(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, { sheet: found.sheet, frame });
      return found.sheet;
    },
    keep(key, sheet) {
      const pixels = pixelsOf(sheet.surface);
      if (kept.has(key) || !makeRoom(pixels)) return false;
      lent -= sizeOf(sheet.area);
      keeping += pixels;
      kept.set(key, { sheet, frame });
      return true;
    },
    sawBefore(key) {
      const isKnown = seen.get(key) === true;
      if (!isKnown) seen.set(key, true, 1);
      return isKnown;
    },
    beginFrame() {
      frame++;
    },
  };
}

/** The rasterizer draws late, and holds a copy of every sheet until then: at most so many pixels of them, 128 MB. */
const MAX_PENDING_PIXELS = 32_000_000;
const pending = new WeakMap<Surface, number>();

/** Draws one sheet onto another, pixel on pixel, with the alpha, blend, filter and shadow that its brush is set to. */
export function stamp({ surface: target, area: onto }: Sheet, { surface, area }: Sheet): void {
  const { brush } = target;
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
  const waiting = (pending.get(target) ?? 0) + width * height;
  pending.set(target, waiting > MAX_PENDING_PIXELS ? 0 : waiting);
  // To read a pixel is to have everything drawn.
  if (waiting > MAX_PENDING_PIXELS) brush.getImageData(0, 0, 1, 1);
}
