// Pictures made smaller once instead of in every frame: then the quick bilinear brush draws them without shimmer.
import { getOrMake } from '../../lib/get-or-make.ts';
import { createLru } from '../../lib/lru.ts';
import { createSurface, type Picture } from './canvas.ts';

/** Of all smaller pictures that a drawing thread keeps: 64 MB. */
const MAX_PIXELS = 16_000_000;
/** A bilinear brush may draw pictures smaller by this and lose no detail that could be seen. */
const LEAST_RATIO = Math.SQRT1_2;

const held = createLru<Picture>(MAX_PIXELS);
const names = new WeakMap<Picture, string>();
let named = 0;

/** The picture, or one that is smaller by a power of √2, so that drawn at `ratio` of its size it is hardly shrunk. */
export function shrunk(picture: Picture, ratio: number): Picture {
  const steps = ratio >= 1 ? 0 : Math.floor(Math.log(ratio) / Math.log(LEAST_RATIO));
  if (!(steps > 0)) return picture;
  const size = LEAST_RATIO ** steps;
  const [width, height] = [Math.ceil(picture.width * size), Math.ceil(picture.height * size)];
  return heldAs(picture, `${steps}`, () => {
    const { canvas, brush } = createSurface(width, height);
    brush.imageSmoothingQuality = 'high';
    brush.drawImage(picture, 0, 0, width, height);
    return canvas;
  });
}

/** What is made of the picture, kept as long as there is room for it. */
function heldAs(picture: Picture, what: string, make: () => Picture): Picture {
  const name = names.get(picture) ?? String(named++);
  names.set(picture, name);
  return getOrMake(held, `${name} ${what}`, make, ({ width, height }) => width * height);
}

const BLUR_PIXELS = 6;

export interface Blurred {
  /** Of the picture, in its pixels: x, y, width, height. */
  readonly part: readonly [number, number, number, number];
  /** How large the part is drawn, and its blur there, in pixels of the surface. */
  readonly width: number;
  readonly height: number;
  readonly blur: number;
  readonly brightness: number;
  /** Whether the picture stays as it is, so that what is made of it is worth keeping. */
  readonly isLasting: boolean;
}

/** The part blurred and darkened: small, since it has no detail left, to be drawn as large as is wanted. */
export function blurredPart(
  picture: Picture,
  { part, width, height, blur, brightness, isLasting }: Blurred,
): Picture {
  const size = Math.min(1, BLUR_PIXELS / Math.max(0.01, blur));
  const [wide, tall] = [Math.max(1, Math.round(width * size)), Math.max(1, Math.round(height * size))];
  const make = (): Picture => {
    const { canvas, brush } = createSurface(wide, tall);
    const source = isLasting ? shrunk(picture, wide / Math.max(1, part[2])) : picture;
    const share = source.width / picture.width;
    const [x, y, w, h] = part;
    // Drawn larger than it is shown, so that its edges do not fade.
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
  return isLasting ? heldAs(picture, [...part, wide, tall, brightness].join(' '), make) : make();
}
