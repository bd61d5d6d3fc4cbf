// Pools surfaces for content that is blended as one picture, and caches those that are drawn repeatedly.
import { createLru } from '../../lib/lru.ts';
import { type Area, sizeOf } from './area.ts';
import { createSurface, type Surface } from './canvas.ts';

/** A surface for a part of the frame, in whole pixels: `area.left` of the frame is x = 0 of the surface. */
export interface Sheet {
  readonly surface: Surface;
  readonly area: Area;
}

/** Limit for all sheets in use at once: a quarter of a gigabyte. */
const MAX_IN_USE_PIXELS = 64_000_000;
/** Limit for sheets cached for later frames, 80 MB; sheets waiting for reuse may take half of that. */
const MAX_CACHED_PIXELS = 20_000_000;
const MAX_IDLE_PIXELS = 10_000_000;
const GRAIN = 128;

const pixelsOf = ({ canvas }: Surface): number => canvas.width * canvas.height;

export class Sheets {
  readonly #spare: Surface[] = [];
  // A Map iterates in insertion order; re-inserting on each use keeps the least recently used first.
  readonly #kept = new Map<string, { readonly sheet: Sheet; readonly frame: number }>();
  readonly #seen = createLru<true>(500);
  #lentPixels = 0;
  #sparePixels = 0;
  #keptPixels = 0;
  #frame = 0;

  /** Whether nested groups leave room for three more sheets of that size. */
  hasRoom(area: Area): boolean {
    return this.#lentPixels + 3 * sizeOf(area) <= MAX_IN_USE_PIXELS;
  }

  /** Returns a clear sheet whose brush is clipped to the area. */
  borrow(area: Area): Sheet {
    const [width, height] = [area.right - area.left, area.bottom - area.top];
    // Sizes are rounded up, so that a released sheet fits the next request.
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

  /**
   * Caches the sheet instead of releasing it. Returns false if everything cached was used in this frame or the previous
   * one.
   */
  keep(key: string, sheet: Sheet): boolean {
    const pixels = pixelsOf(sheet.surface);
    if (this.#kept.has(key) || !this.#makeRoom(pixels)) return false;
    this.#lentPixels -= sizeOf(sheet.area);
    this.#keptPixels += pixels;
    this.#kept.set(key, { sheet, frame: this.#frame });
    return true;
  }

  /** Whether the key was requested recently: content that was drawn twice is likely to be drawn again. */
  sawBefore(key: string): boolean {
    const isKnown = this.#seen.get(key) === true;
    if (!isKnown) this.#seen.set(key, true, 1);
    return isKnown;
  }

  /** Call at the start of each frame. */
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
    while (this.#sparePixels > MAX_IDLE_PIXELS) {
      const oldest = this.#spare.shift();
      if (oldest === undefined) break;
      this.#sparePixels -= pixelsOf(oldest);
    }
  }

  /** Evicts the least recently used sheets until there is room for that many pixels. */
  #makeRoom(pixels: number): boolean {
    for (const [key, { sheet, frame: used }] of this.#kept) {
      if (this.#keptPixels + pixels <= MAX_CACHED_PIXELS) break;
      if (used >= this.#frame - 1) return false;
      this.#kept.delete(key);
      this.#keptPixels -= pixelsOf(sheet.surface);
      this.#addSpare(sheet.surface);
    }
    return this.#keptPixels + pixels <= MAX_CACHED_PIXELS;
  }
}

/** The rasterizer draws lazily and keeps a copy of every sheet until it does: limit these to 128 MB. */
const MAX_PENDING_PIXELS = 32_000_000;
const pending = new WeakMap<Surface, number>();

/**
 * Composites one sheet onto another, pixel by pixel, with the alpha, blend mode, filter and shadow set on its brush.
 */
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
  // Reading one pixel flushes all pending drawing.
  if (waiting > MAX_PENDING_PIXELS) brush.getImageData(0, 0, 1, 1);
}
