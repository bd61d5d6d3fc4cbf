// Caches downscaled images, so that the fast bilinear filter can draw them without shimmer.
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { createSurface, type Picture } from './canvas.ts';

/** Limit for all downscaled images of a drawing thread: 64 MB. */
const MAX_PIXELS = 16_000_000;
/** Bilinear filtering may shrink by this factor without visible loss of detail. */
const MIN_RATIO = Math.SQRT1_2;

const held = createLru<Picture>(MAX_PIXELS);
const names = new WeakMap<Picture, string>();
let named = 0;

/** The image, or a copy downscaled by a power of √2, so that drawing it at `ratio` hardly shrinks it further. */
export function downscaled(picture: Picture, ratio: number): Picture {
  const steps = ratio >= 1 ? 0 : Math.floor(Math.log(ratio) / Math.log(MIN_RATIO));
  if (!(steps > 0)) return picture;
  const size = MIN_RATIO ** steps;
  const [width, height] = [Math.ceil(picture.width * size), Math.ceil(picture.height * size)];
  return cached(picture, `${steps}`, () => {
    const { canvas, brush } = createSurface(width, height);
    brush.imageSmoothingQuality = 'high';
    brush.drawImage(picture, 0, 0, width, height);
    return canvas;
  });
}

/** Caches what is derived from an image while there is room. */
function cached(picture: Picture, what: string, make: () => Picture): Picture {
  const name = names.get(picture) ?? String(named++);
  names.set(picture, name);
  return getOrCreate(held, `${name} ${what}`, make, ({ width, height }) => width * height);
}

const BLUR_PIXELS = 6;

export interface Blurred {
  /** In pixels of the image: x, y, width, height. */
  readonly part: readonly [number, number, number, number];
  /** The drawn size and blur of the part, in pixels of the surface. */
  readonly width: number;
  readonly height: number;
  readonly blur: number;
  readonly brightness: number;
  /** Whether the image stays the same, so that the result is worth caching. */
  readonly isLasting: boolean;
}

/** The part blurred and darkened at reduced size, since it has no detail; the caller draws it enlarged. */
export function blurredPart(
  picture: Picture,
  { part, width, height, blur, brightness, isLasting }: Blurred,
): Picture {
  const size = Math.min(1, BLUR_PIXELS / Math.max(0.01, blur));
  const [wide, tall] = [Math.max(1, Math.round(width * size)), Math.max(1, Math.round(height * size))];
  const make = (): Picture => {
    const { canvas, brush } = createSurface(wide, tall);
    const source = isLasting ? downscaled(picture, wide / Math.max(1, part[2])) : picture;
    const share = source.width / picture.width;
    const [x, y, w, h] = part;
    // Drawn larger than shown, so that the edges do not fade.
    const bleed = 2 * BLUR_PIXELS;
    brush.filter = `blur(${Math.min(blur, BLUR_PIXELS).toFixed(2)}px) brightness(${brightness})`;
    brush.drawImage(
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
  return isLasting ? cached(picture, [...part, wide, tall, brightness].join(' '), make) : make();
}
