// Caches downscaled images, which the fast bilinear filter then draws without shimmer.
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { createSurface, type ImageSource } from './canvas.ts';

/** Limit for all downscaled images of a drawing thread: 64 MB. */
const MAX_PIXELS = 16_000_000;
/** Bilinear filtering can shrink by this factor without visible artifacts. */
const MIN_RATIO = Math.SQRT1_2;

const cache = createLru<ImageSource>(MAX_PIXELS);
const cacheKeys = new WeakMap<ImageSource, string>();
let keyCount = 0;

/** Returns the image, or a copy downscaled by a power of √2, so that drawing it at `ratio` hardly shrinks it further. */
export function getDownscaled(image: ImageSource, ratio: number): ImageSource {
  const steps = ratio >= 1 ? 0 : Math.floor(Math.log(ratio) / Math.log(MIN_RATIO));
  if (!(steps > 0)) return image;
  const size = MIN_RATIO ** steps;
  const [width, height] = [Math.ceil(image.width * size), Math.ceil(image.height * size)];
  return getCached(image, `${steps}`, () => {
    const { canvas, ctx } = createSurface(width, height);
    ctx.imageSmoothingQuality = 'high';
    ctx.drawImage(image, 0, 0, width, height);
    return canvas;
  });
}

/** Caches an image that is derived from another. */
function getCached(image: ImageSource, variant: string, create: () => ImageSource): ImageSource {
  const name = cacheKeys.get(image) ?? String(keyCount++);
  cacheKeys.set(image, name);
  return getOrCreate(cache, `${name} ${variant}`, create, ({ width, height }) => width * height);
}

const BLUR_PIXELS = 6;

export interface BlurOptions {
  /** x, y, width and height in pixels of the image. */
  readonly part: readonly [number, number, number, number];
  /** The drawn size and blur of the part, in pixels of the surface. */
  readonly width: number;
  readonly height: number;
  readonly blur: number;
  readonly brightness: number;
  /** Whether the image stays the same, so that the result is worth caching. */
  readonly isStatic: boolean;
}

/** Returns the part blurred and darkened, at reduced size. The caller draws it enlarged. */
export function blurPart(
  image: ImageSource,
  { part, width, height, blur, brightness, isStatic }: BlurOptions,
): ImageSource {
  const size = Math.min(1, BLUR_PIXELS / Math.max(0.01, blur));
  const [wide, tall] = [Math.max(1, Math.round(width * size)), Math.max(1, Math.round(height * size))];
  const create = (): ImageSource => {
    const { canvas, ctx } = createSurface(wide, tall);
    const source = isStatic ? getDownscaled(image, wide / Math.max(1, part[2])) : image;
    const share = source.width / image.width;
    const [x, y, w, h] = part;
    // Draws beyond the edges, so that they do not fade.
    const bleed = 2 * BLUR_PIXELS;
    ctx.filter = `blur(${Math.min(blur, BLUR_PIXELS).toFixed(2)}px) brightness(${brightness})`;
    ctx.drawImage(
      source,
      x * share,
      y * share,
      w * share,
      h * share,
      -bleed,
      -bleed,
      wide + 2 * bleed,
      tall + 2 * bleed,
    );
    return canvas;
  };
  return isStatic ? getCached(image, [...part, wide, tall, brightness].join(' '), create) : create();
}
