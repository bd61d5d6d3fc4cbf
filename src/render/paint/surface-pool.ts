// Pools offscreen surfaces for content that is blended as a whole, and caches the surfaces of repeated content.
import { createLru } from '../../lib/lru.ts';
import { type Area, getPixelCount } from './area.ts';
import { createSurface, type Surface } from './canvas.ts';

/** A surface for a part of the frame. The origin of the surface is the upper left corner of the area. */
export interface OffscreenSurface {
  readonly surface: Surface;
  readonly area: Area;
}

/** Limit for all surfaces that are in use: a quarter of a gigabyte. */
const MAX_IN_USE_PIXELS = 64_000_000;
/** Limit for cached surfaces: 80 MB. */
const MAX_CACHED_PIXELS = 20_000_000;
/** Limit for spare surfaces: 40 MB. */
const MAX_SPARE_PIXELS = 10_000_000;
/** Sides are rounded up to multiples of this, so that a released surface fits later requests. */
const SIZE_STEP = 128;

const getCanvasPixels = ({ canvas }: Surface): number => canvas.width * canvas.height;

export class SurfacePool {
  readonly #spare: Surface[] = [];
  // Entries are inserted again on each use, so that the least recently used entry comes first.
  readonly #cached = new Map<string, { readonly offscreen: OffscreenSurface; readonly frame: number }>();
  readonly #requested = createLru<true>(500);
  #borrowedPixels = 0;
  #sparePixels = 0;
  #cachedPixels = 0;
  #frame = 0;

  /** Returns whether three more surfaces of that size are available. A node needs up to three. */
  canBorrow(area: Area): boolean {
    return this.#borrowedPixels + 3 * getPixelCount(area) <= MAX_IN_USE_PIXELS;
  }

  /** Returns a transparent surface that is clipped to the area. */
  borrow(area: Area): OffscreenSurface {
    const [width, height] = [area.right - area.left, area.bottom - area.top];
    const surface = this.#takeSpare(
      Math.ceil(width / SIZE_STEP) * SIZE_STEP,
      Math.ceil(height / SIZE_STEP) * SIZE_STEP,
    );
    this.#borrowedPixels += getPixelCount(area);
    surface.ctx.beginPath();
    surface.ctx.rect(0, 0, width, height);
    surface.ctx.clip();
    return { surface, area };
  }

  release({ surface, area }: OffscreenSurface): void {
    this.#borrowedPixels -= getPixelCount(area);
    this.#addSpare(surface);
  }

  findCached(key: string): OffscreenSurface | undefined {
    const entry = this.#cached.get(key);
    if (entry === undefined) return undefined;
    this.#cached.delete(key);
    this.#cached.set(key, { offscreen: entry.offscreen, frame: this.#frame });
    return entry.offscreen;
  }

  /**
   * Caches a surface instead of releasing it. Returns false if the cache is full of surfaces that were used in this
   * frame or the previous one.
   */
  cache(key: string, offscreen: OffscreenSurface): boolean {
    const pixels = getCanvasPixels(offscreen.surface);
    if (this.#cached.has(key) || !this.#evictUntilFits(pixels)) return false;
    this.#borrowedPixels -= getPixelCount(offscreen.area);
    this.#cachedPixels += pixels;
    this.#cached.set(key, { offscreen, frame: this.#frame });
    return true;
  }

  /**
   * Records a request for the key, and returns whether it was requested recently. Content that is drawn twice is likely
   * to be drawn again.
   */
  recordRequest(key: string): boolean {
    const isKnown = this.#requested.get(key) === true;
    if (!isKnown) this.#requested.set(key, true, 1);
    return isKnown;
  }

  /** Call at the start of each frame. */
  beginFrame(): void {
    this.#frame++;
  }

  #takeSpare(width: number, height: number): Surface {
    const index = this.#spare.findIndex(({ canvas }) => canvas.width === width && canvas.height === height);
    const [surface] = index < 0 ? [] : this.#spare.splice(index, 1);
    if (surface === undefined) return createSurface(width, height);
    this.#sparePixels -= getCanvasPixels(surface);
    surface.ctx.reset();
    return surface;
  }

  #addSpare(surface: Surface): void {
    this.#spare.push(surface);
    this.#sparePixels += getCanvasPixels(surface);
    while (this.#sparePixels > MAX_SPARE_PIXELS) {
      const oldest = this.#spare.shift();
      if (oldest === undefined) break;
      this.#sparePixels -= getCanvasPixels(oldest);
    }
  }

  /** Evicts the least recently used surfaces until `pixels` fit. Returns whether they do. */
  #evictUntilFits(pixels: number): boolean {
    for (const [key, { offscreen, frame: lastFrame }] of this.#cached) {
      if (this.#cachedPixels + pixels <= MAX_CACHED_PIXELS) break;
      if (lastFrame >= this.#frame - 1) return false;
      this.#cached.delete(key);
      this.#cachedPixels -= getCanvasPixels(offscreen.surface);
      this.#addSpare(offscreen.surface);
    }
    return this.#cachedPixels + pixels <= MAX_CACHED_PIXELS;
  }
}

/** Limit for pending copies: 128 MB. The rasterizer draws lazily and copies each source until it draws. */
const MAX_PENDING_PIXELS = 32_000_000;
const pendingPixelsBySurface = new WeakMap<Surface, number>();

/**
 * Draws one surface onto another, pixel by pixel, with the alpha, blend mode, filter and shadow of the target's
 * context.
 */
export function composite(
  { surface: target, area: targetArea }: OffscreenSurface,
  { surface, area }: OffscreenSurface,
): void {
  const { ctx } = target;
  const [width, height] = [area.right - area.left, area.bottom - area.top];
  ctx.resetTransform();
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(
    surface.canvas,
    0,
    0,
    width,
    height,
    area.left - targetArea.left,
    area.top - targetArea.top,
    width,
    height,
  );
  const pendingPixels = (pendingPixelsBySurface.get(target) ?? 0) + width * height;
  pendingPixelsBySurface.set(target, pendingPixels > MAX_PENDING_PIXELS ? 0 : pendingPixels);
  // Reading one pixel flushes all pending drawing.
  if (pendingPixels > MAX_PENDING_PIXELS) ctx.getImageData(0, 0, 1, 1);
}
