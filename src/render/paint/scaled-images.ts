// Caches downscaled copies of images, which the fast bilinear filter can draw without shimmer.
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

/** Returns the image, or a copy downscaled by a power of √2 to slightly more than the size at which it is drawn. */
export function getDownscaled(image: ImageSource, ratio: number): ImageSource {
  const steps = ratio >= 1 ? 0 : Math.floor(Math.log(ratio) / Math.log(MIN_RATIO));
  if (!(steps > 0)) return image;
  const scale = MIN_RATIO ** steps;
  const [width, height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)];
  return getCached(image, `${steps}`, () => {
    const { canvas, ctx } = createSurface(width, height);
    ctx.imageSmoothingQuality = 'high';
    ctx.drawImage(image, 0, 0, width, height);
    return canvas;
  });
}

/** Returns a variant of an image from the cache, or creates it. */
function getCached(image: ImageSource, variant: string, create: () => ImageSource): ImageSource {
  const key = cacheKeys.get(image) ?? String(keyCount++);
  cacheKeys.set(image, key);
  return getOrCreate(cache, `${key} ${variant}`, create, ({ width, height }) => width * height);
}

/** The blur in pixels of a part that is drawn at reduced size. */
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
  const scale = Math.min(1, BLUR_PIXELS / Math.max(0.01, blur));
  const [outWidth, outHeight] = [width, height].map(side => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  const create = (): ImageSource => {
    const { canvas, ctx } = createSurface(outWidth, outHeight);
    const source = isStatic ? getDownscaled(image, outWidth / Math.max(1, part[2])) : image;
    const sourceScale = source.width / image.width;
    const [x, y, w, h] = part;
    // Draws beyond the edges, so that they do not fade.
    const bleed = 2 * BLUR_PIXELS;
    ctx.filter = `blur(${Math.min(blur, BLUR_PIXELS).toFixed(2)}px) brightness(${brightness})`;
    ctx.drawImage(
      source,
      x * sourceScale,
      y * sourceScale,
      w * sourceScale,
      h * sourceScale,
      -bleed,
      -bleed,
      outWidth + 2 * bleed,
      outHeight + 2 * bleed,
    );
    return canvas;
  };
  return isStatic ? getCached(image, [...part, outWidth, outHeight, brightness].join(' '), create) : create();
}
