// Surfaces for what is blended as one picture: lent out by size, and those that are drawn again and again kept by content.
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

const pixelsOf = ({ canvas }: Surface): number => canvas.width * canvas.height;

export class Sheets {
  readonly #spare: Surface[] = [];
  // A Map iterates in insertion order; re-inserting on each use keeps the oldest use first.
  readonly #kept = new Map<string, { readonly sheet: Sheet; readonly frame: number }>();
  readonly #seen = createLru<true>(500);
  #lentPixels = 0;
  #sparePixels = 0;
  #keptPixels = 0;
  #frame = 0;

  /** Whether sheets of groups within groups leave room for three more of that size. */
  hasRoom(area: Area): boolean {
    return this.#lentPixels + 3 * sizeOf(area) <= MAX_LENT_PIXELS;
  }

  /** A clear sheet whose brush draws within the area alone. */
  borrow(area: Area): Sheet {
    const [width, height] = [area.right - area.left, area.bottom - area.top];
    // Few sizes, so that what is given back fits the next one.
    const surface = this.#take(Math.ceil(width / GRAIN) * GRAIN, Math.ceil(height / GRAIN) * GRAIN);
    this.#lentPixels += sizeOf(area);
    surface.brush.beginPath();
    surface.brush.rect(0, 0, width, height);
    surface.brush.clip();
    return { surface, area };
  }

  give({ surface, area }: Sheet): void {
    this.#lentPixels -= sizeOf(area);
    this.#addSpare(surface);
  }

  kept(key: string): Sheet | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, { sheet: found.sheet, frame: this.#frame });
    return found.sheet;
  }

  /** Instead of giving it back; false where all that is kept was used in this frame or the one before. */
  keep(key: string, sheet: Sheet): boolean {
    const pixels = pixelsOf(sheet.surface);
    if (this.#kept.has(key) || !this.#makeRoom(pixels)) return false;
    this.#lentPixels -= sizeOf(sheet.area);
    this.#keptPixels += pixels;
    this.#kept.set(key, { sheet, frame: this.#frame });
    return true;
  }

  /** Whether the key was asked about lately: what comes twice is likely to come again. */
  sawBefore(key: string): boolean {
    const isKnown = this.#seen.get(key) === true;
    if (!isKnown) this.#seen.set(key, true, 1);
    return isKnown;
  }

  /** To be called at the start of each frame. */
  beginFrame(): void {
    this.#frame++;
  }

  #take(width: number, height: number): Surface {
    const at = this.#spare.findIndex(({ canvas }) => canvas.width === width && canvas.height === height);
    const [found] = at < 0 ? [] : this.#spare.splice(at, 1);
    if (found === undefined) return createSurface(width, height);
    this.#sparePixels -= pixelsOf(found);
    found.brush.reset();
    return found;
  }

  #addSpare(surface: Surface): void {
    this.#spare.push(surface);
    this.#sparePixels += pixelsOf(surface);
    while (this.#sparePixels > MAX_SPARE_PIXELS) {
      const oldest = this.#spare.shift();
      if (oldest === undefined) break;
      this.#sparePixels -= pixelsOf(oldest);
    }
  }

  /** Forgets the sheets used longest ago until there is room for so many pixels. */
  #makeRoom(pixels: number): boolean {
    for (const [key, { sheet, frame: used }] of this.#kept) {
      if (this.#keptPixels + pixels <= MAX_KEPT_PIXELS) break;
      if (used >= this.#frame - 1) return false;
      this.#kept.delete(key);
      this.#keptPixels -= pixelsOf(sheet.surface);
      this.#addSpare(sheet.surface);
    }
    return this.#keptPixels + pixels <= MAX_KEPT_PIXELS;
  }
}

/** The rasterizer draws late, and keeps a copy of every sheet until then: at most so many pixels of them, 128 MB. */
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
